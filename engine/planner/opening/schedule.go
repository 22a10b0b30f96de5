package opening

import (
	"slices"

	"sluice/engine/planner/phrase"
	"sluice/engine/planner/times"
	"sluice/engine/planner/tree"
)

// schedule reads a time at the beginning of toks; n 0 = there is none. A trigger without a schedule is a time that leaves something open.
func (h *Header) schedule(toks []phrase.Token) (g tree.Trigger, n int) {
	s, n := times.At(toks)
	if more := phrase.Narrowed(toks); more > n {
		return tree.Trigger{Words: h.Words(toks[:more]), At: h.Quotes(toks[:more])}, more
	}
	colon := phrase.Find(toks, ":")
	if n == 0 || n == 1 && colon > 1 && periods[toks[0].Low] { // "weekly restore test, Wednesdays 14:00: ..."
		return g, 0
	}
	if rest := toks[n:]; len(rest) > 0 && rest[0].Is("if", "unless") && phrase.CondEnd(rest[1:]) == len(rest)-1 { // "every day if it is no holiday"
		return g, 0
	}
	if s.Form != nil {
		h.note(s.Form.Pattern)
	}
	return tree.Trigger{Words: h.Words(toks[:n]), Cron: s.Cron, Zone: s.Zone, At: h.Quotes(toks[:n])}, n
}

// scheduleAt finds a schedule at the end of toks.
func (h *Header) scheduleAt(toks []phrase.Token) (tree.Trigger, int) {
	end := len(phrase.Trim(toks))
	const longest = 14 // words of a schedule
	for i := max(1, end-longest); i < end; i++ {
		if closers[toks[i].Low] && !restricts[toks[i-1].Low] {
			if g, n := h.schedule(toks[i:end]); n > 0 && i+n == end {
				return g, i
			}
		}
	}
	return tree.Trigger{}, 0
}

// scheduled reports whether a schedule stands at the beginning or at the end of toks.
func (h *Header) scheduled(toks []phrase.Token) bool {
	_, n := h.schedule(phrase.Trim(toks))
	g, _ := h.scheduleAt(toks)
	return n > 0 || g.Cron != ""
}

// closers begin a schedule at the end of a sentence.
var closers = phrase.Set(`every each daily weekly monthly hourly on at`)

// restricts are words before a time that limit or exclude it, so that it is no schedule.
var restricts = phrase.Set(`not never except but unless only excluding without than of`)

// Unscheduled removes a schedule from a text: it is the time of an action and not a part of the text. A time in front of it that comes again and
// again, and that no schedule can say, is asked about as what starts the flow.
func (h *Header) Unscheduled(toks []phrase.Token) []phrase.Token {
	if h.whole && len(h.t.Triggers) == 0 && len(h.t.Steps) == 0 {
		lead := toks
		if n := phrase.SentAt(toks); n > 0 {
			lead = toks[:n]
		}
		g, n := h.schedule(lead)
		if n < len(lead) && len(lead) < len(toks) && phrase.Recurs(lead) {
			g, n = tree.Trigger{Words: h.Words(lead), At: h.Quotes(lead)}, len(lead)
		}
		if n > 0 && n < len(toks) {
			h.t.Triggers = append(h.t.Triggers, g)
			return phrase.Trim(toks[n+phrase.Starting(toks[n:], phrase.Phrases("that about")):])
		}
	}
	if g, at := h.scheduleAt(toks); g.Cron != "" {
		return phrase.Trim(toks[:at])
	}
	return toks
}

// Within takes a schedule out of the middle of the first clause: "ask @ana every Friday at 4 for the numbers".
func (h *Header) Within(toks []phrase.Token) []phrase.Token {
	if !h.whole || len(h.t.Triggers) > 0 || len(h.t.Steps) > 0 {
		return toks
	}
	for i := 1; i < len(toks)-2; i++ {
		if toks[i-1].Low == ":" || toks[i-1].Kind == phrase.Quoted || phrase.Within[toks[i-1].Low] {
			break
		}
		if !phrase.Recurs(toks[i:]) {
			continue
		}
		end := i + phrase.TimeAt(toks[i:])
		g, n := h.schedule(toks[i:end])
		if i+n < end || end == len(toks) || !goesOn[toks[end].Low] || phrase.TermLength(toks[end+1:]) > 0 { // not "every day for 5 days"
			break
		}
		h.t.Triggers = append(h.t.Triggers, g)
		return slices.Concat(toks[:i], toks[end:])
	}
	return toks
}

// goesOn are words with which a clause goes on behind a schedule.
var goesOn = phrase.Set(`for to in what how who which whether if about where`)

// periods are words for how often something is done.
var periods = phrase.Set(`hourly daily nightly weekly monthly quarterly`)
