package run_test

import (
	"fmt"
	"testing"

	"sluice/engine/enginetest"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run"
	"sluice/engine/run/compile"
)

// rounds makes a run of a loop with so many rounds: each pays, and is noted in a variable.
func rounds(t testing.TB, spec *flow.LoopSpec, total int) *line {
	t.Helper()
	spec.Body = "pay"
	p, err := compile.Flow(&flow.Flow{Name: "line", Entry: "each", Limits: flow.Limits{Items: total}, Nodes: []flow.Node{
		{ID: "each", Kind: flow.KindLoop, Spec: spec, Routes: []flow.Route{{To: "after"}}},
		{
			ID: "pay", Kind: flow.KindTool, Routes: []flow.Route{{To: "note"}},
			Spec: &flow.ToolSpec{Tool: "t.pay", Params: map[string]any{"order": "{{each.value}}, {{each.number}}"}},
		},
		{ID: "note", Kind: flow.KindSet, Spec: &flow.SetSpec{Vars: map[string]any{"last": "{{pay.result.n}}"}}},
		{ID: "after", Kind: flow.KindTool, Spec: &flow.ToolSpec{Tool: "t.after", Params: map[string]any{"all": "{{each.total}}"}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	list := make([]any, total)
	for i := range list {
		list[i] = map[string]any{"id": fmt.Sprintf("order %06d", i), "words": "some words about the order"}
	}
	l := &line{t: t, program: p, state: &history.State{}, outputs: map[int64]history.Output{}}
	l.feed(run.Start{At: enginetest.Epoch, Run: history.RunStarted{Inputs: map[string]any{"list": list}}})
	d := l.feed(run.Claimed{At: enginetest.Epoch, Token: l.open[0].Token, Epoch: l.open[0].Epoch})
	l.performing = d.Effects[len(d.Effects)-1].(run.Perform)
	return l
}

// round takes the present round to its end, and gives what that costs.
func (l *line) round() cost {
	p := l.performing
	d := l.feed(run.Finished{At: enginetest.Epoch, Token: p.Token, Step: p.Step, Epoch: p.Epoch, Output: outcome5})
	l.performing = d.Effects[len(d.Effects)-1].(run.Perform)
	return l.latest
}

// kindsOfLoops are loops of 10,000 rounds.
var kindsOfLoops = map[string]func() *flow.LoopSpec{
	"for":   func() *flow.LoopSpec { return &flow.LoopSpec{Type: flow.LoopFor, To: "10000"} },
	"while": func() *flow.LoopSpec { return &flow.LoopSpec{Type: flow.LoopWhile, While: "each.index < 10000"} },
	"each":  func() *flow.LoopSpec { return &flow.LoopSpec{Type: flow.LoopEach, Items: "inputs.list"} },
}

// What a round stores and reads does not depend on how many came before it: only numbers get more digits.
func TestRoundsCostTheSame(t *testing.T) {
	t.Parallel()
	for name, spec := range kindsOfLoops {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := rounds(t, spec(), 10_000)
			at := func(round int) cost {
				for l.cold = false; l.state.Tokens[0].Blocks[0].Next <= round; {
					l.round()
				}
				l.cold = true
				return l.round()
			}
			early, late := at(10), at(9_990)
			t.Logf("round 10 costs %+v, round 9,990 %+v", early, late)
			if early.reads != late.reads || early.shape != late.shape {
				t.Errorf("round 10 costs %+v, round 9,990 %+v", early, late)
			}
		})
	}
}

// BenchmarkRound measures a round from one act to the next, with the encoding of state and facts, at different places of 10,000
// rounds: it must cost the same.
func BenchmarkRound(b *testing.B) {
	for _, at := range []int{10, 9_900} {
		b.Run(fmt.Sprintf("round=%d", at), func(b *testing.B) {
			l := rounds(b, kindsOfLoops["for"](), 10_000)
			for range at {
				l.round()
			}
			kept, performing := l.state, l.performing
			l.cold = true
			var c cost
			b.ReportAllocs()
			for b.Loop() {
				l.state, l.performing = kept, performing
				c = l.round()
			}
			b.ReportMetric(float64(c.bytes), "stored-bytes")
			b.ReportMetric(float64(c.reads), "reads")
		})
	}
}

// Rounds that nobody has to perform pass many at a time.
func TestPureRoundsPassTogether(t *testing.T) {
	t.Parallel()
	const total = 350
	d := driver(t, &flow.Flow{Name: "f", Entry: "each", MaxVisits: 10, Nodes: []flow.Node{
		{ID: "each", Kind: flow.KindLoop, Spec: &flow.LoopSpec{Type: flow.LoopEach, Items: "inputs.list", Body: "note"}, Routes: []flow.Route{{To: "after"}}},
		{ID: "note", Kind: flow.KindSet, Spec: &flow.SetSpec{Vars: map[string]any{"x": "{{item}} {{item_number}}/{{item_total}} {{each.item}} {{each.number}}"}}},
		tool("after", ""),
	}})
	list := make([]any, total)
	for i := range list {
		list[i] = fmt.Sprintf("i%d", i)
	}
	if err := d.Start(map[string]any{"list": list}); err != nil {
		t.Fatal(err)
	}
	claims := 0
	for ; len(d.Performing()) == 0; claims++ {
		if err := d.Claim(d.Dispatched()[0]); err != nil {
			t.Fatal(err)
		}
	}
	play(t, d, fmt.Sprintf("at after\nvars {\"x\":\"i%d %d/%d i%d %d\"}\nview each complete 1 %d/%d/%d/0", total-1, total, total, total-1, total, total, total, total))
	if claims > 10 {
		t.Errorf("%d rounds take %d claims", total, claims)
	}
}

// The limits of the run stop a loop between two rounds; what follows depends on the flow.
func TestLoopAtALimit(t *testing.T) {
	t.Parallel()
	for action, script := range map[flow.LimitAction]string{
		flow.LimitEndPath: "status succeeded",
		flow.LimitHandoff: "at after\nedges each/body each/body each/body each/limit\nparams after {\"n\":3}",
		flow.LimitFail:    "status failed\nanswer each retry\nstatus running\nat act\ndo act\ndo act\nat after\nparams after {\"n\":5}",
	} {
		after := tool("after", "")
		after.Spec.(*flow.ToolSpec).Params = map[string]any{"n": "{{each.total}}"}
		d := driver(t, &flow.Flow{
			Name: "f", Entry: "each", MaxVisits: 10, Limits: flow.Limits{Steps: 4}, OnLimit: flow.OnLimit{Action: action, To: "after"},
			Nodes: []flow.Node{
				{ID: "each", Kind: flow.KindLoop, Spec: &flow.LoopSpec{Type: flow.LoopFor, To: "5", Body: "act"}, Routes: []flow.Route{{To: "after"}}},
				tool("act", ""), after,
			},
		})
		t.Log(action)
		play(t, d, "start\ndo act\ndo act\ndo act\n"+script)
	}
}

// The items of a sensitive input are dots for people also inside a loop.
func TestSensitiveRoundsAreDots(t *testing.T) {
	t.Parallel()
	act := tool("act", "gate")
	act.Spec.(*flow.ToolSpec).Params = map[string]any{"iban": "{{item}}"}
	d := driver(t, &flow.Flow{
		Name: "f", Entry: "each", Inputs: []flow.Input{{Name: "list", Type: "array", Sensitive: true}},
		Nodes: []flow.Node{
			{ID: "each", Kind: flow.KindLoop, Spec: &flow.LoopSpec{Type: flow.LoopEach, Items: "inputs.list", Body: "act"}},
			act,
			{ID: "gate", Kind: flow.KindApproval, Spec: &flow.ApprovalSpec{Message: "pay {{item}} {{each.item}}, {{item_number}}?"}},
		},
	})
	play(t, d, `
		start list=["DE1"]
		params act {"iban":"DE1"}
		fact step_started {"params":{"iban":"•••"}}
		do act
		message gate pay ••• •••, 1?`)
}
