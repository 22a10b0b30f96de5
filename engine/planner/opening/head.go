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
	courtesy  = phrase.Phrases(`please pls hi hello hey so_basically so ok okay well basically can_you could_you would_you we_need_you_to i_want_you_to i_would_like_you_to i'd_like_you_to`)
	greetings = phrase.Set(`hi hello hey`)
	wishes    = phrase.Phrases(`we_need i_need we_want i_want we_would_like i_would_like i'd_like help_me_to help_me let's let_us here_is this_is`)
	creates   = phrase.Phrases(`to_build to_create to_make to_have to_set_up to_design to_automate build create make set_up design draft write generate develop implement new automate`)
	articles  = phrase.Phrases(`me_a us_a me_an us_an a an the our my new`)
	purposes  = phrase.Phrases(`dedicated_to_the dedicated_to that_should that_will that which so_that specifically_for for_the for to where in_which called named`)
)

// Header reads what a description says of the whole flow: its name, its purpose, what starts it, its inputs and outputs.
type Header struct {
	values.Source
	Begin   int                  // where the words begin
	Starter string               // the role of who starts a run: "employee"
	note    func(pattern string) // told of each form that fits
	t       *tree.Tree
	whole   bool           // a whole description is read, which may say what starts it
	more    int            // items behind the first one
	titled  bool           // the first item of a list stands behind it
	leads   bool           // an arrow leads from it to the next one
	that    bool           // it is "a workflow that ..."
	often   []phrase.Token // "weekly" of "a weekly workflow"
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
	h.slots(toks)
}

// Item takes what stands before the steps off item i of a text.
func (h *Header) Item(items []phrase.Item, i int) {
	it, last := &items[i], i == len(items)-1
	h.more = len(items) - 1 - i + len(it.Kids)
	h.leads = i == 0 && !last && len(items[1].Mark) == 1 && items[1].Mark[0].Low == "->"
	h.titled = !last && len(items[i+1].Mark) > 0 && items[i+1].Toks != nil && len(it.Kids) == 0
	switch started := len(h.t.Triggers) > 0; {
	case len(h.t.Steps) > 0 || started && len(it.Mark) > 0:
	case len(it.Mark) > 0:
		h.firstItem(it)
	case !started && !last && h.background(it.Toks, &items[i+1]):
		it.Toks, it.Kids = nil, nil
	default:
		it.Toks = h.Head(it.Toks)
	}
}

// Finish makes a trigger of "a weekly workflow" when nothing says on which day.
func (h *Header) Finish() {
	if len(h.t.Triggers) == 0 && len(h.often) > 0 {
		h.t.Triggers = []tree.Trigger{{Words: h.Words(h.often), At: h.Quotes(h.often)}}
	}
}

// Head reads the part before the steps: the name, the purpose and the trigger of the flow. It returns the rest.
func (h *Header) Head(toks []phrase.Token) []phrase.Token {
	toks = h.opening(h.command(toks))
	toks = h.front(h.periodic(toks))
	if n := len(toks); len(h.t.Triggers) == 0 && h.more > 0 && n > 0 && (toks[n-1].Low == "." || toks[n-1].Low == "!" || h.titled) && h.heading(toks) {
		return nil
	}
	colon := slices.IndexFunc(toks, func(t phrase.Token) bool { return t.Low == ":" || t.Low == "-" && !t.Glued })
	if colon > 0 && len(h.t.Triggers) == 0 { // "handover every Friday at 16:00: ..."
		if g, at := h.scheduleAt(toks[:colon]); at > 0 && h.named(toks[:at], true) {
			h.t.Triggers = append(h.t.Triggers, g)
			return phrase.Trim(toks[colon:])
		}
	}
	for i := 0; i <= colon; i++ { // "refund: ...", "refund, every day at 8: ..."
		if low := toks[i].Low; (low == "," || low == "–" || i == colon) && h.named(toks[:i], h.more > 0 || colon < len(toks)-1) {
			if toks = phrase.Trim(toks[i:]); len(toks) > 0 {
				h.Begin = toks[0].From // behind the name, too, an event may begin
			}
			toks = h.front(toks)
			break
		}
	}
	if end := phrase.ClauseEnd(toks); len(h.t.Triggers) == 0 {
		if at := h.closing(toks); at > 0 {
			return toks[:at]
		}
		if at := h.closing(toks[:end]); at > 0 { // "get the numbers every Friday, then post them"
			return slices.Concat(toks[:at], toks[end:])
		}
		return h.midway(toks, end)
	}
	return toks
}

