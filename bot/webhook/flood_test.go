package webhook

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"sluice/bot/httpapi"
	"sluice/storage"
)

// patience is a pace that no test outlasts.
var patience = pace{grace: time.Hour, rate: 1, most: time.Hour}

// dial connects from an address of this machine.
func (w *world) dial(from string) net.Conn {
	w.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	conn, err := d.DialContext(w.Context(), "tcp", strings.TrimPrefix(w.url, "http://"))
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { _ = conn.Close() })
	return conn
}

// begin sends the head of a forged delivery of 1,000 bytes, and the first one.
func (w *world) begin(from, path string) net.Conn {
	w.Helper()
	conn := w.dial(from)
	_, _ = fmt.Fprintf(conn, "POST /hooks/%s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n"+
		"webhook-id: m\r\nwebhook-timestamp: %d\r\nwebhook-signature: %s\r\n\r\n{", path, time.Now().Unix(), standardSum) // it may be closed already
	return conn
}

// flood sends slow bodies, and returns when each of them has a slot or has been turned away.
func (w *world) flood(n, slots int, from string, path func(i int) string) {
	w.Helper()
	away := make(chan string, n)
	for i := range n {
		conn := w.begin(from, path(i))
		go func() {
			line, _ := bufio.NewReader(conn).ReadString('\n')
			away <- line
		}()
	}
	for range n - slots {
		if line := <-away; line != "" && !strings.Contains(line, "429") {
			w.Fatalf("a slow body is answered %q", line)
		}
	}
}

func always(path string) func(int) string { return func(int) string { return path } }

// TestSlowBodiesDelayNobody: a sender without the secret whose bodies do not arrive cannot delay the deliveries of other senders.
func TestSlowBodiesDelayNobody(t *testing.T) {
	t.Parallel()
	held := defaultLimits.pair
	for name, attack := range map[string]func(w *world){
		"64 of one address":     func(w *world) { w.flood(64, held, "127.0.0.2", always("refunds")) },
		"500 of one address":    func(w *world) { w.flood(500, held, "127.0.0.2", always("refunds")) },
		"64 at another path":    func(w *world) { w.flood(64, held, "127.0.0.1", always("other")) },
		"64 at an unknown path": func(w *world) { w.flood(64, held, "127.0.0.1", always("unknown")) },
		"200 at 200 paths":      func(w *world) { w.flood(200, 200, "127.0.0.1", func(i int) string { return fmt.Sprint("unknown", i) }) },
		"of two addresses": func(w *world) {
			w.flood(64, held, "127.0.0.2", always("refunds"))
			w.flood(64, held, "127.0.0.3", always("refunds"))
		},
		"heads that do not end": func(w *world) { halves(w, 300) },
		"connections that rest": func(w *world) { silent(w, 300) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "SLUICE_SECRET_HOOK_REFUNDS="+shopKey, "SLUICE_SECRET_HOOK_OTHER="+shopKey)
			w.hooks.pace = patience
			w.approve(refund)
			w.approve(strings.NewReplacer("name: refund", "name: other", "path: refunds", "path: other").Replace(refund))
			attack(w)
			began := time.Now()
			if got := w.post("msg-1", `{"order_id": "A-1"}`); got.status != http.StatusAccepted {
				t.Errorf("a delivery is answered %d %s", got.status, got.text)
			}
			t.Logf("a delivery beside it took %s", time.Since(began).Round(time.Millisecond))
			if live := w.get("/healthz"); live.status != http.StatusOK {
				t.Errorf("it is %+v", live)
			}
		})
	}
}

// halves opens connections whose heads do not end.
func halves(w *world, n int) {
	for range n {
		_, _ = io.WriteString(w.dial("127.0.0.2"), "POST /hooks/refunds HTTP/1.1\r\nHost: x\r\nX-")
	}
}

// silent opens connections on which nothing comes.
func silent(w *world, n int) {
	for range n {
		w.dial("127.0.0.2")
	}
}

