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

// Words for a message with some words, and for what people do with one.
const (
	holding = "[a|any|every|the] [new] message|post|something|anything [that|which] contains|containing|mentions|mentioning|includes|including|has|with"
	writes  = "writes|write|posts|post|sends|send|says|say|types|type"
)

// events are the forms of events that start a run, after "when". The slots are the fields of the trigger.
var events = []event{
	{Form: Form{"When it starts", person + " {place?} reacts|react {place?} [with] [a|an|the] {emoji} [emoji|reaction] {place?}", "when somebody reacts with :bug: to a message in #ops, tell #ops hello", "a reaction to a message"}},
	{Form: Form{"When it starts", person + " adds|add|puts|put|sets|set|places|place|leaves|leave [a|an|the] {emoji} [emoji|reaction] {place}", "when somebody adds :bug: to a message in #ops, tell #ops hello", "a reaction to a message"}},
	{Form: Form{"When it starts", "a|any|the [new] message|post {place?} gets|receives|has [a|an|the] {emoji} [emoji|reaction] {place?}", "when a message gets :eyes:, tell #ops hello", "a reaction to a message"}},
	{Form: Form{"When it starts", "react_with|reacting_with|add|adding|put|putting [a|an] {emoji} [emoji|reaction] {place}", "React with :bug: to a message in #ops, and tell #ops hello", "a reaction to a message"}},
	{Form: Form{"When it starts", "a|any|every [new] message in {channel} [that] matches|matching {quoted}", `when a message in #ops matches /go (?P<host>\S+)/, tell #ops hello`, "a message that fits a regular expression"}, match: "pattern"},
	{Form: Form{"When it starts", "a|any|every [new] message in {channel} [that] says|saying {said}", `when a message in #ops says "refund <order_id>", tell #ops hello`, "a message with these words; <order_id> is a value"}, match: "words"},
	{Form: Form{"When it starts", "a|any|every [new] message|post in|on {channel} [that|which] contains|containing|mentions|mentioning|includes|including|has|with [the_word|the_words] {said}", `when a message in #ops contains "down", tell #ops hello`, "a message that has these letters anywhere"}, match: "letters"},
	{Form: Form{Pattern: holding + " [the_word|the_words] {letters} is_posted|is_written|is_sent|posted|written|sent|appears|comes|arrives in|on {channel}"}, match: "letters"},
	{Form: Form{Pattern: holding + " [the_word|the_words] {letters} in|on {channel}"}, match: "letters"},
	{Form: Form{Pattern: person + " " + writes + " " + holding + " [the_word|the_words] {letters} in|on {channel}"}, match: "letters"},
	{Form: Form{Pattern: person + " mentions|mention [the_word|the_words] {letters} in|on {channel}"}, match: "letters"},
	{Form: Form{"When it starts", person + " " + writes + " [the_word|the_words] {quoted} in|on {channel}", `when somebody writes "refund <order_id>" in #ops, tell #ops hello`, "a message with these words"}, match: "words"},
	{Form: Form{"When it starts", person + " in|on|from {channel} writes|write|says|say|types|type [the_word|the_words] {said}", `when someone in #ops says help, tell #ops hello`, "a message with these words"}, match: "words"},
	{Form: Form{"When it starts", person + " writes|write|posts|post [a_message|something|anything] in {channel}", "when somebody posts in #ops, tell #ops hello", "each message of a channel"}},
	{Form: Form{"When it starts", "a|any|every [new] message [is_posted|is_written|comes|arrives] in {channel} [arrives|comes_in|is_posted]", "when a message is posted in #ops, tell #ops hello", "each message of a channel"}},
	{Form: Form{"When it starts", "[the|a] webhook {path} arrives|is_called|comes_in|is_received|is_triggered|fires", "when the webhook orders is called: tell #ops hello", "a call of POST /hooks/orders"}},
	{Form: Form{"When it starts", "[a|an|the] [post|http|incoming] webhook [call|request] from|by|of {path} [arrives|comes_in|is_received]", "on a webhook from billing: tell #ops hello", "a call of POST /hooks/billing"}},
	{Form: Form{"When it starts", "{event}", "when a complaint comes in, tell #ops hello", "anything else: you are asked how it is noticed"}},
}

