package model

import (
	"slices"
	"strings"

	"sluice/engine/planner/english"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/tree"
)

// told takes the words that say who is told off a message, where the answer quotes them with it: "post the summary to #support".
func (f *finder) told(s *tree.Step, to []wireName) {
	text := strings.TrimSuffix(s.Text, " too")
	told, ok := toldBy(text)
	if !ok && len(to) == 1 { // "is informed", where the name is quoted by itself
		if told, ok = toldBy(to[0].Words + " " + text); ok && told.Said.Empty() && !s.Said.Empty() {
			f.besides(s, s.Said)
			s.Text, s.Said = "", tree.Quote{}
		}
		return
	}
	if !ok {
		return
	}
	all := s.Said
	if told.Said.Empty() && told.At[len(told.At)-1].To < len(text) { // what else is said is no message
		return
	}
	for _, n := range told.To {
		if !slices.ContainsFunc(to, func(w wireName) bool { return strings.EqualFold(strings.TrimSpace(w.Words), n.Words) }) {
			return
		}
	}
	place := func(q tree.Quote) tree.Quote {
		return tree.Quote{Text: all.Text, From: all.From + q.From, To: all.From + q.To}
	}
	if s.Text, s.Said = told.Text, told.Said; !told.Said.Empty() {
		s.Said = place(told.Said)
	}
	for _, q := range append(told.At, tree.Quote{From: len(text), To: all.To - all.From}) {
		f.besides(s, place(q))
	}
}

// toldBy reads words that say who is told something.
func toldBy(text string) (tree.Step, bool) {
	tr, ok := outline.Read(text, "")
	if !ok || len(tr.Steps) != 1 || tr.Steps[0].Kind != tree.Tell || len(tr.Steps[0].To) == 0 {
		return tree.Step{}, false
	}
	return tr.Steps[0], true
}

// besides makes words of a step that were its text other words of it.
func (f *finder) besides(s *tree.Step, q tree.Quote) {
	clear(f.used[q.Text][q.From:q.To])
	mark(f.also, q)
	s.At = append(s.At, q)
}

// asked takes the words that say who is asked off a question, where the answer quotes them with it: "ask @buyer whether to order more".
func (f *finder) asked(s *tree.Step, who []wireName) {
	tr, ok := outline.Read(s.Text, "")
	if !ok || len(tr.Steps) != 1 || tr.Steps[0].Kind != tree.Ask || len(tr.Steps[0].Who) != len(who) || tr.Steps[0].Said.Empty() || tr.Steps[0].Deadline != nil {
		return
	}
	ask, from := tr.Steps[0], s.Said.From
	for i, n := range ask.Who {
		if !strings.EqualFold(strings.TrimSpace(who[i].Words), n.Words) || n.At.To > ask.Said.From {
			return
		}
	}
	lead := tree.Quote{Text: s.Said.Text, From: from, To: from + ask.Said.From}
	s.Said.From += ask.Said.From
	s.Text = f.t.Words(s.Said)
	f.besides(s, lead)
}

// pointers are words for people, or with an article for a channel, that are named elsewhere.
var pointers = english.WordSet("he him she her they them channel there")

// pointsAt reports whether words only point at somebody, or at a channel, whose name stands before them.
func (f *finder) pointsAt(name string, at tree.Quote) bool {
	words := slices.DeleteFunc(wordsOf(f.t.Words(at)), func(w string) bool { return w == "the" || w == "this" || w == "that" || w == "same" })
	if len(words) != 1 || !pointers[words[0]] || (name[0] == '#') != (words[0] == "channel" || words[0] == "there") {
		return false
	}
	q, ok := f.t.Find(at.Text, 0, name)
	return ok && q.To <= at.From
}
