package file

import (
	"reflect"
	"slices"

	"sluice/engine/flow"
)

// Dialect restricts the flow file, for a format that has the same form but fewer kinds and keys.
type Dialect struct {
	Kinds []flow.Kind               // of nodes; nil = those of the native file
	Keys  map[reflect.Type][]string // of the mappings for some types of package flow; others have all their keys
}

func (d Dialect) has(k flow.Kind) bool { return d.Kinds == nil || slices.Contains(d.Kinds, k) }

// shape lists the keys that a struct type has in the dialect.
func (p *parsing) shape(t reflect.Type) []field {
	fields := shape(t)
	keys, restricted := p.dialect.Keys[t]
	if !restricted {
		return fields
	}
	return slices.DeleteFunc(slices.Clone(fields), func(f field) bool { return !slices.Contains(keys, f.key) })
}
