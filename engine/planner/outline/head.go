package outline

import (
	"slices"
	"strings"

	"sluice/engine/planner/english"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
)

var (
	courtesy = phrase.Phrases(`please hi hello hey can_you could_you would_you we_need_you_to i_want_you_to i_would_like_you_to i'd_like_you_to`)
	wishes   = phrase.Phrases(`we_need i_need we_want i_want we_would_like i_would_like i'd_like help_me_to help_me let's let_us here_is this_is`)
	creates  = phrase.Phrases(`to_build to_create to_make to_have to_set_up to_design to_automate build create make set_up design draft write generate develop implement new automate`)
	articles = phrase.Phrases(`me_a us_a me_an us_an a an the our my new`)
	products = phrase.Set(`workflow flow process automation workflows`)
	purposes = phrase.Phrases(`dedicated_to_the dedicated_to that_should that_will that which specifically_for for_the for to where in_which called named`)
)

// head reads the part before the steps: the name, the purpose and the trigger of the flow. It returns the rest.
func (r *reader) head(toks []phrase.Token, more bool) []phrase.Token {
	toks = r.front(r.opening(r.command(toks)))
	if n := len(toks); len(r.t.Triggers) == 0 && more && n > 0 && (toks[n-1].Low == "." || toks[n-1].Low == "!") && r.heading(toks) {
		return nil
	}
	colon := slices.IndexFunc(toks, func(t phrase.Token) bool { return t.Low == ":" || t.Low == "-" && !t.Glued })
	for i := 0; i <= colon; i++ { // "refund: ...", "refund, every day at 8: ..."
		if low := toks[i].Low; (low == "," || low == "–" || i == colon) && r.named(toks[:i], more || colon < len(toks)-1) {
			toks = r.front(phrase.Trim(toks[i:]))
			break
		}
	}
	if len(r.t.Triggers) == 0 {
		if at := r.closing(toks); at > 0 {
			toks = toks[:at]
		}
	}
	return toks
}

// command reads "/expense ...": a person starts the flow by its name.
func (r *reader) command(toks []phrase.Token) []phrase.Token {
	if len(toks) < 2 || toks[0].Low != "/" || toks[0].From != r.begin || !toks[1].Glued || toks[1].Kind != phrase.Word {
		return toks
	}
	r.setName(toks[1:2])
	r.t.Triggers = append(r.t.Triggers, tree.Trigger{By: true, At: r.quotes(toks[:2])})
	return toks[2:]
}

// heading reads a first sentence of a few words that says nothing to do, such as "Purchase requests.", as the name of the flow.
func (r *reader) heading(toks []phrase.Token) bool {
	for n := len(toks); n > 0 && (toks[n-1].Kind == phrase.Sign || toks[n-1].Low == "pls" || toks[n-1].Low == "please" || toks[n-1].Low == "thanks"); n = len(toks) {
		toks = toks[:n-1]
	}
	const longest = 5 // words of a heading
	if len(toks) == 0 || len(toks) > longest || slices.ContainsFunc(toks, func(t phrase.Token) bool {
		return t.Kind != phrase.Word || phrase.Auxiliaries[t.Low] || phrase.Third(t.Low) && !phrase.NounVerbs[strings.TrimSuffix(t.Low, "s")] || phrase.PassiveWord(t) || english.Frequent(t.Low) && t.Low != "of" && t.Low != "for" && t.Low != "and" && t.Low != "new"
	}) {
		return false
	}
	return !phrase.Verbs[toks[0].Low] && !intransitive[toks[len(toks)-1].Low] && r.named(toks, true)
}

// front takes the triggers off the front of toks.
func (r *reader) front(toks []phrase.Token) []phrase.Token {
	if len(r.t.Triggers) > 0 {
		return toks
	}
	list, n := r.triggers(toks)
	r.t.Triggers = list
	if toks = toks[n:]; n > 0 && phrase.Starting(toks, phrase.Ends) > 0 {
		toks = toks[1:]
	}
	return toks
}

// closing takes a schedule off the end of a sentence, "tell #ops hello every day at 9", and gives where it begins; 0 = there is none.
func (r *reader) closing(toks []phrase.Token) int {
	if slices.ContainsFunc(toks, func(t phrase.Token) bool { return repeating[t.Low] }) {
		return 0
	}
	g, at := r.scheduleAt(toks)
	if at > 0 {
		r.t.Triggers = append(r.t.Triggers, g)
	}
	return at
}

