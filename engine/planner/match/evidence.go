package match

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"sluice/engine/flow"
	"sluice/engine/planner/english"
	"sluice/engine/planner/idiom"
	"sluice/engine/planner/tree"
)

// Evidence is what the fields of an element hold. Words of the element that matter must be among them.
type Evidence struct {
	Numbers map[float64]bool
	tokens  map[string]bool
	Negated bool // the element can say the opposite of something
}

// EvidenceOf holds the scalar values of fields, except quotes and the words that were read.
func EvidenceOf(fields ...any) *Evidence {
	e := &Evidence{Numbers: map[float64]bool{}, tokens: map[string]bool{}}
	body, err := json.Marshal(fields)
	var all any
	if err == nil && json.Unmarshal(body, &all) == nil {
		e.leaves(all)
	}
	return e
}

func (e *Evidence) leaves(v any) {
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
		e.Add(strconv.FormatFloat(v, 'f', -1, 64))
	default:
		e.Add(fmt.Sprint(v))
	}
}

// StepEvidence is the evidence of a step itself, without the steps below it.
func StepEvidence(s *tree.Step) *Evidence {
	own := s.Own()
	own.Said = tree.Quote{}
	own.Fields = slices.DeleteFunc(slices.Clone(s.Fields), func(f tree.Field) bool { // "must be less than 500" names nothing
		return slices.ContainsFunc(english.Scan(english.PlainName(f.Name)), func(w english.Word) bool { return Finite[w.Low] })
	})
	e := EvidenceOf(own)
	e.countsOf(s)
	if s.Kind == tree.Tell && len(s.To) > 0 && !slices.ContainsFunc(s.To, func(n tree.Name) bool { return !strings.HasPrefix(n.Is, "#") }) { // "tell everyone in #team"
		e.Add("everyone everybody all")
	}
	e.Times(s.Time)
	if s.Deadline != nil && strings.HasPrefix(s.Deadline.After, tree.Until) {
		e.Times(s.Deadline.After)
	}
	if d := s.Deadline; d != nil { // "within 10 minutes, then ask @bob, and after another 20 minutes ..."
		first, err := flow.ParseDuration(d.EscalateAfter)
		whole, errWhole := flow.ParseDuration(d.After)
		if err == nil && errWhole == nil && whole.Clock > first.Clock {
			e.Add(flow.Duration{Clock: whole.Clock - first.Clock}.String())
		}
	}
	for _, n := range s.Names() {
		if n.Open() { // it is asked about by itself
			e.Add(n.Words)
		}
	}
	for _, c := range s.Conds() { // what people or a model decide is asked with these words
		answer := c.Left.Ref.Step != "" && (c.Op == tree.OpTrue && c.Left.Ref.Field == "holds" || c.Op == "==" && c.Right.Literal == "yes")
		if c.Op == "" || answer {
			e.Add(c.Words)
		}
		if c.Left.Ref != (tree.Ref{}) && c.Right.Ref != (tree.Ref{}) {
			e.Add("two") // "if the two numbers differ"
		}
		same := map[string]int{}
		for _, part := range c.Parts { // "both scores are at least 7" is said of each
			if same[part.Words]++; c.Op == tree.OpAnd && (same[part.Words] == 2 || len(c.Parts) == 2) {
				e.Add("both")
			}
		}
	}
	e.Negated = len(s.OnError) > 0 || s.Retry > 1 || s.Deadline != nil || s.Kind == tree.Stop // "if it does not work", "and nothing more"
	return e
}

// countsOf adds how many people, answers and ways a step has, and how often it is done.
func (e *Evidence) countsOf(s *tree.Step) {
	for _, n := range []int{len(s.Branches), len(s.Who), len(s.Choices), len(s.To)} {
		e.Numbers[float64(n)] = true
	}
	if s.Kind == tree.Parallel { // "2, 3 and 4 at the same time", "together with the other two"
		e.Numbers[float64(len(s.Branches)-1)] = true
		for _, list := range s.Lists() {
			for _, in := range *list {
				e.Numbers[float64(in.No)] = true
			}
		}
	}
	if s.Approves() { // "two buttons"
		e.Numbers[2] = true
	}
	for _, n := range []int{s.Retry, s.Max} {
		if n > 1 { // "retry twice" is three attempts
			e.Numbers[float64(n-1)] = true
		}
	}
}

// Branch is the evidence for the words of one branch. A negation of another branch is not part of it.
func (e *Evidence) Branch(b *tree.Branch) *Evidence {
	out := *e
	out.Negated = b.Else || len(b.Steps) == 0 || b.Choice != "" || Negated(b.When)
	return &out
}

