package phrase

import (
	"slices"
	"strconv"
)

// Item is one step of a list, or one sentence outside of lists.
type Item struct {
	Mark []Token // its number, bullet or arrow
	No   int     // its number; 0 = none
	Toks []Token
	Kids []Item

	depth int // how far its line is indented; -1 = a sentence outside of lists
}

var (
	// bullets are signs that begin an item.
	bullets = Set(`- * • – ◦ ‣ · ☐ ☑ ✓ ✅`)
	arrows  = Set(`-> → => ⇒`)
)

// leadsOn reports whether an arrow behind toks stands for "then": behind an answer or a condition.
func leadsOn(toks []Token) bool {
	last := len(toks) - 1
	if last < 0 {
		return false
	}
	if Answers[toks[last].Low] != "" || toks[last].Is("else", "otherwise") {
		return last == 0 || toks[last-1].Kind == Sign || toks[last-1].Low == "if"
	}
	for i := last; i >= 0 && !toks[i].Is(";", ",", ".") && !arrows[toks[i].Low]; i-- {
		if toks[i].Is("if", "when") && (i == 0 || toks[i-1].Kind == Sign) {
			return i < last && CondEnd(toks[i+1:]) == last-i
		}
		if Comparatives[toks[i].Low] && (i == 0 || toks[i-1].Kind == Sign) { // "above 8 or below 2 -> ..."
			return slices.ContainsFunc(toks[max(i, last-1):], func(t Token) bool { return t.Kind == Number })
		}
	}
	return false
}

// Arrange cuts a text into items: by numbers, bullets and arrows, each with what is indented below it, and outside of those by sentence.
func Arrange(toks []Token) []Item {
	a := &arranger{toks: toks}
	a.inline, a.letter = a.numbered(), lettersUp(toks)
	for at := 0; at < len(toks); {
		at = a.next(at)
	}
	return nest(a.flat)
}

// arranger cuts tokens into items that are not nested yet.
type arranger struct {
	toks   []Token
	flat   []Item
	inline map[int]bool // where a number within a line begins an item
	letter map[int]bool // where a letter does, at the beginning of a line
	list   bool         // inside of a list
	choice bool         // the item tells what is done behind an answer
}

// next reads the item or sentence that begins at a place, and gives where it ends.
func (a *arranger) next(at int) int {
	size, no := a.marker(at)
	from := at + size
	end := from
	a.choice = false
	for end < len(a.toks) && !a.stops(end, from) {
		end++
	}
	it := Item{Mark: a.toks[at:from], No: no, Toks: a.toks[from:end], depth: -1}
	switch {
	case size > 0:
		it.depth = a.toks[at].Indent
		a.list = true
	case arrows[a.toks[at].Low]:
		it.depth, it.Mark, it.Toks = 0, a.toks[at:at+1], a.toks[min(at+1, end):end]
	default:
		a.list = false
	}
	if it.depth >= 0 {
		a.flat = append(a.flat, it)
		return max(end, at+1)
	}
	for _, part := range Sentences(it.Toks) {
		a.flat = append(a.flat, Item{Toks: part, depth: -1})
	}
	return max(end, at+1)
}

// stops reports whether an item that began at from ends before a token.
func (a *arranger) stops(at, from int) bool {
	t := a.toks[at]
	if n, _ := a.marker(at); n > 0 {
		return true
	}
	if arrows[t.Low] {
		if leadsOn(a.toks[from:at]) {
			a.choice = a.choice || Answers[a.toks[at-1].Low] != ""
			return false
		}
		return at > from && !a.labelled(at, from)
	}
	if !t.First || at == from {
		return false
	}
	before := a.toks[at-1].Low
	goesOn := !t.Blank && (t.Kind == Word && t.Low == t.Text && (a.list || before == ",") || a.list && t.Indent > a.toks[max(0, from-1)].Indent)
	return !goesOn || before == ":" && !a.list
}

