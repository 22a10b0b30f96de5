package typecheck

import (
	"slices"
	"strings"

	"sluice/engine/flow/names"
	"sluice/engine/jsonschema"
	"sluice/engine/naming"
)

// Here says which names of a document there are.
func (w World) Here() names.Here {
	var h names.Here
	if w.Tools != nil {
		h.Tool = func(name string) bool { return w.tool(name) >= 0 }
	}
	if w.Agents != nil {
		h.Agent = func(name string) bool { return slices.Contains(w.Agents, name) }
	}
	if w.Models != nil {
		h.Model = func(name string) bool {
			if w.FullModel != nil {
				name = w.FullModel(name)
			}
			return slices.Contains(w.Models, name)
		}
	}
	if w.Kind != nil {
		h.Address = func(name string) bool {
			kind := w.Kind(name)
			return kind != "" && kind != Nobody
		}
	}
	h.Takes = func(name, param string) bool {
		i := w.tool(name)
		if i < 0 {
			return false
		}
		means, _ := meaningOf(&w.Tools[i], param, jsonschema.Property(w.Tools[i].Params, param))
		return means == addressKind || means == channelKind
	}
	return h
}

func (w World) tool(name string) int {
	for i := range w.Tools {
		if w.Tools[i].Name == name {
			return i
		}
	}
	return -1
}

// Candidates lists what there is of the kind of a name, the nearest first.
func (w World) Candidates(n names.Name) []string {
	var all []string
	switch n.Kind {
	case names.Tool:
		for _, t := range w.Tools {
			all = append(all, t.Name)
		}
	case names.Agent:
		all = slices.Clone(w.Agents)
	case names.Model:
		return append([]string{names.DefaultModel}, w.Models...)
	case names.Person, names.Channel:
		if w.Names != nil {
			all = slices.Clone(w.Names())
		}
		all = slices.DeleteFunc(all, func(name string) bool { return strings.HasPrefix(name, "#") != (n.Kind == names.Channel) })
	}
	near := naming.Related(n.Text, all, len(all))
	rest := slices.DeleteFunc(all, func(name string) bool { return slices.Contains(near, name) })
	slices.Sort(rest)
	return append(near, rest...)
}

// Meant finds the thing here that is meant to stand for a name; found "" = there is none, and near may be meant.
func (w World) Meant(n names.Name, text string) (found string, near []string) {
	sigil := map[names.Kind]string{names.Person: "@", names.Channel: "#"}[n.Kind]
	h := w.Here()
	for _, name := range []string{text, sigil + text} {
		is := false
		switch n.Kind {
		case names.Agent:
			is = h.Agent != nil && h.Agent(name)
		case names.Tool:
			is = h.Tool != nil && h.Tool(name)
		case names.Model:
			is = name == names.DefaultModel || h.Model != nil && h.Model(name)
		case names.Person, names.Channel:
			is = h.Address == nil || h.Address(name) && strings.HasPrefix(name, "#") == (n.Kind == names.Channel)
		}
		if is {
			return name, nil
		}
	}
	return "", naming.Misspelled(text, w.Candidates(n), 2)
}
