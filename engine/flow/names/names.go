// Package names finds the names in a flow of what an installation may not have, such as agents, tools, models, people and channels, and puts others
// in their place.
//
//	Of       the names of a flow, with the steps and agents that use them
//	Missing  those of them that are not here
//	Table    what stands here for them
//
// A [Table] belongs to a document that was written elsewhere. [Table.Apply] gives the flow as it runs here; the document itself stays as it
// is.
//
// The package does not know tools, models or people: callers pass functions for what is here, see [Here].
//
// Where to look next: engine/importer/document keeps the table of a flow; bot/drafts asks people for it.
//
// # Decisions
//
//   - A name in the parameters of a tool counts as that of a person or channel if the whole text is one, with its @ or #. Inside of other
//     text it is text.
//   - Templates are no names: what they give is known when they are filled in.
package names

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"sluice/engine/flow"
)

// Kind is what is named.
type Kind string

// The kinds of names.
const (
	Agent   Kind = "agent" // of the installation: one that the flow does not declare
	Tool    Kind = "tool"
	Model   Kind = "model"
	Person  Kind = "person" // or a group of people
	Channel Kind = "channel"
)

// Kinds lists the kinds.
var Kinds = []Kind{Agent, Tool, Model, Person, Channel}

// Name is the name of something outside of the flow.
type Name struct {
	Kind Kind
	Text string
}

// String writes a name as Read reads it: tool:web_search.
func (n Name) String() string { return string(n.Kind) + ":" + n.Text }

// Read reads what String wrote.
func Read(s string) (Name, bool) {
	kind, text, ok := strings.Cut(s, ":")
	n := Name{Kind(kind), text}
	return n, ok && text != "" && slices.Contains(Kinds, n.Kind)
}

// Use is a name with what uses it, in the order of the flow.
type Use struct {
	Name
	Nodes  []string // ids
	Agents []string // ids
	Start  bool     // a trigger names it
}

// Of lists the names of a flow, each once.
func Of(f *flow.Flow) []Use { return list(f, func(Name, place) bool { return true }) }

// list lists the names of a flow that are wanted where they are.
func list(f *flow.Flow, wanted func(n Name, p place) bool) []Use {
	var all []Use
	v := visitor{each: func(n Name, p place) string {
		if !wanted(n, p) {
			return n.Text
		}
		i := slices.IndexFunc(all, func(u Use) bool { return u.Name == n })
		if i < 0 {
			i, all = len(all), append(all, Use{Name: n})
		}
		u := &all[i]
		if p.node != "" && !slices.Contains(u.Nodes, p.node) {
			u.Nodes = append(u.Nodes, p.node)
		}
		if p.agent != "" && !slices.Contains(u.Agents, p.agent) {
			u.Agents = append(u.Agents, p.agent)
		}
		u.Start = u.Start || p == place{}
		return n.Text
	}}
	v.flow(f.Clone())
	return all
}

// Here says what an installation has. Names of a kind whose function is nil are not looked for.
type Here struct {
	Agent   func(name string) bool
	Tool    func(name string) bool
	Model   func(name string) bool
	Address func(name string) bool // of a person, a group or a channel
	// Takes says whether a parameter of a tool is an address. Where it is none, a text with @ or # is no name; nil = it always is one.
	Takes func(tool, param string) bool
}

// Missing lists the names of a flow that are not here.
func Missing(f *flow.Flow, here Here) []Use {
	is := map[Kind]func(string) bool{Agent: here.Agent, Tool: here.Tool, Model: here.Model, Person: here.Address, Channel: here.Address}
	return list(f, func(n Name, p place) bool {
		if is[n.Kind] == nil || p.param != "" && here.Takes != nil && !here.Takes(p.tool, p.param) {
			return false
		}
		return !is[n.Kind](n.Text)
	})
}

// Table says what stands here for names, each as [Name.String] writes it. A name with an empty value is left as it is: somebody knows that
// nothing here has it.
type Table map[string]string

// DefaultModel stands for whatever model the installation uses by default.
const DefaultModel = "default"

