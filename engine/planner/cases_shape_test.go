package planner_test

import (
	"fmt"
	"slices"
	"strings"

	"sluice/engine/planner/tree"
	"sluice/engine/tool"
)

// shape is a step of a tree, or what a case expects of one, in a form in which both can be compared.
type shape struct {
	kinds    []string   // an expectation may allow several
	who      string     // names that are asked or told
	words    string     // everything that the step says
	doer     string     // tool.name, person, agent, flow; "" = open or none
	tools    []string   // that an agent may use
	attrs    []string   // "deadline 3d", "quorum 2"
	branches []branch   // in order
	wantWho  [][]string // alternatives, each of words that all must occur
	want     [][]string
	doers    []string // what may do it; nil = anything
	optional bool
}

// branch is a list of steps below another one.
type branch struct {
	kind  string // when, else, branch, error
	words string
	cond  string // "< 100", "person", "and(person, < 100)"
	want  [][]string
	conds []string
	steps []*shape
}

// shapes gives the steps of a list. A gate with branches becomes a gate and a decision; a question that only serves a decision becomes a
// decision by a person; a decision that only says "if approved" becomes the steps after the gate.
func shapes(t *tree.Tree, steps []tree.Step) []*shape {
	var out []*shape
	for i := range steps {
		s := &steps[i]
		if i+1 < len(steps) && servesOnly(s, &steps[i+1]) {
			continue
		}
		n := &shape{kinds: []string{string(s.Kind)}, words: stepWords(t, s)}
		for _, who := range append(slices.Clone(s.Who), s.To...) {
			n.who += " " + strings.ToLower(who.Words+" "+who.Is)
			if who.Ref.Input != "" {
				n.who += " " + who.Ref.Input
			}
		}
		n.attrs = attributes(s)
		n.doer, n.tools = doerOf(s), s.Tools
		switch {
		case s.Kind == tree.Agent:
			n.kinds = []string{"do"}
		case s.Tool == tool.PostMessageName: // however a message is sent
			n.kinds, n.doer, n.who = []string{"tell"}, "", channelOf(s)
		}
		if s.Doer == tree.DoerPerson && strings.HasPrefix(s.Text, "say when this has happened") { // a person ends the wait
			n.kinds, n.doer = []string{"wait"}, ""
		}
		var after []branch
		for j := range s.Branches {
			b := &s.Branches[j]
			sub := branch{kind: "branch", steps: shapes(t, b.Steps)}
			switch {
			case b.When != nil:
				sub.kind, sub.words, sub.cond = "when", strings.ToLower(condWords(b.When)), condShape(b.When, steps[:i])
			case b.Choice != "":
				sub.kind, sub.words, sub.cond = "when", strings.ToLower(b.Choice), "choice"
			case b.Else:
				sub.kind = "else"
			}
			after = append(after, sub)
		}
		if len(s.OnError) > 0 {
			n.branches = append(n.branches, branch{kind: "error", steps: shapes(t, s.OnError)})
		}
		if s.Kind != tree.Ask {
			n.branches = append(after, n.branches...)
			after = nil
		}
		out = append(out, n)
		if len(after) > 0 {
			out = append(out, &shape{kinds: []string{"decide"}, branches: after})
		}
	}
	return afterGate(out)
}

// channelOf gives the words for where a message goes that a tool sends.
func channelOf(s *tree.Step) string {
	for _, p := range s.Params {
		if p.Name == "channel" {
			return " " + strings.ToLower(fmt.Sprint(p.Value.Words, " ", p.Value.Ref.Input))
		}
	}
	return ""
}

// afterGate flattens decisions that only say what follows an approval: a rejection ends the run anyway.
func afterGate(list []*shape) []*shape {
	var out []*shape
	for i, d := range list {
		if i > 0 && d.kinds[0] == "decide" && list[i-1].kinds[0] == "ask" {
			if at := onlyApproved(d); at >= 0 {
				out = append(out, d.branches[at].steps...)
				continue
			}
			if onlyRefused(d) {
				continue
			}
		}
		out = append(out, d)
	}
	return out
}

// onlyRefused reports whether a decision does nothing but stop after a refusal.
func onlyRefused(d *shape) bool {
	return !slices.ContainsFunc(d.branches, func(b branch) bool {
		return !slices.Contains([]string{"reject", "no"}, b.said()) || len(b.steps) == 0 || slices.ContainsFunc(b.steps, func(s *shape) bool { return s.kinds[0] != "stop" })
	})
}

// onlyApproved gives the branch for an approval where the others do nothing but stop; -1 = there is none.
func onlyApproved(d *shape) int {
	at := slices.IndexFunc(d.branches, func(b branch) bool { return b.kind == "when" && positive(b.said()) })
	for i, b := range d.branches {
		if i != at && slices.ContainsFunc(b.steps, func(s *shape) bool { return s.kinds[0] != "stop" }) {
			return -1
		}
	}
	return at
}

// said is what a branch says, or what is expected of it.
func (b branch) said() string {
	for _, all := range b.want {
		b.words += " " + strings.Join(all, " ")
	}
	return b.words
}

func positive(words string) bool {
	for _, w := range []string{"approve", "accept", "yes", "agree"} {
		if strings.Contains(words, w) && !strings.Contains(words, "not") && !strings.Contains(words, "n't") && !strings.Contains(words, "dis") {
			return true
		}
	}
	return false
}

