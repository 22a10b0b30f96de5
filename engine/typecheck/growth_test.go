package typecheck_test

import (
	"fmt"
	"strings"
	"testing"

	"sluice/engine/flow"
	"sluice/engine/flow/file"
	"sluice/engine/growth"
	"sluice/engine/tool"
	"sluice/engine/typecheck"
)

// TestGrowth: the time of a check grows with the flow and no faster.
func TestGrowth(t *testing.T) {
	w := typecheck.World{Tools: actions(t, []byte(`actions:
  - name: shop.get_order
    description: Get an order
    method: GET
    url: "https://shop.example/orders/{{order_id}}"
    params: {type: object, properties: {order_id: {type: string}}, required: [order_id]}
    result: {type: object, properties: {amount: {type: number}}}
  - name: shop.refund
    description: Refund an order
    method: POST
    url: "https://shop.example/refunds"
    params: {type: object, properties: {order_id: {type: string}, amount: {type: number}}, required: [order_id]}
`))}
	for name, node := range map[string]string{
		"chain":     "{id: n%[1]d, type: say, message: '{{n%[2]d.output}} {{vars.v%[2]d}}', routes: [{to: n%[3]d}]}",
		"variables": "{id: n%[1]d, type: set, vars: {v%[1]d: '{{vars.v%[2]d}}'}, routes: [{when: vars.v%[1]d == 3, to: end}, {to: n%[3]d}]}",
		"branches":  "{id: n%[1]d, type: parallel, branches: [n%[2]d, n%[3]d], routes: [{to: n%[3]d}]}",
		"refunds":   "{id: n%[1]d, type: tool, tool: shop.refund, params: {order_id: A, amount: '{{n0.result.amount}}'}, routes: [{when: inputs.amount > 3, to: n%[3]d}]}",
		"loops":     "{id: n%[1]d, type: tool, tool: shop.get_order, params: {order_id: '{{n%[3]d.result.amounts}}'}, on_error: [{default: true, to: n%[3]d}], routes: [{to: n%[2]d}]}",
		"mistakes":  "{id: n%[1]d, type: tool, tool: shop.refnd, params: {url: '{{foo%[1]d.bar}}'}, routes: [{when: categry == n%[1]d.x, to: n%[3]d}]}",
		"dashes":    "{id: n-%[1]d, type: say, message: '{{n-%[2]d.output}}', routes: [{to: n-%[3]d}]}",
	} {
		t.Run(name, func(t *testing.T) {
			growth.Linear(t, flow.MaxNodes, func(n int) func() {
				var src strings.Builder
				fmt.Fprintf(&src, "name: a\ninputs: {amount: {type: number}}\nflow:\n  entry: %s0\n  max_iterations: 9\n  nodes:\n", strings.TrimPrefix(strings.Split(node, "%")[0], "{id: "))
				for i := range n {
					fmt.Fprintf(&src, "    - "+node+"\n", i, max(i-1, 0), min(i+1, n-1))
				}
				doc, _ := file.Parse("a.yaml", []byte(src.String()))
				if len(doc.Flow.Nodes) != n {
					t.Fatal("the flow was not read")
				}
				return func() { typecheck.Check(doc.Flow, w) }
			})
		})
	}
	t.Run("texts", func(t *testing.T) {
		growth.Texts(t, flow.MaxDocumentBytes, func(s string) {
			f := &flow.Flow{Entry: "a", Nodes: []flow.Node{{ID: "a", Spec: &flow.ToolSpec{Tool: "http.post", Params: map[string]any{"url": s, "body": s, "json": s}}}}}
			typecheck.Check(f, w)
		})
	})
	t.Run("schema", func(t *testing.T) {
		growth.Linear(t, 20_000, func(n int) func() {
			props := map[string]any{}
			for i := range n {
				props[fmt.Sprint("p", i)] = map[string]any{"type": "string"}
			}
			schema := map[string]any{"type": "object", "properties": props}
			big := typecheck.World{Tools: []tool.Tool{{Name: "big.tool", Params: schema, Result: schema, Effects: flow.EffectsOnce}}}
			f := &flow.Flow{Entry: "a", Nodes: []flow.Node{
				{ID: "a", Spec: &flow.ToolSpec{Tool: "big.tool", Params: map[string]any{"p": "x"}}},
				{ID: "b", Spec: &flow.ApprovalSpec{Message: "{{a.result.q}}", Show: []string{"a.result"}}},
			}}
			return func() {
				typecheck.Check(f, big)
			}
		})
	})
}
