package opening

import (
	"cmp"
	"slices"
	"strings"

	"sluice/engine/planner/english"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
	"sluice/engine/planner/values"
)

var (
	courtesy = phrase.Phrases(`please pls hi hello hey so_basically so ok okay well basically can_you could_you would_you we_need_you_to i_want_you_to i_would_like_you_to i'd_like_you_to`)
	wishes   = phrase.Phrases(`we_need i_need we_want i_want we_would_like i_would_like i'd_like help_me_to help_me let's let_us here_is this_is`)
	creates  = phrase.Phrases(`to_build to_create to_make to_have to_set_up to_design to_automate build create make set_up design draft write generate develop implement new automate`)
	articles = phrase.Phrases(`me_a us_a me_an us_an a an the our my new`)
	purposes = phrase.Phrases(`dedicated_to_the dedicated_to that_should that_will that which specifically_for for_the for to where`)
)

// Header reads what a description says of the whole flow: its name, its purpose, what starts it, its inputs and outputs.
type Header struct {
	values.Source
	Begin   int                  // where the words begin
	Starter string               // the role of who starts a run: "employee"
	note    func(pattern string) // told of each form that fits
	t       *tree.Tree
	titled  bool // a list stands behind its first item
	arrows  bool // it is one of arrows, whose first item may be a step
	whole   bool // a whole description is read, which may say what starts it
	more    int  // items behind the first one
}

// New gives a header for words in a text of a tree. note is told the pattern of each form that fits.
func New(t *tree.Tree, text values.Source, note func(pattern string)) *Header {
	return &Header{Source: text, t: t, note: note}
}

// Whole says that toks are a whole description, which may say what starts it. Each <name> and {name} in it is an input.
func (h *Header) Whole(toks []phrase.Token) {
	if h.whole = true; len(toks) > 0 {
		h.Begin = toks[0].From
	}
	if len(toks) > 2 && len(toks[0].Low) == 1 && toks[1].Low == "." { // "A. Customers can submit claims"
		h.Begin = toks[2].From
	}
	h.slots(toks)
}

// Item takes what stands before the steps off item i of a text.
func (h *Header) Item(items []phrase.Item, i int) {
	it := &items[i]
	h.more = len(items) - 1 - i + len(it.Kids)
	h.titled = i < len(items)-1 && len(items[i+1].Mark) > 0 && len(it.Kids) == 0
	h.arrows = h.titled && items[i+1].Mark[0].Is("->", "→")
	switch started := len(h.t.Triggers) > 0; {
	case len(h.t.Steps) > 0 || started && len(it.Mark) > 0:
	case len(it.Mark) > 0:
		h.firstItem(it)
	default:
		if h.titled && i == 0 && !h.arrows && mayBeTitle(it.Toks) {
			it.Toks = nil // a person is asked what it is
			return
		}
		it.Toks = h.Head(it.Toks)
	}
}

// mayBeTitle reports whether a line above a list is a step or a title: "Deploy to production".
func mayBeTitle(toks []phrase.Token) bool {
	const longest = 5 // words of a title
	return len(toks) > 0 && len(toks) <= longest && phrase.StartsStep(toks) && !slices.ContainsFunc(toks, func(t phrase.Token) bool { return t.Kind != phrase.Word })
}

// Head reads the part before the steps: the name, the purpose and the trigger of the flow. It returns the rest.
func (h *Header) Head(toks []phrase.Token) []phrase.Token {
	toks = h.front(h.opening(toks))
	if n := len(toks); n > 0 && len(h.t.Triggers) == 0 && h.more > 0 && (toks[n-1].Low == "." || h.titled) && h.heading(phrase.Trim(toks)) {
		return nil
	}
	colon := slices.IndexFunc(toks, func(t phrase.Token) bool { return t.Low == ":" || t.Low == "-" && !t.Glued })
	for i := 0; i <= colon; i++ { // "refund: ...", "refund, every day at 8: ..."
		if i == colon && i > 0 && len(h.t.Triggers) == 0 && phrase.TimeAt(toks[:i]) == i && !h.scheduled(toks[i:]) { // "tomorrow: ...": it is asked what starts the flow
			h.t.Triggers = []tree.Trigger{{Words: h.Words(toks[:i]), At: h.Quotes(toks[:i+1])}}
			return phrase.Trim(toks[i:])
		}
		if low := toks[i].Low; (low == "," || low == "–" || i == colon) && h.named(toks[:i], h.more > 0 || colon < len(toks)-1) {
			if toks = phrase.Trim(toks[i:]); len(toks) > 0 {
				h.Begin = toks[0].From // behind the name, too, an event may begin
			}
			toks = h.front(toks)
			break
		}
	}
	if len(h.t.Triggers) == 0 {
		if at := h.closing(toks); at > 0 {
			return toks[:at]
		}
	}
	return toks
}

