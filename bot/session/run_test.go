package session

import (
	"bufio"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"sluice/engine/enginetest"
	"sluice/engine/flow"
	"sluice/engine/history/stored"
	"sluice/engine/importer"
	"sluice/engine/importer/draftchart"
	"sluice/storage"
)

// asking is a graph of an agent and an approval.
const asking = `{"nodes": [{"id": "s", "type": "start", "data": {"initialInput": "a letter"}}, {"id": "a", "type": "agent"},
	{"id": "g", "type": "approval"}, {"id": "b", "type": "agent"}],
	"connections": [{"source": "s", "target": "a"}, {"source": "a", "target": "g"}, {"source": "g", "target": "b", "sourceHandle": "approve"}]}`

// played is a run that goes on as it is told.
type played struct {
	*office
	driver *enginetest.Driver
	row    storage.Run
	kept   int // facts
}

// play begins a run of a document, and stores it under a name.
func (o *office) play(name, document, script string) *played {
	o.Helper()
	doc, _, problems := importer.Check(name, []byte(document), flow.Checks{})
	if doc.Flow == nil {
		o.Fatal(problems)
	}
	d, err := enginetest.NewDriver(doc.Flow)
	if err != nil {
		o.Fatal(err)
	}
	d.Context.HasModel = true
	err = o.store.Write(o.Context(), &storage.Batch{
		Flow:     &storage.Flow{Name: name, Head: 1, Channel: "C1", Owner: "ana", Updated: time.Now()},
		Revision: &storage.Revision{Flow: name, Number: 1, Body: flow.Canonical(doc.Flow), By: "ana", At: time.Now()},
	})
	if err != nil {
		o.Fatal(err)
	}
	p := &played{office: o, driver: d, row: storage.Run{ID: name, Flow: name, Revision: 1, Number: 1, Name: name + "-1", Status: "running", By: "ana", Started: time.Now()}}
	p.goOn(script)
	return p
}

// goOn plays the run further, and stores what has happened.
func (p *played) goOn(script string) {
	p.Helper()
	if err := p.driver.Script(script); err != nil {
		p.Fatal(err)
	}
	var facts []storage.Fact
	for _, f := range p.driver.Facts[p.kept:] {
		row, err := stored.Encode(p.row.ID, f)
		if err != nil {
			p.Fatal(err)
		}
		facts = append(facts, row)
	}
	if err := p.store.Write(p.Context(), &storage.Batch{Run: &storage.RunWrite{Run: p.row, Facts: facts}}); err != nil {
		p.Fatal(err)
	}
	p.kept = len(p.driver.Facts)
	p.row.Version++
}

// The draft of a run shows where the run stands: a decision with the step that it became part of.
func TestTheDraftShowsARun(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	run := o.play("billing", billing, "start\nclaim fetch")
	status := func() string {
		t.Helper()
		code, body := o.get("ana", "/api/sessions/billing-1/draft-status")
		if code != http.StatusOK {
			t.Errorf("%d %s", code, body)
		}
		return body
	}
	const (
		amber, green, none = `{"status":"running","color":"#F59E0B"}`, `{"status":"complete","color":"#22C55E"}`, `{"status":"pending","color":""}`
		begun              = `{"nodes":{"fetch":` + amber + `,"large":` + amber + `,"mail":` + none + `,"pdf":` + none + `}}`
		further            = `{"nodes":{"fetch":` + green + `,"large":` + green + `,"mail":` + none + `,"pdf":` + amber + `}}`
	)
	if got := status(); got != begun {
		t.Errorf("it stands at %s", got)
	}
	r := reader{t, bufio.NewScanner(o.ask("/api/sessions/billing/events", "Bearer "+o.tokens["ana"]).Body)}
	r.lines.Buffer(nil, 1<<20)
	if e, raw := r.next(); e.Type != draftchart.EventMap {
		t.Fatal(raw)
	}
	if e, raw := r.next(); e.Type != draftchart.EventStatus || !strings.Contains(raw, begun) {
		t.Fatal(raw)
	}
	run.goOn("do fetch done\njudge fetch large=yes\nat pdf")
	for { // it is looked at while it goes on
		if e, raw := r.next(); e.Type != draftchart.EventStatus {
			t.Fatal(raw)
		} else if strings.Contains(raw, further) {
			break
		}
	}
	if got := status(); got != further {
		t.Errorf("it stands at %s", got)
	}
	o.draft("d1", 1, billing)
	if code, body := o.get("ana", "/api/sessions/d1/draft-status"); code != http.StatusOK || body != `{"nodes":null}` {
		t.Errorf("a draft that nothing runs: %d %s", code, body)
	}
	if code, _ := o.get("eve", "/api/sessions/billing-1/draft-status"); code != http.StatusNotFound {
		t.Errorf("eve is answered %d", code)
	}
}

// A run of a graph of agents has a record in the words of that format.
func TestARunHasARecord(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.play("asking", asking, "start\ndo a done")
	code, body := o.get("ana", "/api/sessions/asking-1/record")
	var record struct {
		RunID         string
		Status        string
		CurrentNodeID string
		Workflow      map[string]any
		State         map[string]string
		Logs          []struct{ Type string }
	}
	if err := json.Unmarshal([]byte(body), &record); err != nil || code != http.StatusOK {
		t.Fatal(code, body, err)
	}
	if record.RunID != "asking" || record.Status != "paused" || record.CurrentNodeID != "g" || record.State["a"] != "done" || len(record.Workflow) != 2 || record.Logs[0].Type != "step_start" {
		t.Errorf("the record is %s", body)
	}
	o.play("billing", billing, "start")
	o.draft("d1", 1, asking)
	for _, id := range []string{"billing-1", "d1"} {
		if code, body := o.get("ana", "/api/sessions/"+id+"/record"); code != http.StatusNotFound || !strings.Contains(body, `"no_record"`) {
			t.Errorf("%s: %d %s", id, code, body)
		}
	}
	if code, body := o.get("eve", "/api/sessions/asking-1/record"); code != http.StatusNotFound || !strings.Contains(body, "no_such_session") {
		t.Errorf("eve: %d %s", code, body)
	}
}
