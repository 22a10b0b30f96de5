package flow

import (
	"maps"
	"reflect"
	"slices"
)

// Format writes the flow as a native file that people like to read and edit: defaults are left out, short parts stand
// on one line. Parsing it gives the same canonical form. Profile and Raw of an imported flow are not part of the
// native file and are left out.
func Format(f *Flow) []byte {
	f = f.Clone()
	fillDefaults(f)
	dropDefaults(f)
	w := yamlWriter{}
	w.mapping(fileTree(f), 0)
	return w.out.Bytes()
}

// dropDefaults takes back what fillDefaults filled in.
func dropDefaults(f *Flow) {
	if f.OnLimit.Action == LimitEndPath {
		f.OnLimit.Action = ""
	}
	if f.Run.OnDuplicate == DuplicateShow && f.Run.Key != "" {
		f.Run.OnDuplicate = ""
	}
	for i := range f.Nodes {
		n := &f.Nodes[i]
		if len(n.Routes) > 1 {
			for k := range n.Routes {
				if n.Routes[k].When == "" {
					n.Routes[k].When = "default"
				}
			}
		}
		if r := n.Retry; r != nil {
			dropRetry(r)
		}
		dropSpec(n.Spec)
	}
}

func dropRetry(r *Retry) {
	if r.MaxBackoffMS == max(DefaultMaxBackoffMS, r.BackoffMS) {
		r.MaxBackoffMS = 0
	}
	if r.BackoffMS == DefaultBackoffMS {
		r.BackoffMS = 0
	}
	if r.Multiplier == DefaultMultiplier {
		r.Multiplier = 0
	}
}

func dropSpec(s Spec) {
	switch s := s.(type) {
	case *ParallelSpec:
		if s.Join.Type == "all" {
			s.Join.Type = ""
		}
		if !s.Join.TimeoutSet {
			s.Join.Timeout = Duration{}
		}
		s.Join.TimeoutSet = false
	case *ApprovalSpec:
		if slices.Equal(s.Choices, DefaultChoices()) {
			s.Choices = nil
		}
		dropWho(s.Who)
	case *AskSpec:
		dropWho(s.Who)
	case *ForeachSpec:
		if s.As == DefaultItemName {
			s.As = ""
		}
		if s.MaxParallel == 1 {
			s.MaxParallel = 0
		}
		if s.OnItemError == "stop" {
			s.OnItemError = ""
		}
	}
}

func dropWho(w *Who) {
	if w != nil && w.Quorum == 1 {
		w.Quorum = 0
	}
}

// tree is a mapping on its way into the file. Values are nil, bool, string, float64, int64, int, []any or *tree.
type tree struct {
	keys   []string
	values []any
}

func (t *tree) set(key string, value any) {
	t.keys = append(t.keys, key)
	t.values = append(t.values, value)
}

// fileTree arranges the flow as the file has it.
func fileTree(f *Flow) *tree {
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
		if !f.required && emptyField(value) {
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
	case Duration:
		return x.String()
	case Node:
		return nodeTree(x)
	case []Input:
		t := &tree{}
		for _, in := range x {
			t.set(in.Name, structTree(reflect.ValueOf(in)))
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

// freeTree arranges a free value, its keys sorted.
func freeTree(value any) any {
	switch value := value.(type) {
	case map[string]any:
		t := &tree{}
		for _, key := range sortedKeys(value) {
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

// nodeTree puts what people look for first: id, type, the part of the kind, then where it goes.
func nodeTree(n Node) *tree {
	head := structTree(reflect.ValueOf(nodeShape{
		ID: n.ID, Type: n.Kind, Name: n.Name, Description: n.Description, FlowchartType: n.FlowchartType,
	}))
	if n.Spec != nil {
		own := structTree(reflect.ValueOf(n.Spec).Elem())
		head.keys, head.values = append(head.keys, own.keys...), append(head.values, own.values...)
	}
	tail := structTree(reflect.ValueOf(nodeShape{Timeout: n.Timeout, Retry: n.Retry, OnError: n.OnError, Routes: n.Routes}))
	for i, key := range tail.keys {
		if key != "id" && key != "type" {
			head.set(key, tail.values[i])
		}
	}
	return head
}
