package plan

import (
	"slices"
	"strings"
)

// condition is a tree of comparisons.
type condition struct {
	join string // "and", "or"; "" = one comparison
	kids []*condition

	subject  []word // what is compared, without articles
	op       operator
	values   []word // what it is compared with
	unit     string // the word behind a number: EUR, days
	words    string // the comparison as written
	flag     bool   // "the order is late": the value may be the name of a yes or no
	yesNo    bool   // and it is
	inverted bool   // the whole comparison is turned round ("unless")
	mixed    bool   // "and" and "or" stand side by side
}

type operator string

const (
	over     operator = ">"
	under    operator = "<"
	atLeast  operator = ">="
	atMost   operator = "<="
	equal    operator = "=="
	unequal  operator = "!="
	between  operator = "between"
	contains operator = "contains"
	missing  operator = "missing"
	present  operator = "present"
)

// inverse gives the operator that holds when the other does not, for a value that is there.
var inverse = map[operator]operator{
	over: atMost, under: atLeast, atLeast: under, atMost: over, equal: unequal, unequal: equal, missing: present, present: missing,
}

// comparators are the words for operators; longer ones stand first.
var comparators = []struct {
	words []string
	op    operator
}{
	{[]string{"greater", "than", "or", "equal", "to"}, atLeast},
	{[]string{"less", "than", "or", "equal", "to"}, atMost},
	{[]string{"no", "more", "than"}, atMost},
	{[]string{"not", "more", "than"}, atMost},
	{[]string{"no", "less", "than"}, atLeast},
	{[]string{"not", "less", "than"}, atLeast},
	{[]string{"not", "equal", "to"}, unequal},
	{[]string{"different", "from"}, unequal},
	{[]string{"not", "over"}, atMost},
	{[]string{"not", "above"}, atMost},
	{[]string{"not", "under"}, atLeast},
	{[]string{"not", "below"}, atLeast},
	{[]string{"more", "than"}, over},
	{[]string{"greater", "than"}, over},
	{[]string{"bigger", "than"}, over},
	{[]string{"larger", "than"}, over},
	{[]string{"higher", "than"}, over},
	{[]string{"longer", "than"}, over},
	{[]string{"older", "than"}, over},
	{[]string{"less", "than"}, under},
	{[]string{"fewer", "than"}, under},
	{[]string{"smaller", "than"}, under},
	{[]string{"lower", "than"}, under},
	{[]string{"shorter", "than"}, under},
	{[]string{"younger", "than"}, under},
	{[]string{"at", "least"}, atLeast},
	{[]string{"at", "most"}, atMost},
	{[]string{"up", "to"}, atMost},
	{[]string{"equal", "to"}, equal},
	{[]string{"over"}, over},
	{[]string{"above"}, over},
	{[]string{"exceeds"}, over},
	{[]string{"under"}, under},
	{[]string{"below"}, under},
	{[]string{"between"}, between},
	{[]string{">="}, atLeast},
	{[]string{"≥"}, atLeast},
	{[]string{"<="}, atMost},
	{[]string{"≤"}, atMost},
	{[]string{"=="}, equal},
	{[]string{"!="}, unequal},
	{[]string{"≠"}, unequal},
	{[]string{">"}, over},
	{[]string{"<"}, under},
	{[]string{"="}, equal},
	{[]string{"equals"}, equal},
	{[]string{"contains"}, contains},
	{[]string{"includes"}, contains},
	{[]string{"mentions"}, contains},
	{[]string{"exactly"}, equal},
}

var (
	copulas  = wordSet("is are was were isn't aren't wasn't has have had")
	absent   = wordSet("missing empty unknown blank")
	existing = wordSet("set given there known present filled available")
	subjects = wordSet("the a an its their this that of for our your my")
)

// readCondition reads the words of a condition; nil when they are none. "And" binds tighter than "or", and values that follow one
// another ("is ACME or Globex") tighter than both.
func readCondition(text string, words []word) *condition {
	for len(words) > 0 && words[len(words)-1].kind == signWord && words[len(words)-1].low != "%" {
		words = words[:len(words)-1]
	}
	if len(words) < 2 || len(words) > maxCondition {
		return nil
	}
	var all []piece
	var last *condition
	for _, p := range pieces(words) {
		c := readComparison(text, p.words, last)
		if c == nil {
			return nil
		}
		last = c
		if c.words == "" {
			all[len(all)-1].with(p.joint, c)
			continue
		}
		p.cond = c
		all = append(all, p)
	}
	c := arrange(all)
	if c.join != "" {
		if begins(words, "it", "is") || begins(words, "they", "are") {
			words = words[2:]
		}
		c.words = span(text, withoutArticle(words))
	}
	return c
}

