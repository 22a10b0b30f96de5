package opening

import (
	"slices"
	"strings"

	"sluice/engine/planner/phrase"
	"sluice/engine/planner/times"
	"sluice/engine/planner/tree"
	"sluice/engine/planner/values"
)

// Form is one way to say something.
type Form struct {
	Section string // "Ask", "Tell"
	Pattern string // words with alternatives a|b, [optional] ones, and {slots}
	Example string // a text that the form reads
	Meaning string // what it makes
}

// Forms lists the ways to say what starts a flow.
func Forms() (out []Form) {
	for i := range times.Forms {
		if f := &times.Forms[i]; !f.Counts {
			out = append(out, Form{"When it starts", f.Pattern, f.Example, f.Meaning})
		}
	}
	for i := range events {
		out = append(out, events[i].Form)
	}
	return out
}

const person = "somebody|someone|anybody|anyone|a_person|people|a_user|an_agent|an_employee|a_colleague|a_teammate|a_team_member|a_coworker|i|we|you"

// events are the forms of events that start a run, after "when". The slots are the fields of the trigger.
var events = phrase.Table([]event{
	{Form: Form{"When it starts", person + " {place?} reacts|react {place?} [with] [a|an|the] {emoji} [emoji|reaction] {place?}", "when somebody reacts with :bug: to a message in #ops, tell #ops hello", "a reaction to a message"}},
	{Form: Form{"When it starts", person + " adds|add|puts|put|sets|set|places|place|leaves|leave [a|an|the] {emoji} [emoji|reaction] {place}", "when somebody adds :bug: to a message in #ops, tell #ops hello", "a reaction to a message"}},
	{Form: Form{"When it starts", "a|any|the [new] message|post {place?} gets|receives|has [a|an|the] {emoji} [emoji|reaction] {place?}", "when a message gets :eyes:, tell #ops hello", "a reaction to a message"}},
	{Form: Form{Pattern: "[a|an|the] {emoji} [emoji|reaction] is_added|is_put|is_set|is_given|is_placed|is_used {place}"}},
	{Form: Form{"When it starts", "react_with|reacting_with|add|adding|put|putting [a|an] {emoji} [emoji|reaction] {place}", "React with :bug: to a message in #ops, and tell #ops hello", "a reaction to a message"}},
	{Form: Form{Pattern: "[a|an|any] {emoji} [emoji|reaction] {place}"}},
	{Form: Form{"When it starts", "a|any|every [new] message in {channel} [that] matches|matching {quoted}", `when a message in #ops matches /go (?P<host>\S+)/, tell #ops hello`, "a message that fits a regular expression"}, match: "pattern"},
	{Form: Form{"When it starts", "a|any|every [new] message in {channel} [that] says|saying {said}", `when a message in #ops says "refund <order_id>", tell #ops hello`, "a message with these words; <order_id> is a value"}, match: "words"},
	{Form: Form{"When it starts", "a|any|every [new] message in {channel} [that] contains|containing|mentions|mentioning {said}", `when a message in #ops contains "down", tell #ops hello`, "a message that has these letters anywhere"}, match: "letters"},
	{Form: Form{"When it starts", person + " writes|write|posts|post|says|say|types|type [the_word|the_words] {quoted} in|on {channel}", `when somebody writes "refund <order_id>" in #ops, tell #ops hello`, "a message with these words"}, match: "words"},
	{Form: Form{"When it starts", person + " in|on|from {channel} writes|write|says|say|types|type [the_word|the_words] {said}", `when someone in #ops says help, tell #ops hello`, "a message with these words"}, match: "words"},
	{Form: Form{Pattern: person + " in|on|from {channel} posts|post|sends|send {quoted}"}, match: "words"},
	{Form: Form{Pattern: "in|on {channel} " + person + " writes|write|says|say|types|type [the_word|the_words] {said}"}, match: "words"},
	{Form: Form{Pattern: person + " in|on|from {channel} mentions|mention [the_word|the_words] {said}"}, match: "letters"},
	{Form: Form{Pattern: person + " mentions|mention [the_word|the_words] {quoted} in|on {channel}"}, match: "letters"},
	{Form: Form{Pattern: "a|any|every [new] message in {channel} [that] has|with [the_word|the_words|the_text] {quoted} [in_it]"}, match: "letters"},
	{Form: Form{Pattern: person + " in|on {channel} writes|write|posts|post [a_message|something|anything]"}},
	{Form: Form{"When it starts", person + " writes|write|posts|post [a_message|something|anything] in {channel}", "when somebody posts in #ops, tell #ops hello", "each message of a channel"}},
	{Form: Form{"When it starts", "a|any|every [new] message [is_posted|is_written|comes|arrives] in {channel} [arrives|comes_in|is_posted]", "when a message is posted in #ops, tell #ops hello", "each message of a channel"}},
	{Form: Form{"When it starts", "[the|a] webhook {path} arrives|is_called|comes_in|is_received|is_triggered|fires", "when the webhook orders is called: tell #ops hello", "a call of POST /hooks/orders"}},
	{Form: Form{Pattern: "[the|a|an] {path} webhook arrives|is_called|comes_in|is_received|is_triggered|fires"}},
	{Form: Form{"When it starts", "[a|an|the] [post|http|incoming] webhook [call|request] from|by|of {path} [arrives|comes_in|is_received]", "on a webhook from billing: tell #ops hello", "a call of POST /hooks/billing"}},
	{Form: Form{"When it starts", "{event}", "when a complaint comes in, tell #ops hello", "anything else: you are asked how it is noticed"}},
}, func(e *event) { e.pattern = phrase.Compile(e.Pattern) })

