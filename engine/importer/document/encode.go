package document

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/flow/agents"
)

// NotWritableError says that a change of a flow cannot be written in the format that it came from.
type NotWritableError struct {
	Step   string // id of the node or agent that would differ; empty = the flow
	Part   string // key of the part that would differ
	Reason string // in words; empty = the format has no place for the part
}

func (e *NotWritableError) Error() string {
	reason := e.Reason
	switch {
	case reason == "" && e.Step == "":
		reason = fmt.Sprintf("it has no place for '%s' of the flow", e.Part)
	case reason == "":
		reason = fmt.Sprintf("it has no place for '%s' of the step '%s'", e.Part, e.Step)
	}
	return "the change cannot be written in this format: " + reason
}

// Form is how a format is read and how changes are written in it.
type Form struct {
	Decode func(name string, src []byte) (Document, error)
	// Patch changes the source; nil = changes cannot be written.
	Patch func(before, after *flow.Flow, src []byte) ([]byte, error)
	// Derived are the parts of a flow that follow from others, and so may differ after a change of these: agents.description.
	Derived []string
}

// Reencode gives the source of a flow where nothing changed. Otherwise the source is patched, and what that gives must read as the flow
// again, apart from what follows from the change. The names of the source stay, whatever stands for them here.
func (form Form) Reencode(f *flow.Flow) ([]byte, error) {
	src, ok := Original(f)
	if !ok {
		return nil, &NotWritableError{Reason: "the flow was not read from a file of this format"}
	}
	read := func(src []byte) (Document, error) {
		doc, err := form.Decode(f.Name, src)
		if err == nil {
			doc.Flow = Names(f).Apply(doc.Flow)
		}
		return doc, err
	}
	before, err := read(src)
	if err != nil {
		return nil, fmt.Errorf("read the source of %s: %w", f.Name, err)
	}
	f = agents.Without(f)
	if same(before.Flow, f) {
		return src, nil
	}
	if form.Patch == nil {
		return nil, &NotWritableError{Reason: "only the file as it was can be given back"}
	}
	was, is := before.Flow.WithDefaults(), f.WithDefaults()
	out, err := form.Patch(was, is, src)
	if err != nil {
		return nil, err
	}
	out = inTheMannerOf(src, out)
	after, err := read(out)
	if err != nil {
		return nil, &NotWritableError{Reason: err.Error()}
	}
	if err := form.says(was, is, after.Flow.WithDefaults()); err != nil {
		return nil, err
	}
	return out, nil
}

// inTheMannerOf gives a text the line breaks and the byte order mark of its source.
func inTheMannerOf(src, out []byte) []byte {
	if bytes.IndexByte(src, 0) >= 0 { // no text
		return out
	}
	if breaks := bytes.Count(src, []byte("\r\n")); breaks > 0 && breaks == bytes.Count(src, []byte("\n")) {
		out = bytes.ReplaceAll(out, []byte("\n"), []byte("\r\n"))
	}
	if mark := []byte("\ufeff"); bytes.HasPrefix(src, mark) {
		out = append(mark, out...)
	}
	return out
}

// same reports whether two flows are equal except for their sources.
func same(a, b *flow.Flow) bool {
	a, b = a.Clone(), b.Clone()
	a.Raw, b.Raw = nil, nil
	return bytes.Equal(flow.Canonical(a), flow.Canonical(b))
}

// says checks that what was read again is the changed flow. Of a node or agent that came, what the change leaves open may be anything.
func (form Form) says(before, after, got *flow.Flow) error {
	was, err := leaves(before)
	if err != nil {
		return err
	}
	is, err := leaves(after)
	if err != nil {
		return err
	}
	read, err := leaves(got)
	if err != nil {
		return err
	}
	for i := range before.Nodes { // a value that nothing reads any more is left out
		if n := &before.Nodes[i]; n.Pulled() && got.Node(n.ID) == nil {
			maps.DeleteFunc(is, func(path string, _ any) bool { return strings.HasPrefix(path, "nodes"+separator+n.ID+separator) })
		}
	}
	all := maps.Clone(is)
	maps.Copy(all, read)
	for _, path := range slices.Sorted(maps.Keys(all)) {
		a, had := was[path]
		b, wanted := is[path]
		c, has := read[path]
		unchanged := had == wanted && reflect.DeepEqual(a, b)
		keys := strings.Split(path, separator)
		element := len(keys) > 2 && (keys[0] == "nodes" || keys[0] == "agents")
		came := element && !contains(was, keys) && contains(is, keys)
		switch {
		case wanted == has && reflect.DeepEqual(b, c):
		case unchanged && form.derived(keys, element):
		case came && (!wanted || within(b, c)):
		case element:
			return &NotWritableError{Step: keys[1], Part: keys[2]}
		default:
			return &NotWritableError{Part: keys[0]}
		}
	}
	return nil
}

const separator = "\x1f" // between the keys of a path; no key has it

// contains reports whether a flow has the node or agent of a path.
func contains(all map[string]any, keys []string) bool {
	_, has := all[strings.Join([]string{keys[0], keys[1], "id"}, separator)]
	return has
}

// within reports whether a text has another one in it: formats add to what a step is told.
func within(part, whole any) bool {
	p, isText := part.(string)
	w, alsoText := whole.(string)
	return isText && alsoText && p != "" && strings.Contains(w, p)
}

// derived reports whether a part follows from others.
func (form Form) derived(keys []string, element bool) bool {
	if !element {
		return slices.Contains(form.Derived, keys[0])
	}
	part := keys[0] + "." + keys[2]
	return slices.Contains(form.Derived, part) || slices.Contains(form.Derived, part+"."+keys[len(keys)-1])
}

// leaves lists the values of a flow by their paths. Nodes and agents are named by their ids.
func leaves(f *flow.Flow) (map[string]any, error) {
	tree, err := plain(f)
	if err != nil {
		return nil, err
	}
	all := map[string]any{}
	for key, v := range tree {
		items, isList := v.([]any)
		if key != "nodes" && key != "agents" || !isList {
			collect(all, key, v)
			continue
		}
		for _, item := range items {
			m, _ := item.(map[string]any)
			collect(all, fmt.Sprint(key, separator, m["id"]), m)
		}
	}
	return all, nil
}

func collect(all map[string]any, path string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for key, item := range v {
			collect(all, path+separator+key, item)
		}
	case []any:
		for i, item := range v {
			collect(all, fmt.Sprint(path, separator, i), item)
		}
	default:
		all[path] = v
	}
}
