package tree

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// LeftOut is a part of the words that a person has left out.
type LeftOut struct {
	Quote Quote  `json:"quote"`
	By    string `json:"by,omitempty"` // user id
}

// LeftTogether gives what was left out in the order of the words. Parts that one person left out and that follow each other are one.
func (t *Tree) LeftTogether() (out []LeftOut) {
	all := slices.Clone(t.Left)
	slices.SortStableFunc(all, func(x, y LeftOut) int {
		return cmp.Or(cmp.Compare(x.Quote.Text, y.Quote.Text), cmp.Compare(x.Quote.From, y.Quote.From))
	})
	for _, l := range all {
		if len(out) > 0 {
			last := &out[len(out)-1]
			between := t.Words(Quote{Text: l.Quote.Text, From: last.Quote.To, To: l.Quote.From})
			if l.By == last.By && l.Quote.Text == last.Quote.Text && !strings.ContainsFunc(between, unicode.IsLetter) {
				last.Quote.To = max(last.Quote.To, l.Quote.To)
				continue
			}
		}
		out = append(out, l)
	}
	return out
}

// SaidAgain takes words off those that were left out, because a later text says them, too. It takes the place of them.
func (t *Tree) SaidAgain(q Quote) {
	var left []LeftOut
	for _, l := range t.Left {
		rest := []Quote{l.Quote}
		if l.Quote.Overlaps(q) {
			rest = []Quote{{l.Quote.Text, l.Quote.From, q.From}, {l.Quote.Text, q.To, l.Quote.To}}
		}
		for _, r := range rest {
			if !r.Empty() {
				left = append(left, LeftOut{r, l.By})
			}
		}
	}
	t.Left, t.Replaced = left, append(t.Replaced, q)
}
