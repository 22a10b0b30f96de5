package webhook

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"sluice/storage/pgtest"
	"sluice/storage/postgres"
	"sluice/storage/sqlite"
)

// TestNotServing: no delivery is taken before the process serves, nor while its store is away.
func TestNotServing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.approve(refund)
	opened := w.hooks.open.Swap(nil)
	check := func(when string, hook int) {
		t.Helper()
		if got := w.post("msg-"+when, `{"order_id": "A-1"}`); got.status != hook || hook == http.StatusServiceUnavailable && (got.Code != "unavailable" || got.header.Get("Retry-After") == "") {
			t.Errorf("%s a delivery is answered %d %s", when, got.status, got.text)
		}
	}
	check("early", http.StatusServiceUnavailable)
	w.hooks.Open(*opened)
	check("open", http.StatusAccepted)
	if err := w.store.Close(); err != nil {
		t.Fatal(err)
	}
	check("without-store", http.StatusServiceUnavailable)
}

// TestNoRoom: a delivery is refused while the disk is full, and its sender may send it again.
func TestNoRoom(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "sluice.db")
	roomy, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	worldOn(t, roomy).approve(refund)
	if err := roomy.Close(); err != nil {
		t.Fatal(err)
	}
	full, err := sqlite.Open(t.Context(), path, sqlite.MaxSize(1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = full.Close() })
	w := worldOn(t, full)
	body := `{"order_id": "A-1", "padding": "` + strings.Repeat("x", bodyMost/2) + `"}`
	if got := w.post("msg-1", body); got.status != http.StatusServiceUnavailable || got.header.Get("Retry-After") == "" {
		t.Errorf("answered %d %s", got.status, got.text)
	}
	if got := w.get("/readyz"); got.status != http.StatusServiceUnavailable || !strings.Contains(got.text, "full") {
		t.Errorf("readiness is answered %d %s", got.status, got.text)
	}
	if !strings.Contains(w.log.String(), "there is no space") || len(w.pending()) != 0 {
		t.Errorf("%d deliveries are stored; the log says:\n%s", len(w.pending()), w.log)
	}
}

// TestDatabaseAway: while Postgres is away nothing is taken; the same delivery is, once it is back, and starts one run.
func TestDatabaseAway(t *testing.T) {
	t.Parallel()
	server := pgtest.NewServer(t)
	store, err := postgres.Open(t.Context(), server.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	w := worldOn(t, store)
	w.approve(refund)
	server.Stop()
	if got := w.post("msg-1", `{"order_id": "A-1"}`); got.status != http.StatusServiceUnavailable || got.header.Get("Retry-After") == "" {
		t.Errorf("answered %d %s", got.status, got.text)
	}
	if got := w.get("/readyz"); got.status != http.StatusServiceUnavailable {
		t.Errorf("it is %d %s", got.status, got.text)
	}
	server.Start()
	for range 2 {
		if got := w.post("msg-1", `{"order_id": "A-1"}`); got.status != http.StatusAccepted {
			t.Errorf("answered %d %s", got.status, got.text)
		}
	}
	w.work()
	if rows, _ := w.runs(); len(rows) != 1 {
		t.Errorf("%d runs have started", len(rows))
	}
}

// TestStop: a delivery that is under way when the program stops is taken, and none after it.
func TestStop(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.approve(refund)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() { over <- w.server.Serve(ctx, l) }()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	const body = `{"order_id": "A-1"}`
	r := w.delivery("msg-1", body)
	r.Header.Set("Content-Length", fmt.Sprint(len(body)))
	fmt.Fprintf(conn, "POST /hooks/refunds HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n")
	if err := r.Header.Write(conn); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(conn, "\r\n")
	from := bufio.NewReader(conn)
	if line, err := from.ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") { // its body is being read now
		t.Fatalf("answered %q: %v", line, err)
	}
	_, _ = from.ReadString('\n')
	stop()
	for { // until no connection is accepted any more
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			break
		}
		_ = c.Close()
	}
	fmt.Fprint(conn, body)
	res, err := http.ReadResponse(from, r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusAccepted || len(w.pending()) != 1 {
		t.Errorf("answered %s, %d are stored", res.Status, len(w.pending()))
	}
	if err := <-over; err != nil {
		t.Error(err)
	}
}
