package idiom

import (
	"strings"

	"sluice/engine/flow"
	"sluice/engine/flow/refusal"
)

// Unsure marks the name of a node that needs an answer, unanswered is its description when the name has all its words.
const (
	Unsure     = " (?)"
	Unanswered = "needs an answer"
)

// Stopped is what a terminal gives at which a branch ends early.
const Stopped = "stopped"

// Late is what the terminal of a time limit gives.
const Late = "late"

// NotKnown labels the way of a decision whose value is missing.
const NotKnown = "not known"

// Refuses reports whether a choice is a refusal by its own words.
func Refuses(choice string) bool {
	r, _ := refusal.Named(choice)
	return r != refusal.None
}

// SomebodyDecides describes a question in the place of a condition.
const SomebodyDecides = "somebody decides"

// PersonDecides describes a question to named people whose answer is that of a condition.
const PersonDecides = "a person decides"

// Counts reports whether a node only counts the rounds of a repeat.
func Counts(s *flow.SetSpec) bool {
	for name, value := range s.Vars {
		if value != "{{vars."+name+"}}x" && value != "" || !strings.HasPrefix(name, "rounds_") {
			return false
		}
	}
	return true
}

// What people read where lowering ends a way: the run's, or that of a branch, behind which other branches go on.
const (
	RunEnds   = "the run ends here"
	WayEnds   = "this way ends here"
	EndOfWay  = "This way ends"
	EndsEarly = "Did one of them end early?"
)

// Results names the end of a run that gives several values.
const Results = "Give the results"

// Generated reports whether a node is a message that lowering adds where a way ends.
func Generated(n *flow.Node) bool {
	return n != nil && n.Kind == flow.KindSay && n.Name == "Tell the requester" && (n.Description == RunEnds || n.Description == WayEnds)
}

// EndsWay reports whether a node is the end that lowering adds to a branch, or to a run.
func EndsWay(n *flow.Node) bool {
	s, ok := n.Spec.(*flow.TerminalSpec)
	return ok && (n.Name == Results || s.Output == Stopped && n.Name == EndOfWay)
}
