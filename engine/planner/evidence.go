package planner

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"sluice/engine/flow"
	"sluice/engine/planner/english"
	"sluice/engine/planner/idiom"
	"sluice/engine/planner/match"
	"sluice/engine/planner/tree"
)

// evidence is what the fields of an element hold. Words of the element that matter must be among them.
type evidence struct {
	numbers map[float64]bool
	tokens  map[string]bool
	negated bool // the element can say the opposite of something
}

func evidenceOf(fields ...any) *evidence {
	e := &evidence{numbers: map[float64]bool{}, tokens: map[string]bool{}}
	for _, text := range fieldsText(fields...) {
		e.add(text)
	}
	return e
}

// stepEvidence is the evidence of a step itself, without the steps below it.
func stepEvidence(s *tree.Step) *evidence {
	own := s.Own()
	own.Said = tree.Quote{}
	own.Fields = slices.DeleteFunc(slices.Clone(s.Fields), func(f tree.Field) bool { // "must be less than 500" names nothing
		return slices.ContainsFunc(english.Scan(english.PlainName(f.Name)), func(w english.Word) bool { return match.Finite[w.Low] })
	})
	e := evidenceOf(own)
	for _, n := range []int{len(s.Branches), len(s.Who), len(s.Choices), len(s.To)} {
		e.numbers[float64(n)] = true
	}
	if s.Kind == tree.Tell && len(s.To) > 0 && !slices.ContainsFunc(s.To, func(n tree.Name) bool { return !strings.HasPrefix(n.Is, "#") }) { // "tell everyone in #team"
		e.add("everyone everybody all")
	}
	e.times(s.Time)
	if s.Kind == tree.Ask && len(s.Choices)+len(s.Fields) == 0 && !s.Free { // "two buttons"
		e.numbers[2] = true
	}
	if s.Retry > 1 { // "retry twice" is three attempts
		e.numbers[float64(s.Retry-1)] = true
	}
	for _, n := range append(slices.Clone(s.Who), s.To...) {
		if n.Open() { // it is asked about by itself
			e.add(n.Words)
		}
	}
	for _, c := range s.Conds() {
		e.judged(c)
	}
	e.negated = len(s.OnError) > 0 || s.Deadline != nil || s.Until != nil && negated(s.Until)
	return e
}

// judged adds the words of a condition that people or a model decide: they are asked with these words.
func (e *evidence) judged(c *tree.Cond) {
	answer := c.Left.Ref.Step != "" && (c.Op == tree.OpTrue && c.Left.Ref.Field == "holds" || c.Op == "==" && c.Right.Literal == "yes")
	if c.Op == "" || answer {
		e.add(c.Words)
	}
}

// branch is the evidence for the words of one branch. A negation of another branch is not part of it.
func (e *evidence) branch(b *tree.Branch) *evidence {
	out := *e
	out.negated = b.Else || len(b.Steps) == 0 || b.Choice != "" || b.When != nil && negated(b.When)
	return &out
}

// negated reports whether a condition can say the opposite of something.
func negated(c *tree.Cond) bool {
	switch right := c.Right.Literal.(type) {
	case bool:
		if !right {
			return true
		}
	case string:
		if match.Negative[english.Stem(strings.ToLower(right))] {
			return true
		}
	}
	return c.Op == tree.OpNot || c.Op == tree.OpEmpty || c.Op == "!=" || c.Op == "<=" || c.Op == ">=" || slices.ContainsFunc(c.Parts, func(p tree.Cond) bool { return negated(&p) })
}

func (e *evidence) add(text string) {
	for _, w := range english.Scan(text) {
		e.tokens[w.Low] = true
		if n, ok := english.ParseNumber(w.Text); ok {
			e.numbers[n] = true
		}
		if w.Kind == english.QuotedWord {
			for _, inner := range english.Scan(w.Text) {
				e.tokens[inner.Low] = true
			}
		}
	}
	for _, n := range digits(text) {
		e.numbers[n] = true
	}
	if d, err := flow.ParseDuration(text); err == nil && d.Clock > 0 {
		for _, unit := range []time.Duration{time.Second, time.Minute, time.Hour, 24 * time.Hour, 7 * 24 * time.Hour, 30 * 24 * time.Hour} {
			e.numbers[float64(d.Clock)/float64(unit)] = true
		}
	}
}

// times adds the hours of a time of day, also as a 12-hour clock counts them.
func (e *evidence) times(text string) {
	for n := range maps.Clone(e.numbers) {
		if n >= 12 && n < 24 && text != "" {
			e.numbers[n-12] = true
		}
	}
	if e.numbers[0] {
		e.numbers[12] = true
	}
}

// digits are the numbers inside a text, such as 14 and 30 of 14:30.
func digits(text string) []float64 {
	var out []float64
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsDigit(r) }) {
		if n, err := strconv.ParseFloat(part, 64); err == nil {
			out = append(out, n)
		}
	}
	return out
}

// word reports whether a word fits its element: a number, name, address, quoted text or negation must be in one of the element's fields.
func (e *evidence) word(w english.Word) bool {
	switch w.Kind {
	case english.SignWord:
		return true
	case english.NumberWord:
		n, _ := english.ParseNumber(w.Text)
		return e.numbers[n] || e.tokens[w.Low]
	case english.NameWord, english.URLWord:
		return e.tokens[w.Low]
	case english.InputWord:
		return e.tokens[idiom.InputName(w.Text)] || e.tokens[w.Low]
	case english.QuotedWord:
		return e.tokens[w.Low] || !slices.ContainsFunc(english.Scan(w.Text), func(w english.Word) bool { return w.Kind != english.SignWord && !e.tokens[w.Low] && !e.word(w) })
	}
	if n, ok := english.Numerals[w.Low]; ok {
		return e.numbers[n] || e.numbers[1e2*n] || e.numbers[1e3*n] || e.numbers[1e6*n] || e.tokens[w.Low] // "five thousand"
	}
	if english.Denials[w.Low] && w.Low != "stop" && w.Low != "skip" {
		return e.negated || e.tokens[w.Low]
	}
	if !w.Literal() || e.tokens[w.Low] {
		return true
	}
	return !slices.ContainsFunc(digits(w.Text), func(n float64) bool { return !e.numbers[n] })
}

// fieldsText lists the scalar values of fields, except quotes and the words that were read.
func fieldsText(fields ...any) []string {
	var out []string
	for _, f := range fields {
		b, err := json.Marshal(f)
		var v any
		if err == nil && json.Unmarshal(b, &v) == nil {
			out = leaves(v, out)
		}
	}
	return out
}

func leaves(v any, out []string) []string {
	switch v := v.(type) {
	case map[string]any:
		for name, e := range v {
			if name != "at" && name != "words" && name != "id" {
				out = leaves(e, out)
			}
		}
	case []any:
		for _, e := range v {
			out = leaves(e, out)
		}
	case nil:
	case float64:
		out = append(out, strconv.FormatFloat(v, 'f', -1, 64))
	default:
		out = append(out, fmt.Sprint(v))
	}
	return out
}
