package raise

import (
	"fmt"
	"regexp"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/planner/english"
	"sluice/engine/planner/tree"
)

// Names says in words of a draft what its flow calls by the ids of nodes.
type Names struct {
	Flow    *flow.Flow
	Steps   map[string]string // by node: the step that it was made from
	Numbers map[string]string // of the steps
}

// Problem writes a problem for people: with the number of the step instead of the id of the node, and with the names of values.
func (v Names) Problem(problem flow.Problem) string {
	text := strings.TrimSuffix(problem.Message, fmt.Sprintf(" on flow node '%s'", problem.Node))
	if number := v.Numbers[v.Steps[problem.Node]]; number != "" {
		text = "Step " + number + ": " + text
	}
	text = quotedPath.ReplaceAllStringFunc(text, func(s string) string {
		path := strings.Trim(s, "'")
		if ref := v.Ref(path); ref == (tree.Ref{}) {
			return s
		}
		return v.Words(path)
	})
	text = english.SentenceCase(text) + "."
	if problem.Hint != "" {
		text += " " + english.SentenceCase(strings.TrimSuffix(problem.Hint, ".")) + "."
	}
	return text
}

// quotedPath is a value as problems write it.
var quotedPath = regexp.MustCompile(`'[a-z_][a-z0-9_]*(\.[a-z0-9_]+)+'`)

// Ref reads the reference of an expression, such as look_up.result.amount.
func (v Names) Ref(path string) tree.Ref {
	r, _ := Ref(v.Flow, path)
	if r.Step = v.Steps[r.Step]; r.Step == "" && r.Input == "" {
		return tree.Ref{}
	}
	return r
}

// Words gives the words for the value that an expression reads.
func (v Names) Words(path string) string {
	ref := v.Ref(path)
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
