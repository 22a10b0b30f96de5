package session

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"sluice/bot/draft"
	"sluice/engine/compiled"
	"sluice/engine/flow"
	"sluice/engine/importer"
	"sluice/engine/importer/draftchart"
	"sluice/engine/people"
	"sluice/engine/token"
	"sluice/engine/view"
	"sluice/storage"
	"sluice/storage/sqlite"
)

// billing is a draft with a decision, as its author drops it into a thread.
const billing = `{"agent_name": "billing", "goal": "Bill or tell", "nodes": [
	{"id": "fetch", "name": "Fetch Billing Data", "tools": ["billing_api"]},
	{"id": "large", "name": "Amount > $100?", "flowchart_type": "decision", "decision_clause": "Amount > $100?"},
	{"id": "pdf", "name": "Generate PDF"}, {"id": "mail", "name": "Send Email"}],
	"edges": [{"source": "fetch", "target": "large"}, {"source": "large", "target": "pdf", "label": "Yes"}, {"source": "large", "target": "mail", "label": "No"}]}`

// office is a workspace with one channel, C1, whose members are inside. Everybody is active but gone.
type office struct {
	*testing.T
	mu     sync.Mutex
	inside []string
	store  storage.Store
	h      *Handler
	url    string
	tokens map[string]string
}

// Resolve implements people.Directory.
func (o *office) Resolve(_ context.Context, name string) (people.Principal, error) {
	return people.Principal{Kind: "channel", ID: name, Name: name}, nil
}

// Members implements people.Directory.
func (o *office) Members(context.Context, people.Principal) ([]string, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]string{}, o.inside...), nil
}

// Person implements people.Directory.
func (o *office) Person(_ context.Context, id string) (people.Person, error) {
	return people.Person{ID: id, Name: id, Active: id != "gone"}, nil
}

func (o *office) leave(all ...string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.inside = all
}

func newOffice(t *testing.T) *office {
	t.Helper()
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "sluice.db"))
	if err != nil {
		t.Fatal(err)
	}
	o := &office{T: t, inside: []string{"ana", "gone"}, store: store, h: New(slog.New(slog.DiscardHandler)), tokens: map[string]string{}}
	o.h.look, o.h.beat = 5*time.Millisecond, 20*time.Millisecond
	o.h.Open(Config{Store: store, Rights: people.New(store, o, nil, slog.New(slog.DiscardHandler)), Runs: view.New(store, compiled.New(store, flow.Ceilings{}))})
	for _, user := range []string{"ana", "eve", "gone"} {
		secret, _, err := token.Create(t.Context(), store, token.Request{User: user}, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		o.tokens[user] = secret
	}
	server := httptest.NewServer(o.h)
	o.url = server.URL
	t.Cleanup(func() { server.Close(); _ = store.Close() })
	return o
}

// draft stores a draft of a document in thread 1.0 of C1.
func (o *office) draft(id string, number int, document string) storage.Draft {
	o.Helper()
	doc, _, problems := importer.Check(id, []byte(document), flow.Checks{})
	if doc.Flow == nil {
		o.Fatal(problems)
	}
	body, err := json.Marshal(draft.Body{Flow: flow.Canonical(doc.Flow), Authors: []string{"ana"}})
	if err != nil {
		o.Fatal(err)
	}
	d := storage.Draft{ID: id, Channel: "C1", Thread: "1.0", Number: number, Flow: doc.Flow.Name, Status: "open", Author: "ana", Body: body, Created: time.Now()}
	o.write(d)
	d.Version = 1
	return d
}

func (o *office) write(d storage.Draft) {
	o.Helper()
	if err := o.store.Write(o.Context(), &storage.Batch{Draft: []storage.Draft{d}}); err != nil {
		o.Fatal(err)
	}
}

func (o *office) ask(path, authorization string) *http.Response {
	o.Helper()
	r, err := http.NewRequestWithContext(o.Context(), http.MethodGet, o.url+path, nil)
	if err != nil {
		o.Fatal(err)
	}
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		o.Fatal(err)
	}
	o.Cleanup(func() { _ = answer.Body.Close() })
	return answer
}

// get asks with a person's token, and gives the status and the answer.
func (o *office) get(user, path string) (int, string) {
	o.Helper()
	answer := o.ask(path, "Bearer "+o.tokens[user])
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		o.Fatal(err)
	}
	return answer.StatusCode, strings.TrimSpace(string(body))
}

func TestTheMapIsThereOnceTheDraftIsApproved(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	d := o.draft("d1", 1, billing)
	if code, body := o.get("ana", "/api/sessions/d1/flowchart-map"); code != http.StatusOK || body != `{"map":null,"original_draft":null}` {
		t.Errorf("before: %d %s", code, body)
	}
	code, body := o.get("ana", "/api/sessions/d1/draft-graph")
	var shown struct{ Draft draftchart.Draft }
	if err := json.Unmarshal([]byte(body), &shown); err != nil || code != http.StatusOK {
		t.Fatal(code, body, err)
	}
	if len(shown.Draft.Nodes) != 4 || shown.Draft.Nodes[1].FlowchartShape != "diamond" {
		t.Errorf("the draft is %s", body)
	}

	d.Status = draft.Approved
	o.write(d)
	_, body = o.get("ana", "/api/sessions/d1/flowchart-map")
	var mapped draftchart.MapAnswer
	if err := json.Unmarshal([]byte(body), &mapped); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(mapped.Map["fetch"], " "); got != "fetch large" || mapped.OriginalDraft == nil || len(mapped.OriginalDraft.Nodes) != 4 {
		t.Errorf("the map is %s", body)
	}

	// A newer draft in the thread takes the confirmation back: it must be approved for itself.
	o.draft("d2", 2, billing)
	if _, body := o.get("ana", "/api/sessions/d1/flowchart-map"); body != `{"map":null,"original_draft":null}` {
		t.Errorf("after a newer draft: %s", body)
	}
}