// midway takes a schedule out of the first clause, when it stands behind those who are asked or told: "ask @ann every day at 10 for the status".
func (h *Header) midway(toks []phrase.Token, end int) []phrase.Token {
	if !h.whole || len(toks) == 0 || !phrase.Messages[toks[0].Low] || toks[0].Low == "remind" {
		return toks
	}
	for i := 1; i < end && toks[i].Low != ":" && !phrase.Within[toks[i].Low] && !(toks[i].Low == "to" && i+1 < end && phrase.Verbs[toks[i+1].Low]); i++ {
		if !closers[toks[i].Low] || restricts[toks[i-1].Low] || phrase.Determiners[toks[i-1].Low] {
			continue
		}
		stop := i
		for stop < end && toks[stop].Low != "that" && (toks[stop].Low != "for" || phrase.TermLength(toks[stop+1:]) > 0) {
			stop++
		}
		g, n := h.schedule(toks[i:stop])
		if n += i; g.Cron != "" && n < end && (toks[n].Kind != phrase.Word || phrase.Determiners[toks[n].Low] || phrase.Prepositions[toks[n].Low] || phrase.Questions[toks[n].Low] || phrase.Within[toks[n].Low]) {
			h.t.Triggers = append(h.t.Triggers, g)
			return slices.Concat(toks[:i], toks[n:])
		}
	}
	return toks
}

// command reads "/expense ...": a person starts the flow by its name.
func (h *Header) command(toks []phrase.Token) []phrase.Token {
	if len(toks) < 2 || toks[0].Low != "/" || toks[0].From != h.Begin || !toks[1].Glued || toks[1].Kind != phrase.Word {
		return toks
	}
	h.setName(toks[1:2])
	h.t.Triggers = append(h.t.Triggers, tree.Trigger{By: true, At: h.Quotes(toks[:2])})
	return toks[2:]
}

// heading reads a first sentence of a few words that says nothing to do, such as "Purchase requests.", as the name of the flow.
func (h *Header) heading(toks []phrase.Token) bool {
	for n := len(toks); n > 0 && (toks[n-1].Kind == phrase.Sign || toks[n-1].Low == "pls" || toks[n-1].Low == "please" || toks[n-1].Low == "thanks"); n = len(toks) {
		toks = toks[:n-1]
	}
	const longest = 5 // words of a heading
	if len(toks) == 0 || len(toks) > longest || slices.ContainsFunc(toks, func(t phrase.Token) bool {
		return t.Kind != phrase.Word || phrase.Auxiliaries[t.Low] || phrase.Third(t.Low) && !phrase.NounVerbs[strings.TrimSuffix(t.Low, "s")] || phrase.PassiveWord(t) || english.Frequent(t.Low) && t.Low != "of" && t.Low != "for" && t.Low != "and" && t.Low != "new"
	}) {
		return false
	}
	return !phrase.Verbs[toks[0].Low] && !phrase.Intransitive[toks[len(toks)-1].Low] && h.named(toks, true)
}

// front takes the triggers off the front of toks.
func (h *Header) front(toks []phrase.Token) []phrase.Token {
	if len(h.t.Triggers) > 0 {
		return toks
	}
	list, n := h.Triggers(toks)
	h.t.Triggers = list
	if len(list) == 1 && list[0].Open() {
		h.fields(phrase.Trim(toks[:n]))
	}
	if toks = toks[n:]; n > 0 && phrase.Starting(toks, phrase.Ends) > 0 {
		toks = toks[1:]
	}
	return toks
}

