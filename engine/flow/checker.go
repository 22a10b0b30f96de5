package flow

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"sluice/engine/naming"
)

// Checks are the checks that need data from outside the document. A nil member skips its check. A check must be fast: it is
// called once per name or text.
type Checks struct {
	// World reports names of the flow that do not exist or do not fit: tools, fields, people. engine/typecheck implements it.
	World func(f *Flow, report Report)
	// Expression checks the syntax of an expression. ids are all node ids of the flow. If ok is false, offset is the byte
	// of the mistake in src.
	Expression func(src string, ids []string) (offset int, message, hint string, ok bool)
	// Template does the same for text with {{ }}.
	Template func(src string, ids []string) (offset int, message, hint string, ok bool)
	// Literal reports whether the "when" of a decision's route is a literal. A literal is compared; any other "when" is checked as an
	// expression.
	Literal func(when string) bool
	// Cron checks the fields of a schedule, and gives the shortest time between two of its fires; Timezone checks an IANA zone.
	Cron     func(fields string) (shortest time.Duration, err error)
	Time     func(text string) bool // reports whether a deadline can be until that
	Timezone func(name string) error
	// Priced gives the full name of a model, and whether its price is known; empty is the default model.
	Priced func(model string) (name string, known bool)
	// Agents are the agents of the installation, which a flow may name without declaring them.
	Agents []Agent
	// Ceilings are the highest limits that the installation allows.
	Ceilings Ceilings
	// Schema checks a JSON Schema.
	Schema func(schema map[string]any) error
}

// Report records a problem at its Path. offset is the byte in the text at the path, or -1. The place in the file is
// added.
type Report func(p Problem, offset int)

// Origin describes the file that a flow was read from.
type Origin struct {
	Size      int             // bytes
	Flagged   map[string]bool // paths with an error, on which validation has nothing to add
	Uncertain map[int]bool    // nodes whose edges could not be read in full
	// Place gives a problem its place in the file: that of its Path, or the byte at an offset of the text there.
	Place func(p Problem, offset int) Problem
}

// Checker collects what the checks of a flow find. Package validate checks the flow as a whole; the kinds of nodes check their own parts.
type Checker struct {
	Flow     *Flow
	Graph    *Graph
	IDs      []string // of all nodes
	Checks   Checks
	Problems Problems
	origin   *Origin // nil for a flow without a file
}

// NewChecker makes a Checker; from is nil for a flow that was not read from a file.
func NewChecker(f *Flow, from *Origin, c Checks) *Checker {
	v := &Checker{Flow: f, Graph: NewGraph(f), Checks: c, origin: from}
	for i := range f.Nodes {
		v.IDs = append(v.IDs, f.Nodes[i].ID)
	}
	return v
}

// At is a part of the flow: its path, the words for it, and the node it belongs to.
type At struct {
	Path string
	On   string // " on flow node 'gate'", appended to messages
	Node string
	Name string // what a problem here is about, if it is a name
}

// In is a key of the part.
func (a At) In(key string) At {
	a.Path = JoinPath(a.Path, key)
	return a
}

// Item is an item of a list of the part.
func (a At) Item(key string, i int) At { return a.In(fmt.Sprintf("%s[%d]", key, i)) }

// Error adds a problem that prevents the flow from being saved.
func (v *Checker) Error(a At, code, message, hint string) {
	v.Report(a, -1, SeverityError, code, message, hint)
}

// Warn adds a problem that does not.
func (v *Checker) Warn(a At, code, message, hint string) {
	v.Report(a, -1, SeverityWarning, code, message, hint)
}

// Report adds a problem unless the reader reported one for the same place. offset is a byte inside the text at the path, or -1.
func (v *Checker) Report(a At, offset int, severity Severity, code, message, hint string) {
	if len(v.Problems) >= MaxProblems {
		return
	}
	p := Problem{Severity: severity, Code: code, Message: message, Hint: hint}
	p.Node, p.Path, p.About = a.Node, a.Path, a.Name
	if v.origin != nil {
		for path := a.Path; path != ""; path = ParentPath(path) {
			if v.origin.Flagged[path] {
				return
			}
		}
		p = v.origin.Place(p, offset)
	}
	v.Problems = append(v.Problems, p)
}

// Intact reports whether the reader found no problem inside a part, so that the part can be checked as a whole.
func (v *Checker) Intact(a At) bool {
	if v.origin == nil {
		return true
	}
	for path := range v.origin.Flagged {
		if strings.HasPrefix(path, a.Path+".") || strings.HasPrefix(path, a.Path+"[") {
			return false
		}
	}
	return true
}

// NonNegative reports a negative number.
func (v *Checker) NonNegative(a At, name string, n float64) {
	if n < 0 {
		v.Error(a, "out-of-range", fmt.Sprintf("'%s' must not be negative%s", name, a.On), "")
	}
}

// Required reports text that is empty. A missing key was reported by Parse.
func (v *Checker) Required(a At, name, text string) bool {
	if strings.TrimSpace(text) == "" {
		v.Error(a, "empty", fmt.Sprintf("'%s' must not be empty%s", name, a.On), "")
		return false
	}
	return true
}

// Regexp reports text that is no regular expression.
func (v *Checker) Regexp(a At, pattern string) {
	if _, err := regexp.Compile(pattern); err != nil {
		v.Error(a, "bad-regexp", fmt.Sprintf("'%s' is not a regular expression%s: %s", pattern, a.On, strings.TrimPrefix(err.Error(), "error parsing regexp: ")), "")
	}
}

// Timeout checks that the timeout of a node can be enforced.
func (v *Checker) Timeout(a At, n *Node) {
	if n.Timeout.IsZero() || n.Spec == nil {
		return
	}
	a.On = fmt.Sprintf(" on flow node '%s'", n.ID)
	if q := n.Question(); q != nil && q.Deadline.Ends() {
		v.Warn(a, "out-of-place", "'timeout' is not looked at beside deadline.after"+a.On, "keep one of them")
	}
	if s, own := n.Spec.(timeoutChecker); own {
		s.checkTimeout(v, a, n)
	}
}

// Spec checks the part of a node that belongs to its kind.
func (v *Checker) Spec(a At, n *Node) {
	switch {
	case n.Spec != nil:
		n.Spec.check(v, a, n)
	case v.origin == nil:
		v.Error(a, "unknown-type", fmt.Sprintf("unknown type '%s'%s", n.Kind, a.On), "")
	}
}

// agentsShown is how many agents of the installation a hint names.
const agentsShown = 12

// AgentHint suggests an agent for an id that is none.
func (v *Checker) AgentHint(id string) string {
	ids := func(all []Agent) (ids []string) {
		for _, a := range all {
			ids = append(ids, a.ID)
		}
		return ids
	}
	declared, here := ids(v.Flow.Agents), ids(v.Checks.Agents)
	if hint := naming.Suggest(id, slices.Concat(declared, here)); hint != "" {
		return hint
	}
	var hints []string
	if len(declared) > 0 {
		hints = append(hints, "declared agents: "+strings.Join(declared, ", "))
	}
	if len(here) > 0 {
		hints = append(hints, "agents of this installation: "+strings.Join(here[:min(len(here), agentsShown)], ", "))
	}
	return cmp.Or(strings.Join(hints, "; "), "declare it under agents")
}

// atWork reports a timeout in working days. It is for steps that work until they end, whose timeout must be clock time.
func (v *Checker) atWork(a At, n *Node) {
	if n.Timeout.WorkingDays > 0 {
		v.Error(a, "out-of-range", "'timeout' cannot be working days"+a.On, "a step is at work until it ends: write for example 10m or 2h")
	}
}
