package idiom

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sluice/engine/expr"
)

// Condition is an expression of a route, as far as it is made of comparisons.
type Condition struct {
	Op    string // and, or, not: of Parts; an operator; empty = the list has no items; "" = an expression of another form
	Parts []Condition
	Path  string // what is compared
	Value string // what it is compared with, as it is written: a literal or a path
	Src   string // the whole
}

var (
	comparisonForm = regexp.MustCompile(`^(` + pathForm + `) (>=|<=|==|!=|>|<|contains) (` + textForm + `|-?[0-9.]+|` + pathForm + `)$`)
	negatedForm    = regexp.MustCompile(`^not \((.*)\)$`)
	lengthForm     = regexp.MustCompile(`^len\((` + pathForm + `)\) (== 0|> 0)$`)
)

// OfRoute is the condition of a route of a decision: a literal is what the expression of the decision is compared with.
func OfRoute(decided, when string) string {
	literal, is := expr.Literal(when)
	if !is {
		return when
	}
	if literal == true {
		return decided
	}
	if text, isText := literal.(string); isText {
		when = Literal(text)
	}
	return decided + " == " + strings.TrimSpace(when)
}

// ReadCondition takes an expression apart. It leaves out that a value is there beside another comparison of it.
func ReadCondition(src string) Condition {
	src = strings.TrimSpace(src)
	for _, op := range []string{"or", "and"} {
		parts := withoutGuards(cutOutside(src, " "+op+" "))
		if len(parts) == 1 {
			src = parts[0]
			continue
		}
		c := Condition{Op: op, Src: src}
		for _, part := range parts {
			c.Parts = append(c.Parts, ReadCondition(part))
		}
		return c
	}
	if strings.HasPrefix(src, "(") && strings.HasSuffix(src, ")") {
		return ReadCondition(src[1 : len(src)-1])
	}
	c := Condition{Src: src}
	if m := negatedForm.FindStringSubmatch(src); m != nil {
		c.Op, c.Parts = "not", []Condition{ReadCondition(m[1])}
	} else if m := lengthForm.FindStringSubmatch(src); m != nil {
		empty := Condition{Op: "empty", Path: m[1], Src: "len(" + m[1] + ") == 0"}
		if c = empty; m[2] == "> 0" {
			c = Condition{Op: "not", Parts: []Condition{empty}, Src: src}
		}
	} else if m := comparisonForm.FindStringSubmatch(src); m != nil {
		c.Path, c.Op, c.Value = m[1], m[2], m[3]
	}
	return c
}

// Other says what the path is compared with: in words, and its value when it is written out, a number as a float64.
func (c Condition) Other() (words string, literal any, written bool) {
	literal, written = expr.Literal(c.Value)
	text, isText := literal.(string)
	switch {
	case !written || isText && !strings.HasPrefix(c.Value, "'"):
		return Spoken(c.Value), nil, false
	case isText:
		return text, text, true
	}
	if n, err := strconv.ParseFloat(c.Value, 64); err == nil {
		literal = n
	}
	return c.Value, literal, true
}

// Negates reports whether one condition is the opposite of another, for values that are there.
func (c Condition) Negates(other Condition) bool {
	switch {
	case c.Op == "not":
		return c.Parts[0].Src == other.Src
	case other.Op == "not":
		return other.Parts[0].Src == c.Src
	case len(c.Parts) > 0:
		return c.Op != other.Op && slices.EqualFunc(c.Parts, other.Parts, Condition.Negates)
	case c.Op == "==" && other.Op == "==" && (c.Value == "true" && other.Value == "false" || c.Value == "false" && other.Value == "true"):
		return c.Path == other.Path
	}
	return c.Op != "" && c.Path == other.Path && c.Value == other.Value && Inverse[c.Op] == other.Op
}

// Inverse gives the operator that holds when another one does not.
var Inverse = map[string]string{"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}

// cutOutside cuts at a separator outside of quotes and brackets.
func cutOutside(s, sep string) []string {
	var out []string
	depth, from := 0, 0
	quoted := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && quoted:
			i++
		case c == '\'':
			quoted = !quoted
		case quoted:
		case depth == 0 && strings.HasPrefix(s[i:], sep):
			out = append(out, s[from:i])
			from = i + len(sep)
			i = from - 1
		case c == '(' || c == '[':
			depth++
		case c == ')' || c == ']':
			depth--
		}
	}
	return append(out, s[from:])
}

// withoutGuards leaves out "there is an X" beside another comparison of X.
func withoutGuards(parts []string) []string {
	return slices.DeleteFunc(slices.Clone(parts), func(p string) bool {
		path, ok := strings.CutSuffix(p, " != null")
		return ok && slices.ContainsFunc(parts, func(q string) bool { return q != p && strings.Contains(q, path+" ") })
	})
}
