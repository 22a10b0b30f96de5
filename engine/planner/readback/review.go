package readback

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/flow/approval"
	"sluice/engine/naming"
	"sluice/engine/planner/english"
	"sluice/engine/planner/env"
	"sluice/engine/planner/idiom"
	"sluice/engine/planner/tree"
	"sluice/engine/tool"
)

// Review says of a flow that is written already, such as one from a file, what a drafter should know, and what keeps it from approval. The
// flow must be valid but for its tools, see [validate.Flow].
func Review(f *flow.Flow, w env.World) []tree.Note {
	r := &reviewer{f: f, w: w, tools: newReader(f, w.Tools).tools, numbers: Numbers(f)}
	for i := range f.Nodes {
		r.node(&f.Nodes[i])
	}
	r.withoutModel()
	for i := range f.Agents {
		for _, name := range f.Agents[i].Tools {
			r.tool("Agent "+f.Agents[i].ID, name)
		}
	}
	for _, name := range approval.SecretNames(f) {
		r.secret("The flow", name)
	}
	for _, t := range f.Triggers {
		if in, event := t.Channel(); in != nil && r.unknown(*in) {
			r.block("unknown_address", "No channel here is called %s, so no %s there could start it.", *in, event)
		}
	}
	if f.Run.Key == "" && approval.CanWrite(f, r.facts, nil) {
		r.note("two_people", "Two people could run this for the same thing: it has no run key, so nothing tells two runs apart.")
	}
	return r.notes
}

// reviewer collects the notes of one review.
type reviewer struct {
	f       *flow.Flow
	w       env.World
	tools   map[string]tool.Tool
	notes   []tree.Note
	numbers map[string]string
	agents  []string // names of the steps that a language model would do, when there is none
}

func (r *reviewer) note(code, format string, args ...any) {
	r.notes = tree.AddNote(r.notes, tree.Note{Code: code, Text: fmt.Sprintf(format, args...)})
}

func (r *reviewer) block(code, format string, args ...any) {
	r.notes = tree.AddNote(r.notes, tree.Note{Code: code, Text: fmt.Sprintf(format, args...), Blocks: true})
}

// unknown reports whether a written name does not exist here. The value of a template is not known before a run.
func (r *reviewer) unknown(name string) bool {
	return !r.asked(name) && r.w.Kind != nil && name != "" && !strings.Contains(name, "{{") && r.w.Kind(name) == ""
}

func (r *reviewer) asked(name string) bool { return r.w.Asked != nil && r.w.Asked(name) }

func (r *reviewer) facts(name string) (flow.Effects, string, bool) {
	t, known := r.tools[name]
	return cmp.Or(t.Effects, flow.EffectsOnce), "", known
}

func (r *reviewer) node(n *flow.Node) {
	step := "Step " + r.numbers[n.ID]
	if name, open := strings.CutSuffix(n.Name, idiom.Unsure); open {
		r.block("open_step", "%s: it is not said yet who or what does %s.", step, english.Quoted(name))
	}
	for _, u := range n.Uses() {
		switch u.What {
		case flow.UsedTool, flow.UsedIfAsked:
			r.tool(step, u.Name)
			r.address(step, u)
		case flow.UsedAgent:
			r.agent(step, u.Name)
		}
	}
	r.people(step, WhoDecides(n))
	if s, ok := n.Spec.(*flow.ApprovalSpec); ok {
		if len(WhoDecides(n)) == 0 {
			r.note("anybody_can_approve", "%s names nobody, so any member of the channel may answer.", step)
		}
		if s.Deadline != nil && s.Deadline.Escalate != nil {
			r.people(step, []string{s.Deadline.Escalate.To})
		}
	}
	if n.Kind == flow.KindAgent && !r.w.Model {
		r.agents = append(r.agents, english.Quoted(n.DisplayName()))
	}
}

// withoutModel notes the steps that people do because there is no language model.
func (r *reviewer) withoutModel() {
	const named = 3
	all := r.agents
	if len(all) > named {
		all = append(slices.Clone(all[:named]), fmt.Sprintf("%d more", len(all)-named))
	}
	if len(all) > 0 {
		r.note("no_model", "Here no language model is configured, so people in the run's thread answer in the place of %s.", english.Join(all, "and"))
	}
}

func (r *reviewer) people(step string, names []string) {
	for _, name := range names {
		if r.unknown(name) {
			r.block("nobody_can_approve", "%s: nobody here is called %s, so nobody could answer.", step, name)
		}
	}
}

// agent notes an agent that neither the flow nor the installation has.
func (r *reviewer) agent(step, id string) {
	if r.f.AgentByID(id) != nil || r.asked(id) {
		return
	}
	r.block("unknown_agent", "%s: there is no agent %s here.%s", step, english.Quoted(id), nearest(id, r.w.Agents))
}

func nearest(name string, all []string) string {
	if names := naming.Related(name, all, 2); len(names) > 0 {
		return " Nearest: " + strings.Join(names, " and ") + "."
	}
	return ""
}

// tool notes a tool that does not exist or must not be called, and the secrets that it needs.
func (r *reviewer) tool(who, name string) {
	t, known := r.tools[name]
	if !known && !r.asked(name) {
		r.block("unknown_tool", "%s: there is no tool %s.%s", who, english.Quoted(name), nearest(name, slices.Sorted(maps.Keys(r.tools))))
	}
	if t.Policy == tool.Deny {
		r.block("denied_tool", "%s: the policy of the tool %s is deny, so nothing may call it.", who, english.Quoted(name))
	}
	for _, secret := range t.Secrets {
		r.secret(name, secret)
	}
}

func (r *reviewer) secret(who, name string) {
	if r.w.Secret != nil && !r.w.Secret(name) {
		r.note("missing_secret", "%s needs the secret %s, which is not set.", who, name)
	}
}

// address notes where a message cannot go.
func (r *reviewer) address(step string, s flow.Use) {
	m := env.MessagingOf(r.tools[s.Name])
	if m == nil {
		return
	}
	to, _ := s.Params[m.To].(string)
	switch {
	case r.unknown(to):
		r.block("unknown_address", "%s: nobody and nothing here is called %s, so the message could not be sent.", step, to)
	case r.w.Kind != nil && to != "" && r.w.Kind(to) == "group":
		r.block("unknown_address", "%s: %s is a group, and a message goes to a channel or a person.", step, to)
	}
}

// WhoDecides names who may answer a gate: groups and people as written in the flow. It is nil for a node that is no gate, and for a gate
// that names nobody.
func WhoDecides(n *flow.Node) []string {
	q := n.Question()
	if q == nil || q.Who == nil || len(q.Who.Groups)+len(q.Who.Users) == 0 {
		return nil
	}
	return slices.Concat(q.Who.Groups, q.Who.Users)
}

// Opaque warns of every step that came with an imported flow and that nothing here can run, by its name. It blocks nothing: the other
// ways of the flow may be worth running, and a person can go on from such a step with a value.
func Opaque(f *flow.Flow) (notes []tree.Note) {
	for _, id := range f.Opaque() {
		n := f.Node(id)
		text := fmt.Sprintf("%s cannot be run here (%s): a run that comes to it stops, and a person goes on with a value or ends it.", english.Quoted(n.DisplayName()), n.ForeignWords())
		notes = append(notes, tree.Note{Code: "opaque", Text: text})
	}
	return notes
}
