package tree

import (
	"cmp"
	"strings"
)

// Stands is where the words of a step stand.
func (s *Step) Stands() (q Quote) {
	if s.Said.Empty() && len(s.At) > 0 {
		return s.At[0]
	}
	return s.Said
}

// chain gives words behind the older ones in whose place they stand, the oldest first.
func (t *Tree) chain(q Quote) []Quote {
	if f := t.Texts[q.Text].For; !f.Empty() && f.Text < q.Text {
		return append(t.chain(f), q)
	}
	return []Quote{q}
}

// Order compares where words stand, if one reads each text in the place of the words for which it stands. shared is how many texts both stand in:
// 0 = they have no order.
func (t *Tree) Order(a, b Quote) (order, shared int) {
	x, y := t.chain(a), t.chain(b)
	for i := range min(len(x), len(y)) {
		if x[i].Text != y[i].Text {
			break
		}
		shared++
		if order = cmp.Compare(x[i].From, y[i].From); order != 0 {
			return order, shared
		}
	}
	return cmp.Compare(len(x), len(y)), shared
}

// Beside gives the step whose words stand next before some words, or next behind them: the one that stands in more of the same texts, if they are
// alike the one before. nil = there is none.
func (t *Tree) Beside(q Quote) (beside *Step, before bool) {
	var last, next *Step
	most, least := 0, 0 // texts in which the words stand, too
	later := func(a, b *Step) bool {
		order, _ := t.Order(a.Stands(), b.Stands())
		return order > 0
	}
	for s := range t.Walk {
		if s.Stands().Empty() {
			continue
		}
		order, shared := t.Order(s.Stands(), q)
		switch {
		case shared == 0:
		case order <= 0 && (last == nil || later(s, last)):
			last, most = s, shared
		case order > 0 && (next == nil || later(next, s)):
			next, least = s, shared
		}
	}
	if most >= least {
		return last, true
	}
	return next, false
}

// ToTool gives the step with an id if a tool does it and words are a part of what it is told to do; nil = they are not.
func (t *Tree) ToTool(id string, words Quote) *Step {
	if s := t.Step(id); s != nil && s.Doer == DoerTool && words.Overlaps(s.Said) {
		return s
	}
	return nil
}

// Ended reports whether a sentence or a line ends between the words of a step and words behind it. What was said in the place of older words ends
// with them.
func (t *Tree) Ended(s *Step, q Quote) bool {
	own, end, apart := s.Own(), 0, false
	chain := t.chain(q)
	for i := len(chain) - 1; i >= 0; i-- {
		at := chain[i]
		for _, said := range Quotes(&own) {
			for _, c := range t.chain(said) {
				if c.Text == at.Text && c.To <= at.From && c.To > end {
					end, apart = c.To, c != said
				}
			}
		}
		if apart || strings.ContainsAny(t.Texts[at.Text].Words[max(0, end-1):at.From], ".;!?\n") { // it may be the last sign of words that were answered
			return true
		}
		if end > 0 {
			return false
		}
	}
	return false
}
