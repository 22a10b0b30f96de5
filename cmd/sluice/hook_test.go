package main

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"sluice/storage"
	"sluice/storage/pgtest"
)

// hooked is a flow that a webhook starts.
const hooked = `
name: hooked
run: {title: "Order {{inputs.order_id}}"}
inputs: {order_id: {type: string, required: true}}
triggers: [{webhook: {path: refunds}}]
flow:
  entry: tell
  nodes: [{id: tell, type: say, message: "Told: {{event.payload.body.reason}}, {{event.payload.message}}", routes: [{to: end}]}]
`

const hookKey = "a key of the shop, long enough"

// hookWorld is a world in which a webhook starts the flow, and the address of the program that hears it.
func hookWorld(t *testing.T, s setup) (w *world, base string) {
	t.Helper()
	s.settings = append(s.settings, "SLUICE_SECRET_HOOK_REFUNDS="+hookKey)
	address := ""
	if s.apart {
		address = reserved(t)
		s.settings = append(s.settings, "SLUICE_HTTP_ADDR="+address)
	}
	w = newWorld(t, s)
	if address == "" {
		address = w.addr
	}
	card := w.put("ana", "", "hooked.yaml", hooked)
	if strings.Contains(card.shown(), "not heard") {
		t.Errorf("the draft warns:\n%s", card.shown())
	}
	w.click("ana", card, "Approve")
	w.untilShown(card, "Approved as version 1")
	return w, "http://" + address
}

// deliver sends a signed delivery and gives the status and the text of the answer.
func deliver(ctx context.Context, base, id, body string) (int, string, error) {
	at := time.Now().Unix()
	mac := hmac.New(sha256.New, []byte(hookKey))
	fmt.Fprintf(mac, "%s.%d.%s", id, at, body)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/hooks/refunds", strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("webhook-id", id)
	r.Header.Set("webhook-timestamp", fmt.Sprint(at))
	r.Header.Set("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	return res.StatusCode, strings.TrimSpace(string(text)), err
}

// orders counts the status messages by the order that they are about.
func orders(w *world) map[string]int {
	w.Helper()
	out := map[string]int{}
	for _, m := range filter(w.state("#support"), isStatus) {
		for word := range strings.FieldsSeq(m.shown()) {
			if strings.HasPrefix(strings.Trim(word, "*"), "A-") {
				out[strings.Trim(word, "*")]++
				break
			}
		}
	}
	return out
}

// TestWebhook: a signed POST starts a run in the home channel, once.
func TestWebhook(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s setup) {
		for _, apart := range []bool{false, true} {
			t.Run(fmt.Sprintf("apart %t", apart), func(t *testing.T) {
				t.Parallel()
				s := s
				if s.apart = apart; s.database != "" {
					s.database = pgtest.URL(t)
				}
				w, base := hookWorld(t, s)
				for _, c := range []struct {
					id, body string
					status   int
					says     string
				}{
					{"m1", `{"order_id": "A-1", "reason": "broken", "text": "please"}`, http.StatusAccepted, `{"delivery":"m1"}`},
					{"m1", `{"order_id": "A-1", "reason": "broken", "text": "please"}`, http.StatusAccepted, `{"delivery":"m1"}`},
					{"m2", `{"reason": "late"}`, http.StatusUnprocessableEntity, `"problems":["order_id is missing"]`},
				} {
					status, text, err := deliver(t.Context(), base, c.id, c.body)
					if err != nil || status != c.status || !strings.Contains(text, c.says) {
						t.Fatalf("%s is answered %d %s: %v", c.body, status, text, err)
					}
				}
				w.untilMessage("#support", "the run", func(m message) bool { return isStatus(m) && strings.Contains(m.shown(), "Order A-1") })
				w.untilMessage("#support", "what it tells", func(m message) bool { return m.Text == "Told: broken, please" })
				if status, text, err := deliver(t.Context(), base, "m1", `{"order_id": "A-1"}`); status != http.StatusAccepted || err != nil {
					t.Errorf("the same once more is answered %d %s: %v", status, text, err)
				}
				// Deliveries of a hook are worked on in order: when the last one has its run, the others had their turn.
				if status, text, err := deliver(t.Context(), base, "m3", `{"order_id": "A-3"}`); status != http.StatusAccepted || err != nil {
					t.Fatalf("another is answered %d %s: %v", status, text, err)
				}
				w.untilMessage("#support", "the other run", func(m message) bool { return isStatus(m) && strings.Contains(m.shown(), "Order A-3") })
				if n := orders(w); n["A-1"] != 1 || n["A-3"] != 1 || len(n) != 2 {
					t.Errorf("the runs by order: %v", n)
				}
			})
		}
	})
}