// scheduleAt finds a schedule at the end of toks.
func (r *reader) scheduleAt(toks []phrase.Token) (tree.Trigger, int) {
	end := len(phrase.Trim(toks))
	const longest = 14 // words of a schedule
	for i := max(1, end-longest); i < end; i++ {
		if closers[toks[i].Low] && !restricts[toks[i-1].Low] {
			if g, n := r.schedule(toks[i:end]); n > 0 && i+n == end {
				return g, i
			}
		}
	}
	return tree.Trigger{}, 0
}

// closers begin a schedule at the end of a sentence.
var closers = phrase.Set(`every each daily weekly monthly hourly on at`)

// restricts are words before a time that limit or exclude it, so that it is no schedule.
var restricts = phrase.Set(`not never except but unless only excluding without than`)

// repeating are verbs of steps that have an interval of their own.
var repeating = phrase.Set(`remind reminder reminders nudge wait retry repeat try escalate`)

// opening reads "please create a refund workflow that ...", and what follows as the steps.
func (r *reader) opening(toks []phrase.Token) []phrase.Token {
	n := 0
	for size := 1; size > 0; n += size {
		size = phrase.Starting(toks[n:], courtesy)
		if size > 0 && phrase.Begins(toks[n+size:], ",") {
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
		if wish+create == 0 && (at+1 >= len(toks) || toks[at+1].Low != ":") {
			continue
		}
		return r.product(toks, start, n, at)
	}
	if phrase.Begins(toks[start:], "new") && !products[toks[min(n, len(toks)-1)].Low] {
		return r.newName(toks, start, n)
	}
	return toks[start:]
}

// product reads the name of the workflow in front of that word or behind it.
func (r *reader) product(toks []phrase.Token, start, n, at int) []phrase.Token {
	name := toks[n:at]
	rest := toks[at+1:]
	size := phrase.Starting(rest, purposes)
	colon := len(rest)
	if colon > 0 && rest[colon-1].Low == ":" {
		colon--
	}
	if size > 0 && (rest[size-1].Low == "that" || rest[size-1].Low == "which") {
		imperative(rest[size:])
	}
	if len(name) == 0 && size > 0 && (rest[0].Low == "called" || rest[0].Low == "named") {
		end := 1
		for end < len(rest) && end < 6 && (rest[end].Kind == phrase.Word && !phrase.RoleEnds[rest[end].Low] || rest[end].Kind == phrase.Quoted) {
			end++
		}
		name, size = rest[1:end], end
	} else if len(name) == 0 && size > 0 && colon == len(rest) && (rest[size-1].Low == "for" || rest[size-1].Low == "the") && !phrase.StartsStep(rest[size:]) && len(rest) < 8 {
		name, size = rest[size:], len(rest)
	} else if size > 0 && len(rest) != colon && !phrase.StartsStep(rest[size:]) { // "a workflow for expense reports:", "a workflow that processes invoices:"
		r.t.About, size = r.words(rest[size:colon]), colon
	} else if size > 0 && len(rest) != colon {
		r.t.About, size = r.words(rest[size:colon]), colon
	}
	r.setName(name)
	r.t.At = append(r.t.At, r.quotes(toks[start:at+1+size])...)
	return phrase.Trim(rest[size:])
}

// imperative writes the verbs of "a workflow that gets the order and tells #x" as those of steps.
func imperative(toks []phrase.Token) {
	for i := range toks {
		if base := phrase.Base(toks[i].Low); base != "" && (i == 0 || phrase.Starting(toks[i-1:], phrase.Leads) > 0) {
			toks[i].Low = base
		}
	}
}

// newName reads "new refund: ..." and "new refund, when ...".
func (r *reader) newName(toks []phrase.Token, start, n int) []phrase.Token {
	end := n
	for end < len(toks) && toks[end].Low != ":" && toks[end].Low != "," && !toks[end].First && end-n < phrase.MostItem {
		if phrase.Starting(toks[end:], happens) > 0 { // "new lead comes in"
			return toks[start:]
		}
		end++
	}
	if end == n || end == n+phrase.MostItem {
		return toks[start:]
	}
	r.setName(toks[n:end])
	r.t.At = append(r.t.At, r.quotes(toks[start:end])...)
	return phrase.Trim(toks[end:])
}

// named reads words before a colon as the name of the flow.
func (r *reader) named(toks []phrase.Token, follows bool) bool {
	const longest = 6 // words of a name
	toks = phrase.Trim(toks)
	if len(toks) == 0 || len(toks) > longest || !follows || r.t.Name != "" || phrase.Verbs[toks[0].Low] && phrase.StartsStep(toks) && len(toks) > 1 {
		return false
	}
	for i, t := range toks {
		switch {
		case t.Kind == phrase.Name || t.Kind == phrase.Slot || t.Kind == phrase.Number && i == 0 || t.Kind == phrase.Sign && t.Low != "-" && t.Low != "&" && t.Low != "/":
			return false
		case phrase.Starting(toks[i:], phrase.Ifs) > 0, phrase.Starting(toks[i:], loops) > 0, phrase.Starting(toks[i:], phrase.Denials) > 0 && i == 0, phrase.Starting(toks[i:], phrase.Leads) > 0 && t.Low != "and" && t.Low != "now":
			return false
		}
	}
	if headings[phrase.Lows(toks)] {
		return false
	}
	r.setName(toks)
	r.t.At = append(r.t.At, r.quotes(toks)...)
	return true
}

// headings are words before a colon that are no name.
var headings = phrase.Set(`steps the_steps trigger inputs input the_task_requires note notes important ai agent do say goal then rules rule the_task_requires result summary`)

// setName gives the flow its name, without the words that every flow could be called by.
func (r *reader) setName(toks []phrase.Token) {
	for len(toks) > 1 && (phrase.Determiners[toks[0].Low] || toks[0].Low == "new") {
		toks = toks[1:]
	}
	for len(toks) > 1 && products[toks[len(toks)-1].Low] {
		toks = toks[:len(toks)-1]
	}
	const longest = 40 // letters of a name
	s := strings.ReplaceAll(english.Snake(r.plain(toks)), "_", "-")
	if len(s) > longest {
		s = strings.TrimRight(s[:longest], "-")
	}
	if r.t.Name == "" {
		r.t.Name = s
	}
}

var giving = []struct {
	pattern []phrase.Part
	input   bool
}{
	{phrase.Compile("inputs|input|given : {list}"), true},
	{phrase.Compile("[the] user|users|requester|employee|person|somebody|someone|people will|must|can|should|then provide|provides|enter|enters|give|gives|submit|submits {list} as input|inputs"), true},
	{phrase.Compile("[it|the_flow|the_workflow|the_form|the_run] asks|asking [the_requester|the_user|them|whoever_starts_it|for_input] for {list}"), true},
	{phrase.Compile("ask for {list}"), true},
	{phrase.Compile("[it|the_flow|the_workflow] takes {list}"), true},
	{phrase.Compile("[it|the_flow|the_workflow] takes|needs|has|with inputs|as_inputs|the_inputs|as_input {list}"), true},
	{phrase.Compile("[the|a|an] workflow|flow|process needs_to|must|should|has_to|will output|return {list}"), false},
}

// requests are words for what people ask others for; they are no values of a run.
var requests = phrase.Set(`approval approvals permission confirmation consent sign-off signoff feedback review help advice opinions opinion`)

// gives reads a sentence about the inputs or outputs of a run.
func (r *reader) gives(toks []phrase.Token) []phrase.Token {
	if n := r.entering(toks); n > 0 {
		return phrase.Trim(toks[n:])
	}
	for i := range giving {
		m, ok := phrase.Fit(giving[i].pattern, toks)
		if !ok {
			continue
		}
		list := m.Slots["list"]
		if giving[i].input {
			if slices.ContainsFunc(list, func(t phrase.Token) bool { return requests[t.Low] }) {
				return toks
			}
			at := r.t.Inputs
			if !r.inputs(list) {
				r.t.Inputs = at
				return toks
			}
		} else if !r.outputs(list) {
			return toks
		}
		for _, w := range m.Words {
			r.t.At = append(r.t.At, r.quotes(w)...)
		}
		return phrase.Trim(toks[m.End:])
	}
	return toks
}

var (
	enters  = phrase.Phrases(`provides provide enters enter gives give fills_in fill_in fills_out fill_out writes write specifies specify picks states types_in inputs submits submit`)
	openers = phrase.Phrases(`starts_the_workflow_and starts_the_flow_and opens_the_form_and starts_it_and opens_the_workflow_and`)
	amongst = phrase.Phrases(`such_as including like namely with :`)
)

// entering reads "the employee gives the start date and a reason": the inputs and the starter of a run.
func (r *reader) entering(toks []phrase.Token) int {
	a := phrase.ActorOf(toks)
	if a.N == 0 || !a.Person || toks[0].Kind == phrase.Name || len(r.t.Steps) > 0 {
		return 0
	}
	at := a.Verb + phrase.Starting(toks[a.Verb:], openers)
	verb := phrase.Starting(toks[at:], enters)
	if verb == 0 {
		return 0
	}
	end := at + verb + clauseEnd(toks[at+verb:])
	list := toks[at+verb : end]
	if len(list) == 0 || slices.ContainsFunc(list, func(t phrase.Token) bool { return requests[t.Low] && t.Low != "help" }) {
		return 0
	}
	for i := range list { // "details for the request such as the start date and a reason"
		if n := phrase.Starting(list[i:], amongst); n > 0 && i > 0 {
			list = list[i+n:]
			break
		}
	}
	if strings.HasPrefix(toks[at].Low, "submit") && len(phrase.Alternatives(phrase.Trim(list), false)) < 2 {
		return 0 // "the customer submits a claim": that starts it
	}
	before := r.t.Inputs
	if !r.inputs(list) {
		r.t.Inputs = before
		return 0
	}
	r.starter = role(toks[:a.N])
	r.t.At = append(r.t.At, r.quote(toks[:end-len(list)]))
	return end
}

// role is the name of a role without its article.
func role(toks []phrase.Token) string {
	for len(toks) > 1 && phrase.Determiners[toks[0].Low] {
		toks = toks[1:]
	}
	return phrase.Lows(toks)
}

// inputs reads a list of inputs.
func (r *reader) inputs(toks []phrase.Token) bool {
	var all []tree.Input
	for _, part := range phrase.Alternatives(phrase.Trim(toks), false) {
		in, ok := r.input(part)
		if !ok {
			return false
		}
		all = append(all, in)
	}
	for _, in := range all {
		r.addInput(in)
	}
	return len(all) > 0
}

// typed are nouns that say what type a value has.
var typed = map[string]string{
	"date": "date", "day": "date", "dates": "date", "amount": "number", "number": "", "price": "number", "total": "number", "quantity": "number", "count": "integer",
	"%": "number", "percent": "number", "percentage": "number", "cost": "number", "budget": "number", "sum": "number",
	"file": "file", "document": "file", "image": "file", "photo": "file", "picture": "file", "pdf": "file", "screenshot": "file", "attachment": "file",
}

// input reads one of them: "a start date", "the paper file (variable paper)", "optionally a reason".
func (r *reader) input(toks []phrase.Token) (tree.Input, bool) {
	in := tree.Input{At: r.quotes(toks)}
	toks = phrase.Trim(toks)
	for len(toks) > 0 && (phrase.Determiners[toks[0].Low] || toks[0].Low == "optionally" || toks[0].Low == "optional" || toks[0].Low == "and") {
		in.Optional = in.Optional || strings.HasPrefix(toks[0].Low, "optional")
		toks = toks[1:]
	}
	named := toks
	article := len(in.At) > 0 && len(toks) > 0 && toks[0].From > in.At[0].From // "the open tickets" is no step
	for i := range toks {
		if toks[i].Low != "(" {
			continue
		}
		switch inside := toks[i+1:]; {
		case phrase.Begins(inside, "variable") && len(inside) > 2 && inside[2].Low == ")":
			in.Name = english.Snake(inside[1].Text)
		case phrase.Begins(inside, "optional", ")"):
			in.Optional = true
		default:
			return in, false
		}
		if i+len(toks[i:]) > i+4 {
			return in, false
		}
		named = toks[:i]
		break
	}
	const longest = 12 // words of a name
	if len(named) == 0 || len(named) > longest {
		return in, false
	}
	for _, t := range named {
		if t.Kind != phrase.Word && t.Kind != phrase.Slot && t.Kind != phrase.Quoted && t.Low != "'" && t.Low != "%" && (t.Low != "/" || !t.Glued) || phrase.StartsStep(named) && !article && in.Name == "" {
			return in, false
		}
		if typ, ok := typed[t.Low]; ok {
			in.Type = typ
		}
	}
	in.About = r.words(named)
	if in.Name == "" {
		in.Name = english.Snake(r.plain(named))
	}
	return in, in.Name != ""
}

// outputs reads names for what a run gives: "the summary (variable summary)".
func (r *reader) outputs(toks []phrase.Token) bool {
	var all []tree.Step
	for _, part := range phrase.Alternatives(phrase.Trim(toks), false) {
		in, ok := r.input(part)
		if !ok {
			return false
		}
		s := r.step(tree.Set)
		s.Result, s.Text = in.Name, in.About
		s.Over = tree.Value{Words: in.About, At: in.At[0]}
		s.At = in.At
		all = append(all, s.Step)
	}
	r.t.Steps = append(r.t.Steps, all...)
	return len(all) > 0
}