// event is a form of triggers.
type event struct {
	Form
	match string // how the words of a message become a pattern
}

// starting are the words in front of an event or a time which say that the flow starts: "the process is started".
const starting = "[the|this|our|a] [flow|workflow|process|automation|procedure|timer|schedule|cron_job|it] [is|gets] starts|start|started|begins|begin|runs|run|triggers|trigger|triggered|kicked_off|initiated|launched|fires [this|it]"

var (
	marks    = phrase.Phrases(`trigger_: triggers_: event_: start_:`) // in front of what starts the flow
	openings = phrase.Phrases(`each_time every_time any_time as_soon_as the_moment the_minute the_second whenever when`)
	causes   = phrase.Phrases(`by with_a with_an`)
	firstly  = phrase.Phrases(`upon once after`) // in the first sentence only
	byHand   = phrase.Phrases(`somebody_starts_it_by_hand someone_starts_it_by_hand i_start_it_by_hand started_by_hand by_hand started_manually manually manual on_demand`)
)

// Triggers reads the triggers at the beginning of toks; n 0 = there are none.
func (h *Header) Triggers(toks []phrase.Token) (list []tree.Trigger, n int) {
	label := phrase.Starting(toks, marks)
	lead := label
	if m, ok := phrase.Fit(starting, toks[label:]); ok {
		lead += m.End
	}
	if g, size := h.schedule(toks[lead:]); size > 0 {
		g.At = h.Quotes(toks[:lead+size])
		return []tree.Trigger{g}, lead + size
	}
	if n := phrase.OnceAt(toks); n > 0 && h.whole && toks[0].From == h.Begin && (phrase.OpensStep(toks[n:]) || phrase.OpensClause(phrase.Trim(toks[n:]))) { // "at 9:00 post ...": on which days?
		return []tree.Trigger{{Words: h.Words(toks[:n]), At: h.Quotes(toks[:n])}}, n
	}
	if size := phrase.Starting(toks[lead:], byHand); size > 0 {
		return []tree.Trigger{{By: true, At: h.Quotes(toks[:lead+size])}}, lead + size
	}
	if at, _ := phrase.ReadCounted(toks, values.Dates(h.t)...); at.Certain() { // "on the end date" is said of a step
		return nil, 0
	}
	opening := lead + h.opens(toks, lead)
	if opening == lead && !h.reacts(toks, lead) {
		return h.beginning(toks, lead, label)
	}
	g, size := h.event(toks[opening:], false)
	if size == 0 {
		return nil, 0
	}
	n = opening + size
	g.Words = h.Words(toks[:n])
	if g.Emoji != "" && phrase.Begins(toks[n:], "to") && phrase.StartsStep(toks[n+1:]) { // "react with :bug: to a message to create a ticket"
		n++
	}
	g.At = h.Quotes(toks[:n])
	if toks[opening].Low == "i" && !g.Open() {
		h.Object(h.t, toks[opening:n], "starts it when anybody does so, and not only you")
	}
	more, end := h.orTriggers(toks[n:])
	return append([]tree.Trigger{g}, more...), n + end
}

// opens is how many tokens lead to an event, behind those that only say that the flow starts: "when", or "by" in "it is started by".
func (h *Header) opens(toks []phrase.Token, lead int) int {
	rest := toks[lead:]
	n := phrase.Starting(rest, openings)
	switch {
	case n > 0 || len(rest) == 0 || lead > 0 && toks[lead-1].Is("run", "runs"):
	case rest[0].Low == "on":
		n = 1
	case lead > 0 && !toks[lead-1].Is(":", "start", "begin"): // "start with a form" gives inputs
		n = phrase.Starting(rest, causes)
	case rest[0].From == h.Begin:
		n = phrase.Starting(rest, firstly)
		if _, known := h.event(rest[1:], true); known > 0 && rest[0].Low == "if" { // "if somebody reacts with :eyes:"
			n = 1
		}
	}
	return n
}

