package run_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/engine/enginetest"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run"
	"sluice/engine/run/compile"
	"sluice/engine/run/scope"
)

// line is a run of a foreach over many items, fed without the driver's checks, and what each item costs.
type line struct {
	t       testing.TB
	program *compile.Program
	state   *history.State
	start   *history.RunStarted
	outputs map[int64]history.Output
	open    []run.Dispatch
	cold    bool // measure, with no output at hand
	latest  cost

	performing run.Perform // of a loop: the act of its present round
}

// cost is what transitions store, the state included, and ask for.
type cost struct {
	bytes int
	shape int // bytes without digits
	reads int // outputs, when none is at hand
}

func (c *cost) add(more cost) {
	c.bytes += more.bytes
	c.shape += more.shape
	c.reads += more.reads
}

// items makes a run of a foreach over so many items, three at a time: each is paid, and noted in a variable.
func items(t testing.TB, total int) *line {
	t.Helper()
	f := &flow.Flow{Name: "line", Entry: "each", Limits: flow.Limits{Items: total}, Nodes: []flow.Node{
		{
			ID: "each", Kind: flow.KindForeach, Spec: &flow.ForeachSpec{Items: "inputs.list", Body: "pay", MaxParallel: 3},
			Routes: []flow.Route{{To: "after"}},
		},
		{
			ID: "pay", Kind: flow.KindTool, Spec: &flow.ToolSpec{Tool: "t.pay", Params: map[string]any{"order": "{{item.id}}, {{item_number}}"}},
			Routes: []flow.Route{{To: "note"}},
		},
		{ID: "note", Kind: flow.KindSet, Spec: &flow.SetSpec{Vars: map[string]any{"last": "{{pay.result.n}}"}}},
		{ID: "after", Kind: flow.KindTool, Spec: &flow.ToolSpec{Tool: "t.after", Params: map[string]any{"all": "{{each.result}}"}}},
	}}
	p, err := compile.Flow(f)
	if err != nil {
		t.Fatal(err)
	}
	list := make([]any, total)
	for i := range list {
		list[i] = map[string]any{"id": fmt.Sprintf("order %06d", i), "words": "some words about the order"}
	}
	l := &line{t: t, program: p, state: &history.State{}, outputs: map[int64]history.Output{}}
	l.feed(run.Start{At: enginetest.Epoch, Run: history.RunStarted{Inputs: map[string]any{"list": list}}})
	return l
}

// feed gives an input to the machine.
func (l *line) feed(in run.Input) run.Decision {
	l.t.Helper()
	reads := &scope.Reads{Start: l.start, Outputs: l.outputs}
	if l.cold {
		reads.Outputs = map[int64]history.Output{}
	}
	c := &run.Context{RunID: "run"}
	d, err := run.Decide(l.program, l.state, in, reads, c)
	var need *scope.Need
	l.latest = cost{}
	if errors.As(err, &need) {
		l.latest.reads = len(need.Facts)
		for _, seq := range need.Facts {
			reads.Outputs[seq] = l.outputs[seq]
		}
		d, err = run.Decide(l.program, l.state, in, reads, c)
	}
	if err != nil {
		l.t.Fatal(err)
	}
	l.take(d)
	return d
}

func (l *line) take(d run.Decision) {
	l.state = d.State
	for _, f := range d.Facts {
		if b, ok := f.Body.(*history.RunStarted); ok {
			l.start = b
		}
		if out, ok := history.ReadOf(f); ok {
			l.outputs[f.Seq] = out
		}
		if l.cold {
			l.latest.add(l.size(history.Encode(f)))
		}
	}
	if l.cold {
		state, err := history.EncodeState(d.State)
		l.latest.add(l.size(nil, state, err))
	}
	for _, e := range d.Effects {
		if e, ok := e.(run.Dispatch); ok {
			l.open = append(l.open, e)
		}
	}
}

func (l *line) size(actor, body []byte, err error) cost {
	if err != nil {
		l.t.Fatal(err)
	}
	digits := 0
	for _, c := range body {
		if c >= '0' && c <= '9' {
			digits++
		}
	}
	return cost{bytes: len(actor) + len(body), shape: len(actor) + len(body) - digits}
}

