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

// evidenceOf holds the scalar values of fields, except quotes and the words that were read.
func evidenceOf(fields ...any) *evidence {
	e := &evidence{numbers: map[float64]bool{}, tokens: map[string]bool{}}
	body, err := json.Marshal(fields)
	var all any
	if err == nil && json.Unmarshal(body, &all) == nil {
		e.leaves(all)
	}
	return e
}

func (e *evidence) leaves(v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, f := range v {
			if !slices.Contains([]string{"at", "words", "id", "step", "item"}, name) { // an id such as s2 is no number
				e.leaves(f)
			}
		}
	case []any:
		for _, f := range v {
			e.leaves(f)
		}
	case nil:
	case float64:
		e.add(strconv.FormatFloat(v, 'f', -1, 64))
	default:
		e.add(fmt.Sprint(v))
	}
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
	if d := s.Deadline; d != nil { // "within 10 minutes, then ask @bob, and after another 20 minutes ..."
		first, err := flow.ParseDuration(d.EscalateAfter)
		whole, errWhole := flow.ParseDuration(d.After)
		if err == nil && errWhole == nil && whole.Clock > first.Clock {
			e.add(flow.Duration{Clock: whole.Clock - first.Clock}.String())
		}
	}
	if s.Approves() { // "two buttons"
		e.numbers[2] = true
	}
	for _, n := range []int{s.Retry, s.Max} {
		if n > 1 { // "retry twice" is three attempts
			e.numbers[float64(n-1)] = true
		}
	}
	for _, n := range s.Names() {
		if n.Open() { // it is asked about by itself
			e.add(n.Words)
		}
	}
	for _, c := range s.Conds() { // what people or a model decide is asked with these words
		answer := c.Left.Ref.Step != "" && (c.Op == tree.OpTrue && c.Left.Ref.Field == "holds" || c.Op == "==" && c.Right.Literal == "yes")
		if c.Op == "" || answer {
			e.add(c.Words)
		}
		same := map[string]int{}
		for _, part := range c.Parts { // "both scores are at least 7" is said of each
			if same[part.Words]++; c.Op == tree.OpAnd && (same[part.Words] == 2 || len(c.Parts) == 2) {
				e.add("both")
			}
		}
	}
	e.negated = len(s.OnError) > 0 || s.Deadline != nil || s.Kind == tree.Stop // "and nothing more"
	return e
}

// branch is the evidence for the words of one branch. A negation of another branch is not part of it.
func (e *evidence) branch(b *tree.Branch) *evidence {
	out := *e
	out.negated = b.Else || len(b.Steps) == 0 || b.Choice != "" || negated(b.When)
	return &out
}

// negated reports whether a condition can say the opposite of something.
func negated(c *tree.Cond) bool {
	return slices.ContainsFunc(c.All(), func(c *tree.Cond) bool {
		right, _ := c.Right.Literal.(string)
		if slices.Contains(flow.DefaultChoices(), right) { // "until there are no objections" is an approval
			return true
		}
		return c.Right.Literal == false || match.Negative[english.Stem(strings.ToLower(right))] || slices.Contains([]string{tree.OpNot, tree.OpEmpty, "!=", "<=", ">="}, c.Op)
	})
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
