package approval

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"sluice/engine/flow"
)

// change is one difference between the canonical forms of two revisions that counts.
type change struct {
	node  string // "" = of the whole flow
	isNew bool   // the node was not there before
	words string
}

// differ walks two canonical forms side by side. It knows only the names of the fields that harmless lists and of those that identify the
// members of a list. A field that is added to the format later therefore counts without a change here.
type differ struct {
	old, now *flow.Flow
	step     func(node string) string
	found    []change
}

// changes lists how now differs from old, without harmless changes.
func changes(old, now *flow.Flow, step func(node string) string) []change {
	d := &differ{old: old, now: now, step: step}
	d.walk(nil, d.tree(old), d.tree(now))
	d.fieldOrder()
	if len(d.found) == 0 && !bytes.Equal(d.counted(old), d.counted(now)) {
		d.found = append(d.found, change{words: "something of the flow that has no words changed: compare the files"})
	}
	return d.found
}

// fieldOrder reports the forms whose fields come in another order. What came or went is told by itself.
func (d *differ) fieldOrder() {
	for i := range d.now.Nodes {
		now, old := d.now.Nodes[i].Question(), d.old.Node(d.now.Nodes[i].ID)
		if now == nil || old == nil || old.Question() == nil {
			continue
		}
		common := func(form, other map[string]flow.FormField) []string {
			return slices.DeleteFunc(flow.InOrder(form), func(name string) bool { _, both := other[name]; return !both })
		}
		was, is := common(old.Question().Form, now.Form), common(now.Form, old.Question().Form)
		if path := []string{"nodes", old.ID}; !slices.Equal(was, is) {
			subject, _ := d.subject(path)
			d.add(path, fmt.Sprintf("%s: the fields come in another order: %s", subject, visible(strings.Join(is, ", "))))
		}
	}
}

// tree gives the canonical form of a flow without harmless parts, as JSON values. The places of fields are left out: see fieldOrder.
func (d *differ) tree(f *flow.Flow) any {
	var v any
	dec := json.NewDecoder(bytes.NewReader(flow.Canonical(f)))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		panic("approval: the canonical form is JSON: " + err.Error())
	}
	drop(v, []string{"nodes", "*", "form", "*", "order"})
	for _, h := range harmless {
		if h.when == nil || h.when(d.old, d.now) {
			drop(v, strings.Split(h.path, "."))
		}
	}
	return v
}

// counted gives the parts of a flow that count, as bytes.
func (d *differ) counted(f *flow.Flow) []byte {
	b, err := json.Marshal(d.tree(f))
	if err != nil {
		panic("approval: a JSON value is JSON: " + err.Error())
	}
	return b
}

// drop removes the value at a path; * stands for every member of a list or an object.
func drop(v any, path []string) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			drop(item, path[1:])
		}
	case map[string]any:
		if len(path) == 1 {
			delete(v, path[0])
			return
		}
		for key, item := range v {
			if path[0] == key || path[0] == "*" {
				drop(item, path[1:])
			}
		}
	}
}

// keyed names the lists of the format whose members are identified by a key instead of their position.
var keyed = map[string]string{"nodes": "id", "agents": "id", "inputs": "name", "criteria": "id"}

// walk compares two values at a path.
func (d *differ) walk(path []string, was, is any) {
	if reflect.DeepEqual(was, is) {
		return
	}
	wasMap, a := was.(map[string]any)
	isMap, b := is.(map[string]any)
	if a && b {
		for _, key := range slices.Sorted(maps.Keys(both(wasMap, isMap))) {
			d.walk(append(slices.Clip(path), key), wasMap[key], isMap[key])
		}
		return
	}
	wasList, a := was.([]any)
	isList, b := is.([]any)
	if (a || was == nil) && (b || is == nil) && (a || b) {
		d.list(path, wasList, isList)
		return
	}
	d.say(path, was, is)
}

func both(a, b map[string]any) map[string]bool {
	out := map[string]bool{}
	for k := range a {
		out[k] = true
	}
	for k := range b {
		out[k] = true
	}
	return out
}