// servesOnly reports whether a question was put in front of a decision by an answer: a person decides.
func servesOnly(s, next *tree.Step) bool {
	if !isVote(s) {
		return false
	}
	found := false
	for i := range next.Branches {
		eachCond(next.Branches[i].When, func(c *tree.Cond) { found = found || c.Left.Ref.Step == s.ID })
	}
	return found || isVote(next)
}

func isVote(s *tree.Step) bool {
	return s.Kind == tree.Ask && slices.Equal(s.Choices, []string{"yes", "no"})
}

func eachCond(c *tree.Cond, visit func(*tree.Cond)) {
	if c == nil {
		return
	}
	visit(c)
	for i := range c.Parts {
		eachCond(&c.Parts[i], visit)
	}
}

func condWords(c *tree.Cond) string {
	var out strings.Builder
	eachCond(c, func(c *tree.Cond) {
		out.WriteString(" " + c.Words + " " + c.Left.Words)
		if c.Right.Literal != "yes" { // the answer of somebody who judges the words
			out.WriteString(" " + c.Right.Words)
		}
	})
	return " " + strings.Join(strings.Fields(out.String()), " ")
}

// condShape writes what a condition compares, without the words of its left side.
func condShape(c *tree.Cond, before []tree.Step) string {
	if len(c.Parts) > 0 {
		var parts []string
		for i := range c.Parts {
			parts = append(parts, condShape(&c.Parts[i], before))
		}
		return c.Op + "(" + strings.Join(parts, ", ") + ")"
	}
	for i := range before {
		if before[i].ID != c.Left.Ref.Step {
			continue
		}
		if isVote(&before[i]) {
			return "person"
		}
		if before[i].Kind == tree.Ask {
			return "choice"
		}
	}
	switch {
	case c.Op == "":
		return "open"
	case c.Op == tree.OpTrue || c.Op == tree.OpEmpty:
		return c.Op
	case c.Right.Literal != nil:
		return fmt.Sprintf("%s %v", c.Op, c.Right.Literal)
	}
	return c.Op + " " + c.Right.Words
}

func doerOf(s *tree.Step) string {
	switch {
	case s.Kind == tree.Agent:
		return "agent"
	case s.Kind != tree.Do:
		return ""
	case s.Doer == tree.DoerTool:
		return s.Tool
	}
	return string(s.Doer)
}

func attributes(s *tree.Step) []string {
	var out []string
	add := func(name, value string) {
		if value != "" {
			out = append(out, name+" "+value)
		}
	}
	if d := s.Deadline; d != nil {
		add("deadline", d.After)
		add("remind", d.Remind)
		add("escalate", d.EscalateAfter)
	}
	if s.Quorum > 1 {
		add("quorum", fmt.Sprint(s.Quorum))
	}
	if s.Retry > 1 {
		add("attempts", fmt.Sprint(s.Retry))
	}
	if s.Any {
		add("any", "branch")
	}
	return out
}

// stepWords gives everything that a step says, in lower case.
func stepWords(t *tree.Tree, s *tree.Step) string {
	all := []string{s.Text, t.Words(s.Said), s.Tool, s.Over.Words, s.For, s.Time, s.Event}
	if s.Kind == tree.Set {
		all = append(all, s.Result)
	}
	for _, p := range s.Params {
		all = append(all, p.Value.Words)
	}
	for _, v := range s.Parts {
		all = append(all, v.Words)
	}
	for _, f := range s.Fields {
		all = append(all, f.Name)
	}
	if s.Until != nil {
		all = append(all, condWords(s.Until))
	}
	return strings.ToLower(strings.Join(slices.DeleteFunc(all, func(w string) bool { return w == "" }), " / "))
}

// sketch writes a tree with one element per line, so that two trees can be compared.
func sketch(t *tree.Tree) []string {
	var out []string
	for _, g := range t.Triggers {
		out = append(out, "when "+triggerShape(g))
	}
	for _, in := range t.Inputs {
		if len(in.At) > 0 {
			out = append(out, "input "+in.Name)
		}
	}
	out = append(out, sketchList(shapes(t, t.Steps), "")...)
	if d := t.Deadline; d != nil {
		out = append(out, "limit "+d.After+d.Time)
		out = append(out, sketchList(shapes(t, d.Steps), "  ")...)
	}
	return out
}

func sketchList(list []*shape, in string) []string {
	var out []string
	for _, s := range list {
		var line strings.Builder
		line.WriteString(in + s.kinds[0] + s.who + " : " + s.words)
		if s.doer != "" {
			line.WriteString(" = " + s.doer)
		}
		for _, a := range s.attrs {
			line.WriteString(", " + a)
		}
		out = append(out, line.String())
		for _, b := range s.branches {
			out = append(out, strings.TrimRight(in+"  "+b.kind+" "+b.words+" = "+b.cond, "= "))
			out = append(out, sketchList(b.steps, in+"    ")...)
		}
	}
	return out
}

func triggerShape(g tree.Trigger) string {
	switch {
	case g.Cron != "":
		return strings.TrimSpace("schedule " + g.Cron + " " + g.Zone)
	case g.Emoji != "":
		return strings.TrimSpace("reaction " + g.Emoji + " " + g.Channel)
	case g.Channel != "":
		return "message " + g.Channel
	case g.Path != "":
		return "webhook " + g.Path
	case g.By:
		return "by hand"
	}
	return "asked " + strings.ToLower(g.Words)
}