// labelled reports whether what stands before an arrow is the case in which the words behind it are done, and no step: an amount ("over 50 -> ..."),
// one of the answers that were named before ("pick: A, B or C. A -> tell ..."), or words that say nothing to do. A first line may say what starts
// the flow.
func (a *arranger) labelled(at, from int) bool {
	const longest = 7 // words of it
	chained := arrows[a.toks[from].Low]
	if at > from && a.toks[at-1].Low == "?" { // "broken? -> ..."
		at--
	}
	start := at
	if at > from && a.toks[at-1].Low == ")" { // "new driver (name, start date) -> ..."
		for start > from && a.toks[start].Low != "(" {
			start--
		}
	}
	for start > from && at-start <= longest && !a.toks[min(start, len(a.toks)-1)].First && !a.toks[start-1].Is(";", ",", ".", "/", "?", "!", ":") && !arrows[a.toks[start-1].Low] {
		start--
	}
	label := a.toks[start:at]
	switch n := len(label); {
	case n == 0, n > longest:
		return false
	case start > from && arrows[a.toks[start-1].Low]:
		return !chained && a.choice && start-1 > from // it goes on with what is done behind an answer
	case a.offered(start, at):
		a.choice = true
		return true
	case !StartsStep(label) && label[n-1].Kind == Number && (HasAny(label, comparing) || label[0].Kind == Number):
		return true
	}
	return (len(a.flat) > 0 || start > from) && !(StartsStep(label) && len(label) > 1) && !UnknownVerb(label) && ActorOf(label).N == 0 && !Passive(label)
}

var comparing = Set(`< > <= >= = == over above under below than most least to`)

// offered reports whether an "or" joins these tokens with other answers that stand before them.
func (a *arranger) offered(start, at int) bool {
	const far, near = 200, 15 // tokens before them that are looked at, and those within which the "or" stands
	n := at - start
	for i := max(1, start-far); i+n <= start; i++ {
		before, after := a.toks[i-1], a.toks[min(i+n, start)]
		if i > 1 && before.Is("a", "an", "to") {
			before = a.toks[i-2]
		}
		if Lows(a.toks[i:i+n]) == Lows(a.toks[start:at]) && (after.Is(",", "or", "/", "?", ".", ";", ")") || i+n == start || after.First) &&
			(before.Is(",", ":", "or", "/", "(", "between", "choose", "decide") || Verbs[before.Low] || after.Low == "or") && Has(a.toks[max(0, i-near):min(start, i+n+near)], "or", "/") {
			return true
		}
	}
	return false
}

// marker reads the number or bullet of an item.
func (a *arranger) marker(at int) (size, no int) {
	toks := a.toks[at:]
	if n := checkbox(toks); n > 0 && toks[0].First {
		return n, 0
	}
	if toks[0].First && bullets[toks[0].Low] && len(toks) > 1 && !toks[1].Glued && !toks[1].First {
		return 1 + checkbox(toks[1:]), 0
	}
	if a.letter[at] {
		return 2, 0
	}
	if toks[0].First || a.inline[at] {
		if bullets[toks[0].Low] {
			return 1, 0
		}
		return numberMark(toks)
	}
	return 0, 0
}

// checkbox is how many tokens a box to tick has: "[ ]" and "[x]".
func checkbox(toks []Token) int {
	switch {
	case Begins(toks, "[", "]") && len(toks) > 2:
		return 2
	case Begins(toks, "[", "x", "]") && len(toks) > 3:
		return 3
	}
	return 0
}

// numberMark reads "1.", "1)", "(1)", "Step 1:", "a)".
func numberMark(toks []Token) (size, no int) {
	if Begins(toks, "step") && len(toks) > 1 {
		if no = Small(toks[1]); no > 0 {
			size = 2
			if len(toks) > 2 && stepMarks[toks[2].Low] {
				return 3, no
			}
		}
		return 0, 0
	}
	open := 0
	if Begins(toks, "(") {
		open = 1
	}
	if len(toks) < open+2 || toks[open].First && open > 0 {
		return 0, 0
	}
	shut := toks[open+1]
	if !shut.Glued || shut.Low != ")" && (open > 0 || !shut.Is(".", ":")) {
		return 0, 0
	}
	if no = Small(toks[open]); no > 0 {
		return open + 2, no
	}
	if toks[open].Kind == Word && len(toks[open].Low) == 1 && shut.Low == ")" {
		return open + 2, 0
	}
	return 0, 0
}

// stepMarks stand behind the number of a step.
var stepMarks = Set(`: . ) - –`)

// Small reads a whole number of at most three digits.
func Small(t Token) int {
	no, err := strconv.Atoi(t.Low)
	if err != nil || t.Kind != Number || no < 1 || no > 999 {
		return 0
	}
	return no
}

// beforeAmounts are words before a number that is no mark of an item.
var beforeAmounts = Set(`for of than over under above below is are to at least most about step steps until within and or by = > < >= <= $ version number no`)

