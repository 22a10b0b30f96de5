package planner

import (
	"slices"

	"sluice/engine/planner/english"
	"sluice/engine/planner/tree"
)

// saidAgain takes words off those left out that something of a later text says, too: all that were left out together, or one step of them.
func (p *planning) saidAgain() {
	for _, said := range p.said() {
		again := p.core(said)
		for _, l := range p.t.LeftTogether() {
			if l.Quote.Text >= said.Text {
				continue
			}
			left, q := p.core(l.Quote), l.Quote
			if at := runOf(left, again); at >= 0 && len(again) > 1 { // with what joins them to the words before
				q.To = left[at+len(again)-1].To
				for at > 0 && joins(left[at-1]) {
					at--
				}
				if at > 0 {
					q.From = left[at].From
				}
			} else if runOf(again, left) < 0 {
				continue
			}
			p.t.SaidAgain(q)
		}
	}
}

// said gives the words of each trigger, input and step that a later text has said, from its first one to its last.
func (p *planning) said() (out []tree.Quote) {
	add := func(part any) {
		all := tree.Quotes(part)
		if len(all) == 0 || all[0].Text == 0 {
			return
		}
		span := all[0]
		for _, q := range all {
			if q.Text == span.Text {
				span.From, span.To = min(span.From, q.From), max(span.To, q.To)
			}
		}
		out = append(out, span)
	}
	for i := range p.t.Triggers {
		add(&p.t.Triggers[i])
	}
	for i := range p.t.Inputs {
		add(&p.t.Inputs[i])
	}
	for s := range p.t.Walk {
		own := s.Own()
		add(&own)
	}
	return out
}

// core gives the words of a quote without signs and numbers of lines, and without those at its ends that only join others.
func (p *planning) core(q tree.Quote) []english.Word {
	all := slices.DeleteFunc(wordsIn(p.t, q), func(w english.Word) bool {
		return w.Kind == english.SignWord || english.ListNumber(p.t.Texts[q.Text].Words, w.From, w.To)
	})
	for len(all) > 0 && joins(all[0]) {
		all = all[1:]
	}
	for len(all) > 0 && joins(all[len(all)-1]) {
		all = all[:len(all)-1]
	}
	return all
}

// joins reports whether a word only joins others.
func joins(w english.Word) bool { return w.Kind == english.PlainWord && functionWords[w.Low] }

// runOf finds where words stand among others, one behind the other; -1 = nowhere.
func runOf(in, words []english.Word) int {
	for at := 0; at+len(words) <= len(in); at++ {
		if slices.EqualFunc(in[at:at+len(words)], words, func(a, b english.Word) bool { return a.Low == b.Low }) {
			return at
		}
	}
	return -1
}
