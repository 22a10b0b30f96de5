package form_test

import (
	"fmt"

	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run/form"
)

func ExampleCheck() {
	fields := map[string]flow.FormField{"amount": {Type: "number"}, "reason": {}}
	gate := history.Gate{Choices: []string{"approve", "reject"}, RequiredFor: map[string][]string{"reject": {"reason"}}}
	given, wrong := form.Check(fields, gate, form.Given{Choice: "approve", Form: map[string]any{"amount": " 12.5 ", "reason": ""}})
	fmt.Println(given, wrong)
	given, wrong = form.Check(fields, gate, form.Given{Choice: "reject", Form: map[string]any{"amount": "much"}})
	fmt.Println(given, wrong)
	// Output:
	// map[amount:12.5] map[]
	// map[] map[amount:must be a number reason:is required]
}
