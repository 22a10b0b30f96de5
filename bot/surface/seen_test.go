package surface

import (
	"testing"

	"sluice/engine/history"
)

// TestOnlyValuesThatTellSomethingAreShown: beside a decision stand the values that it compared, and neither missing ones nor the comparison.
func TestOnlyValuesThatTellSomethingAreShown(t *testing.T) {
	t.Parallel()
	values := map[string]any{"get_order.amount": 120.5, "ask_bob != 'no'": true, "checks.result": nil}
	if got := seen(values); got != "amount = 120.5" {
		t.Errorf("shown: %s", got)
	}
	if got := why(history.EdgeView{Why: "over 100", Seen: values}); got != "over 100 (get_order.amount = 120.5)" {
		t.Errorf("the picture says %s", got)
	}
	if got := why(history.EdgeView{Why: "yes", Seen: map[string]any{"checks.result": nil}}); got != "yes" {
		t.Errorf("without a value the picture says %s", got)
	}
}