// piece is a part of a condition between "and" and "or".
type piece struct {
	joint string // what stands before it
	words []word
	cond  *condition
}

// with adds another value to the comparison: "is A or B", and "is not A or B", which means neither.
func (p *piece) with(joint string, c *condition) {
	if c.op == unequal {
		joint = "and"
	}
	if p.cond.join == "" {
		p.cond = &condition{join: joint, kids: []*condition{p.cond}, words: p.cond.words, values: p.cond.values}
	}
	p.cond.kids = append(p.cond.kids, c)
}

// arrange makes the tree.
func arrange(all []piece) *condition {
	var either []*condition
	var both []*condition
	mixed := map[string]bool{}
	for i, p := range all {
		if i > 0 {
			mixed[p.joint] = true
		}
		if i > 0 && p.joint == "or" {
			either, both = append(either, joined("and", both)), nil
		}
		both = append(both, p.cond)
	}
	c := joined("or", append(either, joined("and", both)))
	if len(mixed) > 1 {
		c.mixed = true
	}
	return c
}

func joined(join string, kids []*condition) *condition {
	if len(kids) == 1 {
		return kids[0]
	}
	return &condition{join: join, kids: kids}
}

// pieces cuts at "and", "or" and commas where they join comparisons: not in "between 1 and 5", "100 or more" or "than or equal
// to". A comma joins as the next word does.
func pieces(words []word) []piece {
	var out []piece
	from, joint, inside := 0, "", false
	for i, w := range words {
		if w.low == "between" && w.kind == plainWord {
			inside = true
		}
		if i == from || i == len(words)-1 || !joins(words, i) {
			continue
		}
		if w.low == "and" && inside {
			inside = false
			continue
		}
		out = append(out, piece{joint: joint, words: words[from:i]})
		from, joint = i+1, w.low
		if w.low != "," {
			continue
		}
		joint = "or"
		if k := indexOf(words, i+1, "and", "or"); k > 0 {
			joint = words[k].low
			if k == i+1 {
				from = k + 1
			}
		}
	}
	if from >= len(words) {
		return out
	}
	return append(out, piece{joint: joint, words: words[from:]})
}

func joins(words []word, i int) bool {
	w := words[i]
	switch {
	case w.kind == signWord:
		return w.low == ","
	case w.kind != plainWord:
		return false
	case w.low == "or":
		next := words[i+1].low
		return next != "equal" && (tails[next] == "" || !endsHere(words, i+2))
	}
	return w.low == "and"
}

// tails are "or more" and "or less" behind a number.
var tails = map[string]operator{
	"more": atLeast, "above": atLeast, "higher": atLeast, "greater": atLeast, "over": atLeast,
	"less": atMost, "below": atMost, "lower": atMost, "fewer": atMost, "under": atMost,
}

func endsHere(words []word, i int) bool {
	return i >= len(words) || words[i].low == "and" || words[i].low == "or"
}

// readComparison reads one comparison. What it leaves out ("over 100 and under 500", "shipped or delivered") is taken from the
// one before.
func readComparison(text string, words []word, before *condition) *condition {
	if c := readExistence(text, words); c != nil {
		return c
	}
	c := &condition{words: span(text, words)}
	at, after := findOperator(words, c)
	switch {
	case at < 0 && before != nil:
		c.subject, c.op, c.flag, c.words = before.subject, before.op, before.flag, ""
		return c.take(text, words)
	case at < 0:
		return nil
	case at == 0 && before != nil:
		c.subject = before.subject
	default:
		c.subject = subjectOf(words[:at])
	}
	if len(c.subject) == 0 {
		return nil
	}
	if c.op == missing || c.op == present {
		if after < len(words) {
			return nil
		}
		return c
	}
	return c.take(text, words[after:])
}

// findOperator finds the operator: where it begins and where the value does.
func findOperator(words []word, c *condition) (at, after int) {
	for i, w := range words {
		if w.kind == quotedWord {
			continue
		}
		at, after = i, i
		linked := copulas[w.low] && w.kind == plainWord
		not := strings.HasSuffix(w.low, "n't")
		if linked {
			after++
		}
		if op, n := comparatorAt(words[after:]); n > 0 {
			c.op = op
			if not {
				c.op = inverse[op]
			}
			return at, after + n
		}
		if !linked {
			continue
		}
		if after < len(words) && words[after].low == "not" && words[after].kind == plainWord {
			not, after = true, after+1
		}
		return at, plainOperator(words, after, not, c)
	}
	return -1, 0
}