// next takes the oldest open item from its claim to its end, and gives what that costs.
func (l *line) next() cost {
	it := l.open[0]
	l.open = l.open[1:]
	d := l.feed(run.Claimed{At: enginetest.Epoch, Token: it.Token, Epoch: it.Epoch})
	sum := l.latest
	p := d.Effects[len(d.Effects)-1].(run.Perform)
	l.feed(run.Finished{At: enginetest.Epoch, Token: p.Token, Step: p.Step, Epoch: p.Epoch, Output: outcome5})
	sum.add(l.latest)
	return sum
}

// What an item stores and reads does not depend on how many came before it: only numbers get more digits.
func TestItemsCostTheSame(t *testing.T) {
	t.Parallel()
	l := items(t, 10_000)
	at := func(item int) cost {
		for l.cold = false; l.state.Frames[1].Each.Ended < item; {
			l.next()
		}
		l.cold = true
		return l.next()
	}
	early, late := at(10), at(9_990)
	t.Logf("item 10 costs %+v, item 9,990 %+v", early, late)
	if early.reads != late.reads || early.shape != late.shape {
		t.Errorf("item 10 costs %+v, item 9,990 %+v", early, late)
	}
}

// The results are asked for as one output, once somebody reads them.
func TestResultsAreGatheredWhenRead(t *testing.T) {
	t.Parallel()
	l := items(t, 250)
	for range 250 {
		l.next()
	}
	if len(l.open) != 1 {
		t.Fatalf("%d tokens are dispatched after the last item", len(l.open))
	}
	claim := run.Claimed{At: enginetest.Epoch, Token: l.open[0].Token, Epoch: l.open[0].Epoch}
	_, err := run.Decide(l.program, l.state, claim, &scope.Reads{Start: l.start}, nil)
	var need *scope.Need
	if !errors.As(err, &need) {
		t.Fatalf("the decision gives %v", err)
	}
	if diff := cmp.Diff([]int64{l.state.Frames[0].Outputs["each"]}, need.Facts); diff != "" {
		t.Error(diff)
	}
}

// BenchmarkItem measures an item from its claim to its end, with the start of the next one and the encoding of state and facts,
// at different places of a list of 10,000: it must cost the same.
func BenchmarkItem(b *testing.B) {
	for _, at := range []int{10, 1_000, 9_900} {
		b.Run(fmt.Sprintf("item=%d", at), func(b *testing.B) {
			l := items(b, 10_000)
			for range at {
				l.next()
			}
			kept, open := l.state, l.open
			l.cold = true
			var c cost
			b.ReportAllocs()
			for b.Loop() {
				l.state, l.open = kept, open
				c = l.next()
			}
			b.ReportMetric(float64(c.bytes), "stored-bytes")
			b.ReportMetric(float64(c.reads), "reads")
		})
	}
}

// foreach is a flow whose items are made of one node, and what follows.
func foreach(spec *flow.ForeachSpec, nodes ...flow.Node) *flow.Flow {
	spec.Items, spec.Body = "inputs.list", nodes[0].ID
	each := flow.Node{ID: "each", Kind: flow.KindForeach, Spec: spec, Routes: []flow.Route{{To: "after"}}}
	return &flow.Flow{Name: "f", Entry: "first", MaxVisits: 10, Nodes: append([]flow.Node{tool("first", "each"), each, {
		ID: "after", Kind: flow.KindSay, Spec: &flow.SaySpec{Message: "{{each.result | json}} {{vars.x}}"},
	}}, nodes...)}
}