// Apply gives a copy of a flow with what stands here in the place of names. A trigger whose channel was left as it is is taken out: nothing
// there starts the flow.
func (t Table) Apply(f *flow.Flow) *flow.Flow {
	f = f.Clone()
	f.Triggers = slices.DeleteFunc(f.Triggers, func(s flow.Trigger) bool {
		in, _ := s.Channel()
		return in != nil && t.Left(Name{Channel, *in})
	})
	v := visitor{each: func(n Name, _ place) string {
		switch stands := t[n.String()]; {
		case stands == "":
			return n.Text
		case n.Kind == Model && stands == DefaultModel:
			return ""
		default:
			return stands
		}
	}}
	v.flow(f)
	return f
}

// Left reports whether somebody left a name as it is.
func (t Table) Left(n Name) bool {
	stands, known := t[n.String()]
	return known && stands == ""
}

// place is what uses a name; the zero value is a trigger.
type place struct {
	node, agent string // ids
	tool, param string // of a node, where it is in a parameter
}

// visitor goes through the names of a flow and puts what each gives in their places.
type visitor struct {
	each func(n Name, p place) string
	own  map[string]bool // agents that the flow declares
}

func (v visitor) flow(f *flow.Flow) {
	for i := range f.Triggers {
		if in, _ := f.Triggers[i].Channel(); in != nil {
			v.put(Channel, in, place{})
		}
	}
	v.own = map[string]bool{}
	for i := range f.Agents {
		v.own[f.Agents[i].ID] = !f.Agents[i].Registered
	}
	for i := range f.Agents {
		a := &f.Agents[i]
		if a.Registered {
			continue // the installation has said it all
		}
		v.all(Agent, a.Subagents, place{agent: a.ID})
		v.put(Model, &a.Model, place{agent: a.ID})
		v.all(Tool, a.Tools, place{agent: a.ID})
	}
	for i := range f.Nodes {
		v.node(&f.Nodes[i])
	}
}

func (v visitor) node(n *flow.Node) {
	at := place{node: n.ID}
	own := n.Names()
	for _, name := range own.Agents {
		v.put(Agent, name, at)
	}
	for _, name := range own.Models {
		v.put(Model, name, at)
	}
	for _, name := range own.Tools {
		v.put(Tool, name, at)
	}
	for _, u := range n.Uses() {
		if u.What == flow.UsedTool {
			v.params(u.Name, u.Params, at)
			for _, params := range n.Arrivals {
				v.params(u.Name, params, at)
			}
		}
	}
	q := n.Question()
	if q == nil {
		return
	}
	if q.Who != nil {
		v.all(Person, q.Who.Groups, at)
		v.all(Person, q.Who.Users, at)
	}
	if q.Deadline != nil && q.Deadline.Escalate != nil {
		v.put(Person, &q.Deadline.Escalate.To, at)
	}
}

func (v visitor) put(kind Kind, text *string, p place) {
	if *text != "" && !strings.Contains(*text, "{{") && (kind != Agent || !v.own[*text]) {
		*text = v.each(Name{kind, *text}, p)
	}
}

func (v visitor) all(kind Kind, texts []string, p place) {
	for i := range texts {
		v.put(kind, &texts[i], p)
	}
}

// address is how people and channels are written.
var address = regexp.MustCompile(`^[#@][\p{L}\p{N}][\p{L}\p{N}._-]*$`)

// params goes through the parameters of a tool.
func (v visitor) params(tool string, params map[string]any, p place) {
	for _, key := range slices.Sorted(maps.Keys(params)) {
		p.tool, p.param = tool, key
		params[key] = v.value(params[key], p)
	}
}

// value goes through the texts of a parameter, and gives what it is then.
func (v visitor) value(value any, p place) any {
	switch value := value.(type) {
	case string:
		if address.MatchString(value) {
			kind := Person
			if value[0] == '#' {
				kind = Channel
			}
			v.put(kind, &value, p)
		}
		return value
	case []any:
		for i := range value {
			value[i] = v.value(value[i], p)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			value[key] = v.value(value[key], p)
		}
	}
	return value
}
