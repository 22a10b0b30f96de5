package outline

import (
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/times"
	"sluice/engine/planner/tree"
)

// timeForms are the forms of times at which runs start.
var timeForms = func() (out []Form) {
	for i := range times.Forms {
		if f := &times.Forms[i]; !f.Counts {
			out = append(out, Form{"When it starts", f.Pattern, f.Example, f.Meaning})
		}
	}
	return out
}()

// schedule reads a time at the beginning of toks; n 0 = there is none. A trigger without a schedule is a time that leaves something open.
func (r source) schedule(toks []phrase.Token) (g tree.Trigger, n int) {
	s, n := times.At(toks)
	if n == 0 {
		return g, 0
	}
	for i := range timeForms {
		if s.Form != nil && timeForms[i].Pattern == s.Form.Pattern {
			r.note(&timeForms[i])
		}
	}
	return tree.Trigger{Words: r.Words(toks[:n]), Cron: s.Cron, Zone: s.Zone, At: r.Quotes(toks[:n])}, n
}

// scheduleAt finds a schedule at the end of toks.
func (r source) scheduleAt(toks []phrase.Token) (tree.Trigger, int) {
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
