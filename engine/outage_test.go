package engine_test

import (
	"testing"
	"time"

	"sluice/engine"
	"sluice/engine/history"
	"sluice/storage"
	"sluice/storage/pgtest"
)

const waiting = `
name: waiting
flow:
  entry: w
  nodes:
    - {id: w, type: wait, for: 2s, routes: [{to: s}]}
    - {id: s, type: tool, tool: work.step, params: {ms: 10, run: "{{run.name}}"}, routes: [{to: g}]}
    - {id: g, type: approval, message: "Go on?", routes: [{to: t}]}
    - {id: t, type: tool, tool: work.step, params: {ms: 10, run: "{{run.name}}"}, routes: [{to: end}]}
`

// TestADatabaseThatRestartsLosesNothing has the database server crash and stay away for a while under three busy processes. Timers come due
// meanwhile and acts come to their end. Nobody restarts anything but the server; no act is lost, none is done twice.
func TestADatabaseThatRestartsLosesNothing(t *testing.T) {
	t.Parallel()
	server := pgtest.NewServer(t)
	o := emptyOfficeAt(t, server.URL)
	for _, name := range []string{"p1", "p2", "p3"} {
		o.hire(name, server.URL)
	}
	o.save("chain", 4, 300)
	o.put(waiting)
	chains, waits := o.start("chain", 12), o.start("waiting", 4)
	o.busy("p1")
	server.Stop()
	away := time.NewTimer(outage)
	<-away.C
	server.Start()
	back := time.Now()
	o.ended(chains)
	t.Logf("the chains ended %v after the database came back", time.Since(back).Round(time.Millisecond))
	for _, id := range waits {
		o.approve(id)
	}
	o.ended(waits)
	if n := o.number("SELECT count(*) FROM book a JOIN book b ON b.key = a.key AND b.id > a.id"); n != 0 {
		t.Errorf("%d acts were repeated", n)
	}
	if n := o.number("SELECT count(DISTINCT key) FROM book"); n != 12*4+4*2 {
		t.Errorf("%d different acts, want %d", n, 12*4+4*2)
	}
	before := o.beats()
	o.until("all three beat on", func() bool {
		now := o.beats()
		return now["p1"] > before["p1"] && now["p2"] > before["p2"] && now["p3"] > before["p3"]
	})
}

func (o *office) beats() map[string]int64 {
	o.Helper()
	p, err := o.store.Beat(o.Context(), "test", time.Now())
	if err != nil {
		o.Fatal(err)
	}
	return p.Beats
}

// approve answers a run's gate, once it is open.
func (o *office) approve(id string) {
	o.Helper()
	var open []storage.Gate
	o.until("the gate of run "+id, func() bool {
		var err error
		if open, err = o.store.Gates(o.Context(), storage.GateQuery{Run: id, Open: true}); err != nil {
			o.Fatal(err)
		}
		return len(open) > 0
	})
	if _, err := o.engine.Answer(o.Context(), engine.GateAnswer{Gate: open[0].ID, Shown: shown(o.engine, open[0].ID), Choice: "approve", Actor: history.Actor{User: "ana", Via: history.ViaButton}}); err != nil {
		o.Fatal(err)
	}
}