// event is a form of triggers.
type event struct {
	Form
	match   string // how the words of a message become a pattern
	pattern []phrase.Part
}

var (
	openings = phrase.Phrases(`triggered_when trigger_when triggers_when starts_when start_when begins_when start_this_when it_starts_when this_starts_when each_time every_time as_soon_as whenever when`)
	firstly  = phrase.Phrases(`upon once after`) // in the first sentence only
	labels   = phrase.Phrases(`trigger_on triggers_on triggered_by triggered_on starts_on start_on starts_with_a on`)
	byHand   = phrase.Phrases(`somebody_starts_it_by_hand someone_starts_it_by_hand people_start_it_by_hand i_start_it_by_hand we_start_it_by_hand
		somebody_starts_it someone_starts_it people_start_it i_start_it we_start_it when_somebody_starts_it when_someone_starts_it when_i_start_it when_we_start_it
		started_by_hand start_by_hand starts_by_hand by_hand started_manually starts_manually manually on_demand`)
)

// Triggers reads the triggers at the beginning of toks; n 0 = there are none.
func (h *Header) Triggers(toks []phrase.Token) (list []tree.Trigger, n int) {
	lead := phrase.Starting(toks, phrase.Phrases("trigger_: it_runs it_starts runs starts run_this start_this run start"))
	if g, size := h.schedule(toks[lead:]); size > 0 {
		g.At = h.Quotes(toks[:lead+size])
		return []tree.Trigger{g}, lead + size
	}
	if size := phrase.TermLength(toks[lead:]); size > 0 && (phrase.Begins(toks[lead+size:], "before") || phrase.Begins(toks[lead+size:], "after")) { // "3 days before the contract ends"
		if n, ok := phrase.TakeEvent(toks[lead+size+1:]); ok && !phrase.Verbs[toks[lead+size+1].Low] {
			n += lead + size + 1
			return []tree.Trigger{{Words: h.Words(toks[lead:n]), At: h.Quotes(toks[:n])}}, n
		}
	}
	if size := phrase.Starting(toks[lead:], byHand); size > 0 {
		return []tree.Trigger{{By: true, At: h.Quotes(toks[:lead+size])}}, lead + size
	}
	for {
		from := n
		if n > 0 {
			from += phrase.Starting(toks[n:], phrase.Phrases(", ")) + phrase.Starting(toks[n+phrase.Starting(toks[n:], phrase.Phrases(",")):], phrase.Phrases("or"))
			if from == n || toks[from-1].Low != "or" {
				return list, n
			}
		}
		opening := phrase.Starting(toks[from:], openings)
		if opening == 0 && n == 0 && len(toks) > 0 {
			opening = phrase.Starting(toks, labels)
			switch begins := toks[0].From == h.Begin; {
			case begins && toks[0].Low == "if" && h.happening(toks):
				opening = 1
			case begins:
				opening = max(opening, phrase.Starting(toks, firstly))
			}
		}
		if opening == 0 && n == 0 {
			if opening = lead; !h.reacts(toks, lead) {
				return h.beginning(toks[lead:], lead, toks)
			}
		}
		g, size := h.event(toks[from+opening:], n > 0 && opening == 0)
		if size == 0 {
			return list, n
		}
		end := from + opening + size
		g.Words = h.Words(toks[from:end])
		if g.Emoji != "" && phrase.Begins(toks[end:], "to") && phrase.StartsStep(toks[end+1:]) { // "react with :bug: to a message to create a ticket"
			end++
		}
		g.At = h.Quotes(toks[n:end])
		if last := len(list) - 1; last >= 0 && opening == 0 && g.Emoji != "" && list[last].Emoji != "" && list[last].Channel == "" { // "with :bug: or :eyes: in #ops"
			list[last].Channel = g.Channel
		}
		if who := toks[from+opening]; who.Low == "i" && !g.Open() {
			h.Object(h.t, toks[from+opening:end], "starts it when anybody does so, and not only you")
		}
		list, n = append(list, g), end
	}
}

