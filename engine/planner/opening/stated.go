package opening

import (
	"slices"
	"strings"

	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
)

// beginning reads a first clause that says what starts the flow, without "when": "Any employee submits a request. ...", "invoice arrives -> ...".
// What stands behind a mark such as "Trigger:" says nothing else.
func (h *Header) beginning(toks []phrase.Token, lead, mark int) ([]tree.Trigger, int) {
	n, all := stated(toks), toks
	if n > 0 {
		lead = 0
	}
	if toks = toks[lead:]; len(toks) == 0 || all[0].From != h.Begin && mark == 0 || !h.whole || phrase.Starting(toks, wishes) > 0 || phrase.TellsAuthor(toks) {
		return nil, 0
	}
	end := phrase.ClauseEnd(toks)
	switch {
	case mark > 0 && (all[0].Low != "start" || !phrase.StartsStep(toks)):
	case n > 0 && (h.more > 0 || n < len(phrase.Trim(toks))):
		end = n
		phrase.Imperative(toks[min(n+phrase.Starting(toks[n:], goingOn), len(toks)):]) // "it watches the inbox and files each letter"
	default:
		end = h.begun(toks, end)
	}
	if end == 0 {
		return nil, 0
	}
	g, size := h.event(toks[:end], false)
	if size != end {
		g = tree.Trigger{}
	}
	g.Words, g.At = h.Words(phrase.Trim(toks[:end])), h.Quotes(all[:lead+end])
	if a := phrase.ActorOf(toks[:end]); a.Person {
		h.Starter, _, _ = strings.Cut(phrase.RoleName(toks[:a.N]), " of ")
	}
	return []tree.Trigger{g}, lead + end
}

// goingOn joins what a flow does to the clause that starts it.
var goingOn = phrase.Phrases(", and")

// statements are first clauses that say what starts the flow. An {aim} is that of people who start it.
var statements = []string{
	"{subject} triggers|trigger|starts|start|launches|launch|initiates|initiate|begins|kicks_off the|this|our flow|workflow|process|automation|procedure",
	"{subject} receives|gets|accepts {thing} via|through|by|over [a|an|the] webhook",
	"{subject} fires|goes_off",
	"to {aim} , [please|you_must|you_should|you_need_to|you_have_to] complete|fill_in|fill_out|submit|send|use {thing} form|request|application|template",
}

// clock is a schedule that does something: "a timer checks the queue".
const clock = "a|an [hourly|daily|nightly|weekly|monthly|recurring] schedule|scheduler|timer|cron|cron_job"

// stated is where a first clause ends that states what starts the flow; 0 = it says something else.
func stated(toks []phrase.Token) int {
	if len(toks) == 0 || phrase.StartsStep(toks) && !watching[toks[0].Low] || toks[0].Kind != phrase.Word || phrase.Starting(toks, phrase.Ifs) > 0 {
		return 0
	}
	for _, p := range statements {
		m, ok := phrase.Fit(p, toks)
		if !ok || slices.ContainsFunc(m.Slots["subject"], func(t phrase.Token) bool { return t.Kind != phrase.Word || t.Low == "and" }) {
			continue
		}
		if m.Slots["aim"] != nil {
			return len(phrase.Trim(toks))
		}
		verb := len(m.Slots["subject"])
		end := verb + phrase.ClauseEnd(toks[verb:])
		if end < m.End || toks[m.End-1].Is("fires", "off") && m.End < end && !phrase.Prepositions[toks[m.End].Low] { // "the manager fires the employee"
			continue
		}
		return end
	}
	if m, ok := phrase.Fit(clock, toks); ok && m.End < len(toks) && phrase.Third(toks[m.End].Low) {
		return m.End
	}
	return watched(toks)
}

// watching are the verbs of a flow that waits for what starts it.
var watching = phrase.Set(`monitor monitors watch watches listen listens`)

// watched is where a clause ends that says that the flow watches something: "the bot watches #support", "monitor the inbox for invoices". "Watch
// it for an hour" is a step, and so is "monitor it".
func watched(toks []phrase.Token) int {
	at := slices.IndexFunc(toks, func(t phrase.Token) bool { return watching[t.Low] })
	if at < 0 || at == 1 || at > phrase.MostRole || at > 0 && phrase.RoleOf(toks[:at]) || phrase.HasAny(toks[:at], phrase.Auxiliaries) {
		return 0
	}
	end := at + phrase.ClauseEnd(toks[at:])
	said, third := toks[at:end], strings.HasSuffix(strings.ToLower(toks[at].Text), "s")
	aim := phrase.Find(said, "for", "to")
	if phrase.Has(said, "until", "till") || !third && (aim < 0 || at > 0) || aim > 0 && phrase.TermLength(said[aim+1:]) > 0 {
		return 0
	}
	return end
}

// begun is where a first clause ends in which somebody comes with something, or something comes in; 0 = it says something else.
func (h *Header) begun(toks []phrase.Token, end int) int {
	if colon := phrase.Find(toks[:end], ":"); colon > 0 { // "customer wants a refund: look up the order"
		end = colon
	}
	at := 1
	for at < end && at <= phrase.MostRole+1 && phrase.Starting(toks[at:], phrase.Begun) == 0 && !phrase.ComesFrom(toks, at) {
		at++
	}
	if at >= end || at > phrase.MostRole+1 || demands[toks[at].Low] && slices.ContainsFunc(toks[at:end], func(t phrase.Token) bool { return t.Kind == phrase.Name }) || phrase.StartsStep(toks) || phrase.RoleEnds[toks[0].Low] && !toks[0].Is("a", "an", "the") || toks[0].Kind != phrase.Word && toks[0].Kind != phrase.Slot {
		return 0
	}
	if list, n := h.entered(toks); n > 0 && requesters[toks[phrase.ActorOf(toks).N-1].Low] {
		if _, _, ok := h.Source.Inputs(list); ok { // somebody starts it, and gives them
			return 0
		}
	}
	size := phrase.Starting(toks[at:], phrase.Begun)
	switch act := (size == 1 || toks[at].Is("asks", "applies")) && phrase.Third(toks[at].Low) && !phrase.Intransitive[toks[at].Low] && !phrase.ComesFrom(toks, at); {
	case act && !(phrase.Indefinite[toks[0].Low] && (phrase.Roles[toks[at-1].Low] || phrase.Roles[toks[1].Low])):
		return 0 // "the accountant files the report" is a step
	case !act && end == len(toks) && h.more == 0:
		return 0
	}
	return end
}

// demands are verbs that say what has to be there, which begins no flow: "each request needs a review from @ana".
var demands = phrase.Set(`needs need requires require`)
