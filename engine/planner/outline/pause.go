package outline

import (
	"slices"

	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
	"sluice/engine/planner/values"
)

// pauses adds a wait that tokens say, and gives how many they are.
func pauses(r *reader, list *[]tree.Step, s tree.Step, toks []phrase.Token) int {
	s.ID, s.Kind, s.At = r.t.NewID(), tree.Wait, r.Quotes(toks)
	r.append(list, s)
	return len(toks)
}

// pause reads "after 2 days", "after a while" and "2 days later" before a step, as a wait. Behind a question it can be about a missing answer, too: that stays
// unread.
func pause(r *reader, list *[]tree.Step, toks []phrase.Token) int {
	late := phrase.Later(toks)
	term, n := phrase.ReadTerm(toks[min(1, len(toks)):])
	if n++; late > 0 {
		term, _ = phrase.ReadTerm(toks)
		n = late
	}
	event := ""
	if end := periodEnd(toks); term == "" && toks[0].Low == "after" && end > 0 { // how long is asked
		event, n = r.Words(toks[1:end]), end
	}
	rest := phrase.Trim(toks[min(n, len(toks)):])
	if term == "" && event == "" || !acts(rest) {
		return 0
	}
	if last := len(*list) - 1; last < 0 && toks[0].Low != "in" || last >= 0 && (toks[0].Low != "after" && late == 0 || phrase.Repeating[rest[0].Low]) {
		return 0
	}
	return pauses(r, list, tree.Step{For: term, Event: event}, toks[:n])
}

// periodEnd is where a length of time ends that begins toks behind their first one: before a comma, or before what is done then.
func periodEnd(toks []phrase.Token) int {
	for end := 2; end < min(len(toks), phrase.MostRole); end++ {
		if (toks[end].Low == "," || acts(toks[end:])) && phrase.IsPeriod(toks[1:end]) {
			return end
		}
	}
	return 0
}

// atTime reads "on Friday at 9" and "tomorrow morning" before a step that is not the first, as a wait.
func atTime(r *reader, list *[]tree.Step, toks []phrase.Token) int {
	when, n := phrase.Moment(toks)
	rest := phrase.Trim(toks[n:])
	if n == 0 || len(*list) == 0 || !toks[0].Is("on", "at", "this", "tomorrow", "the") || !acts(rest) || remindsAfter(*list, rest) {
		return 0
	}
	return pauses(r, list, tree.Step{Time: when}, toks[:n])
}

// remindsAfter reports whether a reminder stands behind a question: it is one to answer that, and does not wait for the answer.
func remindsAfter(list []tree.Step, toks []phrase.Token) bool {
	return len(list) > 0 && asksPeople(&list[len(list)-1]) && phrase.Repeating[toks[0].Low]
}

// counted reads "3 days before the start date" and "on the start date" before a step, as a wait.
func counted(r *reader, list *[]tree.Step, toks []phrase.Token) int {
	at, n := phrase.ReadCounted(toks, values.Dates(r.t)...)
	if n == 0 || !at.Certain() || at.Term == "" && toks[0].Low != "on" {
		return 0
	}
	rest := phrase.Trim(toks[n:])
	if !acts(rest) {
		return 0
	}
	return pauses(r, list, tree.Step{Event: r.Words(toks[:n])}, toks[:n])
}

// inTime reads "in 2 hours" before the text of a message, or behind that of a reminder, as a wait before it.
func (r *reader) inTime(list *[]tree.Step, m *phrase.Match, toks []phrase.Token) (wait tree.Quote) {
	text := phrase.Trim(m.Slots["text"])
	if n := phrase.SentAt(text); n > 0 && !introduced(toks, text) && !remindsAfter(*list, toks) {
		if when, size := phrase.Moment(text); size == n { // "on Monday that it is over"
			pauses(r, list, tree.Step{Time: when}, text[:n])
			m.Slots["text"] = text[n+phrase.Starting(text[n:], introductions):]
			return r.Quote(text[:n])
		}
	}
	if said, ok := phrase.Fit(outcomes, text); ok && said.End < len(text) {
		if when, size := phrase.Moment(text[said.End:]); size > 0 && said.End+size == len(text) { // "the result on Friday"
			pauses(r, list, tree.Step{Time: when}, text[said.End:])
			m.Slots["text"] = text[:said.End]
			return r.Quote(text[said.End:])
		}
	}
	at := phrase.Find(text, "in", "after")
	if at < 0 || at > 0 && (toks[0].Low != "remind" || phrase.Told(text[:at])) { // not "that it is due in 2 weeks"
		return wait
	}
	term, n := phrase.ReadTerm(text[at+1:])
	if n++; term == "" || at > 0 && at+n < len(text) {
		return wait
	}
	wait = r.Quote(text[at : at+n])
	pauses(r, list, tree.Step{For: term}, text[at:at+n])
	if m.Slots["text"] = text[:at]; at == 0 {
		text = phrase.Trim(text[n:])
		m.Slots["text"] = text[phrase.Starting(text, introductions):]
	}
	return wait
}

// outcomes is the pattern of what came of the step before.
const outcomes = "it|this|that|them|the_result|the_results|the_outcome|the_answer|the_answers|the_decision|so|about_it"

// introductions lead to the text of a message.
var introductions = phrase.Phrases("that about :")

// introduced reports whether a text stands behind words that lead to it, so that a time in front of it is what is told.
func introduced(toks, text []phrase.Token) bool {
	at := slices.IndexFunc(toks, func(t phrase.Token) bool { return t.From == text[0].From })
	return at > 0 && (phrase.Within[toks[at-1].Low] || toks[at-1].Low == ":")
}
