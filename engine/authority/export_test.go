package authority

import (
	"maps"
	"slices"
)

// Actions lists all actions, by name.
func Actions() []Action { return slices.Sorted(maps.Keys(rules)) }