// Items that nobody has to perform come and go many at a time, through every part of the list.
func TestPureItemsPassTogether(t *testing.T) {
	t.Parallel()
	const total = 350 // in four parts
	for _, parallel := range []int{1, 7, 1000} {
		f := foreach(&flow.ForeachSpec{MaxParallel: parallel}, flow.Node{
			ID: "note", Kind: flow.KindSet, Spec: &flow.SetSpec{Vars: map[string]any{"x": "{{first.text}} {{item}} {{item_number}}/{{item_total}}"}},
		})
		d := driver(t, f)
		list := make([]any, total)
		for i := range list {
			list[i] = fmt.Sprintf("i%d", i)
		}
		if err := d.Start(map[string]any{"list": list}); err != nil {
			t.Fatal(err)
		}
		play(t, d, "do first seed")
		claims := 0
		for ; len(d.Tokens("after")) == 0; claims++ {
			if err := d.Claim(d.Dispatched()[0]); err != nil {
				t.Fatal(err)
			}
		}
		play(t, d, fmt.Sprintf("vars {\"x\":\"seed i%d %d/%d\"}\nview each complete 1 %d/%d/%d/0\nview note complete %d", total-1, total, total, total, total, total, total))
		if claims > 10+min(parallel, 100) {
			t.Errorf("with %d at once, %d items take %d claims", parallel, total, claims)
		}
	}
}

// However many the flow wants at once, the state holds so many only.
func TestOpenItemsAreBounded(t *testing.T) {
	t.Parallel()
	d := driver(t, foreach(&flow.ForeachSpec{MaxParallel: 5000}, tool("act", "")))
	if err := d.Start(map[string]any{"list": make([]any, 300)}); err != nil {
		t.Fatal(err)
	}
	play(t, d, "do first\ndo act\ndo act")
	if open := len(d.Tokens("act")); open != 100 {
		t.Errorf("%d items are open", open)
	}
}

// A path that leads back to its own foreach is no new list inside the list.
func TestAnItemCannotEnterItsOwnForeach(t *testing.T) {
	t.Parallel()
	d := driver(t, foreach(&flow.ForeachSpec{}, tool("act", "each")))
	play(t, d, `
		start list=[1,2]
		do first
		do act
		status failed
		error ItemError: item 1 of 2: LimitError: an item of "each" leads back to "each": end its path with 'to: end' instead`)
}

// An agent in the body reads its item as the previous output, not the whole list.
func TestTheItemIsThePreviousOutput(t *testing.T) {
	t.Parallel()
	agent := flow.Node{ID: "sort", Kind: flow.KindAgent, Spec: &flow.AgentSpec{Agent: "bot"}}
	f := foreach(&flow.ForeachSpec{}, agent)
	f.Agents = []flow.Agent{{ID: "bot"}}
	play(t, driver(t, f), `
		start list=["one",{"two":2},null]
		do first before
		input sort one
		do sort 1st
		input sort {"two":2}
		do sort {"kind":"b"}
		input sort 
		do sort 3rd
		claim each
		params after {"message":"[\"1st\",{\"kind\":\"b\"},\"3rd\"] "}`)
}

// Items of a sensitive input are dots for people, and what they are for tools.
func TestSensitiveItemsAreDots(t *testing.T) {
	t.Parallel()
	act := tool("act", "gate")
	act.Spec.(*flow.ToolSpec).Params = map[string]any{"iban": "{{item}}"}
	f := foreach(&flow.ForeachSpec{}, act, flow.Node{ID: "gate", Kind: flow.KindApproval, Spec: &flow.ApprovalSpec{Message: "pay {{item}}, {{item_number}}?"}})
	f.Inputs = []flow.Input{{Name: "list", Type: "array", Sensitive: true}}
	play(t, driver(t, f), `
		start list=["DE1"]
		do first
		params act {"iban":"DE1"}
		fact step_started {"params":{"iban":"•••"}}
		do act
		message gate pay •••, 1?`)
}

