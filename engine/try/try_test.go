package try_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/engine/enginetest"
	"sluice/engine/flow"
	"sluice/engine/flow/file"
	"sluice/engine/history"
	"sluice/engine/tool"
	"sluice/engine/try"
)

const refund = `name: refund
inputs:
  order_id: {type: string, required: true}
  iban: {type: string, sensitive: true}
flow:
  entry: look_up
  nodes:
    - {id: look_up, type: tool, tool: shop.get, params: {order_id: "{{inputs.order_id}}"}, on_error: [{default: true, to: help}], routes: [{to: amount}]}
    - {id: amount, type: decision, expr: look_up.result.amount > 100, routes: [{when: "true", to: gate}, {when: "look_up.result.amount <= 100", to: pay}, {when: default, to: help}]}
    - id: gate
      type: approval
      message: "Refund {{look_up.result.amount}} to {{inputs.iban}}?"
      who: {groups: ["@finance"]}
      form: {reason: {type: string, required_for: [reject]}}
      routes: [{when: "approvals.gate == 'approve'", to: pay}, {when: default, to: end}]
    - {id: pay, type: tool, tool: shop.pay, params: {amount: "{{look_up.result.amount}}", iban: "{{inputs.iban}}", token: "{{secret.SHOP}}"}, routes: [{to: done}]}
    - {id: done, type: say, message: "Paid {{look_up.result.amount}}", routes: [{to: end}]}
    - {id: help, type: ask, message: "Help", routes: [{to: end}]}
`

