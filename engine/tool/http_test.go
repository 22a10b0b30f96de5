package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/engine/secret"
	"sluice/engine/tool"
)

// service records what arrives at a handler.
type service struct {
	*httptest.Server
	mu   sync.Mutex
	seen []*http.Request
	body []string
}

func serve(t *testing.T, h http.HandlerFunc) *service {
	t.Helper()
	s := &service{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.seen, s.body = append(s.seen, r), append(s.body, string(b))
		s.mu.Unlock()
		h(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *service) requests() []*http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*http.Request{}, s.seen...)
}

func (s *service) host() string { return strings.TrimPrefix(s.URL, "http://") }

func httpTool(t *testing.T, name string, opts tool.Options) tool.Tool {
	t.Helper()
	if opts.AllowPrivate == nil {
		opts.AllowPrivate = []string{"127.0.0.1"}
	}
	tools, err := tool.HTTP(opts)
	if err != nil {
		t.Fatal(err)
	}
	s, err := tool.New(tools...)
	if err != nil {
		t.Fatal(err)
	}
	got, ok := s.Lookup(name)
	if !ok {
		t.Fatalf("there is no %s", name)
	}
	return got
}

func failed(t *testing.T, err error) *tool.Error {
	t.Helper()
	e, ok := errors.AsType[*tool.Error](err)
	if !ok {
		t.Fatalf("got %v, want a *tool.Error", err)
	}
	return e
}

