package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/tool"
)

const forEach = `
name: each
inputs:
  orders: {type: array}
flow:
  entry: each
  nodes:
    - {id: each, type: foreach, items: inputs.orders, as: order, body: lines, max_parallel: 3, on_item_error: keep, routes: [{to: report}]}
    - {id: lines, type: foreach, items: order.lines, as: line, body: pack, routes: [{to: end}]}
    - {id: pack, type: tool, tool: shop.pack, params: {order: "{{order.id}}", line: "{{line}}", number: "{{line_number}} of {{line_total}}"}}
    - {id: report, type: tool, tool: shop.report, params: {all: "{{each.result}}", last: "{{each.result.120.1.packed}}"}}
`

// hasTables leaves most items without work, which is slow.
func hasTables(order int) bool { return order == 7 || order%30 == 0 }

// The items of a foreach, one inside another, are stored, read back and gathered in their order.
func TestForeachGathersResultsInOrder(t *testing.T) {
	t.Parallel()
	const orders = 121 // more than one part of the list
	w := newWorld(t)
	w.add(tool.Tool{Name: "shop.pack", Description: "pack", Effects: flow.EffectsRead, Call: func(_ context.Context, c tool.Call) (tool.Result, error) {
		w.note(c)
		if c.Params["order"] == "o7" {
			return tool.Result{}, &tool.Error{Type: "HTTPError", Message: "sold out", Permanent: true}
		}
		return tool.Result{Data: map[string]any{"packed": fmt.Sprintf("%v/%v (%v)", c.Params["order"], c.Params["line"], c.Params["number"])}}, nil
	}})
	w.record("shop.report", flow.EffectsRead)
	w.serve()
	w.save(forEach)
	list := make([]any, orders)
	for i := range list {
		order := map[string]any{"id": fmt.Sprintf("o%d", i)}
		if hasTables(i) {
			order["lines"] = []any{"a", "b"}
		}
		list[i] = order
	}
	r := w.start("each", map[string]any{"orders": list})
	v := w.ended(r.ID, history.Succeeded)
	calls := w.seen("shop.report")
	if len(calls) != 1 {
		t.Fatalf("the report was made %d times", len(calls))
	}
	if got := calls[0].Params["last"]; got != "o120/b (2 of 2)" {
		t.Errorf("the last line is %v", got)
	}
	all, _ := calls[0].Params["all"].([]any)
	if len(all) != orders {
		t.Fatalf("%d results were gathered", len(all))
	}
	for i, result := range all {
		want := fmt.Sprintf(`[{"packed":"o%d/a (1 of 2)"},{"packed":"o%d/b (2 of 2)"}]`, i, i)
		switch {
		case !hasTables(i):
			want = "[]"
		case i == 7:
			want = `{"error":{"message":"item 1 of 2: HTTPError: sold out","node":"lines","type":"ItemError"}}`
		}
		if got, err := json.Marshal(result); err != nil || string(got) != want {
			t.Fatalf("the result of item %d is %s (%v)", i, got, err)
		}
	}
	if got, want := v.Nodes["each"].Items, (history.ItemCount{Total: orders, Started: orders, Ended: orders, Failed: 1}); got != want {
		t.Errorf("the view counts %+v", got)
	}
}

const lastEach = `
name: last
flow:
  entry: each
  nodes:
    - {id: each, type: foreach, items: "['a', 'b']", body: say}
    - {id: say, type: tool, tool: shop.say, params: {item: "{{item}}"}}
`

// A foreach at the end of a run is its result.
func TestForeachIsTheResultOfItsRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.add(tool.Tool{Name: "shop.say", Description: "say", Effects: flow.EffectsRead, Call: func(_ context.Context, c tool.Call) (tool.Result, error) {
		return tool.Result{Text: fmt.Sprint(c.Params["item"], "!")}, nil
	}})
	w.serve()
	w.save(lastEach)
	r := w.start("last", nil)
	if v := w.ended(r.ID, history.Succeeded); string(v.Result.Data) != `["a!","b!"]` || v.Result.Text != "a!\n\nb!" {
		t.Errorf("the result is %s, %q", v.Result.Data, v.Result.Text)
	}
}

const twoEach = `
name: two
flow:
  entry: both
  nodes:
    - {id: both, type: parallel, branches: [{to: one}, {to: two}], routes: [{to: report}]}
    - {id: one, type: foreach, items: "['a', 'b', 'c']", body: say}
    - {id: two, type: foreach, items: "['x', 'y']", body: say}
    - {id: say, type: tool, tool: shop.say, params: {item: "{{item}}"}}
    - {id: report, type: tool, tool: shop.report, params: {two: "{{two.result}}", one: "{{one.result}}"}}
`

// Lists that are worked on side by side are read in one pass, each with all its results.
func TestForeachSideBySide(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.add(tool.Tool{Name: "shop.say", Description: "say", Effects: flow.EffectsRead, Call: func(_ context.Context, c tool.Call) (tool.Result, error) {
		return tool.Result{Text: fmt.Sprint(c.Params["item"], "!")}, nil
	}})
	w.record("shop.report", flow.EffectsRead)
	w.serve()
	w.save(twoEach)
	w.ended(w.start("two", nil).ID, history.Succeeded)
	got, err := json.Marshal(w.seen("shop.report")[0].Params)
	if want := `{"one":["a!","b!","c!"],"two":["x!","y!"]}`; err != nil || string(got) != want {
		t.Errorf("the report is %s (%v)", got, err)
	}
}