// TestTooMany: a request beyond a bound is refused at once, and may be sent again. A path without a hook gives the same answer.
func TestTooMany(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.hooks.pace = patience
	w.approve(refund)
	answers := map[string]bool{}
	for _, path := range []string{"refunds", "unknown"} {
		w.flood(defaultLimits.pair, defaultLimits.pair, "127.0.0.1", always(path))
		for w.taken("127.0.0.1", path) < defaultLimits.pair { // the last of them may not have come this far
			w.get("/healthz")
		}
		r := w.delivery("msg-1", `{"order_id": "A-1"}`)
		r.URL.Path = "/hooks/" + path
		got := w.send(r)
		if got.status != http.StatusTooManyRequests || got.Code != "busy" || got.header.Get("Retry-After") != "5" {
			t.Errorf("answered %d %s", got.status, got.text)
		}
		got.header.Del("Date")
		answers[fmt.Sprint(got.status, got.header, got.text)] = true
	}
	if len(answers) != 1 {
		t.Errorf("the answers differ: %v", answers)
	}
}

func (w *world) taken(address, path string) int {
	w.hooks.slots.mu.Lock()
	defer w.hooks.slots.mu.Unlock()
	return w.hooks.slots.pairs[pair{netip.MustParsePrefix(address + "/32"), path}]
}

// TestSlowBody: a body that arrives too slowly is given up, and its slot becomes free. A path without a hook treats it alike.
func TestSlowBody(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		pace   pace
		path   string
		trickl bool
	}{
		"nothing comes":            {pace{50 * time.Millisecond, 4 << 10, time.Hour}, "refunds", false},
		"byte by byte":             {pace{50 * time.Millisecond, 4 << 10, time.Hour}, "refunds", true},
		"byte by byte, for nobody": {pace{50 * time.Millisecond, 4 << 10, time.Hour}, "unknown", true},
		"fast enough, too long":    {pace{time.Hour, 1, 50 * time.Millisecond}, "refunds", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.hooks.pace = c.pace
			w.approve(refund)
			conn := w.begin("127.0.0.1", c.path)
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			if c.trickl {
				go trickle(ctx, conn)
			}
			res, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			if res.StatusCode != http.StatusRequestTimeout || !res.Close {
				t.Errorf("answered %s, the connection stays open: %t", res.Status, !res.Close)
			}
			if n := w.taken("127.0.0.1", c.path); n != 0 {
				t.Errorf("%d slots are taken", n)
			}
		})
	}
}

// trickle sends a byte now and then.
func trickle(ctx context.Context, conn net.Conn) {
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

// TestPace: the usual pace gives one byte a second up after two seconds, and lets a large body come in that comes at a fair speed.
func TestPace(t *testing.T) {
	t.Parallel()
	began := time.Unix(0, 0)
	for bytes, want := range map[int64]time.Duration{0: 2 * time.Second, 2: 2*time.Second + 2*time.Second/4096, 4096: 3 * time.Second, bodyMost: 10 * time.Second} {
		if got := defaultPace.due(began, bytes).Sub(began); got.Round(time.Millisecond) != want.Round(time.Millisecond) {
			t.Errorf("after %d bytes the next one has %s, want %s", bytes, got, want)
		}
	}
}

// TestABodyThatNoHookCanTakeIsNotKept: the cheap checks come first. A request that fails them is answered before its body, and one that no
// hook can take is read to its end and kept nowhere.
func TestABodyThatNoHookCanTakeIsNotKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.hooks.pace = patience
	w.approve(refund)
	for name, head := range map[string]string{
		"unsigned":    "Content-Type: application/json\r\n",
		"old":         "Content-Type: application/json\r\nwebhook-id: m\r\nwebhook-timestamp: 1614265330\r\nwebhook-signature: " + standardSum + "\r\n",
		"two schemes": fmt.Sprintf("Content-Type: application/json\r\nwebhook-id: m\r\nwebhook-timestamp: %d\r\nwebhook-signature: %s\r\nX-GitHub-Delivery: m\r\n", time.Now().Unix(), standardSum),
		"a form":      "Content-Type: application/x-www-form-urlencoded\r\n",
	} {
		conn := w.dial("127.0.0.1")
		if _, err := fmt.Fprintf(conn, "POST /hooks/refunds HTTP/1.1\r\nHost: x\r\n%sContent-Length: 1000000\r\n\r\n", head); err != nil {
			t.Fatal(err)
		}
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || !res.Close {
			t.Fatalf("%s: %v, %v", name, res, err)
		}
		_ = res.Body.Close()
	}
	for path, kept := range map[string]int{"unknown": 0, "refunds": bodyMost} {
		w.server.Handle("POST /kept/"+path, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			q := &call{w: rw, r: r, path: path}
			for _, stage := range []func(context.Context, *call) *refusal{w.hooks.opened, w.hooks.typed, w.hooks.headed, w.hooks.found, w.hooks.read} {
				if no := stage(t.Context(), q); no != nil {
					t.Errorf("%s is refused: %v", path, no.why)
				}
			}
			if !q.arrived || len(q.raw) != kept {
				t.Errorf("%s: %d bytes are kept, want %d", path, len(q.raw), kept)
			}
			httpapi.Answer(rw, http.StatusOK, accepted{})
		}))
		r := w.delivery("m", `"`+strings.Repeat("x", bodyMost-2)+`"`)
		r.URL.Path = "/kept/" + path
		w.send(r)
	}
}