// Behind takes "when a deal is won" behind the only step: a condition that compares nothing says what starts the flow.
func (h *Header) Behind(toks []phrase.Token, cond tree.Cond) int {
	if !h.whole || len(h.t.Triggers) > 0 || phrase.Starting(toks, openings) == 0 || values.ComparesAmount(cond) && toks[0].Low == "when" {
		return 0
	}
	g, n := h.Triggers(toks)
	if n > 0 {
		h.t.Triggers = g
	}
	return n
}

// happening reports whether an "if" at the beginning says what starts the flow: "if a customer wants a refund, ...". With another side it is a
// condition.
func (h *Header) happening(toks []phrase.Token) bool {
	if _, n := h.event(toks[1:], true); n > 0 { // "if somebody reacts with :eyes:"
		return true
	}
	if len(toks) < 3 || !phrase.Indefinite[toks[1].Low] && toks[1].Low != "nobody" {
		return false
	}
	ifs, elses := 0, 0
	rest := phrase.Scan(h.Src, toks[1].From, len(h.Src))
	for i := range rest {
		if n := phrase.Starting(rest[i:], phrase.Elses); n > 0 {
			elses++
		} else if rest[i].Low == "if" || rest[i].Low == "unless" || rest[i].Low == "within" { // "within a day, otherwise ..."
			ifs++
		}
	}
	return elses <= ifs
}

// reacts reports whether toks begin with a reaction that starts the flow, without "when": "React with :bug: to a message in #ops, and ...". A
// reaction to the message, or to any, is a step.
func (h *Header) reacts(toks []phrase.Token, lead int) bool {
	g, n := h.event(toks[lead:], true)
	said, rest := phrase.Lows(toks[lead:lead+n]), toks[lead+n:]
	return g.Emoji != "" && toks[0].From == h.Begin && (strings.Contains(said, " a message") || strings.Contains(said, " a post")) && (!h.whole || h.more > 0 || len(phrase.Trim(rest)) > 0) &&
		(len(rest) == 0 || phrase.Starting(rest, phrase.Ends) > 0 || rest[0].Low == "and" || rest[0].Low == "to")
}

