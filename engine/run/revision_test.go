package run_test

import (
	"errors"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"sluice/engine/enginetest"
	"sluice/engine/run"
)

const before = `
name: refund
flow:
  entry: look
  nodes:
    - {id: look, type: tool, tool: t.look, effects: read, routes: [{to: both}]}
    - {id: both, type: parallel, branches: [one, two], routes: [{to: ok}]}
    - {id: one, type: tool, tool: t.one, effects: once}
    - {id: two, type: approval, message: "two?"}
    - {id: ok, type: approval, message: "go on?", routes: [{when: "approvals.ok == 'approve'", to: pay}, {when: default, to: end}]}
    - {id: pay, type: tool, tool: t.pay, params: {amount: 1}, effects: once, routes: [{to: end}]}
`

// Whether a run fits another revision depends on where it stands.
func TestWhatFitsAnotherRevision(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, script, change, why string // change is OLD => NEW; why "" = it fits
	}{
		{"another tool further on", "start", "tool: t.pay => tool: t.pay2", ""},
		{"another tool that is waiting to be done", "start", "tool: t.look => tool: t.see", ""},
		{"another tool under way", "start\nclaim look", "tool: t.look => tool: t.see", `"look" is under way, and has changed`},
		{"another way out of what is under way", "start\nclaim look", "routes: [{to: both}] => routes: [{to: ok}]", ""},
		{"a node is gone", "start\ndo look\ndo one\nanswer two approve", "{id: ok, => {id: okay,", `it stands at "ok", which is not there any more`},
		{"a node of another kind", "start\ndo look\ndo one\nanswer two approve", `id: ok, type: approval, => id: ok, type: ask,`, `it stands at "ok", which is an ask now instead of an approval`},
		{"a node that was passed is gone", "start\ndo look\ndo one\nanswer two approve", "id: one, => id: uno,", ""},
		{"a branch more", "start\ndo look\ndo one", "branches: [one, two] => branches: [one, two, pay]", `the branches of "both" are under way, and are others now`},
		{"branches in another order", "start\ndo look", "branches: [one, two] => branches: [two, one]", `the branches of "both" are under way, and are others now`},
		{"the words of a question", "start\ndo look\ndo one", `"two?" => "two, really?"`, ""},
		{"an act that may have happened", "start\ndo look\nclaim one\nlose one", "tool: t.one => tool: t.uno", `"one" is under way, and has changed`},
		{"an act that failed", "start\ndo look\ndo one\nanswer two approve\nanswer ok approve\nfail pay final HardError: no", "amount: 1 => amount: 2", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d, err := enginetest.NewDriver(parse(t, c.name, txtar.File{Data: []byte(before)}))
			if err != nil {
				t.Fatal(err)
			}
			if err := d.Script(c.script); err != nil {
				t.Fatal(err)
			}
			was, is, _ := strings.Cut(c.change, " => ")
			if !strings.Contains(before, was) {
				t.Fatalf("the flow has no %q", was)
			}
			after := strings.Replace(before, was, is, 1)
			if strings.Contains(c.change, "okay") || strings.Contains(c.change, "uno,") {
				after = strings.NewReplacer("to: ok}", "to: okay}", "[one, ", "[uno, ").Replace(after)
			}
			err = d.Move(parse(t, c.name, txtar.File{Data: []byte(after)}))
			var misfit *run.MisfitError
			switch {
			case c.why == "" && err != nil:
				t.Error(err)
			case c.why != "" && (!errors.As(err, &misfit) || strings.Join(misfit.Why, "") != c.why):
				t.Errorf("got %v", err)
			}
		})
	}
}

// A run goes on by the new revision: new words for the open question, a new key for what failed and is something else now.
func TestARunGoesOnByItsNewRevision(t *testing.T) {
	t.Parallel()
	d, err := enginetest.NewDriver(parse(t, "before", txtar.File{Data: []byte(before)}))
	if err != nil {
		t.Fatal(err)
	}
	move := func(was, is string) {
		t.Helper()
		changed := strings.Replace(before, was, is, 1)
		if err := d.Move(parse(t, "after", txtar.File{Data: []byte(changed)})); err != nil {
			t.Fatal(err)
		}
	}
	play := func(script string) {
		t.Helper()
		if err := d.Script(script); err != nil {
			t.Fatalf("%v\n%s", err, enginetest.Print(d.Facts))
		}
	}
	play("start\ndo look\ndo one")
	move(`"two?"`, `"two, really?"`)
	play("message two two, really?\nanswer two approve\nanswer ok approve\nkey pay run/6/1/0\nfail pay final HardError: no")
	move("amount: 1", "amount: 2")
	play("message pay HardError: no\nanswer pay retry\nparams pay {\"amount\":2}\nkey pay run/6/1/1\ndo pay\nstatus succeeded")
	if d.State.Revision != 3 {
		t.Errorf("the run is on revision %d", d.State.Revision)
	}
}
