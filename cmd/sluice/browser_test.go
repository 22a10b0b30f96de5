package main

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"sluice/cmd/sluice/browser"
)

// TestForeignPagesAreRefused walks requests that a browser sends for its own page, and for pages of other sites.
func TestForeignPagesAreRefused(t *testing.T) {
	t.Parallel()
	dev := browser.Loopback(listener{IP: net.IPv4(127, 0, 0, 1), Port: 8086})
	open := (&opsSettings{OpsAddr: "ops.example:8090", OpsHosts: []string{"Ops.Internal"}}).hosts(listener{IP: net.IPv4zero, Port: 8090})
	for name, c := range map[string]struct {
		browser.Hosts
		host   string
		method string
		head   map[string]string
		want   int
	}{
		"a program":                {dev, "127.0.0.1:8086", "POST", nil, 200},
		"by its name":              {dev, "localhost:8086", "POST", nil, 200},
		"by IPv6":                  {dev, "[::1]:8086", "POST", nil, 200},
		"another address of it":    {dev, "127.8.9.1:8086", "GET", nil, 200},
		"its page":                 {dev, "localhost:8086", "POST", map[string]string{"Origin": "http://localhost:8086", "Sec-Fetch-Site": "same-origin"}, 200},
		"typed in":                 {dev, "localhost:8086", "GET", map[string]string{"Sec-Fetch-Site": "none"}, 200},
		"a link":                   {dev, "localhost:8086", "GET", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}, 200},
		"a rebound name":           {dev, "evil.example:8086", "GET", nil, 403},
		"a rebound name, its page": {dev, "evil.example:8086", "POST", map[string]string{"Origin": "http://evil.example:8086", "Sec-Fetch-Site": "same-origin"}, 403},
		"a name like it":           {dev, "localhost.evil.example:8086", "GET", nil, 403},
		"an address in a name":     {dev, "127.0.0.1.evil.example:8086", "GET", nil, 403},
		"another address":          {dev, "192.168.1.7:8086", "GET", nil, 403},
		"all addresses":            {dev, "0.0.0.0:8086", "GET", nil, 403},
		"another port":             {dev, "127.0.0.1:8087", "GET", nil, 403},
		"no port":                  {dev, "127.0.0.1", "GET", nil, 403},
		"no host":                  {dev, "", "GET", nil, 403},
		"another page":             {dev, "127.0.0.1:8086", "POST", map[string]string{"Origin": "https://evil.example"}, 403},
		"another port's page":      {dev, "127.0.0.1:8086", "POST", map[string]string{"Origin": "http://127.0.0.1:3000", "Sec-Fetch-Site": "same-site"}, 403},
		"its page under TLS":       {dev, "127.0.0.1:8086", "POST", map[string]string{"Origin": "https://127.0.0.1:8086"}, 403},
		"a page of nowhere":        {dev, "127.0.0.1:8086", "POST", map[string]string{"Origin": "null"}, 403},
		"an image":                 {dev, "127.0.0.1:8086", "GET", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}, 403},
		"a frame":                  {dev, "127.0.0.1:8086", "GET", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}, 403},
		"a form":                   {dev, "127.0.0.1:8086", "POST", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}, 403},
		"a socket":                 {dev, "127.0.0.1:8086", "GET", map[string]string{"Upgrade": "websocket", "Origin": "https://evil.example"}, 403},
		"a socket's navigation":    {dev, "127.0.0.1:8086", "GET", map[string]string{"Upgrade": "websocket", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}, 403},
		"a client's socket":        {dev, "127.0.0.1:8086", "GET", map[string]string{"Upgrade": "websocket", "Origin": "https://api.slack.com"}, 200},
		"Slack's page, no socket":  {dev, "127.0.0.1:8086", "POST", map[string]string{"Origin": "https://api.slack.com"}, 403},

		"operators by address":      {open, "10.0.0.1:8090", "GET", nil, 200},
		"operators by the setting":  {open, "ops.example:8090", "GET", nil, 200},
		"operators behind a proxy":  {open, "ops.internal", "POST", map[string]string{"Origin": "https://ops.internal"}, 200},
		"operators, a rebound name": {open, "evil.example:8090", "GET", nil, 403},
		"operators, another page":   {open, "10.0.0.1:8090", "POST", map[string]string{"Origin": "http://evil.example"}, 403},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequest(c.method, "/control/reset", nil)
			r.Host = c.host
			for name, v := range c.head {
				r.Header.Set(name, v)
			}
			w := httptest.NewRecorder()
			browser.OwnPages(c.Hosts, slog.New(slog.DiscardHandler), "", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(200) })).ServeHTTP(w, r)
			if w.Code != c.want {
				t.Errorf("answered %d, want %d: %s", w.Code, c.want, w.Body)
			}
		})
	}
}

// listener is one with an address alone.
type listener net.TCPAddr

// Accept implements net.Listener.
func (listener) Accept() (net.Conn, error) { return nil, net.ErrClosed }

// Close implements net.Listener.
func (listener) Close() error { return nil }

// Addr implements net.Listener.
func (l listener) Addr() net.Addr { return (*net.TCPAddr)(&l) }

// TestDevRefusesOtherSites asks a real sluice dev in the name of other sites' pages: its page, its control API, its sockets, its shop, its
// hooks.
func TestDevRefusesOtherSites(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{})
	ask := func(method, path, kind, body string, change func(*http.Request)) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, "http://"+w.addr+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", kind)
		change(r)
		res, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		text, _ := io.ReadAll(res.Body)
		return res.StatusCode, string(text)
	}
	const message = `{"user": "ana", "channel": "support", "text": "sent by another site"}`
	for name, change := range map[string]func(*http.Request){
		"rebound":    func(r *http.Request) { r.Host = "evil.example" },
		"cross-site": func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") },
		"fetch":      func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
	} {
		for _, path := range []string{"/", "/control/message", "/control/info", "/socket?ticket=x", "/shop/orders/A-1001", "/hooks/refunds", "/healthz", "/api/auth.test"} {
			for _, method := range []string{"GET", "POST"} {
				if code, text := ask(method, path, "application/json", message, change); code != http.StatusForbidden || strings.Contains(text, "ana") {
					t.Errorf("%s: %s %s is answered %d %s", name, method, path, code, text)
				}
			}
		}
	}
	for _, kind := range []string{"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""} {
		if code, text := ask("POST", "/control/message", kind, message, func(r *http.Request) { r.Header.Set("Origin", "http://"+w.addr) }); code != http.StatusUnsupportedMediaType {
			t.Errorf("%q is answered %d %s", kind, code, text)
		}
	}
	if code, text := ask("POST", "/control/message", "application/json", strings.ReplaceAll(message, "another", "its own"), func(r *http.Request) { r.Header.Set("Origin", "http://"+w.addr) }); code != http.StatusOK || !strings.Contains(text, `"ok":true`) {
		t.Errorf("its own page is answered %d %s", code, text)
	}
	for _, m := range w.state("#support") {
		if strings.Contains(m.shown(), "another site") {
			t.Error("another site has sent a message")
		}
	}
}
