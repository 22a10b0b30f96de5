package direct

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"sluice/engine/flow"
)

// text is a text of a flow that people may change.
type text struct {
	node  string // id of the step; empty = of the whole flow
	key   string // how people may call it: message, prompt, instructions, or a parameter
	value any
	set   func(f *flow.Flow, value any)
}

// What a step says, in the keys of a stored node: its own words first, and what it is given after the instructions of its agent.
var (
	said  = []string{"message", "prompt", "system", "model"}
	given = []string{"input", "params", "inputs", "cases", "output", "value", "routes", "temperature", "max_tokens", "criteria", "payload", "until", "expr"}
)

// texts lists the texts of a step, that which it says first.
func texts(f *flow.Flow, n *flow.Node) (all []text) {
	id := n.ID
	all = inner(n, said)
	if s, ok := n.Spec.(*flow.AgentSpec); ok {
		if a := f.AgentByID(s.Agent); a != nil {
			agent := func(key, value string, field func(a *flow.Agent) *string) {
				all = append(all, text{id, key, value, func(f *flow.Flow, v any) { *field(f.AgentByID(a.ID)) = fmt.Sprint(v) }})
			}
			agent("instructions", a.Instructions, func(a *flow.Agent) *string { return &a.Instructions })
			agent("model", a.Model, func(a *flow.Agent) *string { return &a.Model })
		}
	}
	all = append(all, inner(n, given)...)
	all = append(all, text{id, "description", n.Description, func(f *flow.Flow, v any) { f.Node(id).Description = fmt.Sprint(v) }})
	return append(all, text{id, "name", n.DisplayName(), func(f *flow.Flow, v any) { f.Node(id).Name = fmt.Sprint(v) }})
}

// inner lists the scalars in some parts of a step, by the last key of each.
func inner(n *flow.Node, parts []string) (all []text) {
	var body map[string]any
	if b, err := json.Marshal(n); err != nil || json.Unmarshal(b, &body) != nil {
		return nil
	}
	for _, part := range parts {
		if v, has := body[part]; has {
			walk(n.ID, []any{part}, v, &all)
		}
	}
	return all
}

func walk(id string, path []any, v any, all *[]text) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			walk(id, append(slices.Clone(path), key), v[key], all)
		}
	case []any:
		for i, item := range v {
			walk(id, append(slices.Clone(path), i), item, all)
		}
	default:
		last, _ := path[len(path)-1].(string)
		if slices.Contains([]string{"to", "if", "id", "priority"}, last) {
			return
		}
		*all = append(*all, text{id, last, v, func(f *flow.Flow, v any) { put(f.Node(id), path, v) }})
	}
}

// put writes a scalar of a node.
func put(n *flow.Node, path []any, v any) {
	var body any
	b, err := json.Marshal(n)
	if err != nil || json.Unmarshal(b, &body) != nil {
		return
	}
	changed := flow.Node{}
	if b, err = json.Marshal(replaced(body, path, v)); err == nil && json.Unmarshal(b, &changed) == nil {
		*n = changed
	}
}

// replaced is a JSON value with another one in the place to which a path leads.
func replaced(in any, path []any, v any) any {
	if len(path) == 0 {
		return v
	}
	switch in := in.(type) {
	case map[string]any:
		key := path[0].(string)
		in[key] = replaced(in[key], path[1:], v)
	case []any:
		at := path[0].(int)
		in[at] = replaced(in[at], path[1:], v)
	}
	return in
}

// called reports whether people mean a text by a few words.
func (t text) called(said string) bool {
	said = strings.ToLower(strings.TrimSpace(unquoted(said)))
	plain := func(s string) string { return strings.NewReplacer("_", " ", "-", " ").Replace(strings.ToLower(s)) }
	return plain(t.key) == plain(said) || slices.Contains(names[t.key], said)
}

// names are what people call texts besides their keys.
var names = map[string][]string{
	"message":      {"text", "question"},
	"prompt":       {"question", "text"},
	"system":       {"instructions"},
	"instructions": {"prompt", "text"},
	"name":         {"title"},
	"when":         {"condition"},
}

// like gives words as a value of the kind that another value has.
func like(old any, said string) (any, bool) {
	said = strings.TrimSpace(said)
	switch old.(type) {
	case float64, bool:
		var v any
		err := json.Unmarshal([]byte(said), &v)
		return v, err == nil && reflect.TypeOf(v) == reflect.TypeOf(old)
	}
	return unquoted(said), true
}
