package idiom_test

import (
	"testing"

	"sluice/engine/planner/idiom"
)

// TestOfRoute: a route asks its own condition, that of the decision, or whether the decision has a value.
func TestOfRoute(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ when, want string }{
		{"total > 5", "total > 5"}, {"true", "color"}, {" true ", "color"}, {"false", "color == false"}, {"'red'", "color == 'red'"}, {`"red"`, "color == 'red'"}, {"3", "color == 3"}, {"red", "color == 'red'"},
	} {
		if got := idiom.OfRoute("color", c.when); got != c.want {
			t.Errorf("the route %q asks %q, want %q", c.when, got, c.want)
		}
	}
}
