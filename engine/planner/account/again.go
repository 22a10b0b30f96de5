package account

import (
	"cmp"
	"slices"
	"strconv"

	"sluice/engine/planner/english"
	"sluice/engine/planner/tree"
)

// saidAgain takes words off those left out that something of a later text says, too: all that were left out together, or one step of them.
func saidAgain(t *tree.Tree) {
	for _, said := range saidBy(t) {
		again := core(t, said)
		for _, l := range t.LeftTogether() {
			if l.Quote.Text >= said.Text {
				continue
			}
			left, q := core(t, l.Quote), l.Quote
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
			t.SaidAgain(q)
		}
	}
}

// saidLater takes words that are not understood as replaced, when a later text that was read has all of them: “She has 3 working days”, and then
// “2a has 3 working days”.
func saidLater(t *tree.Tree, all []Clause) {
	later := map[int]map[string]bool{} // by text
	for _, c := range slices.Backward(all) {
		if later[c.Quote.Text] == nil {
			later[c.Quote.Text] = map[string]bool{}
		}
		for _, w := range content(t, c.Quote) {
			later[c.Quote.Text][w] = c.State == Became || later[c.Quote.Text][w]
		}
	}
	for i := range all {
		c := &all[i]
		words := content(t, c.Quote)
		for text := c.Quote.Text + 1; c.State == NotUnderstood && len(words) > 1 && text < len(t.Texts); text++ {
			if !slices.ContainsFunc(words, func(w string) bool { return !later[text][w] }) {
				c.State, t.Replaced = Became, append(t.Replaced, c.Quote)
			}
		}
	}
}

// content gives the words of a quote that mean something by themselves, as they are compared.
func content(t *tree.Tree, q tree.Quote) (out []string) {
	for _, w := range WordsOf(t, q) {
		if n, ok := english.ParseNumber(w.Text); ok {
			out = append(out, strconv.FormatFloat(n, 'f', -1, 64))
		} else if n, ok := english.Numerals[w.Low]; ok {
			out = append(out, strconv.FormatFloat(n, 'f', -1, 64))
		} else if w.Content() || w.Matters() {
			out = append(out, cmp.Or(w.Stem, w.Low))
		}
	}
	return out
}

// saidBy gives the words of each trigger, input and step that a later text has said, from its first one to its last.
func saidBy(t *tree.Tree) (out []tree.Quote) {
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
	for i := range t.Triggers {
		add(&t.Triggers[i])
	}
	for i := range t.Inputs {
		add(&t.Inputs[i])
	}
	for s := range t.Walk {
		own := s.Own()
		add(&own)
	}
	return out
}

// core gives the words of a quote without signs and numbers of lines, and without those at its ends that only join others.
func core(t *tree.Tree, q tree.Quote) []english.Word {
	all := slices.DeleteFunc(WordsOf(t, q), func(w english.Word) bool {
		return w.Kind == english.SignWord || english.ListNumber(t.Texts[q.Text].Words, w.From, w.To)
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
