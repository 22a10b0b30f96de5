package surface_test

import (
	"fmt"
	"strings"
	"testing"

	"sluice/bot/surface"
	"sluice/engine/flow"
)

// TestEntered: an answer shows its values as they were declared, and of a list the values that were read.
func TestEntered(t *testing.T) {
	t.Parallel()
	fields := map[string]flow.FormField{
		"name": {Order: 1}, "tags": {Order: 2, Type: "array"}, "about": {Order: 3, Type: "object"}, "pin": {Order: 4, Type: "array", Sensitive: true},
	}
	var lines []string
	for _, a := range surface.Entered(fields, map[string]any{"tags": []any{"a", "b"}, "name": "x", "pin": []any{1.0}, "zero": true, "about": map[string]any{"a": 1.0}}) {
		lines = append(lines, fmt.Sprint(a.Name, "=", a.Value))
	}
	if got := strings.Join(lines, " "); got != `name=x tags=2 values: a; b about=map[a:1] pin=••• zero=true` {
		t.Errorf("an answer shows %s", got)
	}
}
