package engine_test

import (
	"testing"

	"sluice/engine"
	"sluice/engine/flow"
	"sluice/engine/flow/file"
	"sluice/engine/history"
	"sluice/storage"
)

// TestATokenThatEndsInTheDecisionThatMadeItLeavesNoLease has branches that are sent to a worker and, in the same transition, ended by a
// sibling that needs none.
func TestATokenThatEndsInTheDecisionThatMadeItLeavesNoLease(t *testing.T) {
	t.Parallel()
	for name, src := range map[string]string{
		"a join that has enough": `
  entry: split
  nodes:
    - {id: split, type: parallel, branches: [{to: act}, {to: quick}], join: {type: any}, routes: [{to: end}]}
    - {id: act, type: tool, tool: work.do, routes: [{to: end}]}
    - {id: quick, type: set, vars: {who: quick}, routes: [{to: end}]}
`,
		"an end of the whole run": `
  entry: split
  nodes:
    - {id: split, type: parallel, branches: [{to: act}, {to: over}], join: {type: all}, routes: [{to: end}]}
    - {id: act, type: tool, tool: work.do, routes: [{to: end}]}
    - {id: over, type: terminal}
`,
		"a question, a timer, an event, another run": `
  entry: split
  nodes:
    - {id: split, type: parallel, branches: [{to: asked}, {to: later}, {to: hear}, {to: kid}, {to: quick}], join: {type: any}, routes: [{to: end}]}
    - {id: asked, type: ask, message: Anybody?, deadline: {after: 1h, remind: 10m}, routes: [{to: end}]}
    - {id: later, type: wait, for: 1h, routes: [{to: end}]}
    - {id: hear, type: wait, event: ready, routes: [{to: end}]}
    - {id: kid, type: subflow, flow: kid, routes: [{to: end}]}
    - {id: quick, type: set, vars: {who: quick}, routes: [{to: end}]}
`,
		"a token that was there before": `
  entry: first
  nodes:
    - {id: first, type: tool, tool: work.do, routes: [{to: split}]}
    - {id: split, type: parallel, branches: [{to: act}, {to: over}], join: {type: any}, routes: [{to: end}]}
    - {id: act, type: tool, tool: work.do, routes: [{to: end}]}
    - {id: over, type: terminal}
`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.record("work.do", flow.EffectsOnce)
			w.serve()
			w.save("name: kid\nflow:\n  entry: ask\n  nodes:\n    - {id: ask, type: ask, message: Is it?, routes: [{to: end}]}\n")
			f, problems := file.Check("brief.yaml", []byte("name: brief\nflow:"+src), engine.Checks(w.tools))
			if problems.HasErrors() {
				t.Fatal(problems)
			}
			if over := f.Flow.Node("over"); over != nil {
				over.Spec.(*flow.TerminalSpec).EndsRun = true
			}
			w.saveFlow(f.Flow)
			r := w.start("brief", nil)
			v := w.ended(r.ID, history.Succeeded)
			if end := v.Facts[len(v.Facts)-1].Body.(*history.RunEnded); end.Reason != "" {
				t.Errorf("it is said of what nobody has begun: %s", end.Reason)
			}
			if n := len(w.seen("work.do")); n > 1 {
				t.Errorf("what had ended was done all the same")
			}
			if leases, err := w.store.Leases(t.Context()); err != nil || len(leases) > 0 {
				t.Errorf("leases are left: %+v, %v", leases, err)
			}
			w.nothingDue()
			if due, err := w.store.NextDue(t.Context()); err != nil || !due.IsZero() {
				t.Errorf("something is due at %v, %v", due, err)
			}
			if gates, err := w.store.Gates(t.Context(), storage.GateQuery{Open: true, Limit: 10}); err != nil || len(gates) > 0 {
				t.Errorf("gates are open: %+v, %v", gates, err)
			}
			if live, err := w.store.Runs(t.Context(), storage.RunQuery{Live: true, Limit: 10}); err != nil || len(live) > 0 {
				t.Errorf("runs are live: %+v, %v", live, err)
			}
		})
	}
}
