package try_test

import (
	"errors"
	"strings"
	"testing"

	"sluice/engine/enginetest"
	"sluice/engine/flow/file"
	"sluice/engine/history"
	"sluice/engine/run"
	"sluice/engine/run/compile"
	"sluice/engine/try"
)

// recorded plays a run of the refund flow: an amount is looked up, and a question is answered when it is asked.
func recorded(t *testing.T, amount, choice string) (*enginetest.Driver, try.History) {
	t.Helper()
	d, err := enginetest.NewDriver(parse(t, refund))
	if err != nil {
		t.Fatal(err)
	}
	step := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	step(d.Start(map[string]any{"order_id": "A-1", "iban": "DE02"}))
	for !d.State.Status.Final() {
		switch {
		case len(d.Dispatched()) > 0:
			step(d.Claim(d.Dispatched()[0]))
		case len(d.Performing()) > 0:
			id := d.Performing()[0]
			out := history.Output{Text: "done", Data: []byte(`{"amount": ` + amount + `}`)}
			step(d.Finish(id, out, nil))
		default:
			g := d.State.Gates[0]
			in := run.Answer{At: d.Now, Actor: history.Actor{User: "U2"}, Gate: g.ID, Shown: g.Shown, Choice: choice, Text: "I see"}
			if choice == "reject" {
				in.Form = map[string]any{"reason": "too much"}
			}
			_, err := d.Feed(in)
			step(err)
		}
	}
	return d, try.History{ID: "run", Name: "refund-7", Flow: d.Flow, Facts: enginetest.Each(d.Facts)}
}