// hail sends n deliveries at once, kills the bot when it has answered half of them, and gives the ids of all that it answered.
func (w *world) hail(base, name string, n int) []string {
	w.Helper()
	var mu sync.Mutex
	var wg sync.WaitGroup
	var answered []string
	half := make(chan struct{})
	for i := range n {
		wg.Go(func() {
			id := fmt.Sprint(name, i)
			status, _, err := deliver(w.Context(), base, id, fmt.Sprintf(`{"order_id": %q}`, id))
			mu.Lock()
			defer mu.Unlock()
			if err == nil && status == http.StatusAccepted {
				if answered = append(answered, id); len(answered) == n/2 {
					close(half)
				}
			}
		})
	}
	select {
	case <-half:
	case <-time.After(patience):
		w.Fatal("half of the deliveries are never answered")
	}
	w.bot.kill()
	wg.Wait()
	return answered
}

// TestKillAfterAnswer kills the bot while deliveries that it has answered wait for their start: each starts one run, also when the sender
// that sent it sends it again.
func TestKillAfterAnswer(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s setup) {
		s.apart = true
		w, base := hookWorld(t, s)
		var answered []string
		between := 0 // answered deliveries that had not started at a kill
		for round := 0; between == 0 && round < 10; round++ {
			answered = append(answered, w.hail(base, fmt.Sprintf("A-%d-", round), 24)...)
			w.look(func(ctx context.Context, store storage.Store) error {
				rows, err := store.PendingInbox(ctx, 0, 100)
				between += len(rows)
				return err
			})
			w.startBot()
		}
		if between == 0 {
			t.Fatal("the bot was never killed between an answer and a start")
		}
		w.untilReady(base)
		for _, id := range append(answered, "A-last") {
			if status, text, err := deliver(t.Context(), base, id, fmt.Sprintf(`{"order_id": %q}`, id)); err != nil || status != http.StatusAccepted {
				t.Errorf("%s, sent again, is answered %d %s: %v", id, status, text, err)
			}
		}
		w.untilMessage("#support", "the last run", func(m message) bool { return isStatus(m) && strings.Contains(m.shown(), "A-last") })
		n := map[string]int{}
		w.look(func(ctx context.Context, store storage.Store) error {
			rows, err := store.Runs(ctx, storage.RunQuery{Limit: 1000})
			for _, r := range rows {
				n[strings.TrimPrefix(r.Title, "Order ")]++
			}
			return err
		})
		for _, id := range answered {
			if n[id] == 0 {
				t.Errorf("%s was answered and has no run", id)
			}
		}
		for id, of := range n {
			if of != 1 {
				t.Errorf("%s has %d runs", id, of)
			}
		}
	})
}

// untilReady waits until the program at base takes deliveries.
func (w *world) untilReady(base string) {
	w.Helper()
	poll(w, "readiness", func() (int, bool) {
		status := w.health(base, "/readyz")
		return status, status == http.StatusOK
	})
}

// TestWebhookAtTwo: the same deliveries at two processes of one Postgres start one run each.
func TestWebhookAtTwo(t *testing.T) {
	t.Parallel()
	w, first := hookWorld(t, setup{apart: true, database: pgtest.URL(t)})
	address := reserved(t)
	w.settings = append(w.settings, "SLUICE_HTTP_ADDR="+address)
	if _, err := w.serve("the second serve").says(`sluice serves`); err != nil {
		t.Fatal(err)
	}
	const n = 8
	var wg sync.WaitGroup
	for i := range n {
		for _, base := range []string{first, "http://" + address} {
			wg.Go(func() {
				id := fmt.Sprint("A-", i)
				if status, text, err := deliver(t.Context(), base, id, fmt.Sprintf(`{"order_id": %q}`, id)); err != nil || status != http.StatusAccepted {
					t.Errorf("%s is answered %d %s: %v", id, status, text, err)
				}
			})
		}
	}
	wg.Wait()
	got := poll(w, "the runs", func() (map[string]int, bool) {
		all := orders(w)
		return all, len(all) == n
	})
	for id, of := range got {
		if of != 1 {
			t.Errorf("%s has %d runs", id, of)
		}
	}
	w.look(func(ctx context.Context, store storage.Store) error {
		rows, err := store.Runs(ctx, storage.RunQuery{Limit: 100})
		if len(rows) != n {
			t.Errorf("there are %d runs", len(rows))
		}
		return err
	})
}