// TestOneScheme: a signature of one scheme is not valid in another, and the same id of another scheme or path is another delivery.
func TestOneScheme(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "SLUICE_SECRET_HOOK_REFUNDS="+shopKey, "SLUICE_SECRET_HOOK_HUB="+shopKey)
	w.approve(strings.Replace(refund, `key: "{{inputs.order_id}}"`, `key: ""`, 1))
	w.approve(strings.NewReplacer("name: refund", "name: hub", "path: refunds", "path: hub, scheme: github").Replace(refund))
	const id, field = "msg-1", `{"order_id": "A-1"}`
	at := time.Now().Unix()
	for name, c := range map[string]struct {
		path, body, sum string
		status          int
	}{
		"GitHub's, at GitHub's path":        {"hub", field, hubSign(shopKey, field), http.StatusAccepted},
		"GitHub's, at the other one":        {"refunds", field, hubSign(shopKey, field), http.StatusNotFound},
		"a standard one as GitHub's":        {"refunds", fmt.Sprintf("%s.%d.%s", id, at, field), hubSign(shopKey, fmt.Sprintf("%s.%d.%s", id, at, field)), http.StatusNotFound},
		"a standard one at GitHub's":        {"hub", field, "", http.StatusNotFound},
		"a standard one where it is signed": {"refunds", field, "", http.StatusAccepted},
	} {
		r := w.delivery(id, c.body)
		r.URL.Path = "/hooks/" + c.path
		if c.sum != "" {
			asHub(r, id, c.sum)
		}
		if got := w.send(r); got.status != c.status {
			t.Errorf("%s: answered %d %s, want %d", name, got.status, got.text, c.status)
		}
	}
	if n := len(w.pending()); n != 2 {
		t.Errorf("%d deliveries are stored, want one of each path", n)
	}
	w.work()
	w.approve(strings.NewReplacer("path: refunds", "path: refunds, scheme: github", `key: "{{inputs.order_id}}"`, `key: ""`).Replace(refund))
	r := w.delivery(id, field)
	asHub(r, id, hubSign(shopKey, field))
	if got := w.send(r); got.status != http.StatusAccepted {
		t.Errorf("answered %d %s", got.status, got.text)
	}
	w.work()
	if rows, err := w.store.Runs(t.Context(), storage.RunQuery{Flow: "refund"}); err != nil || len(rows) != 2 {
		t.Errorf("%d runs have started, want one of each scheme: %v", len(rows), err)
	}
}

// TestChunkedBody: after a body without a declared length the connection is closed.
func TestChunkedBody(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.approve(refund)
	const body = `{"order_id": "A-1"}`
	r := w.delivery("msg-1", body)
	conn := w.dial("127.0.0.1")
	fmt.Fprint(conn, "POST /hooks/refunds HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n")
	if err := r.Header.Write(conn); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(conn, "\r\n%x\r\n%s\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", len(body), body)
	all, err := io.ReadAll(conn)
	if n := strings.Count(string(all), "HTTP/1.1 "); err != nil && n == 0 || n != 1 {
		t.Errorf("%d answers: %v\n%s", n, err, all)
	}
}
