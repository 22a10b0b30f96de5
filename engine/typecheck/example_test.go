package typecheck_test

import (
	"fmt"

	"sluice/engine/flow"
	"sluice/engine/flow/file"
	"sluice/engine/tool"
	"sluice/engine/typecheck"
)

func Example() {
	order := map[string]any{"type": "object", "properties": map[string]any{"amount": map[string]any{"type": "number"}}}
	refund := map[string]any{"type": "object", "properties": map[string]any{"amount": map[string]any{"type": "number"}}, "additionalProperties": false}
	tools := []tool.Tool{
		{Name: "shop.get_order", Params: map[string]any{"type": "object"}, Result: order, Effects: flow.EffectsRead},
		{Name: "shop.refund", Params: refund, Effects: flow.EffectsOnce},
	}
	doc, _ := file.Parse("refund.yaml", []byte(`
name: refund
inputs: {amount: {type: number}}
flow:
  entry: look_up
  nodes:
    - {id: look_up, type: tool, tool: shop.get_order, routes: [{to: big}]}
    - {id: big, type: decision, expr: look_up.result.amount > 100, routes: [{when: "yes", to: end}, {when: default, to: pay}]}
    - {id: pay, type: tool, tool: shop.refund, params: {amount: "{{inputs.amount}}"}}
`))
	w := typecheck.World{Tools: tools}
	for _, p := range doc.Validate(flow.Checks{World: w.Report}) {
		fmt.Println(p.Error())
	}
	for _, g := range typecheck.Unchecked(doc.Flow, tools) {
		fmt.Printf("%s of %s: %s, or what %s checked, %s?\n", g.Param, g.Tool, g.Now, g.By, g.Checked)
	}
	// Output:
	// refund.yaml:8:84: the value is true or false and is compared with the text 'yes': the route is never taken on flow node 'big'
	// refund.yaml:9:65: warning: 'look_up.result.amount' was compared at 'big', and 'amount' gets 'inputs.amount' on flow node 'pay'
	// amount of shop.refund: inputs.amount, or what big checked, look_up.result.amount?
}
