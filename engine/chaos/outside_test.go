package chaos_test

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// The tools that a flow can call. Each has the parameters that the outside service answers by: run, at (the node) and item.
const actions = `actions:
  - name: out.read
    description: Look something up
    method: GET
    url: "%[1]s/read"
    params: {type: object, additionalProperties: true}
  - name: out.put
    description: Make it so, once or more
    method: PUT
    url: "%[1]s/put"
    params: {type: object, additionalProperties: true}
  - name: out.post
    description: Do it once
    method: POST
    url: "%[1]s/post"
    params: {type: object, additionalProperties: true}
    effects: once
`

// question is the content of a request.
type question struct {
	Run, Node, Item string
	Want            string // the sort of answer; see answer
	Faults          int    // how many requests under one key may fail
	Mild            bool   // a fault is answered with "nothing was done"
	Stern           bool   // a fault is a permanent refusal: only a person tries it again
}

func questionOf(params map[string]any) question {
	text := func(name string) string {
		if v, ok := params[name]; ok && v != nil {
			return fmt.Sprint(v)
		}
		return ""
	}
	faults, _ := strconv.Atoi(text("faults"))
	return question{text("run"), text("at"), text("item"), text("want"), faults, text("mild") == "true", text("stern") == "true"}
}

// chance is a number that depends on the words alone.
func chance(words ...any) uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, words...)
	return h.Sum64() >> 7
}

// answer is the final answer of the outside service, the same for every request with this question.
func (q question) answer() (status int, body map[string]any) {
	n := chance(q.Run, "/", q.Node, "/", q.Item)
	switch {
	case q.Want == "refuse", q.Want == "maybe" && n%100 < 8:
		return http.StatusUnprocessableEntity, nil
	case q.Want == "list":
		items := []any{}
		for i := range 3 + n%4 {
			items = append(items, fmt.Sprint("item ", i))
		}
		return http.StatusOK, map[string]any{"items": items}
	}
	return http.StatusOK, map[string]any{"n": n % 10, "tag": fmt.Sprint("tag", n%5), "text": "from " + q.Node}
}

const refusal = "no, never"

// entry counts the requests with one idempotency key.
type entry struct {
	question
	Tool     string // read, put, post
	Key      string
	Arrivals int
	Refused  int // arrivals that were answered and did nothing
	Acted    int
	Latest   time.Time // arrival
}

// step is the key without its generation: it names one visit, or one call inside it.
func (e entry) step() string {
	cut := strings.LastIndex(e.Key, "/")
	return e.Key[:max(cut, 0)]
}

// generation is the last part of the key.
func (e entry) generation() int {
	n, _ := strconv.Atoi(e.Key[strings.LastIndex(e.Key, "/")+1:])
	return n
}

// fresh reports whether the act has never been repeated by a person's choice.
func (e entry) fresh() bool { return strings.HasSuffix(e.Key, "/0") }

// outside is the service that the tools call. It records every request, and no fault of a storm stops it.
type outside struct {
	*httptest.Server

	mu       sync.Mutex
	received map[string]*entry
	reads    int
	faults   map[string]int // by run, node and item: how often it failed on purpose
}

func newOutside(t testing.TB) *outside {
	o := &outside{received: map[string]*entry{}, faults: map[string]int{}}
	o.Server = httptest.NewServer(o)
	t.Cleanup(o.Close)
	return o
}

func (o *outside) host() string { return strings.TrimPrefix(o.URL, "http://") }

// ServeHTTP answers. It is sometimes slow before or after it acts, so that workers often die in the middle of an act.
func (o *outside) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	params := map[string]any{}
	for name, values := range r.URL.Query() {
		params[name] = values[0]
	}
	if body, err := io.ReadAll(r.Body); err != nil || len(body) > 0 && json.Unmarshal(body, &params) != nil {
		http.Error(w, "what is that?", http.StatusBadRequest)
		return
	}
	q := questionOf(params)
	key := r.Header.Get("Idempotency-Key")
	status, body := q.answer()
	e, fault := o.arrived(strings.TrimPrefix(r.URL.Path, "/"), key, q)
	pause := chance(key, q.Node, q.Item, "pause") % 200
	if q.Want == "slow" {
		pause += 800
	}
	before := chance(key, "before") % (pause + 1)
	time.Sleep(time.Duration(before) * time.Millisecond)
	switch {
	case fault == "busy":
		o.refuse(e)
		http.Error(w, "come back later", http.StatusServiceUnavailable)
		return
	case fault == "stern":
		o.refuse(e)
		http.Error(w, refusal, http.StatusUnprocessableEntity)
		return
	case fault == "deaf":
		drop(w)
		return
	case status != http.StatusOK:
		o.refuse(e)
		http.Error(w, refusal, status)
		return
	}
	o.act(e)
	time.Sleep(time.Duration(pause-before) * time.Millisecond)
	switch fault {
	case "broken":
		http.Error(w, "something went wrong", http.StatusInternalServerError)
	case "mute":
		drop(w)
	default:
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(body)
	}
}

// arrived records a request and chooses its fault.
func (o *outside) arrived(tool, key string, q question) (e *entry, fault string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if tool == "read" {
		o.reads++
		return &entry{question: q, Tool: tool}, ""
	}
	e = o.received[key]
	if e == nil {
		e = &entry{question: q, Tool: tool, Key: key}
		o.received[key] = e
	}
	e.Arrivals++
	e.Latest = time.Now()
	place := fmt.Sprint(q.Run, "/", q.Node, "/", q.Item)
	if o.faults[place] >= q.Faults || !e.fresh() {
		return e, ""
	}
	o.faults[place]++
	switch {
	case q.Mild:
		return e, "busy"
	case q.Stern:
		return e, "stern"
	}
	return e, []string{"busy", "deaf", "broken", "mute"}[chance(place, o.faults[place])%4]
}

func (o *outside) refuse(e *entry) {
	o.mu.Lock()
	defer o.mu.Unlock()
	e.Refused++
}

// act performs the act. A put acts once for each key; a post ignores keys.
func (o *outside) act(e *entry) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if e.Tool == "post" || e.Acted == 0 {
		e.Acted++
	}
}

func drop(w http.ResponseWriter) {
	if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
		_ = conn.Close()
	}
}

// entries is a copy of all entries.
func (o *outside) entries() map[string]entry {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := map[string]entry{}
	for key, e := range o.received {
		all[key] = *e
	}
	return all
}