// numbered finds the marks of items within lines: numbers that count on.
func (a *arranger) numbered() map[int]bool {
	out := map[int]bool{}
	last := 0
	for i, t := range a.toks {
		if size, no := numberMark(a.toks[i:]); size > 0 && no > 0 {
			counts := no == last+1 && (no > 1 || i > 0) && !beforeAmounts[a.toks[max(0, i-1)].Low] && (i+size >= len(a.toks) || !a.toks[i+size].Glued)
			if t.First || counts {
				last = no
				out[i] = !t.First
			}
		}
	}
	return out
}

// lettersUp finds the marks of items that are letters in their order: "A. ...", "B. ..." on lines of their own.
func lettersUp(toks []Token) map[int]bool {
	out, before := map[int]bool{}, -1
	for i, t := range toks {
		if i+1 == len(toks) || !t.First || t.Kind != Word || len(t.Low) != 1 || !toks[i+1].Glued || !toks[i+1].Is(".", ":") {
			continue
		}
		if l := t.Low[0]; before >= 0 && toks[before].Low[0] == l-1 && (l == 'b' || out[before]) {
			out[i], out[before] = true, true
		}
		before = i
	}
	return out
}

// Sentences cuts tokens at full stops, question marks and semicolons.
func Sentences(toks []Token) (out [][]Token) {
	start := 0
	for i := range toks {
		if i+1 < len(toks) && !endsSentence(toks, i) {
			continue
		}
		if part := toks[start : i+1]; len(Trim(part)) > 0 {
			out = append(out, part)
		}
		start = i + 1
	}
	return out
}

// endsSentence reports whether a full stop, question mark or semicolon ends a sentence.
func endsSentence(toks []Token, i int) bool {
	switch toks[i].Low {
	case "!", ";", "?":
		return toks[i+1].Low != ")" && !arrows[toks[i+1].Low]
	case ".":
		if i > 1 && toks[i-1].Kind == Number && toks[i-2].Is("on", "the") && Begins(toks[i+1:], "of") { // "on 15. of every month"
			return false
		}
		return !toks[i+1].Glued || i > 0 && toks[i+1].Kind == Word && len(toks[i-1].Low) > 2
	}
	return false
}

// nest puts items below the one before them that is indented less, and below a sentence that ends in a colon.
func nest(flat []Item) []Item {
	var root []Item
	type level struct {
		depth int
		list  *[]Item
	}
	stack := []level{{-2, &root}}
	for i := range flat {
		p := &flat[i]
		if p.depth < 0 {
			stack = stack[:1]
		}
		for len(stack) > 1 && stack[len(stack)-1].depth >= p.depth {
			stack = stack[:len(stack)-1]
		}
		into := stack[len(stack)-1].list
		*into = append(*into, *p)
		if last := p.Toks; p.depth >= 0 || len(last) > 0 && last[len(last)-1].Low == ":" {
			stack = append(stack, level{p.depth, &(*into)[len(*into)-1].Kids})
		}
	}
	return root
}

// opening and closing are signs that belong to no phrase.
var opening, closing = Set(`, : ; . –`), Set(`, : ; . ! ? /`)

// Trim leaves out signs that end or begin a phrase.
func Trim(toks []Token) []Token {
	for len(toks) > 0 && toks[0].Kind == Sign && opening[toks[0].Low] {
		toks = toks[1:]
	}
	for n := len(toks); n > 0 && toks[n-1].Kind == Sign && closing[toks[n-1].Low]; n-- {
		toks = toks[:n-1]
	}
	return toks
}

// JoinActions joins a condition with the sentence behind it that has its steps: "If it is late. Do: tell #ops", and a loop with the sentence
// behind it: "Iterate over them. If one is late, ...".
func JoinActions(toks []Token) {
	begin := 0
	for i := range toks {
		if toks[i].Low != "." || toks[i].Glued && i+1 < len(toks) && toks[i+1].Glued {
			continue
		}
		if next := toks[i+1:]; Begins(toks[begin:], "if") && (Begins(next, "do", ":") || Begins(next, "then", ":")) {
			toks[i].Low, next[0].Low, next[1].Low, next[0].First = ",", "then", ",", false
		}
		if overThem(toks[begin:i]) {
			toks[i].Low = ":"
		}
		begin = i + 1
	}
}

// overThem reports whether toks end with a loop over what was found before: ", iterate over them".
func overThem(toks []Token) bool {
	last := len(toks) - 1
	for from := max(0, last-4); from < last; from++ {
		if Starting(toks[from:], Phrases(Items)) == last-from && toks[last].Is("them", "these", "those") {
			return from == 0 || toks[from-1].Is(",", "and", "then", ".", ";", ")")
		}
	}
	return false
}