// beginning reads a first clause that says what starts the flow, without "when": "Any employee submits a request. ...", "invoice arrives -> ...".
func (h *Header) beginning(toks []phrase.Token, lead int, all []phrase.Token) ([]tree.Trigger, int) {
	if len(toks) == 0 || toks[0].From != h.Begin && lead == 0 || !h.whole || phrase.Starting(toks, wishes) > 0 {
		return nil, 0
	}
	end := phrase.ClauseEnd(toks)
	if colon := slices.IndexFunc(toks[:end], func(t phrase.Token) bool { return t.Low == ":" }); colon > 0 { // "customer wants a refund: look up the order"
		end = colon
	}
	from := 0
	for _, p := range phrase.Processes {
		if m, ok := phrase.Fit(p, toks); ok && m.End < len(toks) && from == 0 {
			if _, n := h.event(toks[m.End:], false); n > 0 {
				from, end = m.End, m.End+n
			}
		}
	}
	if from == 0 {
		at := 1
		for at < end && at <= phrase.MostRole+1 && phrase.Starting(toks[at:], phrase.Begun) == 0 && !phrase.ComesFrom(toks, at) && !(h.leads && phrase.Auxiliaries[toks[at].Low]) {
			at++
		}
		if at >= end || at > phrase.MostRole+1 || demands[toks[at].Low] && slices.ContainsFunc(toks[at:end], func(t phrase.Token) bool { return t.Kind == phrase.Name && t.Low[0] == '@' }) || phrase.StartsStep(toks) || phrase.RoleEnds[toks[0].Low] && toks[0].Low != "a" && toks[0].Low != "an" && toks[0].Low != "the" || toks[0].Kind != phrase.Word && toks[0].Kind != phrase.Slot {
			return nil, 0
		}
		size := phrase.Starting(toks[at:], phrase.Begun)
		if size == 0 { // somebody from outside, or an arrow behind it
			size = 2
		}
		by := size == 1 && phrase.Third(toks[at].Low) && !phrase.Intransitive[toks[at].Low]
		if by && !(phrase.Roles[toks[at-1].Low] && (toks[0].Low == "a" || toks[0].Low == "an" || toks[0].Low == "any" || toks[0].Low == "somebody" || toks[0].Low == "someone") || at > 1 && phrase.Roles[toks[1].Low] && toks[0].Low == "any") {
			return nil, 0 // "the accountant files the report" is a step
		}
		if !by && len(phrase.Trim(toks[end:])) == 0 && end == len(toks) && h.more == 0 {
			return nil, 0
		}
	}
	g, n := h.event(toks[from:end], false)
	if from+n != end {
		g = tree.Trigger{}
	}
	g.Words, g.At = h.Words(phrase.Trim(toks[:end])), h.Quotes(all[:lead+end])
	if a := phrase.ActorOf(toks[:end]); from == 0 && a.Person {
		h.Starter, _, _ = strings.Cut(phrase.RoleName(toks[:a.N]), " of ")
	}
	return []tree.Trigger{g}, lead + end
}

// event reads an event.
func (h *Header) event(toks []phrase.Token, known bool) (g tree.Trigger, n int) {
	for i := range events {
		e := &events[i]
		m, ok := phrase.Fit(e.pattern, toks)
		if !ok || known && m.Slots["event"] != nil {
			continue
		}
		if m.End < len(toks) && (m.Slots["emoji"] == nil || toks[m.End].Low != "to" && phrase.Prepositions[toks[m.End].Low]) && m.Slots["event"] == nil && phrase.Starting(toks[m.End:], phrase.Ends) == 0 && toks[m.End].Low != "or" && (toks[m.End].Low == "in" || !phrase.OpensStep(toks[m.End:])) {
			continue // it goes on with words that say more of the message
		}
		if s := m.Slots["event"]; s != nil && values.ComparesAmount(h.Condition(s)) {
			return g, 0 // a condition
		}
		if at := slices.IndexFunc(toks[:m.End], func(t phrase.Token) bool { return t.Kind == phrase.Name && t.Low[0] == '#' }); at >= 0 && m.Slots["event"] == nil {
			g.Channel = toks[at].Text
		}
		if s := m.Slots["emoji"]; s != nil {
			g.Emoji = s[0].Text
		}
		if s := m.Slots["path"]; s != nil {
			g.Path = strings.ToLower(h.Plain(s))
		}
		g.Match = values.Matching(e.match, h.Plain(slices.Concat(m.Slots["said"], m.Slots["quoted"])))
		h.note(e.Pattern)
		return g, m.End
	}
	return g, 0
}