// list compares two lists: by key, else by position between their common beginning and end.
func (d *differ) list(path []string, was, is []any) {
	last := path[len(path)-1]
	if key := keyed[last]; key != "" && (len(path) == 1 || last == "criteria") {
		d.byKey(path, key, was, is)
		return
	}
	if len(was) != len(is) && scalars(was) && scalars(is) {
		d.say(path, was, is)
		return
	}
	start := 0
	for start < min(len(was), len(is)) && reflect.DeepEqual(was[start], is[start]) {
		start++
	}
	end := 0
	for end < min(len(was), len(is))-start && reflect.DeepEqual(was[len(was)-1-end], is[len(is)-1-end]) {
		end++
	}
	for i := start; i < max(len(was), len(is))-end; i++ {
		var a, b any
		if i < len(was)-end {
			a = was[i]
		}
		if i < len(is)-end {
			b = is[i]
		}
		d.walk(append(slices.Clip(path), fmt.Sprint(i+1)), a, b)
	}
}

func scalars(list []any) bool {
	return !slices.ContainsFunc(list, func(v any) bool {
		switch v.(type) {
		case map[string]any, []any:
			return true
		}
		return false
	})
}

// byKey compares the members of two lists that have the same key, and reports a different order.
func (d *differ) byKey(path []string, key string, was, is []any) {
	name := func(v any) string { m, _ := v.(map[string]any); s, _ := m[key].(string); return s }
	find := func(list []any, id string) any {
		if i := slices.IndexFunc(list, func(v any) bool { return name(v) == id }); i >= 0 {
			return list[i]
		}
		return nil
	}
	var before, after []string
	for _, v := range was {
		if find(is, name(v)) != nil {
			before = append(before, name(v))
		}
	}
	for _, v := range is {
		if find(was, name(v)) != nil {
			after = append(after, name(v))
		}
		d.walk(append(slices.Clip(path), name(v)), find(was, name(v)), v)
	}
	for _, v := range was {
		if find(is, name(v)) == nil {
			d.walk(append(slices.Clip(path), name(v)), v, nil)
		}
	}
	if !slices.Equal(before, after) {
		d.add(path, fmt.Sprintf("the %s come in another order: %s", strings.Join(path, " "), visible(strings.Join(after, ", "))))
	}
}

// say adds the sentence of one difference; nil is a missing value.
func (d *differ) say(path []string, was, is any) {
	if len(path) == 2 && (was == nil || is == nil) {
		if words := d.member(path, is); words != "" {
			d.add(path, words)
			d.found[len(d.found)-1].isNew = was == nil && path[0] == "nodes"
			return
		}
	}
	if words := d.plainly(path, was, is); words != "" {
		d.add(path, words)
		return
	}
	subject, what := d.subject(path)
	if what != "" {
		subject += ": " + what
	}
	d.add(path, subject+" "+becomes(was, is))
}

func (d *differ) add(path []string, words string) {
	c := change{words: words}
	if len(path) > 1 && path[0] == "nodes" {
		c.node = path[1]
	}
	d.found = append(d.found, c)
}

// member adds the sentence about a node, an agent or an input that was added or removed.
func (d *differ) member(path []string, is any) string {
	name, _ := d.subject(path)
	switch {
	case keyed[path[0]] == "":
		return ""
	case is == nil:
		return name + " is gone"
	}
	what := shown(is)
	if n := d.now.Node(path[1]); path[0] == "nodes" && n != nil {
		what = kindWords(n) + " " + shown(without(is, "id", "type", "name"))
	}
	return name + " is new: " + cutWords(what, longWords)
}

func without(v any, keys ...string) map[string]any {
	m, _ := v.(map[string]any)
	m = maps.Clone(m)
	for _, key := range keys {
		delete(m, key)
	}
	return m
}

// subject names the node, agent or input at a path, and the part of it.
func (d *differ) subject(path []string) (subject, what string) {
	rest := path
	switch {
	case len(path) > 1 && path[0] == "nodes":
		f := d.now
		if f.Node(path[1]) == nil {
			f = d.old
		}
		subject, rest = callNode(f, path[1], d.step), path[2:]
	case len(path) > 1 && keyed[path[0]] != "":
		subject, rest = strings.TrimSuffix(path[0], "s")+" '"+visible(path[1])+"'", path[2:]
	default:
		subject = "the flow"
	}
	return subject, partWords(rest)
}

// free names the parts of a node or a trigger that hold names that the author chose. Sentences name them without the part.
var free = []string{"params", "input", "inputs", "vars", "payload", "output"}

// partWords names a part as people read it: params.json.amount is json.amount, retry.max_attempts is retry max attempts.
func partWords(path []string) string {
	for i, key := range path {
		if slices.Contains(free, key) && i < len(path)-1 {
			return visible(strings.TrimSpace(partWords(path[:i]) + " " + strings.Join(path[i+1:], ".")))
		}
	}
	return visible(strings.ReplaceAll(strings.Join(path, " "), "_", " "))
}