// heading reads a first sentence of a few words that says nothing to do, such as "Purchase requests.", as the name of the flow.
func (h *Header) heading(toks []phrase.Token) bool {
	says := func(t phrase.Token) bool {
		return phrase.Auxiliaries[t.Low] || phrase.Third(t.Low) && !phrase.NounVerbs[strings.TrimSuffix(t.Low, "s")] || phrase.PassiveWord(t) || english.Frequent(t.Low)
	}
	const longest = 5 // words of a heading
	return len(toks) > 0 && len(toks) <= longest && phrase.TimeAt(toks) < len(toks) && (len(toks) == 1 && h.titled || !phrase.Verbs[toks[0].Low] || h.titled && !h.arrows && phrase.NounVerbs[toks[0].Low] && !phrase.StartsStep(toks)) && !slices.ContainsFunc(toks, says) && h.named(toks, true)
}

// front takes the triggers off the front of toks.
func (h *Header) front(toks []phrase.Token) []phrase.Token {
	if len(h.t.Triggers) > 0 {
		return toks
	}
	list, n := h.Triggers(toks)
	h.t.Triggers = list
	if toks = toks[n:]; n > 0 && phrase.Starting(toks, phrase.Ends) > 0 {
		toks = toks[1:]
	}
	return toks
}

// closing takes a schedule off the end of a sentence, "tell #ops hello every day at 9", and gives where it begins; 0 = there is none.
func (h *Header) closing(toks []phrase.Token) int {
	repeats := func(t phrase.Token) bool { return phrase.Repeating[t.Low] }
	if n := phrase.Starting(toks, phrase.Phrases("remind")); slices.ContainsFunc(toks[n:], repeats) {
		return 0
	}
	if phrase.Has(toks, "whether") || phrase.Begins(toks, "ask") && phrase.Has(toks, "if") { // "whether they want it weekly"
		return 0
	}
	g, at := h.scheduleAt(toks)
	if at == 0 && len(toks) > 2 && phrase.Messages[toks[0].Low] && toks[0].Low != "ask" {
		g, at = h.onceAtEnd(phrase.Trim(toks))
	}
	told := func(t phrase.Token) bool { return phrase.Auxiliaries[t.Low] }
	if at == 0 || toks[at].Is("on", "at") && phrase.Messages[toks[0].Low] && slices.ContainsFunc(toks[:at], told) {
		return 0 // also "tell #team that we are closed on Mondays"
	}
	if phrase.Messages[toks[0].Low] && slices.ContainsFunc(toks[:at], told) { // "tell #team that we are closed every Monday"
		h.Object(h.t, toks[at:], "starts it, and the message does not say that")
	}
	h.t.Triggers = append(h.t.Triggers, g)
	return at
}

// onceAtEnd finds a time that does not come again at the end of a message that has no words of its own: "post it in #team at noon".
func (h *Header) onceAtEnd(toks []phrase.Token) (g tree.Trigger, at int) {
	const longest = 8 // words of a time
	for i := max(2, len(toks)-longest); i < len(toks); i++ {
		if n := phrase.OnceAt(toks[i:]); n > 0 && i+n == len(toks) && !phrase.Has(toks[:i], "to", "that", "about") {
			return tree.Trigger{Words: h.Words(toks[i:]), At: h.Quotes(toks[i:])}, i
		}
	}
	return g, 0
}

// opening reads "please create a refund workflow that ...", and what follows as the steps.
func (h *Header) opening(toks []phrase.Token) []phrase.Token {
	n := 0
	for size := 1; size > 0; n += size {
		size = phrase.Starting(toks[n:], courtesy)
		if size > 0 && n+size < len(toks) && toks[n+size].Is(",", ":") {
			size++
		}
	}
	start := n
	wish := phrase.Starting(toks[n:], wishes)
	create := phrase.Starting(toks[n+wish:], creates)
	n += wish + create
	made := n
	for size := 1; size > 0; n += size {
		size = phrase.Starting(toks[n:], articles)
	}
	made = n - made
	const longest = 8 // words of a name
	for at := n; at < len(toks) && at <= n+longest && toks[at].Kind == phrase.Word; at++ {
		announces := at+1 < len(toks) && toks[at+1].Is(":", "that", "which")
		if !phrase.Products[toks[at].Low] && !(announces && phrase.Programs[toks[at].Low] && wish+create > 0) || wish+create == 0 && (made == 0 || !announces) {
			continue
		}
		return h.product(toks, start, n, at)
	}
	return toks[start:]
}

