package flow

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Comparison is a condition of the form PATH OP VALUE.
type Comparison struct{ Path, Op, Value string }

var comparisonForm = regexp.MustCompile(`^\s*([\p{L}_][\p{L}\p{N}_.-]*)\s*(==|!=|<=|>=|<|>)\s*('[^']*'|"[^"]*"|-?[0-9.]+|true|false)\s*$`)

// ParseComparison reads a condition that is a comparison and nothing else.
func ParseComparison(expr string) (Comparison, bool) {
	m := comparisonForm.FindStringSubmatch(expr)
	if m == nil {
		return Comparison{}, false
	}
	return Comparison{m[1], m[2], strings.Trim(m[3], `'"`)}, true
}

var choicePattern = regexp.MustCompile(`^\s*approvals\.([A-Za-z0-9_-]+)\s*==\s*(?:'([^']*)'|"([^"]*)")\s*$`)

var orPattern = regexp.MustCompile(`\s+or\s+|\s*\|\|\s*`)

// chosen lists the choices of the gate that a condition compares with, if it contains nothing else.
func chosen(gate, when string) []string {
	var out []string
	for _, part := range orPattern.Split(when, -1) {
		m := choicePattern.FindStringSubmatch(part)
		if m == nil || m[1] != gate {
			return nil
		}
		out = append(out, m[2]+m[3])
	}
	return out
}

// Choices lists the choices of the gate that take a route, if its condition contains nothing else.
func (r Route) Choices(gate string) []string {
	switch r.If {
	case IfExpr:
		return chosen(gate, r.When)
	case IfHandle:
		return []string{r.When}
	default:
		return nil
	}
}

// ConditionWords say in a few words when a route with a condition of another format is taken: "it succeeds"; "" for an
// expression.
func (r Route) ConditionWords() string {
	switch r.If {
	case IfAlways:
		return "always"
	case IfOutcome:
		if r.When == OutcomeFailure {
			return "it fails"
		}
		return "it succeeds"
	case IfNext:
		return "it names " + r.When + " as the next"
	case IfTool:
		return "the tool was " + r.When
	case IfHandle:
		return "it leaves by " + r.When
	case IfEquals:
		return "the value is " + r.When
	case IfLLM:
		return "a model says yes to '" + r.When + "'"
	default:
		return ""
	}
}

// BareLiteral reports whether a decision's "when" is compared as it stands instead of being evaluated: a number, a
// quoted string, or words without an operator among them. Validation uses it when [Checks].Literal is missing, and charts use it for labels.
func BareLiteral(when string) bool {
	when = strings.TrimSpace(when)
	if numberOrQuoted.MatchString(when) {
		return true
	}
	words := strings.Fields(when)
	for _, w := range words {
		odd := func(r rune) bool { return r != '-' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }
		if strings.ContainsFunc(w, odd) || len(words) > 1 && slices.Contains(wordOperators, strings.ToLower(w)) {
			return false
		}
	}
	return len(words) > 0
}

var numberOrQuoted = regexp.MustCompile(`^(?:[-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?|'[^']*'|"[^"]*")$`)

var wordOperators = []string{"and", "or", "not", "in", "contains", "matches"}
