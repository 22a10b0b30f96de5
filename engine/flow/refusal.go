package flow

import (
	"slices"
	"strings"

	"sluice/engine/flow/refusal"
)

// refusal gives the meaning of an approval's choice for the outcome of its run. The declaration of the flow comes first, then the words of
// the choice. Without both, a choice with a veto is a weak refusal when its path does less than the path of the first choice. A choice
// between sizes therefore refuses nothing.
func (f *Flow) refusal(n *Node, s *ApprovalSpec, picked string) refusal.Refusal {
	if s.Refuses != nil {
		if slices.Contains(s.Refuses, picked) {
			return refusal.Firm
		}
		return refusal.None
	}
	r, agrees := refusal.Named(picked)
	if r != refusal.None || agrees || len(s.Choices) == 0 {
		return r
	}
	first, _ := refusal.Named(s.Choices[0])
	vetoes := picked != s.Choices[0]
	if s.Veto != nil {
		vetoes = slices.Contains(s.Veto, picked)
	}
	if first == refusal.None && vetoes && f.doesLess(n, s, picked) {
		return refusal.Weak
	}
	return refusal.None
}

// Refusal gives the meaning of a gate's choice for the outcome of its run; agrees reports a choice that takes an earlier refusal back. For
// an ask only the words of its choices count. A choice that tells neither refusal nor agreement keeps an earlier decision.
func (f *Flow) Refusal(n *Node, picked string) (r refusal.Refusal, agrees bool) {
	switch s := n.Spec.(type) {
	case *ApprovalSpec:
		r = f.refusal(n, s, picked)
		return r, r == refusal.None
	case *AskSpec:
		if slices.Contains(s.Choices, picked) {
			return refusal.Named(picked)
		}
	}
	return refusal.None, false
}

// doesLess reports whether the path of a choice does less than the path of the first choice, such as only posting messages.
func (f *Flow) doesLess(n *Node, s *ApprovalSpec, picked string) bool {
	return f.does(n, n.way(picked)) < f.does(n, n.way(s.Choices[0]))
}

// way gives the target of a gate's route for a choice, as far as its conditions show it. Without such a route it gives end.
func (n *Node) way(picked string) string {
	for _, r := range n.Routes {
		named := strings.Contains(r.When, "'"+picked+"'") || strings.Contains(r.When, `"`+picked+`"`) || r.If == IfHandle && r.When == picked
		if r.Default() || named != strings.Contains(r.When, "!=") {
			return r.To
		}
	}
	return End
}

// The strongest effects of a path.
const (
	doesNothing = iota // at most posts to the run's thread
	tellsOthers        // waits, or sends messages to others
	works              // has effects, or asks a person to act
)

// path lists the nodes that can follow a node by one of its ways, the nearest first.
func (f *Flow) path(from *Node, to string) (out []*Node) {
	seen := map[string]bool{from.ID: true}
	for todo := []string{to}; len(todo) > 0; todo = todo[1:] {
		n := f.Node(todo[0])
		if n == nil || seen[n.ID] {
			continue
		}
		seen[n.ID] = true
		out = append(out, n)
		for _, e := range n.Edges() {
			todo = append(todo, e.To)
		}
	}
	return out
}

// does gives the strongest effect on a path.
func (f *Flow) does(from *Node, to string) int {
	most := doesNothing
	for _, n := range f.path(from, to) {
		most = max(most, n.does())
	}
	return most
}

func (n *Node) does() int {
	if n.Spec == nil {
		return works
	}
	return n.Spec.does()
}

// PostMessage is the name of the tool that posts messages.
const PostMessage = "slack.post_message"

// Tells reports whether a node only posts a message.
func (n *Node) Tells() bool {
	t, ok := n.Spec.(*ToolSpec)
	return n.Kind == KindSay || ok && t.Tool == PostMessage
}

// Endings lists the choices of a gate after which the run ends: it does nothing more than post to its thread, and the choice refuses, or another one
// goes on. Inside a body or a branch no choice ends the run.
func (f *Flow) Endings(n *Node) (out []string) {
	q := n.Question()
	if q == nil || f.inside(n) {
		return nil
	}
	most := doesNothing
	for _, c := range q.Choices {
		most = max(most, f.does(n, n.way(c)))
	}
	for _, c := range q.Choices {
		r, _ := f.Refusal(n, c)
		if f.does(n, n.way(c)) == doesNothing && (r != refusal.None || most > doesNothing) {
			out = append(out, c)
		}
	}
	return out
}

// Says lists the steps that post to the run's thread after a choice of a gate.
func (f *Flow) Says(n *Node, choice string) (names []string) {
	for _, next := range f.path(n, n.way(choice)) {
		if next.Kind == KindSay {
			names = append(names, next.DisplayName())
		}
	}
	return names
}

// inside reports whether a node is in a body or a branch of another one.
func (f *Flow) inside(n *Node) bool {
	g := NewGraph(f)
	for i := range f.Nodes {
		var heads []int
		for _, e := range f.Nodes[i].Edges() {
			if at, ok := g.Index[e.To]; ok && (e.Kind == EdgeBody || e.Kind == EdgeBranch) {
				heads = append(heads, at)
			}
		}
		if g.Reachable(heads...)[g.Index[n.ID]] {
			return true
		}
	}
	return false
}