// product reads the name of the workflow in front of that word or behind it.
func (h *Header) product(toks []phrase.Token, start, n, at int) []phrase.Token {
	name := toks[n:at]
	if phrase.HasAny(name, periods) { // "a weekly workflow": on which day?
		return toks[start:]
	}
	rest := toks[at+1:]
	size := phrase.Starting(rest, purposes)
	colon := len(rest)
	if colon > 0 && rest[colon-1].Low == ":" {
		colon--
	}
	if size > 0 && (rest[size-1].Low == "that" && size == 1 || rest[size-1].Low == "which") {
		phrase.Imperative(rest[size:])
	}
	if len(name) == 0 && size > 0 && colon == len(rest) && rest[size-1].Is("for", "the") && !phrase.StartsStep(rest[size:]) && len(rest) < 8 {
		name, size = rest[size:], len(rest)
	} else if size > 0 && len(rest) != colon { // "a workflow for expense reports:", "a workflow that processes invoices:"
		h.t.About, size = h.Words(rest[size:colon]), colon
	}
	h.setName(name)
	h.t.At = append(h.t.At, h.Quotes(toks[start:at+1+size])...)
	return phrase.Trim(rest[size:])
}

// named reads words before a colon as the name of the flow, and none that say when: "after a release: ...".
func (h *Header) named(toks []phrase.Token, follows bool) bool {
	const longest = 6 // words of a name
	toks = phrase.Trim(toks)
	if len(toks) == 0 || len(toks) > longest || !follows || h.t.Name != "" || phrase.Verbs[toks[0].Low] && phrase.StartsStep(toks) && len(toks) > 1 {
		return false
	}
	for i, t := range toks {
		switch {
		case t.Kind != phrase.Word && !t.Is("-", "&", "/"), timely[t.Low] && len(toks) > 1, phrase.Auxiliaries[t.Low], narrows[t.Low], i == 0 && phrase.Prepositions[t.Low] && (t.Low != "for" || len(h.t.Triggers) > 0):
			return false // "every Monday at 9 unless it is a holiday, ..."
		case periods[t.Low] && len(toks) > 1 && !strings.Contains(strings.ToLower(h.Src), "every "): // "weekly report: ...", on which day?
			return false
		case phrase.Starting(toks[i:], phrase.Ifs) > 0, phrase.Starting(toks[i:], phrase.Loops) > 0, phrase.Starting(toks[i:], phrase.Denials) > 0, phrase.Starting(toks[i:], phrase.Leads) > 0 && t.Low != "and":
			return false
		}
	}
	if headings[phrase.Lows(toks)] {
		return false
	}
	if rest := toks[phrase.Starting(toks, wishes):]; len(rest) > 1 || len(rest) == 1 && !phrase.Determiners[rest[0].Low] { // "I'd like this:" names nothing
		h.setName(rest)
	}
	h.t.At = append(h.t.At, h.Quotes(toks)...)
	return true
}

// timely are words that say when something happens, and stand in no name.
var timely = phrase.Set(`on at upon after before during every each`)

// narrows are words that say when something is not done, or for what alone, and stand in no name.
var narrows = phrase.Set(`unless instead but only except without until than`)

// headings are words before a colon that are no name.
var headings = phrase.Set(`steps the_steps trigger inputs input the_task_requires note notes important ai agent do say goal then rules rule the_task_requires result summary either one_of_these one_of_the_following choose_one pick_one`)

// setName gives the flow its name, without the words that every flow could be called by.
func (h *Header) setName(toks []phrase.Token) {
	for len(toks) > 1 && (phrase.Determiners[toks[0].Low] || toks[0].Low == "new") {
		toks = toks[1:]
	}
	for len(toks) > 1 && phrase.Products[toks[len(toks)-1].Low] {
		toks = toks[:len(toks)-1]
	}
	const longest = 40 // letters of a name
	s := strings.ReplaceAll(english.Snake(h.Plain(toks)), "_", "-")
	h.t.Name = cmp.Or(h.t.Name, strings.TrimRight(s[:min(len(s), longest)], "-"))
}

// firstItem takes a trigger off the front of the first item: "1. When an order arrives, ...".
func (h *Header) firstItem(it *phrase.Item) {
	if len(it.Toks) > 0 {
		h.Begin = it.Toks[0].From
	}
	list, n := h.Triggers(it.Toks)
	if n == 0 || n < len(it.Toks) && phrase.Starting(it.Toks[n:], phrase.Ends) == 0 && !phrase.OpensStep(it.Toks[n:]) && list[0].Emoji == "" && list[0].Cron == "" {
		return
	}
	list[0].At = append(h.Quotes(it.Mark), list[0].At...)
	h.t.Triggers = append(h.t.Triggers, list...)
	it.Toks, it.Mark = phrase.Trim(it.Toks[n:]), nil
}