func TestHTTPResult(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Order", "yes")
		w.Header().Set("Set-Cookie", "session=1")
		switch r.URL.Path {
		case "/json":
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
			fmt.Fprint(w, `{"amount": 250, "id": 12345678901234567890, "lines": [1, "a"]}`)
		case "/broken":
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"amount": `)
		case "/text":
			w.Header().Set("Content-Type", "text/plain")
			fmt.Fprint(w, "hello\n")
		case "/binary":
			w.Header().Set("Content-Type", "image/png")
			_, _ = w.Write([]byte{0x89, 'P', 0xff, 0xfe})
		case "/none":
			w.WriteHeader(http.StatusNoContent)
		}
	})
	get := httpTool(t, "http.get", tool.Options{})
	for path, want := range map[string]any{
		"/json":   map[string]any{"amount": json.Number("250"), "id": json.Number("12345678901234567890"), "lines": []any{json.Number("1"), "a"}},
		"/broken": `{"amount": `,
		"/text":   "hello\n",
		"/binary": "(4 bytes of image/png)",
		"/none":   nil,
	} {
		got, err := get.Call(t.Context(), tool.Call{Params: map[string]any{"url": s.URL + path}})
		if err != nil {
			t.Fatal(err)
		}
		data := got.Data.(map[string]any)
		if diff := cmp.Diff(want, data["body"]); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
		headers := data["headers"].(map[string]any)
		if headers["x-order"] != "yes" || headers["set-cookie"] != nil {
			t.Errorf("%s: headers %v", path, headers)
		}
	}
}

func TestHTTPRequest(t *testing.T) {
	t.Parallel()
	s := serve(t, func(http.ResponseWriter, *http.Request) {})
	for _, name := range []string{"http.get", "http.head", "http.post", "http.put", "http.patch", "http.delete"} {
		params := map[string]any{
			"url":     s.URL + "/a?x=1#part",
			"query":   map[string]any{"q": "a b&c", "n": 1e6, "list": []any{"x", 2, true}},
			"headers": map[string]any{"authorization": "Bearer t", "X-Number": 3},
		}
		read := name == "http.get" || name == "http.head"
		if !read && name != "http.delete" {
			params["json"] = map[string]any{"order": "A-1"}
		}
		if _, err := httpTool(t, name, tool.Options{}).Call(t.Context(), tool.Call{Key: "run/1/0/0", Params: params}); err != nil {
			t.Fatal(err)
		}
		all := s.requests()
		r := all[len(all)-1]
		if got := r.Method + " " + r.URL.RequestURI(); got != strings.ToUpper(name[5:])+" /a?x=1&list=x&list=2&list=true&n=1000000&q=a+b%26c" {
			t.Errorf("%s sent %s", name, got)
		}
		if r.Header.Get("Authorization") != "Bearer t" || r.Header.Get("X-Number") != "3" {
			t.Errorf("%s sent the headers %v", name, r.Header)
		}
		if key := r.Header.Get("Idempotency-Key"); (key == "") != read || !read && key != "run/1/0/0" {
			t.Errorf("%s sent the key %q", name, key)
		}
		if _, ok := params["json"]; ok && (s.body[len(all)-1] != `{"order":"A-1"}` || r.Header.Get("Content-Type") != "application/json") {
			t.Errorf("%s sent %q as %s", name, s.body[len(all)-1], r.Header.Get("Content-Type"))
		}
	}
}

func TestHTTPRefusesParams(t *testing.T) {
	t.Parallel()
	post := httpTool(t, "http.post", tool.Options{})
	for name, c := range map[string]struct {
		params map[string]any
		says   string
	}{
		"no url":       {map[string]any{}, "url is missing"},
		"file":         {map[string]any{"url": "file:///etc/passwd"}, "must begin with http:// or https://"},
		"no host":      {map[string]any{"url": "http:///x"}, "names no host"},
		"password":     {map[string]any{"url": "http://me:topsecret@127.0.0.1/"}, "use a header"},
		"not parsable": {map[string]any{"url": "http://a b/topsecret"}, "is not an address"},
		"own key":      {map[string]any{"url": "http://127.0.0.1/", "headers": map[string]any{"idempotency-key": "topsecret"}}, "Idempotency-Key is set by the program"},
		"line break":   {map[string]any{"url": "http://127.0.0.1/", "headers": map[string]any{"X": "a\r\nHost: topsecret"}}, "line break"},
		"header name":  {map[string]any{"url": "http://127.0.0.1/", "headers": map[string]any{"X Y": "a"}}, "not the name of a header"},
		"two bodies":   {map[string]any{"url": "http://127.0.0.1/", "json": 1, "body": "topsecret"}, "exclude each other"},
		"unknown":      {map[string]any{"url": "http://127.0.0.1/", "header": map[string]any{}}, "did you mean headers?"},
	} {
		_, err := post.Call(t.Context(), tool.Call{Tool: "http.post", Params: c.params})
		e := failed(t, err)
		if e.Type != "ParameterError" || !strings.Contains(e.Message, c.says) || strings.Contains(e.Error(), "topsecret") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestHTTPErrors(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var code int
		_, _ = fmt.Sscanf(r.URL.Path, "/%d", &code)
		w.Header().Set("Retry-After", "7")
		if r.URL.Query().Has("html") {
			w.Header().Set("Content-Type", "text/html")
		}
		w.WriteHeader(code)
		fmt.Fprint(w, "no such \x1border\nsecond line")
	})
	for _, c := range []struct {
		tool, path, kind, message string
		permanent, unknown        bool
	}{
		{"http.get", "/404", "HTTPError", "404 Not Found from HOST: no such order", true, false},
		{"http.get", "/404?html", "HTTPError", "404 Not Found from HOST", true, false},
		{"http.post", "/422", "HTTPError", "422 Unprocessable Entity from HOST: no such order", true, false},
		{"http.post", "/409", "HTTPError", "409 Conflict from HOST: no such order", false, false},
		{"http.get", "/401", "AuthenticationError", "401 Unauthorized from HOST: no such order", true, false},
		{"http.post", "/429", "RateLimitError", "429 Too Many Requests from HOST: no such order", false, false},
		{"http.get", "/500", "HTTPError", "500 Internal Server Error from HOST: no such order", false, false},
		{"http.post", "/500", "HTTPError", "500 Internal Server Error from HOST: no such order", false, true},
		{"http.post", "/503", "HTTPError", "503 Service Unavailable from HOST: no such order", false, false},
		{"http.post", "/504", "HTTPError", "504 Gateway Timeout from HOST: no such order", false, true},
		{"http.get", "/304", "HTTPError", "304 Not Modified from HOST", true, false},
		{"http.get", "/599", "HTTPError", "599 from HOST: no such order", false, false},
	} {
		_, err := httpTool(t, c.tool, tool.Options{}).Call(t.Context(), tool.Call{Params: map[string]any{"url": s.URL + c.path}})
		e := failed(t, err)
		message := strings.ReplaceAll(c.message, "HOST", s.host())
		if e.Type != c.kind || e.Message != message || e.Permanent != c.permanent || e.Unknown != c.unknown || e.RetryAfter != 7*time.Second {
			t.Errorf("%s %s: got %+v, want %s %q", c.tool, c.path, e, c.kind, message)
		}
	}
}

func TestHTTPConnectionErrors(t *testing.T) {
	t.Parallel()
	dead, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	refusing := "http://" + dead.Addr().String()
	_ = dead.Close()
	dropping := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_ = conn.Close()
		}
	})
	halfway := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		fmt.Fprint(w, "half")
	})
	for _, c := range []struct {
		tool, url, says string
		unknown         bool
	}{
		{"http.get", refusing, "could not connect to ", false},
		{"http.post", refusing, "connection refused", false},
		{"http.get", dropping.URL, "was lost", false},
		{"http.post", dropping.URL, "was lost", true},
		{"http.put", dropping.URL, "was lost", true},
		{"http.post", halfway.URL, "was lost", true},
	} {
		before := len(dropping.requests())
		_, err := httpTool(t, c.tool, tool.Options{}).Call(t.Context(), tool.Call{Key: "k", Params: map[string]any{"url": c.url}})
		e := failed(t, err)
		if e.Type != "ConnectionError" || !strings.Contains(e.Message, c.says) || e.Unknown != c.unknown || e.Permanent {
			t.Errorf("%s %s: got %+v", c.tool, c.url, e)
		}
		if n := len(dropping.requests()) - before; n > 1 {
			t.Errorf("%s was sent %d times", c.tool, n)
		}
	}
}

// A service that closes idle connections must not make the client send a POST twice, which it would do by itself for a
// request with an Idempotency-Key on a connection that was used before.
func TestHTTPNeverResendsAPost(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/drop" {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				_ = conn.Close()
			}
		}
	})
	post := httpTool(t, "http.post", tool.Options{})
	for i := range 5 {
		if _, err := post.Call(t.Context(), tool.Call{Key: "a", Params: map[string]any{"url": s.URL + "/ok"}}); err != nil {
			t.Fatal(err)
		}
		_, err := post.Call(t.Context(), tool.Call{Key: "b", Params: map[string]any{"url": s.URL + "/drop"}})
		if e := failed(t, err); !e.Unknown {
			t.Fatalf("got %+v", e)
		}
		if n := len(s.requests()); n != 2*(i+1) {
			t.Fatalf("%d requests arrived after %d calls", n, 2*(i+1))
		}
	}
}

func TestHTTPTimeout(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	arrived := make(chan struct{}, 8)
	s := serve(t, func(http.ResponseWriter, *http.Request) { arrived <- struct{}{}; <-release })
	t.Cleanup(func() { close(release) })
	for _, name := range []string{"http.get", "http.post"} {
		x := httpTool(t, name, tool.Options{Timeout: 50 * time.Millisecond})
		_, err := x.Call(t.Context(), tool.Call{Params: map[string]any{"url": s.URL}})
		if e := failed(t, err); e.Type != "TimeoutError" || e.Unknown != (name == "http.post") || !strings.Contains(e.Message, "50ms") {
			t.Errorf("%s: got %+v", name, e)
		}
		<-arrived

		x = httpTool(t, name, tool.Options{})
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-arrived; cancel() }()
		_, err = x.Call(ctx, tool.Call{Params: map[string]any{"url": s.URL}})
		if e := failed(t, err); e.Type != "CancelledError" || e.Unknown != (name == "http.post") || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %+v", name, e)
		}
	}
}

func TestHTTPBodyLimit(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, strings.Repeat("x", 1001)) })
	opts := tool.Options{MaxBody: 1000}
	_, err := httpTool(t, "http.get", opts).Call(t.Context(), tool.Call{Params: map[string]any{"url": s.URL}})
	if e := failed(t, err); e.Type != "LimitError" || !strings.Contains(e.Message, "1000 bytes") || !e.Permanent {
		t.Errorf("got %+v", e)
	}
	got, err := httpTool(t, "http.post", opts).Call(t.Context(), tool.Call{Params: map[string]any{"url": s.URL}})
	if err != nil {
		t.Fatal("a POST that was done failed for the size of its answer:", err)
	}
	if data := got.Data.(map[string]any); len(data["body"].(string)) != 1000 || data["truncated"] != true {
		t.Errorf("got %v", data)
	}
}

func TestHTTPRedirects(t *testing.T) {
	t.Parallel()
	other := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "other") })
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/same":
			http.Redirect(w, r, "/end", http.StatusFound)
		case "/other":
			http.Redirect(w, r, other.URL+"/end", http.StatusTemporaryRedirect)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/see":
			http.Redirect(w, r, "/end", http.StatusSeeOther)
		case "/seebroken":
			http.Redirect(w, r, "/500", http.StatusSeeOther)
		case "/500":
			w.WriteHeader(http.StatusInternalServerError)
		case "/moved":
			http.Redirect(w, r, "/end", http.StatusMovedPermanently)
		case "/replay":
			http.Redirect(w, r, "/end", http.StatusPermanentRedirect)
		case "/file":
			w.Header().Set("Location", "file:///etc/passwd")
			w.WriteHeader(http.StatusFound)
		default:
			fmt.Fprint(w, "end "+r.Method+r.Header.Get("X-Api-Key"))
		}
	})
	call := func(name, path string) (any, *tool.Error) {
		res, err := httpTool(t, name, tool.Options{}).Call(t.Context(), tool.Call{Key: "k", Params: map[string]any{
			"url": s.URL + path, "headers": map[string]any{"X-Api-Key": "-key", "Authorization": "Bearer x", "Accept": "text/plain"},
		}})
		if err != nil {
			return nil, failed(t, err)
		}
		return res.Data.(map[string]any)["body"], nil
	}
	for _, c := range []struct{ tool, path, body string }{
		{"http.get", "/same", "end GET-key"},
		{"http.get", "/other", "other"},
		{"http.post", "/see", "end GET-key"},
	} {
		if got, err := call(c.tool, c.path); err != nil || got != c.body {
			t.Errorf("%s %s: got %v, %v", c.tool, c.path, got, err)
		}
	}
	for _, r := range other.requests() {
		if r.Header.Get("Authorization")+r.Header.Get("X-Api-Key")+r.Header.Get("Referer") != "" || r.Header.Get("Accept") != "text/plain" {
			t.Errorf("another host got the headers %v", r.Header)
		}
	}
	for _, c := range []struct {
		tool, path, says string
		unknown          bool
	}{
		{"http.get", "/loop", "more than 5 redirects", false},
		{"http.get", "/file", "must begin with http", false},
		{"http.post", "/moved", "a POST is never sent twice", true},
		{"http.post", "/replay", "a POST is never sent twice", false},
		{"http.delete", "/replay", "a DELETE is never sent twice", false},
		{"http.post", "/seebroken", "500 Internal Server Error", true},
	} {
		before := len(s.requests())
		_, e := call(c.tool, c.path)
		if e == nil || !strings.Contains(e.Message, c.says) || e.Unknown != c.unknown {
			t.Errorf("%s %s: got %+v", c.tool, c.path, e)
		}
		for _, r := range s.requests()[before:] {
			if r.URL.Path == "/end" {
				t.Errorf("%s %s was sent on", c.tool, c.path)
			}
		}
	}
}

func TestHTTPRedactsSecrets(t *testing.T) {
	t.Parallel()
	const value = "topsecret-value"
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Echo", r.Header.Get("Authorization"))
		if r.URL.Path == "/403" {
			w.WriteHeader(http.StatusForbidden)
		}
		fmt.Fprint(w, strings.Repeat("x", 190)+r.Header.Get("Authorization")+" "+r.URL.RawQuery)
	})
	opts := tool.Options{Redactor: secret.NewRedactor(map[string]string{"SHOP": value})}
	get := httpTool(t, "http.get", opts)
	params := func(path string) map[string]any {
		return map[string]any{"url": s.URL + path, "query": map[string]any{"k": value}, "headers": map[string]any{"Authorization": value}}
	}
	got, err := get.Call(t.Context(), tool.Call{Params: params("/")})
	if err != nil {
		t.Fatal(err)
	}
	if shown := fmt.Sprint(got); strings.Contains(shown, "topsecret") || !strings.Contains(shown, secret.Mark("SHOP")) {
		t.Errorf("the result shows %s", shown)
	}
	_, err = get.Call(t.Context(), tool.Call{Params: params("/403")})
	if e := failed(t, err); strings.Contains(fmt.Sprintf("%+v %v", e, e.Err), "topsec") {
		t.Errorf("the error shows %+v", e)
	}
	_, err = get.Call(t.Context(), tool.Call{Params: map[string]any{"url": "http://127.0.0.1:1/" + value}})
	if e := failed(t, err); strings.Contains(fmt.Sprintf("%+v %v", e, e.Err), "topsec") {
		t.Errorf("the error shows %+v", e)
	}
}
