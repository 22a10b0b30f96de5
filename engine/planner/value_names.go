package planner

import (
	"fmt"
	"regexp"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/planner/english"
	"sluice/engine/planner/raise"
	"sluice/engine/planner/tree"
)

// valueNames says in words of the draft what the flow calls by the ids of its nodes.
type valueNames struct {
	*Proposal
	steps map[string]string // by node: the step that it was made from
}

// problem writes a problem for people: with the number of the step instead of the id of the node, and with the names of values.
func (v valueNames) problem(problem flow.Problem) string {
	text := strings.TrimSuffix(problem.Message, fmt.Sprintf(" on flow node '%s'", problem.Node))
	if number := v.Numbers[v.steps[problem.Node]]; number != "" {
		text = "Step " + number + ": " + text
	}
	text = quotedPath.ReplaceAllStringFunc(text, func(s string) string {
		path := strings.Trim(s, "'")
		if ref := v.ref(path); ref == (tree.Ref{}) {
			return s
		}
		return v.words(path)
	})
	text = english.SentenceCase(text) + "."
	if problem.Hint != "" {
		text += " " + english.SentenceCase(strings.TrimSuffix(problem.Hint, ".")) + "."
	}
	return text
}

// quotedPath is a value as problems write it.
var quotedPath = regexp.MustCompile(`'[a-z_][a-z0-9_]*(\.[a-z0-9_]+)+'`)

// ref reads the reference of an expression, such as look_up.result.amount.
func (v valueNames) ref(path string) tree.Ref {
	r, _ := raise.Ref(v.Flow, path)
	if r.Step = v.steps[r.Step]; r.Step == "" && r.Input == "" {
		return tree.Ref{}
	}
	return r
}

// words gives the words for the value that an expression reads.
func (v valueNames) words(path string) string {
	ref := v.ref(path)
	switch {
	case ref.Input != "":
		return "the input " + english.PlainName(strings.TrimSuffix(ref.Input+"."+ref.Field, "."))
	case ref.Step != "" && ref.Field != "":
		return fmt.Sprintf("the %s of step %s", english.PlainName(ref.Field), v.Numbers[ref.Step])
	case ref.Step != "":
		return "the result of step " + v.Numbers[ref.Step]
	}
	return english.Quote(path)
}
