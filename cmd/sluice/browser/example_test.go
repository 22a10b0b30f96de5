package browser_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"

	"sluice/cmd/sluice/browser"
)

// A page of another site cannot make a browser ask a server of this machine, whatever name it uses.
func ExampleOwnPages() {
	server := httptest.NewUnstartedServer(nil)
	defer server.Close()
	pages := browser.OwnPages(browser.Loopback(server.Listener), slog.New(slog.DiscardHandler), "", http.NotFoundHandler())
	for _, host := range []string{server.Listener.Addr().String(), "evil.example"} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Host = host
		w := httptest.NewRecorder()
		pages.ServeHTTP(w, r)
		fmt.Println(w.Code)
	}
	// Output:
	// 404
	// 403
}