// Sensitive fields of an answer are dots for people, and what they are for tools and decisions.
func TestSensitiveAnswersAreDots(t *testing.T) {
	t.Parallel()
	form := map[string]flow.FormField{"pin": {Type: "string", Sensitive: true}, "who": {Type: "string"}}
	act := tool("act", "next")
	act.Spec.(*flow.ToolSpec).Params = map[string]any{"a": "{{approvals.ask.pin}}", "b": "{{ask.pin}}", "c": "{{nodes.ask.data}}"}
	f := &flow.Flow{Name: "f", Entry: "ask", Nodes: []flow.Node{
		{ID: "ask", Kind: flow.KindAsk, Spec: &flow.AskSpec{Message: "the pin?", Form: form}, Routes: []flow.Route{{To: "kind"}}},
		{ID: "kind", Kind: flow.KindDecision, Spec: &flow.DecisionSpec{Expr: "ask.pin"}, Routes: []flow.Route{{When: "1234", To: "act"}, {To: "next"}}},
		act,
		{ID: "next", Kind: flow.KindApproval, Spec: &flow.ApprovalSpec{Message: "{{ask.pin}} of {{ask.who}}, {{approvals.ask.pin}}?", Show: []string{"ask.data"}}},
	}}
	play(t, driver(t, f), `
		start
		answer ask form={"pin":"1234","who":"ana"}
		params act {"a":"1234","b":"1234","c":{"pin":"1234","who":"ana"}}
		fact step_started {"params":{"a":"•••","b":"•••","c":{"pin":"•••","who":"ana"}}}
		do act
		message next ••• of ana, •••?
		fact gate_opened {"show":[{"name":"ask.data","value":{"pin":"•••","who":"ana"}}]}`)
}

// What an earlier item left is asked for together with what the last item reads before it fails.
func TestWhatItemsLeaveIsForeseen(t *testing.T) {
	t.Parallel()
	f := foreach(&flow.ForeachSpec{},
		flow.Node{ID: "kind", Kind: flow.KindDecision, Spec: &flow.DecisionSpec{Expr: "item"}, Routes: []flow.Route{{When: "1", To: "act"}, {To: "gate"}}},
		tool("act", ""),
		flow.Node{ID: "gate", Kind: flow.KindApproval, Spec: &flow.ApprovalSpec{Message: "?"}, Routes: []flow.Route{{When: "first.result.ok", To: "bad"}}},
		flow.Node{ID: "bad", Kind: flow.KindSet, Spec: &flow.SetSpec{Vars: map[string]any{"y": "{{ 1 2 }}"}}},
		flow.Node{ID: "note", Kind: flow.KindSet, Spec: &flow.SetSpec{Vars: map[string]any{"x": "{{act.text}}"}}},
	)
	f.Node("each").OnError = []flow.ErrorRoute{{Default: true, To: "note"}}
	play(t, driver(t, f), `
		start list=[1,2,3]
		do first {"ok":true}
		do act done
		items each 3/2/1/0
		answer gate approve
		status succeeded
		vars {"x":"done"}`)
}

// At a limit that hands off or ends the path the foreach is over with what it has.
func TestForeachAtALimit(t *testing.T) {
	t.Parallel()
	for action, script := range map[flow.LimitAction]string{
		flow.LimitEndPath: "claim each\nstatus succeeded\nresult [{\"n\":1},{\"n\":2},null,null]",
		flow.LimitHandoff: "at after\nparams after {\"message\":\"[{\\\"n\\\":1},{\\\"n\\\":2},null,null] \"}\nedges first/0 each/body each/body each/limit",
		flow.LimitFail:    "status failed\nanswer each retry\ndo act\ndo act\nclaim each\nstatus running\nat after",
	} {
		f := foreach(&flow.ForeachSpec{}, tool("act", ""))
		f.Limits.Steps, f.OnLimit = 4, flow.OnLimit{Action: action, To: "after"}
		d := driver(t, f)
		t.Log(action)
		play(t, d, "start list=[1,2,3,4]\ndo first\ndo act {\"n\":1}\ndo act {\"n\":2}\n"+script)
	}
}

// A foreach whose retry is up to the flow goes on with the items that failed, and lets the rest in.
func TestForeachIsRetriedByItself(t *testing.T) {
	t.Parallel()
	f := foreach(&flow.ForeachSpec{MaxParallel: 2}, tool("act", ""))
	f.Node("each").Retry = &flow.Retry{MaxAttempts: 2, BackoffMS: 1000}
	f.MaxVisits = 100
	play(t, driver(t, f), `
		start list=[1,2,3,4]
		do first
		fail act#0 HTTPError: busy
		at each act act
		do act#1 two
		# the third is not let in while the first has failed
		phase each timer
		at each act
		fire retry
		at each act act
		do act#0 one
		do act#2 three
		do act#3 four
		claim each
		output each ["one","two","three","four"]
		view each complete 1 4/4/4/0`)
}
