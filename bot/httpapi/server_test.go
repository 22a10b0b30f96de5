package httpapi

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sluice/storage"
	"sluice/storage/sqlite"
)

// world is a server on a real store behind a real listener.
type world struct {
	*testing.T
	store  storage.Store
	server *Server
	url    string
}

func newWorld(t *testing.T, changes ...func(*Server)) *world {
	t.Helper()
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "sluice.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, store: store, server: New(nil, nil), url: "http://" + l.Addr().String()}
	for _, change := range changes {
		change(w.server)
	}
	w.server.Open(Config{Store: store})
	ctx, stop := context.WithCancel(context.Background())
	over := make(chan error, 1)
	go func() { over <- w.server.Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-over; err != nil {
			t.Error(err)
		}
	})
	return w
}

// reply is what a request was answered.
type reply struct {
	status int
	header http.Header
	text   string
	Status string
}

func (w *world) get(path string) reply {
	w.Helper()
	r, err := http.NewRequestWithContext(w.Context(), http.MethodGet, w.url+path, nil)
	if err != nil {
		w.Fatal(err)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		w.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		w.Fatal(err)
	}
	out := reply{status: res.StatusCode, header: res.Header, text: string(text)}
	if err := json.Unmarshal(text, &out); err != nil {
		w.Fatalf("the answer %d is not JSON: %s", res.StatusCode, text)
	}
	return out
}

// TestHealth: the process lives from the start on, and is ready while it serves and its store answers.
func TestHealth(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	opened := w.server.open.Swap(nil)
	check := func(when string, ready int) {
		t.Helper()
		w.server.ready.asked = time.Time{}
		if got := w.get("/healthz"); got.status != http.StatusOK || got.Status != "live" {
			t.Errorf("%s it is %d %s", when, got.status, got.text)
		}
		got := w.get("/readyz")
		if got.status != ready || (got.Status == "ready") != (ready == http.StatusOK) || (got.header.Get("Retry-After") == "") != (ready == http.StatusOK) {
			t.Errorf("%s it is %d %s", when, got.status, got.text)
		}
	}
	check("early", http.StatusServiceUnavailable)
	w.server.Open(*opened)
	check("open", http.StatusOK)
	if err := w.store.Close(); err != nil {
		t.Fatal(err)
	}
	check("without-store", http.StatusServiceUnavailable)
}

// TestReadyIsRemembered: however often somebody asks, the store is asked once a second.
func TestReadyIsRemembered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	now := time.Unix(100, 0)
	var r readiness
	ask := func(after time.Duration) error { return r.ask(t.Context(), now.Add(after), w.store) }
	if err := ask(0); err != nil {
		t.Fatal(err)
	}
	if err := w.store.Close(); err != nil {
		t.Fatal(err)
	}
	if ask(readyFor-1) != nil || ask(readyFor) == nil {
		t.Error("the answer is not remembered for as long as it counts")
	}
}

// TestFindings: a finding that stops the process makes it not ready; other findings are listed beside.
func TestFindings(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := *w.server.open.Load()
	found := []Finding{{Text: "#ops is archived."}}
	c.Findings = func() []Finding { return found }
	w.server.Open(c)
	if got := w.get("/readyz"); got.status != http.StatusOK || !strings.Contains(got.text, "#ops is archived.") {
		t.Errorf("answered %d %s", got.status, got.text)
	}
	found = append(found, Finding{Text: "Slack is not connected.", Stops: true})
	if got := w.get("/readyz"); got.status != http.StatusServiceUnavailable || !strings.Contains(got.text, `"error":"Slack is not connected."`) || !strings.Contains(got.text, "#ops is archived.") {
		t.Errorf("answered %d %s", got.status, got.text)
	}
}

// TestSlowHead: a connection whose head does not end is closed.
func TestSlowHead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(s *Server) { s.headers = 20 * time.Millisecond })
	conn, err := net.Dial("tcp", strings.TrimPrefix(w.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	go trickleHead(t.Context(), conn)
	if rest, err := io.ReadAll(conn); err == nil && strings.Contains(string(rest), " 200 ") {
		t.Errorf("it is answered %s", rest)
	}
}

// trickleHead sends a head that does not end, a byte now and then.
func trickleHead(ctx context.Context, conn net.Conn) {
	_, _ = io.WriteString(conn, "GET /healthz HTTP/1.1\r\nHost: x\r\nX: ")
	for tick := time.Tick(5 * time.Millisecond); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick:
			if _, err := io.WriteString(conn, " "); err != nil {
				return
			}
		}
	}
}
