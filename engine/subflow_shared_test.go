package engine_test

import (
	"syscall"
	"testing"
	"time"

	"sluice/storage"
)

// With three processes, of which one is killed, every child starts once, every end and every event arrives once.
func TestFamiliesAcrossProcesses(t *testing.T) {
	t.Parallel()
	o := newOffice(t, nil)
	o.put(`
name: kid
flow:
  entry: work
  nodes:
    - {id: work, type: tool, tool: work.step, params: {ms: 150, run: "{{run.name}}"}, routes: [{to: tell}]}
    - {id: tell, type: emit, event: "done/{{event.payload.run}}", payload: {by: "{{run.name}}"}, routes: [{to: end}]}
`)
	o.put(`
name: family
flow:
  entry: both
  nodes:
    - {id: both, type: parallel, branches: [{to: ask}, {to: hear}], routes: [{to: work}]}
    - {id: ask, type: subflow, flow: kid, routes: [{to: end}]}
    - {id: hear, type: wait, event: "done/{{run.name}}", routes: [{to: end}]}
    - {id: work, type: tool, tool: work.step, params: {ms: 50, run: "{{run.name}}"}, routes: [{to: end}]}
`)
	const families = 24
	ids := o.start("family", families)
	o.busy("p1")
	o.signal("p1", syscall.SIGKILL)
	o.ended(ids)
	if n := o.number("SELECT count(DISTINCT key) FROM book"); n != 2*families {
		t.Errorf("%d different acts", n)
	}
	if n := o.repeated("p1"); n != 0 {
		t.Errorf("%d acts of the living were repeated", n)
	}
	for _, id := range ids {
		if c, err := o.store.Runs(t.Context(), storage.RunQuery{Parent: id}); err != nil || len(c) != 1 {
			t.Errorf("the children of %s are %+v, %v", id, c, err)
		}
	}
	o.until("no signal is left", func() bool {
		due, err := o.store.NextDue(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return due.IsZero() || due.After(time.Now().Add(time.Minute))
	})
}