// Negated reports whether a condition can say the opposite of something.
func Negated(c *tree.Cond) bool {
	return slices.ContainsFunc(c.All(), func(c *tree.Cond) bool {
		right, _ := c.Right.Literal.(string)
		if slices.Contains(flow.DefaultChoices(), right) { // "until there are no objections" is an approval
			return true
		}
		return c.Right.Literal == false || Negative[english.Stem(strings.ToLower(right))] || slices.Contains([]string{tree.OpNot, tree.OpEmpty, "!=", "<=", ">="}, c.Op)
	})
}

// Add takes the words and numbers of a text.
func (e *Evidence) Add(text string) {
	for _, w := range english.Scan(text) {
		e.tokens[w.Low] = true
		if n, ok := english.ParseNumber(w.Text); ok {
			e.Numbers[n] = true
		}
		if w.Kind == english.QuotedWord {
			for _, inner := range english.Scan(w.Text) {
				e.tokens[inner.Low] = true
			}
		}
	}
	for _, n := range digits(text) {
		e.Numbers[n] = true
	}
	if d, err := flow.ParseDuration(text); err == nil && d.Clock > 0 {
		for _, unit := range []time.Duration{time.Second, time.Minute, time.Hour, 24 * time.Hour, 7 * 24 * time.Hour, 30 * 24 * time.Hour} {
			e.Numbers[float64(d.Clock)/float64(unit)] = true
		}
	}
}

// Times adds the hours of a time of day, also as a 12-hour clock counts them.
func (e *Evidence) Times(text string) {
	for n := range maps.Clone(e.Numbers) {
		if n >= 12 && n < 24 && text != "" {
			e.Numbers[n-12] = true
		}
	}
	if m := untilHour.FindStringSubmatch(text); m != nil { // "*/30 8-17": its last minute is before 18
		last, _ := strconv.ParseFloat(m[1], 64)
		e.Numbers[last+1] = true
	}
	if e.Numbers[0] {
		e.Numbers[12] = true
	}
	if e.Numbers[30] { // "half past eight"
		e.Numbers[0.5] = true
	}
}

// untilHour finds the last hour of a schedule that runs several times in each of some hours.
var untilHour = regexp.MustCompile(`^\*/\d+ \d+-(\d+) `)

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

// Has reports whether a word fits its element: a number, name, address, quoted text or negation must be in one of the element's fields.
func (e *Evidence) Has(w english.Word) bool {
	switch w.Kind {
	case english.SignWord:
		return true
	case english.NumberWord:
		n, _ := english.ParseNumber(w.Text)
		return e.Numbers[n] || e.tokens[w.Low]
	case english.NameWord, english.URLWord:
		return e.tokens[w.Low]
	case english.InputWord:
		return e.tokens[idiom.InputName(w.Text)] || e.tokens[w.Low]
	case english.QuotedWord:
		return e.tokens[w.Low] || !slices.ContainsFunc(english.Scan(w.Text), func(w english.Word) bool { return w.Kind != english.SignWord && !e.tokens[w.Low] && !e.Has(w) })
	}
	if n, ok := english.Numerals[w.Low]; ok {
		return e.Numbers[n] || e.Numbers[1e2*n] || e.Numbers[1e3*n] || e.Numbers[1e6*n] || e.tokens[w.Low] // "five thousand"
	}
	if english.Denials[w.Low] && w.Low != "stop" && w.Low != "skip" {
		return e.Negated || e.tokens[w.Low]
	}
	if !w.Literal() || e.tokens[w.Low] {
		return true
	}
	return !slices.ContainsFunc(digits(w.Text), func(n float64) bool { return !e.Numbers[n] })
}

// InputsUsed are the inputs that steps and triggers use.
func InputsUsed(t *tree.Tree) map[string]bool {
	out := map[string]bool{}
	for s := range t.Walk {
		for _, r := range s.Uses() {
			out[r.Input] = true
		}
		texts := []string{s.Event, s.Over.Words, "<" + s.Times + ">"}
		if len(s.Parts) == 0 {
			texts = append(texts, s.Text)
		}
		for _, c := range s.Conds() {
			if c.Op == "" || c.Left.Open() {
				texts = append(texts, c.Words)
			}
		}
		for _, prm := range s.Params {
			texts = append(texts, fmt.Sprint(prm.Value.Literal))
		}
		AddInputs(out, strings.Join(texts, "\n"))
	}
	for _, in := range t.Inputs {
		for _, g := range t.Triggers {
			AddInputs(out, g.Words)
			out[in.Name] = out[in.Name] || strings.Contains(g.Match, "(?P<"+in.Name+">")
		}
	}
	return out
}

// AddInputs adds the inputs that a text names, <colour>.
func AddInputs(to map[string]bool, text string) {
	for _, m := range inputNamed.FindAllStringSubmatch(text, -1) {
		to[idiom.InputName(m[1])] = true
	}
}

var inputNamed = regexp.MustCompile(`[<{]([^<>{}\n]+)[>}]`)