func TestARunIsASession(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.play("billing", billing, "start")
	for _, id := range []string{"billing", "billing-1"} {
		if code, body := o.get("ana", "/api/sessions/"+id+"/draft-graph"); code != http.StatusOK || body != `{"draft":null}` {
			t.Errorf("the draft of %s: %d %s", id, code, body)
		}
		if _, body := o.get("ana", "/api/sessions/"+id+"/flowchart-map"); !strings.Contains(body, `"fetch":["fetch","large"]`) {
			t.Errorf("the map of %s: %s", id, body)
		}
		if code, _ := o.get("eve", "/api/sessions/"+id+"/flowchart-map"); code != http.StatusNotFound {
			t.Errorf("eve is answered %d", code)
		}
	}
}

func TestWhoMaySeeASession(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.draft("d1", 1, billing)
	absent, nothing := "", ""
	for _, path := range []string{"draft-graph", "flowchart-map", "events"} {
		for user, want := range map[string]int{"eve": http.StatusNotFound, "gone": http.StatusNotFound} {
			code, body := o.get(user, "/api/sessions/d1/"+path)
			if code != want {
				t.Errorf("%s asks for %s: %d %s", user, path, code, body)
			}
			absent = body
		}
		_, nothing = o.get("eve", "/api/sessions/d0/"+path)
	}
	if absent != nothing {
		t.Errorf("a session that may not be seen can be told from one that is not there: %s, %s", absent, nothing)
	}
	for _, header := range []string{"", "Bearer", "Bearer x", "Bearer " + token.Prefix + "x", "Basic " + o.tokens["ana"], o.tokens["ana"]} {
		answer := o.ask("/api/sessions/d1/draft-graph", header)
		if answer.StatusCode != http.StatusUnauthorized || answer.Header.Get("WWW-Authenticate") == "" {
			t.Errorf("%q is answered %d", header, answer.StatusCode)
		}
	}
	revoke(o, "ana")
	if code, _ := o.get("ana", "/api/sessions/d1/draft-graph"); code != http.StatusUnauthorized {
		t.Errorf("a revoked token is answered %d", code)
	}
}

func revoke(o *office, user string) {
	o.Helper()
	all, err := o.store.Tokens(o.Context())
	if err != nil {
		o.Fatal(err)
	}
	for _, x := range all {
		if x.User == user {
			x.Revoked = time.Now()
			if err := o.store.Write(o.Context(), &storage.Batch{Tokens: []storage.Token{x}}); err != nil {
				o.Fatal(err)
			}
		}
	}
}

// reader reads events.
type reader struct {
	*testing.T
	lines *bufio.Scanner
}

// next gives the next event, or "" at the end.
func (r reader) next() (e draftchart.Event, raw string) {
	r.Helper()
	for r.lines.Scan() {
		if data, ok := strings.CutPrefix(r.lines.Text(), "data: "); ok {
			if err := json.Unmarshal([]byte(data), &e); err != nil {
				r.Fatal(err)
			}
			return e, data
		}
	}
	return e, ""
}

func TestAReaderOfEventsHearsEveryChange(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	d := o.draft("d1", 1, billing)
	answer := o.ask("/api/sessions/d1/events", "Bearer "+o.tokens["ana"])
	if answer.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatal(answer.Status)
	}
	r := reader{t, bufio.NewScanner(answer.Body)}
	r.lines.Buffer(nil, 1<<20)
	want := func(kind, holds string) {
		t.Helper()
		e, raw := r.next()
		if e.Type != kind || e.StreamID != "queen" || !strings.Contains(raw, holds) {
			t.Fatalf("the event is %s, want %s with %s", raw, kind, holds)
		}
	}
	want(draftchart.EventDraft, `"agent_name":"billing"`)
	d.Status = draft.Approved
	o.write(d)
	want(draftchart.EventDraft, `"agent_name":"billing"`)
	want(draftchart.EventMap, `"fetch":["fetch","large"]`)
	o.draft("d2", 2, strings.ReplaceAll(billing, "Send Email", "Send Letter"))
	want(draftchart.EventDraft, "Send Letter")
	want(draftchart.EventMap, `"map":null`)

	o.leave("bob") // ana has left the channel, but is still the draft's author
	o.draft("d3", 3, billing)
	want(draftchart.EventDraft, "Send Email")
	revoke(o, "ana")
	if _, raw := r.next(); raw != "" {
		t.Errorf("after the token was revoked: %s", raw)
	}
}

func TestReadersOfEventsAreBounded(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.draft("d1", 1, billing)
	o.h.active.Store(readersMost)
	if code, body := o.get("ana", "/api/sessions/d1/events"); code != http.StatusServiceUnavailable || !strings.Contains(body, "too_many_readers") {
		t.Errorf("%d %s", code, body)
	}
	if n := o.h.active.Load(); n != readersMost {
		t.Errorf("%d readers are counted", n)
	}
}