// What a changed flow would have made of a run that is over.
func TestReplay(t *testing.T) {
	t.Parallel()
	change := func(pairs ...string) string {
		out := strings.NewReplacer(pairs...).Replace(refund)
		if len(pairs) > 0 && out == refund {
			t.Fatalf("%q is not in the flow", pairs[0])
		}
		return out
	}
	for name, c := range map[string]struct {
		amount, choice string
		candidate      string
		want           try.Replayed
	}{
		"unchanged":                {"120", "approve", refund, try.Replayed{Verdict: try.Same}},
		"other words":              {"120", "approve", change("Paid {{", "We paid {{"), try.Replayed{Verdict: try.Same, Other: []string{"done"}}},
		"a limit that matters not": {"120", "approve", change("amount > 100", "amount > 110"), try.Replayed{Verdict: try.Same}},
		"a limit that lets it through": {
			"120", "approve", change("amount > 100", "amount > 200", "amount <= 100", "amount <= 200"),
			try.Replayed{Verdict: try.Differs, Node: "gate", Words: "would not come to gate any more"},
		},
		"a limit that holds it back": {
			"50", "approve", change("amount > 100", "amount > 20"),
			try.Replayed{Verdict: try.Differs, Node: "gate", Words: "would now need @finance"},
		},
		"a new question": {
			"50", "approve", change("to: look_up}", "to: look_up}", "entry: look_up", "entry: first", "  nodes:\n", "  nodes:\n    - {id: first, type: approval, message: Now?, who: {users: [\"@ana\", \"@bob\"]}, routes: [{when: \"approvals.first == 'approve'\", to: look_up}, {when: default, to: end}]}\n"),
			try.Replayed{Verdict: try.Differs, Node: "first", Words: "would now need @ana, @bob"},
		},
		"a choice that is gone": {
			"120", "approve", change("form: {reason", "choices: [yes, no]\n      form: {reason", "required_for: [reject]", "required_for: [no]", "== 'approve'", "== 'yes'"),
			try.Replayed{Verdict: try.Differs, Node: "gate", Words: "“approve” is not an answer at gate any more"},
		},
		"a form that asks for more": {
			"120", "approve", change("required_for: [reject]", "required: true"),
			try.Replayed{Verdict: try.Differs, Node: "gate", Words: "the recorded answer is not enough at gate: the answer is not complete: reason is required"},
		},
		"a second vote": {
			"120", "approve", change(`["@finance"]}`, `["@finance"], quorum: 2}`),
			try.Replayed{Verdict: try.Differs, Node: "gate", Words: "would now need more answers from @finance"},
		},
		"an answer that leads elsewhere": {
			"120", "reject", change("== 'approve'\", to: pay}, {when: default, to: end}", "== 'approve'\", to: pay}, {when: default, to: help}"),
			try.Replayed{Verdict: try.Differs, Node: "help", Words: "would now need somebody of the channel"},
		},
		"another tool": {
			"50", "approve", change("tool: shop.get", "tool: shop.find"),
			try.Replayed{Verdict: try.NotKnown, Node: "look_up", Words: "is unknown from look_up on"},
		},
		"a new step": {
			"50", "approve", change("routes: [{to: done}]}", "routes: [{to: book}]}\n    - {id: book, type: tool, tool: shop.book, routes: [{to: done}]}"),
			try.Replayed{Verdict: try.NotKnown, Node: "book", Words: "is unknown from book on"},
		},
		"a new message": {
			"50", "approve", change("routes: [{to: done}]}", "routes: [{to: hello}]}\n    - {id: hello, type: say, message: hello, routes: [{to: done}]}"),
			try.Replayed{Verdict: try.Differs, Node: "hello", Words: "would now post hello"},
		},
		"a new decision on the same way": {
			"50", "approve", change("routes: [{to: amount}]}", "routes: [{to: sure}]}\n    - {id: sure, type: decision, expr: inputs.order_id, routes: [{when: default, to: amount}]}"),
			try.Replayed{Verdict: try.Same},
		},
		"a step less": {
			"50", "approve", change("routes: [{to: done}]}", "routes: [{to: end}]}", "{when: default, to: help}", "{when: default, to: done}"),
			try.Replayed{Verdict: try.Differs, Node: "done", Words: "would not come to done any more"},
		},
		"a broken expression": {
			"50", "approve", change("amount > 100", "amount >"),
			try.Replayed{Verdict: try.Differs, Node: "amount", Words: "would now stop at amount"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, h := recorded(t, c.amount, c.choice)
			p, err := compile.Flow(parse(t, c.candidate))
			if err != nil {
				t.Fatal(err)
			}
			got, err := try.Replay(p, h, try.Surroundings{Tools: shop(t)})
			if err != nil {
				t.Fatal(err)
			}
			c.want.Run = "refund-7"
			if !equal(got, c.want) {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
		})
	}
}

func equal(a, b try.Replayed) bool {
	return a.Run == b.Run && a.Verdict == b.Verdict && a.Node == b.Node && a.Words == b.Words && strings.Join(a.Other, " ") == strings.Join(b.Other, " ")
}

// A run that was cancelled while a question was open goes the same way as far as it came.
func TestReplayOfACancelledRun(t *testing.T) {
	t.Parallel()
	d, err := enginetest.NewDriver(parse(t, refund))
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		d.Start(map[string]any{"order_id": "A-1"}), d.Claim(1), d.Finish(1, history.Output{Data: []byte(`{"amount": 500}`)}, nil),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := d.Feed(run.Cancel{At: d.Now, Reason: "not needed"}); err != nil {
		t.Fatal(err)
	}
	h := try.History{ID: "run", Name: "refund-8", Flow: d.Flow, Facts: enginetest.Each(d.Facts)}
	for src, want := range map[string]try.Verdict{refund: try.Same, strings.Replace(refund, "amount > 100", "amount > 600", 1): try.Differs} {
		p, err := compile.Flow(parse(t, src))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := try.Replay(p, h, try.Surroundings{}); err != nil || got.Verdict != want {
			t.Errorf("%+v, %v, want %s\n%s", got, err, want, file.Format(p.Flow()))
		}
	}
}

// The summary counts and names.
func TestSummary(t *testing.T) {
	t.Parallel()
	same := try.Replayed{Run: "r-1", Verdict: try.Same}
	other := try.Replayed{Run: "r-2", Verdict: try.Same, Other: []string{"pay"}}
	differs := try.Replayed{Run: "refund-214", Verdict: try.Differs, Words: "would now need @finance"}
	unknown := try.Replayed{Run: "r-4", Verdict: try.NotKnown, Words: "is unknown from book on"}
	for want, all := range map[string][]try.Replayed{
		"no run has finished yet": nil,
		"2 go the same way":       {same, same},
		"2 go the same way (1 with other parameters), 1 differs: refund-214 would now need @finance":                        {same, other, differs},
		"1 goes the same way, 1 differs, 1 cannot be told: refund-214 would now need @finance; r-4 is unknown from book on": {same, differs, unknown},
	} {
		if got := try.Summary(all); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// A run that is too long to be held in memory is not replayed, and not read to its end.
func TestAReplayOfALongRunIsBounded(t *testing.T) {
	t.Parallel()
	d, err := enginetest.NewDriver(parse(t, `
name: long
flow:
  entry: a
  max_iterations: 1000
  nodes:
    - {id: a, type: tool, tool: shop.get_order, routes: [{when: default, to: a}]}
`))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(d.Start(nil), d.Claim(1)); err != nil {
		t.Fatal(err)
	}
	large := history.Output{Text: strings.Repeat("x", 1<<20)}
	for range 100 {
		if err := d.Finish(1, large, nil); err != nil {
			t.Fatal(err)
		}
	}
	read := 0
	facts := func(yield func(history.Fact, error) bool) {
		for _, f := range d.Facts {
			if read++; !yield(f, nil) {
				return
			}
		}
	}
	got, err := try.Replay(d.Program, try.History{ID: "run", Name: "long-1", Flow: d.Flow, Facts: facts}, try.Surroundings{})
	if err != nil || got.Verdict != try.NotKnown || !strings.Contains(got.Words, "too long") {
		t.Errorf("%+v, %v", got, err)
	}
	if read > 2*len(d.Facts)/3+5 {
		t.Errorf("%d of %d facts were read", read, len(d.Facts))
	}
	broken := func(yield func(history.Fact, error) bool) { yield(history.Fact{}, errors.ErrUnsupported) }
	if _, err := try.Replay(d.Program, try.History{Facts: broken}, try.Surroundings{}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("facts that cannot be read: %v", err)
	}
}
