package file

import (
	"maps"
	"reflect"
	"slices"

	"sluice/engine/flow"
	"sluice/engine/flow/agents"
)

// Format writes the flow as a native file for people to read and edit: defaults are left out, short parts are written
// on one line. Parsing it gives the same canonical form. Profile and Raw of an imported flow are not part of the
// native file and are left out.
func Format(f *flow.Flow) []byte {
	f = agents.Without(f.WithoutDefaults())
	w := yamlWriter{}
	w.mapping(fileTree(f), 0)
	return w.out.Bytes()
}

// tree is a mapping to be written. Values are nil, bool, string, float64, int64, int, []any or *tree.
type tree struct {
	keys   []string
	values []any
}

func (t *tree) set(key string, value any) {
	t.keys = append(t.keys, key)
	t.values = append(t.values, value)
}

// fileTree gives the mappings of the file in their order.
func fileTree(f *flow.Flow) *tree {
	file := structTree(reflect.ValueOf(fileShape{
		Name: f.Name, Description: f.Description, Run: f.Run, Inputs: f.Inputs, Triggers: f.Triggers, Agents: f.Agents,
		Limits: f.Limits, Budget: f.Budget,
		Flow: graphShape{Entry: f.Entry, MaxVisits: f.MaxVisits, Timeout: f.Timeout, OnLimit: f.OnLimit, Nodes: f.Nodes},
	}))
	return file
}

// structTree gives the written fields of a struct: the required ones and those that are not empty.
func structTree(v reflect.Value) *tree {
	t := &tree{}
	for _, f := range shape(v.Type()) {
		value := v.Field(f.index)
		if !f.required && (value.IsZero() || !f.means && emptyField(value)) {
			continue
		}
		t.set(f.key, treeValue(value))
	}
	return t
}

func emptyField(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map:
		return v.Len() == 0
	default:
		return v.IsZero()
	}
}

func treeValue(v reflect.Value) any {
	switch x := v.Interface().(type) {
	case flow.Duration:
		return x.String()
	case flow.Node:
		return nodeTree(x)
	case []flow.Input:
		t := &tree{}
		for _, in := range x {
			t.set(in.Name, structTree(reflect.ValueOf(in)))
		}
		return t
	case map[string]flow.FormField:
		t := &tree{}
		for _, name := range flow.InOrder(x) {
			t.set(name, structTree(reflect.ValueOf(x[name])))
		}
		return t
	case map[string]any:
		return freeTree(x)
	}
	switch v.Kind() {
	case reflect.Pointer:
		return treeValue(v.Elem())
	case reflect.Interface:
		return freeTree(v.Interface())
	case reflect.Struct:
		return structTree(v)
	case reflect.Slice:
		items := make([]any, v.Len())
		for i := range items {
			items[i] = treeValue(v.Index(i))
		}
		return items
	case reflect.Map:
		t := &tree{}
		for _, key := range slices.Sorted(maps.Keys(stringKeys(v))) {
			t.set(key, treeValue(v.MapIndex(reflect.ValueOf(key))))
		}
		return t
	case reflect.String:
		return v.String()
	default:
		return v.Interface()
	}
}

func stringKeys(v reflect.Value) map[string]bool {
	keys := make(map[string]bool, v.Len())
	for _, k := range v.MapKeys() {
		keys[k.String()] = true
	}
	return keys
}

// freeTree gives a free value with sorted keys.
func freeTree(value any) any {
	switch value := value.(type) {
	case map[string]any:
		t := &tree{}
		for _, key := range slices.Sorted(maps.Keys(value)) {
			t.set(key, freeTree(value[key]))
		}
		return t
	case []any:
		items := make([]any, len(value))
		for i, item := range value {
			items[i] = freeTree(item)
		}
		return items
	default:
		return value
	}
}

// nodeTree orders the keys of a node: id, type, the part of the kind, then the routes.
func nodeTree(n flow.Node) *tree {
	head := structTree(reflect.ValueOf(flow.NodeFields{
		ID: n.ID, Type: n.Kind, Name: n.Name, Description: n.Description, FlowchartType: n.FlowchartType,
	}))
	if n.Spec != nil {
		own := structTree(reflect.ValueOf(n.Spec).Elem())
		head.keys, head.values = append(head.keys, own.keys...), append(head.values, own.values...)
	}
	tail := structTree(reflect.ValueOf(flow.NodeFields{Timeout: n.Timeout, Retry: n.Retry, OnError: n.OnError, Routes: n.Routes}))
	for i, key := range tail.keys {
		if key != "id" && key != "type" {
			head.set(key, tail.values[i])
		}
	}
	return head
}
