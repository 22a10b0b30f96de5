package outline

import (
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
	products  = phrase.Set(`workflow flow process automation workflows something sth`)
	purposes  = phrase.Phrases(`dedicated_to_the dedicated_to that_should that_will that which so_that specifically_for for_the for to where in_which called named`)
)

// header reads what a description says of the whole flow: its name, its purpose, what starts it, its inputs and outputs.
type header struct {
	source
	t      *tree.Tree
	people people
	begin  int            // where the words begin
	whole  bool           // a whole description is read, which may say what starts it
	more   int            // items behind the first one
	titled bool           // the first item of a list stands behind it
	leads  bool           // an arrow leads from it to the next one
	that   bool           // it is "a workflow that ..."
	often  []phrase.Token // "weekly" of "a weekly workflow"
}

// head reads the part before the steps: the name, the purpose and the trigger of the flow. It returns the rest.
func (h *header) head(toks []phrase.Token, more bool) []phrase.Token {
	toks = h.opening(h.command(toks))
	toks = h.front(h.periodic(toks))
	if n := len(toks); len(h.t.Triggers) == 0 && more && n > 0 && (toks[n-1].Low == "." || toks[n-1].Low == "!" || h.titled) && h.heading(toks) {
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
		if low := toks[i].Low; (low == "," || low == "–" || i == colon) && h.named(toks[:i], more || colon < len(toks)-1) {
			if toks = phrase.Trim(toks[i:]); len(toks) > 0 {
				h.begin = toks[0].From // behind the name, too, an event may begin
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
	}
	return toks
}

// command reads "/expense ...": a person starts the flow by its name.
func (h *header) command(toks []phrase.Token) []phrase.Token {
	if len(toks) < 2 || toks[0].Low != "/" || toks[0].From != h.begin || !toks[1].Glued || toks[1].Kind != phrase.Word {
		return toks
	}
	h.setName(toks[1:2])
	h.t.Triggers = append(h.t.Triggers, tree.Trigger{By: true, At: h.Quotes(toks[:2])})
	return toks[2:]
}

// heading reads a first sentence of a few words that says nothing to do, such as "Purchase requests.", as the name of the flow.
func (h *header) heading(toks []phrase.Token) bool {
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
func (h *header) front(toks []phrase.Token) []phrase.Token {
	if len(h.t.Triggers) > 0 {
		return toks
	}
	list, n := h.triggers(toks)
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
func (h *header) closing(toks []phrase.Token) int {
	said := toks
	if phrase.Begins(toks, "remind") && len(h.t.Steps) == 0 { // "remind @ana to pay on the 1st of each month"
		said = toks[1:]
	}
	if slices.ContainsFunc(said, func(t phrase.Token) bool { return repeating[t.Low] }) {
		return 0
	}
	g, at := h.scheduleAt(toks)
	if at == 0 {
		return 0
	}
	h.t.Triggers = append(h.t.Triggers, g)
	if (toks[at].Low == "on" || toks[at].Low == "at") && phrase.Messages[toks[0].Low] && slices.ContainsFunc(toks[:at], func(t phrase.Token) bool { return phrase.Auxiliaries[t.Low] }) { // "tell #team that we are closed on Mondays"
		h.object(toks[at:], "may be a part of the message, and not when it is sent")
	}
	return at
}

// repeating are verbs of steps that have an interval of their own.
var repeating = phrase.Set(`remind reminder reminders reminds reminded nudge nudged chased wait retry repeat try escalate`)

// opening reads "please create a refund workflow that ...", and what follows as the steps.
func (h *header) opening(toks []phrase.Token) []phrase.Token {
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
		if !products[toks[at].Low] || wish+create == 0 && made == 0 {
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
func (h *header) product(toks []phrase.Token, start, n, at int) []phrase.Token {
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
func (h *header) named(toks []phrase.Token, follows bool) bool {
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
func (h *header) setName(toks []phrase.Token) {
	for len(toks) > 1 && (phrase.Determiners[toks[0].Low] || toks[0].Low == "new") {
		toks = toks[1:]
	}
	for len(toks) > 1 && products[toks[len(toks)-1].Low] {
		toks = toks[:len(toks)-1]
	}
	const longest = 40 // letters of a name
	s := strings.ReplaceAll(english.Snake(h.Plain(toks)), "_", "-")
	if len(s) > longest {
		s = strings.TrimRight(s[:longest], "-")
	}
	if h.t.Name == "" {
		h.t.Name = s
	}
}

// given reads a sentence that names what a run gives, and gives what stands behind it.
func (h *header) given(toks []phrase.Token) (out []tree.Step, rest []phrase.Token) {
	m, ok := phrase.Fit(phrase.Outputs, toks)
	if !ok {
		return nil, toks
	}
	if out = h.outputs(m.Slots["list"]); len(out) == 0 {
		return nil, toks
	}
	for _, w := range m.Words {
		out[0].At = append(out[0].At, h.Quotes(w)...)
	}
	return out, phrase.Trim(toks[m.End:])
}

// requests are words for what people ask others for; they are no values of a run.
var requests = phrase.Set(`approval approvals permission confirmation consent sign-off signoff feedback review help advice opinions opinion`)

// gives reads a sentence about the inputs or outputs of a run.
func (h *header) gives(toks []phrase.Token) []phrase.Token {
	if n := h.entering(toks); n > 0 {
		return phrase.Trim(toks[n:])
	}
	for _, p := range phrase.Giving {
		m, ok := phrase.Fit(p, toks)
		if !ok {
			continue
		}
		list, at := m.Slots["list"], h.t.Inputs
		if slices.ContainsFunc(list, func(t phrase.Token) bool { return requests[t.Low] }) {
			return toks
		}
		if !h.inputs(list) {
			h.t.Inputs = at
			return toks
		}
		for _, w := range m.Words {
			h.t.At = append(h.t.At, h.Quotes(w)...)
		}
		return phrase.Trim(toks[m.End:])
	}
	out, rest := h.given(toks)
	h.t.Steps = append(h.t.Steps, out...)
	return rest
}

var (
	enters  = phrase.Phrases(`provides provide enters enter gives give fills_in fill_in fills_out fill_out writes write specifies specify picks states types_in inputs submits submit`)
	works   = phrase.Set(`submit submits write writes give gives pick picks state states`) // what they name by itself is no value
	entered = phrase.Set(`date dates day days name names reason reasons amount amounts number numbers email address title`)
	openers = phrase.Phrases(`starts_the_workflow_and starts_the_flow_and opens_the_form_and starts_it_and opens_the_workflow_and`)
)

// entering reads "the employee gives the start date and a reason": the inputs and the starter of a run.
func (h *header) entering(toks []phrase.Token) int {
	a := phrase.ActorOf(toks)
	if a.N == 0 || !a.Person || toks[0].Kind == phrase.Name || len(h.t.Steps) > 0 {
		return 0
	}
	at := a.Verb + phrase.Starting(toks[a.Verb:], openers)
	verb := phrase.Starting(toks[at:], enters)
	if verb == 0 {
		return 0
	}
	end := at + verb + phrase.ClauseEnd(toks[at+verb:])
	list := toks[at+verb : end]
	if len(list) == 0 || slices.ContainsFunc(list, func(t phrase.Token) bool { return requests[t.Low] && t.Low != "help" }) {
		return 0
	}
	list = phrase.Specific(list)
	if works[toks[at].Low] && len(phrase.Alternatives(phrase.Trim(list), false)) < 2 && !entered[list[len(list)-1].Low] {
		return 0 // "the customer submits a claim": that starts it; "marketing writes the text": that is a step
	}
	before := h.t.Inputs
	if !h.inputs(list) {
		h.t.Inputs = before
		return 0
	}
	h.people.starter = phrase.RoleName(toks[:a.N])
	h.t.At = append(h.t.At, h.Quote(toks[:end-len(list)]))
	return end
}

var (
	requesting = phrase.Set(`reports submits submit requests files registers enters logs posts creates fills reported submitted requested filed registered entered request requests form report claim application ticket order incident complaint`)
	concerns   = phrase.Set(`problem problems issue issues difficulty help error fault bug experience question contact contract agreement meeting appointment`) // "a problem with the printer"
	telling    = phrase.Phrases(`says say tells_us tell_us states types_in type_in writes_down fills_in enters gives provides`)
	asking     = phrase.Set(`what which how why when where who`)
)

// fields reads what the words about the start of a run say that is entered: "a nurse reports a fall with the ward and what happened",
// "somebody says which team and why".
func (h *header) fields(toks []phrase.Token) {
	for i := range toks {
		list, size := toks[i+1:], phrase.Starting(toks[i:], telling)
		if size > 0 && i > 0 {
			list = phrase.Specific(toks[i+size:])
		} else if toks[i].Low != "with" || i < 2 || concerns[toks[i-1].Low] || !slices.ContainsFunc(toks[:i], func(t phrase.Token) bool { return requesting[t.Low] }) {
			continue
		}
		parts, before := phrase.Alternatives(list, false), h.t.Inputs
		if len(parts) == 0 || len(parts) == 1 && !entered[list[len(list)-1].Low] && !asking[list[0].Low] {
			continue
		}
		if slices.ContainsFunc(parts, func(part []phrase.Token) bool { return !asking[part[0].Low] && phrase.RoleOf(part) }) || !h.inputs(list) {
			h.t.Inputs = before
		}
		return
	}
}

// inputs reads a list of inputs.
func (h *header) inputs(toks []phrase.Token) bool {
	var all []tree.Input
	for _, part := range phrase.Alternatives(phrase.Trim(toks), false) {
		in, ok := h.Input(part)
		if !ok {
			return false
		}
		all = append(all, in)
	}
	for _, in := range all {
		h.addInput(in)
	}
	return len(all) > 0
}

// outputs reads names for what a run gives: "the summary (variable summary)"; none = they are something else.
func (h *header) outputs(toks []phrase.Token) (all []tree.Step) {
	for _, part := range phrase.Alternatives(phrase.Trim(toks), false) {
		in, ok := h.Input(part)
		if !ok {
			return nil
		}
		s := step(h.t, tree.Set)
		s.Result, s.Text = in.Name, in.About
		s.Over = tree.Value{Words: in.About, At: in.At[0]}
		s.At = in.At
		all = append(all, s.Step)
	}
	return all
}

// background takes a sentence about the subject of the flow, before the sentence with the trigger: "A small company makes bikes."
func (h *header) background(toks []phrase.Token, next *phrase.Item) bool {
	const longest = 24 // words
	if len(toks) == 0 || toks[0].From != h.begin || len(toks) > longest || h.t.About != "" || len(next.Mark) > 0 || phrase.Starting(next.Toks, openings) == 0 || !background[toks[0].Low] {
		return false
	}
	if phrase.ActorOf(toks).Person && !phrase.Trades(toks) { // it says what somebody does
		return false
	}
	for i, t := range toks {
		if t.Kind != phrase.Word && t.Low != "," && t.Low != "." || demands[t.Low] || requests[t.Low] || phrase.Answers[t.Low] != "" || phrase.Modals[t.Low] || phrase.Starting(toks[i:], phrase.Ifs) > 0 || phrase.Starting(toks[i:], phrase.Denials) > 0 || phrase.Starting(toks[i:], phrase.Loops) > 0 {
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
func (h *header) firstItem(it *phrase.Item) {
	if len(it.Toks) > 0 {
		h.begin = it.Toks[0].From
	}
	list, n := h.triggers(it.Toks)
	if n == 0 || n < len(it.Toks) && phrase.Starting(it.Toks[n:], phrase.Ends) == 0 && list[0].Emoji == "" && list[0].Cron == "" {
		return
	}
	list[0].At = append(h.Quotes(it.Mark), list[0].At...)
	h.t.Triggers = append(h.t.Triggers, list...)
	it.Toks, it.Mark = phrase.Trim(it.Toks[n:]), nil
}

// slots makes an input of each <name> and {name}.
func (h *header) slots(toks []phrase.Token) {
	for _, t := range toks {
		if t.Kind == phrase.Quoted {
			for _, m := range values.Slots.FindAllStringIndex(t.Text, -1) {
				h.addInput(tree.Input{Name: t.Text[m[0]+1 : m[1]-1]})
			}
		}
		if t.Kind == phrase.Slot {
			h.addInput(tree.Input{Name: english.Snake(t.Text)})
		}
	}
}

// addInput adds an input, or completes an existing one.
func (h *header) addInput(in tree.Input) {
	if old := h.t.Input(in.Name); old != nil {
		old.At = append(old.At, in.At...)
		if in.Type != "" {
			old.Type = in.Type
		}
		old.Optional = old.Optional || in.Optional
		return
	}
	if in.Name != "" {
		h.t.Inputs = append(h.t.Inputs, in)
	}
}

// unscheduled removes a schedule from a text: it is the time of an action and not a part of the text.
func (h *header) unscheduled(toks []phrase.Token) []phrase.Token {
	if g, n := h.schedule(toks); n > 0 && n < len(toks) && h.whole && len(h.t.Triggers) == 0 {
		h.t.Triggers = append(h.t.Triggers, g)
		return phrase.Trim(toks[n:])
	}
	if g, at := h.scheduleAt(toks); g.Cron != "" {
		return phrase.Trim(toks[:at])
	}
	return toks
}
