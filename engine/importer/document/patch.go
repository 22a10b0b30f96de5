package document

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"sluice/engine/flow"
	"sluice/engine/flow/source"
)

// Patch gives a source in which the values that differ between two flows are changed, in their places. place finds the value of a part of
// the flow in the source, or nil. Parts that come or go cannot be written.
func Patch(src *source.File, place func(path string) *source.Value, before, after *flow.Flow) ([]byte, error) {
	p := patching{place: place, values: map[*source.Value]any{}}
	if err := p.flows(before, after); err != nil {
		return nil, err
	}
	text, err := src.Replace(p.values)
	if err != nil {
		return nil, &NotWritableError{err.Error()}
	}
	return []byte(text), nil
}

type patching struct {
	place  func(path string) *source.Value
	values map[*source.Value]any
}

// graphKeys are the keys of a flow whose paths begin with flow.
var graphKeys = []string{"entry", "max_iterations", "timeout", "on_limit", "nodes"}

func (p *patching) flows(before, after *flow.Flow) error {
	a, err := plain(before)
	if err != nil {
		return err
	}
	b, err := plain(after)
	if err != nil {
		return err
	}
	for _, key := range keysOf(a, b) {
		path := key
		if slices.Contains(graphKeys, key) {
			path = "flow." + key
		}
		if err := p.compare(path, a[key], b[key]); err != nil {
			return err
		}
	}
	return nil
}

// plain gives a flow as a tree, without its source.
func plain(f *flow.Flow) (map[string]any, error) {
	c := f.Clone()
	c.Raw = nil
	body, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	var tree map[string]any
	return tree, json.Unmarshal(body, &tree)
}

func keysOf(a, b map[string]any) []string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return slices.Sorted(maps.Keys(all))
}

// compare finds what differs in a part of the flow.
func (p *patching) compare(path string, a, b any) error {
	if reflect.DeepEqual(a, b) {
		return nil
	}
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok {
			break
		}
		for _, key := range keysOf(x, y) {
			if err := p.compare(flow.JoinPath(path, key), x[key], y[key]); err != nil {
				return err
			}
		}
		return nil
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return &NotWritableError{fmt.Sprintf("the parts of %s are not as many as before", path)}
		}
		for i := range x {
			if err := p.compare(fmt.Sprintf("%s[%d]", path, i), x[i], y[i]); err != nil {
				return err
			}
		}
		return nil
	}
	if v := p.place(path); v != nil && a != nil && b != nil {
		p.values[v] = b
	} // else the file cannot say it, or what it follows from is changed: Reencode finds out
	return nil
}

// difference names the first part in which two flows differ, to follow a sentence.
func difference(a, b *flow.Flow) string {
	first := ""
	p := patching{values: map[*source.Value]any{}, place: func(path string) *source.Value {
		if first == "" {
			first = ": " + path + " differs"
		}
		return nil
	}}
	if err := p.flows(a, b); err != nil && first == "" {
		return ": " + err.Error()
	}
	return first
}

// Place finds the value of a part of the flow that At noted, or nil.
func (s *Source) Place(path string) *source.Value { return s.places[path] }