// health gives the status of a question about a program's health; 0 = nobody answers.
func (w *world) health(base, path string) int {
	w.Helper()
	r, err := http.NewRequestWithContext(w.Context(), http.MethodGet, base+path, nil)
	if err != nil {
		w.Fatal(err)
	}
	res, err := w.web.Do(r)
	if err != nil {
		return 0
	}
	defer res.Body.Close()
	return res.StatusCode
}

// TestHealthOfStandBy: a process that stands by lives and is not ready, until it serves.
func TestHealthOfStandBy(t *testing.T) {
	t.Parallel()
	w, first := hookWorld(t, setup{apart: true})
	address := reserved(t)
	w.settings = append(w.settings, "SLUICE_HTTP_ADDR="+address)
	second := w.serve("the second serve")
	if _, err := second.says(`standing by`); err != nil {
		t.Fatal(err)
	}
	if live, ready := w.health("http://"+address, "/healthz"), w.health("http://"+address, "/readyz"); live != http.StatusOK || ready != http.StatusServiceUnavailable {
		t.Errorf("the one that stands by answers %d and %d", live, ready)
	}
	if live, ready := w.health(first, "/healthz"), w.health(first, "/readyz"); live != http.StatusOK || ready != http.StatusOK {
		t.Errorf("the one that serves answers %d and %d", live, ready)
	}
	if status, _, err := deliver(t.Context(), "http://"+address, "m1", `{"order_id": "A-1"}`); err != nil || status != http.StatusServiceUnavailable {
		t.Errorf("a delivery to the one that stands by is answered %d: %v", status, err)
	}
	w.bot.kill()
	w.untilReady("http://" + address)
	if status, _, err := deliver(t.Context(), "http://"+address, "m1", `{"order_id": "A-1"}`); err != nil || status != http.StatusAccepted {
		t.Errorf("a delivery to the one that serves now is answered %d: %v", status, err)
	}
	w.untilMessage("#support", "the run", func(m message) bool { return isStatus(m) && strings.Contains(m.shown(), "Order A-1") })
}

// TestWebhookUnheard: a draft says what keeps its webhook from being heard, and what to set.
func TestWebhookUnheard(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{apart: true})
	card := w.put("ana", "", "hooked.yaml", hooked)
	for _, part := range []string{"The webhook refunds is not heard yet", "set SLUICE_HTTP_ADDR", "set the environment variable SLUICE_SECRET_HOOK_REFUNDS"} {
		if !strings.Contains(card.shown(), part) {
			t.Errorf("the draft does not say %q:\n%s", part, card.shown())
		}
	}
}

// TestWebhookByHand sends the request of the README, with the programs that it names.
func TestWebhookByHand(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"sh", "curl", "openssl", "base64"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("the README signs with %s: %v", name, err)
		}
	}
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, recipe, found := bytes.Cut(readme, []byte("```sh\nSECRET="))
	recipe, _, ended := bytes.Cut(recipe, []byte("```"))
	if !found || !ended {
		t.Fatal("the README has no recipe that begins with SECRET=")
	}
	_, recipe, _ = bytes.Cut(recipe, []byte("\n")) // the secret is the world's
	w, base := hookWorld(t, setup{})
	script := strings.ReplaceAll(string(recipe), "http://127.0.0.1:8086", base)
	c := exec.CommandContext(t.Context(), "sh", "-ec", script)
	c.Env = append(os.Environ(), "SECRET="+hookKey)
	if out, err := c.CombinedOutput(); err != nil || !strings.Contains(string(out), `{"delivery":"`) {
		t.Fatalf("the recipe printed %s: %v\n%s", out, err, script)
	}
	w.untilMessage("#support", "the run", func(m message) bool { return isStatus(m) && strings.Contains(m.shown(), "Order A-1001") })
}
