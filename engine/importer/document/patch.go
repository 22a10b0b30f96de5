package document

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"sluice/engine/flow"
	"sluice/engine/flow/source"
)

// ErrParts is what a Write returns for a list whose items are written one by one.
var ErrParts = errors.New("its parts are written one by one")

// Write changes a source so that a part of its flow gets a value; nil = the part is gone.
type Write func(e *source.Edits, was, is any) error

// Slot notes how a part of the flow is written into the source.
func (s *Source) Slot(path string, write Write) { s.slots[path] = write }

// Key notes that a part of the flow is the value of a key. text gives what is written for a text of the flow; nil = the text itself.
func (s *Source) Key(path string, in *source.Value, key string, text func(string) (string, bool)) {
	if in == nil || in.Kind != source.Map {
		return
	}
	if v := in.Get(key); v != nil {
		s.At(path, v)
	}
	s.Slot(path, func(e *source.Edits, _, value any) error {
		if words, isText := value.(string); isText && text != nil {
			written, ok := text(words)
			if !ok {
				return &NotWritableError{Reason: "the format has no words for it"}
			}
			value = written
		}
		if value == nil {
			e.Remove(in, key)
			return nil
		}
		e.Set(in, key, value)
		return nil
	})
}

// Patching writes the differences of two flows into a source.
type Patching struct {
	*source.Edits
	Before, After *flow.Flow
	slots         func(path string) Write
}

// Patching begins to change the source of a flow. What Slot, Key and At have noted says where parts of it are written.
func (s *Source) Patching(before, after *flow.Flow) *Patching {
	return NewPatching(s.Edits(), before, after, s.slot)
}

// NewPatching begins to change a source. slots says how a part of the flow is written; nil = it is not.
func NewPatching(e *source.Edits, before, after *flow.Flow, slots func(path string) Write) *Patching {
	return &Patching{Edits: e, Before: before, After: after, slots: slots}
}

func (s *Source) slot(path string) Write {
	if write := s.slots[path]; write != nil {
		return write
	}
	return Place(s.places[path])
}

// Place writes a part of a flow in the place of a value.
func Place(v *source.Value) Write {
	if v == nil {
		return nil
	}
	return func(e *source.Edits, _, value any) error {
		if value != nil {
			e.Put(v, value)
		}
		return nil
	}
}

// Bytes is the source with the changes.
func (p *Patching) Bytes() ([]byte, error) {
	text, err := p.Text()
	if err != nil {
		return nil, &NotWritableError{Reason: err.Error()}
	}
	return []byte(text), nil
}

// graphKeys are the keys of a flow whose paths begin with flow.
var graphKeys = []string{"entry", "max_iterations", "timeout", "on_limit", "nodes"}

// Values writes what differs in the head of the flow, and in its nodes and agents that were there before. own says which keys of nodes the
// format writes in its own way. What nothing says how to write is left: Reencode finds it.
func (p *Patching) Values(own ...string) error {
	a, err := plain(p.Before)
	if err != nil {
		return err
	}
	b, err := plain(p.After)
	if err != nil {
		return err
	}
	for _, key := range keysOf(a, b) {
		path := key
		if slices.Contains(graphKeys, key) {
			path = "flow." + key
		}
		switch key {
		case "nodes", "agents":
			err = p.elements(path, a[key], b[key], own)
		default:
			err = p.compare(path, a[key], b[key])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// elements compares nodes or agents with those of the same id.
func (p *Patching) elements(path string, a, b any, own []string) error {
	before, _ := a.([]any)
	after, _ := b.([]any)
	byID := map[any]map[string]any{}
	for _, item := range after {
		if m, ok := item.(map[string]any); ok {
			byID[m["id"]] = m
		}
	}
	for i, item := range before {
		x, _ := item.(map[string]any)
		y, kept := byID[x["id"]]
		if !kept {
			continue
		}
		for _, key := range keysOf(x, y) {
			if path == "flow.nodes" && slices.Contains(own, key) {
				continue
			}
			if err := p.compare(fmt.Sprintf("%s[%d].%s", path, i, key), x[key], y[key]); err != nil {
				return err
			}
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
	if all == nil {
		all = map[string]any{}
	}
	maps.Copy(all, b)
	return slices.Sorted(maps.Keys(all))
}

// compare writes what differs in a part of the flow.
func (p *Patching) compare(path string, a, b any) error {
	if reflect.DeepEqual(a, b) {
		return nil
	}
	write := p.slots(path)
	x, wasMap := a.(map[string]any)
	y, isMap := b.(map[string]any)
	switch {
	case wasMap && isMap:
		for _, key := range keysOf(x, y) {
			if err := p.compare(flow.JoinPath(path, key), x[key], y[key]); err != nil {
				return err
			}
		}
		return nil
	case write != nil:
		if err := write(p.Edits, a, b); !errors.Is(err, ErrParts) {
			return err
		}
	}
	was, wasList := a.([]any)
	is, isList := b.([]any)
	for i := range was {
		if !wasList || !isList || len(was) != len(is) {
			break
		}
		if err := p.compare(fmt.Sprintf("%s[%d]", path, i), was[i], is[i]); err != nil {
			return err
		}
	}
	return nil
}