// plainOperator reads what a bare "is" means.
func plainOperator(words []word, after int, not bool, c *condition) int {
	c.op = equal
	if after == len(words)-1 && words[after].kind == plainWord && (absent[words[after].low] || existing[words[after].low]) {
		c.op = missing
		if existing[words[after].low] {
			c.op = present
		}
		after++
	} else {
		c.flag = true
		if begins(words[after:], "one", "of") {
			after, c.flag = after+2, false
		}
	}
	if not {
		c.op = inverse[c.op]
	}
	return after
}

func comparatorAt(words []word) (operator, int) {
	for _, c := range comparators {
		if begins(words, c.words...) {
			return c.op, len(c.words)
		}
	}
	return "", 0
}

// readExistence reads "there is no X", "there is an X", "no X" and "X does not exist".
func readExistence(text string, words []word) *condition {
	c := &condition{words: span(text, words)}
	switch {
	case begins(words, "there") && len(words) > 2 && copulas[words[1].low]:
		c.op = present
		words = words[2:]
		if words[0].low == "no" || words[0].low == "not" {
			c.op, words = missing, words[1:]
		}
	case begins(words, "no"):
		c.op, words = missing, words[1:]
	case len(words) > 3 && begins(words[len(words)-3:], "does", "not", "exist"):
		c.op, words = missing, words[:len(words)-3]
	case len(words) > 1 && words[len(words)-1].low == "exists":
		c.op, words = present, words[:len(words)-1]
	default:
		return nil
	}
	if at, _ := findOperator(words, &condition{}); at >= 0 {
		return nil
	}
	c.subject = subjectOf(words)
	if len(c.subject) == 0 || len(c.subject) > 4 {
		return nil
	}
	return c
}

func subjectOf(words []word) []word {
	var out []word
	for _, w := range words {
		switch {
		case w.kind == plainWord && !subjects[w.low]:
			out = append(out, w)
		case w.kind == plainWord:
		default:
			return nil
		}
	}
	if len(out) > 5 {
		return nil
	}
	return out
}

// take reads what stands behind the operator as the value.
func (c *condition) take(text string, words []word) *condition {
	words = withoutArticle(words)
	if len(words) >= 2 && words[len(words)-2].low == "or" && tails[words[len(words)-1].low] != "" && (c.op == equal || c.op == unequal) {
		op := tails[words[len(words)-1].low]
		if c.op == unequal {
			op = inverse[op]
		}
		c.op, words = op, words[:len(words)-2]
	}
	if len(words) == 0 {
		return nil
	}
	c.flag = c.flag && len(words) == 1 && words[0].kind == plainWord
	if words[0].kind == numberWord || words[0].low == "€" || words[0].low == "$" {
		return c.takeNumbers(words)
	}
	if c.op != equal && c.op != unequal && c.op != contains {
		return nil
	}
	if len(words) > 4 {
		return nil
	}
	v := words[0]
	if len(words) > 1 {
		v = word{kind: quotedWord, text: span(text, words), start: words[0].start, end: words[len(words)-1].end}
		v.low = strings.ToLower(v.text)
		if slices.ContainsFunc(words, func(w word) bool { return w.kind == signWord || w.kind == quotedWord }) {
			return nil
		}
	}
	if v.kind == signWord {
		return nil
	}
	c.values = []word{v}
	return c
}

// takeNumbers reads a number with its unit, or two of them behind "between".
func (c *condition) takeNumbers(words []word) *condition {
	for i := range words {
		w := words[i]
		switch {
		case w.kind == numberWord:
			c.values = append(c.values, w)
		case w.low == "and" && c.op == between && len(c.values) == 1:
		case units[w.low] && c.unit != "working":
			c.unit = strings.TrimSpace(c.unit + " " + w.text)
		default:
			return nil
		}
	}
	want := 1
	if c.op == between {
		want = 2
	}
	if len(c.values) != want {
		return nil
	}
	return c
}

// negated is the condition turned round.
func (c *condition) negated() *condition {
	n := *c
	n.inverted = !n.inverted
	return &n
}
