package readback

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/flow/approval"
	"sluice/engine/flow/names"
	"sluice/engine/planner/english"
	"sluice/engine/planner/env"
	"sluice/engine/planner/idiom"
	"sluice/engine/planner/tree"
	"sluice/engine/tool"
	"sluice/engine/typecheck"
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
	r.missing()
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

// missing notes the agents, people and channels that are not here, and of which nobody is asked what stands for them.
func (r *reviewer) missing() {
	here := typecheck.World{Kind: r.w.Kind, Agents: append([]string{}, r.w.Agents...)}.Here()
	for _, u := range names.Missing(r.f, here) {
		where := u.Agents
		for _, id := range u.Nodes {
			where = append(where, "step "+r.numbers[id])
		}
		if u.Start {
			where = append(where, "what starts it")
		}
		if !r.asked(u.Text) {
			r.block("unknown_"+string(u.Kind), "No %s here is called %s (named by %s).", u.Kind, english.Quoted(u.Text), english.Join(where, "and"))
		}
	}
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
		if u.What == flow.UsedTool || u.What == flow.UsedIfAsked {
			r.tool(step, u.Name)
			r.address(step, u)
		}
	}
	if n.Kind == flow.KindApproval && len(WhoDecides(n)) == 0 {
		r.note("anybody_can_approve", "%s names nobody, so any member of the channel may answer.", step)
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

// tool notes a tool that does not exist or must not be called, and the secrets that it needs.
func (r *reviewer) tool(who, name string) {
	t, known := r.tools[name]
	if !known && !r.asked(name) {
		r.block("unknown_tool", "%s: there is no tool %s.", who, english.Quoted(name))
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
	if r.w.Kind == nil || to == "" || strings.Contains(to, "{{") || r.asked(to) {
		return
	}
	switch r.w.Kind(to) {
	case "":
		r.block("unknown_address", "%s: nobody and nothing here is called %s, so the message could not be sent.", step, to)
	case "group":
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