// closing takes a schedule off the end of a sentence, "tell #ops hello every day at 9", and gives where it begins; 0 = there is none.
func (h *Header) closing(toks []phrase.Token) int {
	said := toks
	if phrase.Begins(toks, "remind") && len(h.t.Steps) == 0 { // "remind @ana to pay on the 1st of each month"
		said = toks[1:]
	}
	if slices.ContainsFunc(said, func(t phrase.Token) bool { return phrase.Repeating[t.Low] }) {
		return 0
	}
	g, at := h.scheduleAt(toks)
	if at == 0 {
		return 0
	}
	h.t.Triggers = append(h.t.Triggers, g)
	if (toks[at].Low == "on" || toks[at].Low == "at") && phrase.Messages[toks[0].Low] && slices.ContainsFunc(toks[:at], func(t phrase.Token) bool { return phrase.Auxiliaries[t.Low] }) { // "tell #team that we are closed on Mondays"
		h.Object(h.t, toks[at:], "may be a part of the message, and not when it is sent")
	}
	return at
}

// opening reads "please create a refund workflow that ...", and what follows as the steps.
func (h *Header) opening(toks []phrase.Token) []phrase.Token {
	n := 0
	for size := 1; size > 0; n += size {
		size = phrase.Starting(toks[n:], courtesy)
		if size > 0 && phrase.Begins(toks[n+size:], ":") && n == 0 && greetings[toks[0].Low] { // "hello: post ..." is a flow of that name
			return toks
		}
		if size > 0 && n+size < len(toks) && (toks[n+size].Low == "," || toks[n+size].Low == ":") {
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
		if !phrase.Products[toks[at].Low] || wish+create == 0 && made == 0 {
			continue
		}
		if wish+create == 0 && (at+1 >= len(toks) || toks[at+1].Low != ":" && toks[at+1].Low != "that" && toks[at+1].Low != "which") {
			continue
		}
		return h.product(toks, start, n, at)
	}
	return toks[start:]
}

// product reads the name of the workflow in front of that word or behind it.
func (h *Header) product(toks []phrase.Token, start, n, at int) []phrase.Token {
	name := toks[n:at]
	if i := slices.IndexFunc(name, func(t phrase.Token) bool { return periods[t.Low] || t.Low == "scheduled" || t.Low == "recurring" }); i >= 0 {
		h.often = name[i:]
	}
	rest := toks[at+1:]
	size := phrase.Starting(rest, purposes)
	colon := len(rest)
	if colon > 0 && rest[colon-1].Low == ":" {
		colon--
	}
	if size > 0 && (rest[size-1].Low == "that" && size == 1 || rest[size-1].Low == "which") {
		phrase.Imperative(rest[size:])
		h.that = true
	}
	if len(name) == 0 && size > 0 && (rest[0].Low == "called" || rest[0].Low == "named") {
		end := 1
		for end < len(rest) && end < 6 && (rest[end].Kind == phrase.Word && !phrase.RoleEnds[rest[end].Low] || rest[end].Kind == phrase.Quoted) {
			end++
		}
		name, size = rest[1:end], end
	} else if len(name) == 0 && size > 0 && colon == len(rest) && (rest[size-1].Low == "for" || rest[size-1].Low == "the") && !phrase.StartsStep(rest[size:]) && len(rest) < 8 {
		name, size = rest[size:], len(rest)
	} else if size > 0 && len(rest) != colon { // "a workflow for expense reports:", "a workflow that processes invoices:"
		h.t.About, size = h.Words(rest[size:colon]), colon
	}
	h.setName(name)
	h.t.At = append(h.t.At, h.Quotes(toks[start:at+1+size])...)
	return phrase.Trim(rest[size:])
}

// named reads words before a colon as the name of the flow, or as what starts it: "after a release: ...".
func (h *Header) named(toks []phrase.Token, follows bool) bool {
	const longest = 6 // words of a name
	toks = phrase.Trim(toks)
	if len(toks) == 0 || len(toks) > longest || !follows || h.t.Name != "" || phrase.Verbs[toks[0].Low] && phrase.StartsStep(toks) && len(toks) > 1 {
		return false
	}
	for i, t := range toks {
		_, _, amount := h.Bounds(toks[i:])
		switch {
		case amount && (i == 0 || t.Kind != phrase.Number), i > 0 && phrase.IsTime(t) && (closers[toks[i-1].Low] || i > 1 && closers[toks[i-2].Low] || strings.Contains(t.Low, ":")), t.Kind == phrase.Name || t.Kind == phrase.Slot || t.Kind == phrase.Number && i == 0 || t.Kind == phrase.Sign && t.Low != "-" && t.Low != "&" && t.Low != "/":
			return false
		case phrase.Timed(toks[i:]), phrase.Starting(toks[i:], phrase.Ifs) > 0, phrase.Starting(toks[i:], phrase.Loops) > 0, phrase.Starting(toks[i:], phrase.Denials) > 0 && i == 0, phrase.Starting(toks[i:], phrase.Leads) > 0 && t.Low != "and" && t.Low != "now":
			return false
		}
	}
	if headings[phrase.Lows(toks)] {
		return false
	}
	if moments[toks[0].Low] && len(toks) > 1 && len(h.t.Triggers) == 0 {
		h.t.Triggers = append(h.t.Triggers, tree.Trigger{Words: h.Words(toks), At: h.Quotes(toks)})
		return true
	}
	if rest := toks[phrase.Starting(toks, wishes):]; len(rest) > 1 || len(rest) == 1 && !phrase.Determiners[rest[0].Low] { // "I'd like this:" names nothing
		h.setName(rest)
	}
	h.t.At = append(h.t.At, h.Quotes(toks)...)
	return true
}

// moments begin words that say when something happens.
var moments = phrase.Set(`on upon after before during`)

// headings are words before a colon that are no name.
var headings = phrase.Set(`steps the_steps trigger inputs input the_task_requires note notes important ai agent do say goal then rules rule the_task_requires result summary`)

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

// background takes a sentence about the subject of the flow, before the sentence with the trigger: "A small company makes bikes."
func (h *Header) background(toks []phrase.Token, next *phrase.Item) bool {
	const longest = 24 // words
	if len(toks) == 0 || toks[0].From != h.Begin || len(toks) > longest || h.t.About != "" || len(next.Mark) > 0 || phrase.Starting(next.Toks, openings) == 0 || !background[toks[0].Low] {
		return false
	}
	if phrase.ActorOf(toks).Person { // it says what somebody does
		return false
	}
	for i, t := range toks {
		if t.Kind != phrase.Word && t.Low != "," && t.Low != "." || demands[t.Low] || phrase.Requests[t.Low] || phrase.Answers[t.Low] != "" || phrase.Modals[t.Low] || phrase.Starting(toks[i:], phrase.Ifs) > 0 || phrase.Starting(toks[i:], phrase.Denials) > 0 || phrase.Starting(toks[i:], phrase.Loops) > 0 {
			return false
		}
	}
	h.t.About = h.Words(phrase.Trim(toks))
	h.t.At = append(h.t.At, h.Quotes(toks)...)
	return true
}

// demands are verbs that say what has to be there. Of somebody who is named they begin no flow: "each request needs a review from @ana".
var demands = phrase.Set(`needs need requires require allowed responsible`)

// background are words with which such a sentence begins.
var background = phrase.Set(`a an this these our we i in at`)

// firstItem takes a trigger off the front of the first item: "1. When an order arrives, ...".
func (h *Header) firstItem(it *phrase.Item) {
	if len(it.Toks) > 0 {
		h.Begin = it.Toks[0].From
	}
	list, n := h.Triggers(it.Toks)
	if n == 0 || n < len(it.Toks) && phrase.Starting(it.Toks[n:], phrase.Ends) == 0 && list[0].Emoji == "" && list[0].Cron == "" {
		return
	}
	list[0].At = append(h.Quotes(it.Mark), list[0].At...)
	h.t.Triggers = append(h.t.Triggers, list...)
	it.Toks, it.Mark = phrase.Trim(it.Toks[n:]), nil
}
