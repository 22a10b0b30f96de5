package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"sluice/engine/dispatch"
	"sluice/engine/dispatch/river"
	"sluice/storage"
	"sluice/storage/pgtest"
)

const opsToken = "a token that nobody guesses"

// TestOperatorsSeeTheQueue serves River's pages over real HTTP, about a real queue with a job in it.
func TestOperatorsSeeTheQueue(t *testing.T) {
	t.Parallel()
	d, err := river.Open(t.Context(), pgtest.URL(t), river.Options{Name: "test", Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Stop(context.Background()) })
	d.Enqueue(dispatch.Item{Run: "the-run", Token: 1, Epoch: 1}) // nobody performs it: the dispatcher is not started
	settings := opsSettings{OpsAddr: ":0", OpsToken: opsToken}
	l, err := settings.listen()
	if err != nil {
		t.Fatal(err)
	}
	if host := l.Addr().String(); !strings.HasPrefix(host, "127.0.0.1:") {
		t.Errorf("without a host it listens on %s", host)
	}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- serveOps(ctx, l, &settings, d.Page, slog.New(slog.DiscardHandler)) }()
	o := &operator{T: t, base: "http://" + l.Addr().String()}

	for name, auth := range map[string]func(*http.Request){
		"nothing":               func(*http.Request) {},
		"a wrong token":         func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+opsToken+"x") },
		"an empty token":        func(r *http.Request) { r.Header.Set("Authorization", "Bearer ") },
		"a wrong password":      func(r *http.Request) { r.SetBasicAuth("ana", "ana") },
		"the token as the name": func(r *http.Request) { r.SetBasicAuth(opsToken, "") },
		"another scheme":        func(r *http.Request) { r.Header.Set("Authorization", "Token "+opsToken) },
	} {
		for _, path := range []string{"/", "/river/", "/river/api/jobs", "/river/api/health-checks/complete", "/else"} {
			if code, body, head := o.ask("GET", path, auth); code != http.StatusUnauthorized || head.Get("WWW-Authenticate") == "" || strings.Contains(body, "the-run") {
				t.Errorf("%s with %s: %d", path, name, code)
			}
		}
	}
	bearer := func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+opsToken) }
	basic := func(r *http.Request) { r.SetBasicAuth("whoever", opsToken) }
	for _, auth := range []func(*http.Request){bearer, basic} {
		if code, body, _ := o.ask("GET", "/", auth); code != http.StatusOK || !strings.Contains(body, "<div id=\"root\"") {
			t.Errorf("the page: %d %s", code, body)
		}
	}
	id := o.job(bearer)
	other := func(r *http.Request) {
		bearer(r)
		r.Header.Set("Sec-Fetch-Site", "cross-site")
	}
	cancel := fmt.Sprintf(`{"ids":[%s]}`, id)
	if code, _, _ := o.send("/river/api/jobs/cancel", cancel, other); code != http.StatusForbidden {
		t.Errorf("another site cancels a job: %d", code)
	}
	for name, change := range map[string]func(*http.Request){
		"another name":  func(r *http.Request) { r.Host = "evil.example" },
		"another port":  func(r *http.Request) { r.Host = "127.0.0.1:1" },
		"another page":  func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") },
		"a page's form": func(r *http.Request) { r.Header.Set("Origin", "null") },
	} {
		foreign := func(r *http.Request) { bearer(r); change(r) }
		if code, body, _ := o.ask("GET", "/river/api/jobs/"+id, foreign); code != http.StatusForbidden || strings.Contains(body, `"state"`) {
			t.Errorf("%s sees a job: %d %s", name, code, body)
		}
	}
	if code, body, _ := o.send("/river/api/jobs/cancel", cancel, bearer); code != http.StatusOK {
		t.Errorf("an operator cancels a job: %d %s", code, body)
	}
	if code, body, _ := o.ask("GET", "/river/api/jobs/"+id, bearer); code != http.StatusOK || !strings.Contains(body, `"state":"cancelled"`) {
		t.Errorf("the job: %d %s", code, body)
	}
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// operator asks the pages.
type operator struct {
	*testing.T
	base string
}

func (o *operator) ask(method, path string, auth func(*http.Request)) (int, string, http.Header) {
	o.Helper()
	return o.do(method, path, "", auth)
}

func (o *operator) send(path, body string, auth func(*http.Request)) (int, string, http.Header) {
	o.Helper()
	return o.do("POST", path, body, auth)
}

func (o *operator) do(method, path, body string, auth func(*http.Request)) (int, string, http.Header) {
	o.Helper()
	r, err := http.NewRequestWithContext(o.Context(), method, o.base+path, strings.NewReader(body))
	if err != nil {
		o.Fatal(err)
	}
	auth(r)
	client := &http.Client{CheckRedirect: func(next *http.Request, _ []*http.Request) error { auth(next); return nil }}
	res, err := client.Do(r)
	if err != nil {
		o.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		o.Fatal(err)
	}
	return res.StatusCode, string(text), res.Header
}

// job waits until the job is listed, and gives its id.
func (o *operator) job(auth func(*http.Request)) string {
	o.Helper()
	for late := time.Now().Add(time.Minute); time.Now().Before(late); {
		code, body, _ := o.ask("GET", "/river/api/jobs?state=available", auth)
		var list struct {
			Data []struct {
				ID   json.Number     `json:"id"`
				Args json.RawMessage `json:"args"`
			} `json:"data"`
		}
		if err := json.Unmarshal([]byte(body), &list); code != http.StatusOK || err != nil {
			o.Fatalf("%d %s %v", code, body, err)
		}
		if len(list.Data) > 0 && strings.Contains(string(list.Data[0].Args), "the-run") {
			return list.Data[0].ID.String()
		}
	}
	o.Fatal("the job is not listed")
	return ""
}

func TestOperatorsNeedAQueueAndAToken(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		settings opsSettings
		kind     string
		problems int
	}{
		{opsSettings{}, storage.SQLite, 0},
		{opsSettings{OpsAddr: ":8090", OpsToken: opsToken}, storage.Postgres, 0},
		{opsSettings{OpsAddr: "10.0.0.1:8090", OpsToken: opsToken}, storage.Postgres, 0},
		{opsSettings{OpsAddr: ":8090", OpsToken: "short"}, storage.Postgres, 1},
		{opsSettings{OpsAddr: "8090"}, storage.SQLite, 3},
	} {
		if got := c.settings.wrong(c.kind); len(got) != c.problems {
			t.Errorf("%+v on %s: %q", c.settings, c.kind, got)
		}
	}
}

// TestThePagesDoNotSeeTheToken has a page that says what it is asked with.
func TestThePagesDoNotSeeTheToken(t *testing.T) {
	t.Parallel()
	page := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "asked with %v", r.Header["Authorization"])
	})
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	r.Header.Set("Authorization", "Bearer "+opsToken)
	w := httptest.NewRecorder()
	forOperators(opsToken, page).ServeHTTP(w, r)
	if got := w.Body.String(); w.Code != http.StatusOK || got != "asked with []" {
		t.Errorf("%d %s", w.Code, got)
	}
}