// orTriggers reads what else starts the flow: "or somebody reacts with :bug:".
func (h *Header) orTriggers(toks []phrase.Token) (list []tree.Trigger, n int) {
	from := phrase.Starting(toks, phrase.Phrases(","))
	if from == len(toks) || toks[from].Low != "or" {
		return nil, 0
	}
	from++
	from += phrase.Starting(toks[from:], openings)
	g, size := h.event(toks[from:], true)
	if size == 0 {
		return nil, 0
	}
	n = from + size
	g.Words, g.At = h.Words(toks[:n]), h.Quotes(toks[:n])
	more, end := h.orTriggers(toks[n:])
	return append([]tree.Trigger{g}, more...), n + end
}

// reacts reports whether toks begin with a reaction that starts the flow, without "when": "React with :bug: to a message in #ops, and ...". A
// reaction to the message, or to any, is a step.
func (h *Header) reacts(toks []phrase.Token, lead int) bool {
	g, n := h.event(toks[lead:], true)
	said, rest := phrase.Lows(toks[lead:lead+n]), toks[lead+n:]
	return g.Emoji != "" && toks[0].From == h.Begin && (strings.Contains(said, " a message") || strings.Contains(said, " a post")) && (!h.whole || h.more > 0 || len(phrase.Trim(rest)) > 0) &&
		(len(rest) == 0 || phrase.Starting(rest, phrase.Ends) > 0 || rest[0].Is("and", "to"))
}

// event reads an event.
func (h *Header) event(toks []phrase.Token, known bool) (g tree.Trigger, n int) {
	for i := range events {
		e := &events[i]
		m, ok := phrase.Fit(e.Pattern, toks)
		if !ok || known && m.Slots["event"] != nil {
			continue
		}
		if m.End < len(toks) && (m.Slots["emoji"] == nil || toks[m.End].Low != "to" && phrase.Prepositions[toks[m.End].Low]) && m.Slots["event"] == nil && phrase.Starting(toks[m.End:], phrase.Ends) == 0 && toks[m.End].Low != "or" && (toks[m.End].Low == "in" || !phrase.OpensStep(toks[m.End:])) {
			continue // it goes on with words that say more of the message
		}
		if s := m.Slots["event"]; s != nil && values.ComparesAmount(h.Condition(s)) {
			return g, 0 // a condition
		}
		texts, ok := h.texts(toks[:m.End], m)
		if !ok || len(texts) > 1 && e.match == "pattern" {
			continue
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
		g.Match = values.Matching(e.match, texts...)
		h.note(e.Pattern)
		return g, m.End
	}
	return g, 0
}

// texts gives the texts of which a message has one: "urgent" or "help". Those without quotes are few words, and name nothing else. false: it may
// be more than one that is meant, or the words describe the message, as "with an attachment" does.
func (h *Header) texts(toks []phrase.Token, m *phrase.Match) (out []string, ok bool) {
	letters := m.Slots["letters"]
	all := slices.Concat(m.Slots["said"], m.Slots["quoted"], letters)
	describes := phrase.Has(toks, "with", "has", "includes", "including") && !phrase.Has(toks, "word", "words")
	if phrase.Has(all, "and", "not", "but", "nor", "both", "&") || describes && slices.ContainsFunc(all, func(t phrase.Token) bool { return t.Kind == phrase.Word }) {
		return nil, false
	}
	const most = 3 // words of a text without quotes
	for _, part := range phrase.Alternatives(all, true) {
		out = append(out, h.Plain(part))
		if len(letters) > 0 && (len(part) > most || phrase.Determiners[part[0].Low] || phrase.Unsaid[part[0].Low]) {
			return nil, false
		}
	}
	return out, true
}