// shop is a catalogue that nobody may call.
func shop(t *testing.T) *tool.Set {
	t.Helper()
	never := func(context.Context, tool.Call) (tool.Result, error) {
		t.Error("a trial called a tool")
		return tool.Result{}, errors.New("not in a trial")
	}
	object := func(fields map[string]any) map[string]any {
		return map[string]any{"type": "object", "properties": fields}
	}
	set, err := tool.New(
		tool.Tool{
			Name: "shop.get", Effects: flow.EffectsRead, Call: never,
			Params: map[string]any{"type": "object", "properties": map[string]any{"order_id": map[string]any{"type": "string"}}, "required": []any{"order_id"}},
			Result: object(map[string]any{"amount": map[string]any{"type": "number", "example": 40}}),
		},
		tool.Tool{Name: "shop.pay", Effects: flow.EffectsOnce, Call: never},
	)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func parse(t *testing.T, src string) *flow.Flow {
	t.Helper()
	doc, problems := file.Parse("flow.yaml", []byte(src))
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	return doc.Flow
}

func dry(t *testing.T, src string, change func(*try.Request)) *try.Result {
	t.Helper()
	q := try.Request{
		Flow: parse(t, src), Tools: shop(t), Now: enginetest.Epoch,
		Inputs: map[string]any{"order_id": "A-1", "iban": "DE02"}, Source: map[string]try.Source{"order_id": try.FromSample, "iban": try.FromSample},
	}
	if change != nil {
		change(&q)
	}
	r, err := try.Run(q)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// marked writes the nodes of a result by mark.
func marked(r *try.Result) string {
	var out []string
	for _, m := range []try.Mark{try.Certain, try.Possible, try.Exceptional, try.NotReached} {
		var ids []string
		for i := range r.Flow.Nodes {
			if id := r.Flow.Nodes[i].ID; r.Nodes[id] == m {
				ids = append(ids, id)
			}
		}
		if len(ids) > 0 {
			out = append(out, fmt.Sprintf("%s: %s", m, strings.Join(ids, " ")))
		}
	}
	return strings.Join(out, "; ")
}

// What is lit depends on what is known.
func TestMarks(t *testing.T) {
	t.Parallel()
	sample := func(node string, v any) func(*try.Request) {
		return func(q *try.Request) { q.Samples = map[string]any{node: v} }
	}
	amount := map[string]any{"amount": 50}
	recorded := history.Output{Data: []byte(`{"amount": 120}`)}
	for name, c := range map[string]struct {
		change func(*try.Request)
		want   string
	}{
		"an example decides nothing": {nil, "certain: look_up amount; possible: gate pay done help"},
		"a sample decides":           {sample("look_up", amount), "certain: look_up amount pay done; exceptional: help; not reached: gate"},
		"a recorded value decides": {func(q *try.Request) {
			q.Recorded = map[string]try.Recorded{"look_up": {Run: "refund-7", Output: recorded}}
		}, "certain: look_up amount gate; possible: pay done; exceptional: help"},
		"a sample counts more than a recorded value": {func(q *try.Request) {
			q.Recorded = map[string]try.Recorded{"look_up": {Run: "refund-7", Output: recorded}}
			q.Samples = map[string]any{"look_up": amount}
		}, "certain: look_up amount pay done; exceptional: help; not reached: gate"},
		"a sample answers a question": {func(q *try.Request) {
			q.Samples = map[string]any{"look_up": map[string]any{"amount": 500}, "gate": "reject"}
		}, "certain: look_up amount gate; exceptional: help; not reached: pay done"},
		"a tool that declares nothing is unknown": {func(q *try.Request) { q.Tools = nil }, "certain: look_up amount; possible: gate pay done help"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := marked(dry(t, refund, c.change)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// What would be done and asked is shown, without secrets and sensitive inputs.
func TestActsAndQuestions(t *testing.T) {
	t.Parallel()
	r := dry(t, refund, func(q *try.Request) { q.Samples = map[string]any{"look_up": map[string]any{"amount": 500}} })
	var acts []string
	for _, a := range r.Acts {
		acts = append(acts, fmt.Sprintf("%s %s %s %s", a.Node, a.What, a.Effects, a.Params))
	}
	want := []string{
		`look_up shop.get read {"order_id":"A-1"}`,
		`pay shop.pay once {"amount":500,"iban":"•••","token":"«secret SHOP»"}`,
		`done say idempotent {"message":"Paid 500"}`,
	}
	if diff := cmp.Diff(want, acts); diff != "" {
		t.Error(diff)
	}
	if len(r.Asks) != 1 || r.Asks[0].Message != "Refund 500 to •••?" || !slices.Equal(r.Asks[0].Who.Groups, []string{"@finance"}) {
		t.Errorf("asks %+v", r.Asks)
	}
	if diff := cmp.Diff([]try.Used{{Name: "order_id", Source: try.FromSample, Text: "A-1"}, {Name: "iban", Source: try.FromSample, Text: "•••"}}, r.Inputs); diff != "" {
		t.Error(diff)
	}
	if len(r.Problems) != 0 {
		t.Errorf("problems %v", r.Problems)
	}
}

// What is wrong is found.
func TestProblems(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		src    string
		change func(*try.Request)
		want   string
	}{
		"a missing value": {refund, func(q *try.Request) { q.Inputs, q.Source["order_id"] = nil, try.FromSample }, "look_up: ParameterError: shop.get: order_id"},
		"a sample that is none of the choices": {refund, func(q *try.Request) {
			q.Samples = map[string]any{"look_up": map[string]any{"amount": 500}, "gate": "perhaps"}
		}, "gate: the sample does not answer the question"},
		"a broken expression":          {strings.Replace(refund, "look_up.result.amount > 100", "look_up.result.amount >", 1), nil, "amount: ExpressionError"},
		"a tool that is not installed": {strings.Replace(refund, "shop.pay", "shop.pray", 1), nil, "pay: the tool shop.pray is not installed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, p := range dry(t, c.src, c.change).Problems {
				got = append(got, p.Node+": "+p.Text)
			}
			if !slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, c.want) }) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// A bound that is hit is named, and what is behind it is possible.
func TestBounds(t *testing.T) {
	t.Parallel()
	items := `name: many
flow:
  entry: each
  nodes:
    - {id: each, type: foreach, items: "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21]", body: odd, routes: [{to: after}]}
    - {id: odd, type: decision, expr: item == 21, routes: [{when: "true", to: last}, {when: default, to: end}]}
    - {id: last, type: say, message: last, routes: [{to: end}]}
    - {id: after, type: say, message: after, routes: [{to: end}]}
`
	r := dry(t, items, nil)
	if !slices.Equal(r.Bounds, []try.Bound{try.BoundItems}) || r.Nodes["last"] != try.Possible || r.Nodes["after"] != try.Certain {
		t.Errorf("bounds %v, %s", r.Bounds, marked(r))
	}
	var steps strings.Builder
	steps.WriteString("name: wide\ninputs: {n: {type: number}}\nflow:\n  entry: d0\n  nodes:\n")
	for i := range 12 {
		fmt.Fprintf(&steps, "    - {id: d%d, type: decision, expr: inputs.n > %d, routes: [{when: \"true\", to: s%d}, {when: default, to: d%d}]}\n", i, i, i, i+1)
		fmt.Fprintf(&steps, "    - {id: s%d, type: say, message: hi, routes: [{to: d%d}]}\n", i, i+1)
	}
	steps.WriteString("    - {id: d12, type: say, message: bye, routes: [{to: end}]}\n")
	r = dry(t, steps.String(), nil)
	if !slices.Contains(r.Bounds, try.BoundWalks) || len(r.Unreached()) > 0 || r.Nodes["d12"] != try.Certain || r.Nodes["s11"] != try.Possible {
		t.Errorf("bounds %v, %s", r.Bounds, marked(r))
	}
}

// A value that is made from an uncertain one is uncertain, however it travels; a certain one leads one way.
func TestUnknownTravels(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ middle, sure string }{
		"by a variable":            {"{id: m, type: set, vars: {v: \"{{get.result.amount}}\"}, routes: [{to: d}]}\n    - {id: d, type: decision, expr: vars.v > 100, ROUTES}", ""},
		"by the previous output":   {"{id: m, type: wait, for: 1h, routes: [{to: d}]}\n    - {id: d, type: decision, expr: previous.amount > 100, ROUTES}", ""},
		"by a message":             {"{id: m, type: say, message: \"{{get.result.amount}}\", routes: [{to: d}]}\n    - {id: d, type: decision, expr: m.output == '50', ROUTES}", ""},
		"by a decision":            {"{id: m, type: decision, expr: get.result.amount, routes: [{when: default, to: d}]}\n    - {id: d, type: decision, expr: m.output > 100, ROUTES}", ""},
		"by the item of a foreach": {"{id: m, type: foreach, items: \"[get.result.amount]\", body: d, routes: [{to: end}]}\n    - {id: d, type: decision, expr: item > 100, ROUTES}", ""},
		"by the result of a foreach": {
			"{id: m, type: foreach, items: \"[1, 2]\", body: again, routes: [{to: d}]}\n    - {id: again, type: tool, tool: shop.get, params: {order_id: A}, routes: [{to: end}]}\n" +
				"    - {id: d, type: decision, expr: m.result.1.amount > 100, ROUTES}", "again",
		},
		"by a join": {
			"{id: m, type: parallel, branches: [{to: b1}, {to: b2}], routes: [{to: d}]}\n    - {id: b1, type: say, message: b1, routes: [{to: end}]}\n" +
				"    - {id: b2, type: say, message: \"{{get.result.amount}}\", routes: [{to: end}]}\n    - {id: d, type: decision, expr: \"'50' in m.output\", ROUTES}", "",
		},
	} {
		src := "name: travels\ninputs: {order_id: {type: string}}\nflow:\n  entry: get\n  nodes:\n    - {id: get, type: tool, tool: shop.get, params: {order_id: A}, routes: [{to: m}]}\n    - " +
			strings.ReplaceAll(c.middle, "ROUTES", "routes: [{when: \"true\", to: high}, {when: default, to: low}]") +
			"\n    - {id: high, type: say, message: high, routes: [{to: end}]}\n    - {id: low, type: say, message: low, routes: [{to: end}]}\n"
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if r := dry(t, src, nil); r.Nodes["high"] != try.Possible || r.Nodes["low"] != try.Possible {
				t.Errorf("with an example: %s", marked(r))
			}
			r := dry(t, src, func(q *try.Request) {
				q.Samples = map[string]any{"get": map[string]any{"amount": 50}}
				if c.sure != "" {
					q.Samples[c.sure] = q.Samples["get"]
				}
			})
			if (r.Nodes["high"] < try.Possible) == (r.Nodes["low"] < try.Possible) {
				t.Errorf("with a sample: %s", marked(r))
			}
		})
	}
}

// A way that stops with an error does not pass what is behind it.
func TestAnErrorStopsTheWay(t *testing.T) {
	t.Parallel()
	r := dry(t, strings.Replace(refund, "look_up.result.amount > 100", "look_up.result.amount >", 1), nil)
	if got := marked(r); got != "certain: look_up amount; exceptional: gate pay done help" {
		t.Error(got)
	}
}
