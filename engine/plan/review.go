package plan

import (
	"fmt"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/tool"
)

// Review proposes a flow that is written already, such as one from a file: its sentences are numbered along the graph, and the notes
// say what words would be told, too. The flow must be valid but for its tools, see [flow.Validate].
func Review(f *flow.Flow, opt Options) *Proposal {
	r := &reviewer{f: f, opt: opt, cat: newCatalogue(opt.Tools), p: &Proposal{Flow: f, Nodes: Lines(f)}}
	r.tools()
	r.people()
	r.addresses()
	r.agents()
	r.whole()
	return r.p
}

// reviewer collects the notes of one review.
type reviewer struct {
	f   *flow.Flow
	opt Options
	cat *catalogue
	p   *Proposal
}

func (r *reviewer) note(n Note) {
	if !slices.ContainsFunc(r.p.Notes, func(m Note) bool { return m.Line == n.Line && m.Text == n.Text }) {
		r.p.Notes = append(r.p.Notes, n)
	}
}

// line is the number of the sentence that a node belongs to; 0 = none.
func (r *reviewer) line(id string) int {
	for line, ids := range r.p.Nodes {
		if slices.Contains(ids, id) {
			return line
		}
	}
	return 0
}

// exists says whether a name means somebody or something; without a way to ask, all do.
func (r *reviewer) exists(name string) bool { return r.opt.Exists == nil || r.opt.Exists(name) }

// written says that a text is written out: what a template gives is not known before a run.
func written(text string) bool { return text != "" && !strings.Contains(text, "{{") }

// tools notes what is called and does not exist, and secrets that are not set.
func (r *reviewer) tools() {
	for i := range r.f.Nodes {
		n := &r.f.Nodes[i]
		switch s := n.Spec.(type) {
		case *flow.AskSpec:
			r.placeholder(n)
		case *flow.ToolSpec:
			r.tool(n.ID, fmt.Sprintf("Step %d", r.line(n.ID)), s.Tool)
		case *flow.ToolexecSpec:
			for _, name := range s.Tools {
				r.tool(n.ID, fmt.Sprintf("Step %d", r.line(n.ID)), name)
			}
		}
	}
	for i := range r.f.Agents {
		for _, name := range r.f.Agents[i].Tools {
			r.tool("", "Agent "+r.f.Agents[i].ID, name)
		}
	}
	for _, name := range flow.SecretNames(r.f) {
		r.secret("The flow", name)
	}
}

// placeholder notes a step that words made for which there was no tool. It stays one in the file of its draft.
func (r *reviewer) placeholder(n *flow.Node) {
	if name, is := strings.CutSuffix(n.Name, unsure); is {
		line := r.line(n.ID)
		r.note(Note{Line: line, Code: "unknown_tool", Blocks: true, Text: fmt.Sprintf("Step %d: %s stands in for a tool that is still to be found. Put one in its place.", line, quote(name))})
	}
}

func (r *reviewer) tool(node, who, name string) {
	i := slices.IndexFunc(r.cat.entries, func(e entry) bool { return e.tool.Name == name })
	if i >= 0 {
		for _, secret := range r.cat.entries[i].tool.Secrets {
			r.secret(name, secret)
		}
		return
	}
	n := Note{Line: r.line(node), Code: "unknown_tool", Blocks: true, Nearest: tool.Nearest(name, r.cat.names, 2)}
	n.Text = fmt.Sprintf("%s: there is no tool %s.", who, quote(name))
	if len(n.Nearest) > 0 {
		n.Text += fmt.Sprintf(" Nearest: %s.", list(n.Nearest, "and"))
	}
	r.note(n)
}

func (r *reviewer) secret(who, name string) {
	if r.opt.Secret != nil && !r.opt.Secret(name) {
		r.note(Note{Code: "missing_secret", Text: fmt.Sprintf("%s needs the secret %s, which is not set.", who, name)})
	}
}

// people notes gates that nobody could answer, and those that anybody may.
func (r *reviewer) people() {
	for i := range r.f.Nodes {
		n := &r.f.Nodes[i]
		line := r.line(n.ID)
		who := WhoDecides(n)
		for _, name := range who {
			r.person(line, name)
		}
		s, ok := n.Spec.(*flow.ApprovalSpec)
		if !ok {
			continue
		}
		if len(who) == 0 {
			r.note(Note{Line: line, Code: "anybody_can_approve", Text: fmt.Sprintf("Step %d names nobody, so any member of the channel may answer.", line)})
		}
		if s.Deadline != nil && s.Deadline.Escalate != nil {
			r.person(line, s.Deadline.Escalate.To)
		}
	}
}

func (r *reviewer) person(line int, name string) {
	if written(name) && !r.exists(name) {
		r.note(Note{Line: line, Code: "nobody_can_approve", Blocks: true, Text: fmt.Sprintf("Step %d: nobody here is called %s, so nobody could answer.", line, name)})
	}
}

// addresses notes where messages cannot go, and channels that triggers could not listen to.
func (r *reviewer) addresses() {
	for i := range r.f.Nodes {
		n := &r.f.Nodes[i]
		s, ok := n.Spec.(*flow.ToolSpec)
		if !ok {
			continue
		}
		at := slices.IndexFunc(r.cat.entries, func(e entry) bool { return e.tool.Name == s.Tool && e.message != nil })
		if at < 0 {
			continue
		}
		to, _ := s.Params[r.cat.entries[at].message.to].(string)
		switch line := r.line(n.ID); {
		case !written(to):
		case r.opt.Kind != nil && r.opt.Kind(to) == "group":
			r.note(Note{Line: line, Code: "unknown_address", Blocks: true, Text: fmt.Sprintf("Step %d: %s is a group, and a message goes to a channel or a person.", line, to)})
		case !r.exists(to):
			r.note(Note{Line: line, Code: "unknown_address", Blocks: true, Text: fmt.Sprintf("Step %d: nobody and nothing here is called %s, so the message could not be sent.", line, to)})
		}
	}
	for _, t := range r.f.Triggers {
		if t.Message != nil && written(t.Message.Channel) && !r.exists(t.Message.Channel) {
			r.note(Note{Code: "unknown_address", Blocks: true, Text: fmt.Sprintf("No channel here is called %s, so no message there could start it.", t.Message.Channel)})
		}
	}
}

// agents notes steps that a model would do where there is none.
func (r *reviewer) agents() {
	if !r.opt.NoModel {
		return
	}
	for i := range r.f.Nodes {
		n := &r.f.Nodes[i]
		if n.Kind == flow.KindAgent {
			line := r.line(n.ID)
			r.note(Note{Line: line, Code: "no_model", Text: fmt.Sprintf("Step %d: no language model is configured, so people in the run's thread answer in the place of %s.", line, quote(n.DisplayName()))})
		}
	}
}

// whole notes what is said of the flow as a whole: ways back, and runs that nothing tells apart.
func (r *reviewer) whole() {
	g := &graph{flow: r.f}
	if r.f.MaxVisits > 0 && g.cyclic() {
		r.note(Note{Code: "cycle", Text: fmt.Sprintf("The steps lead back to an earlier one; a run ends after %d visits of steps.", r.f.MaxVisits)})
	}
	b := &builder{graph: g, cat: r.cat}
	if r.f.Run.Key == "" && b.writes() {
		r.note(Note{Code: "two_people", Text: "Two people could run this for the same thing: it has no run key, so nothing tells two runs apart."})
	}
}
