package model

import (
	"cmp"
	"slices"
	"strings"

	"sluice/engine/planner/english"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
)

// details begin words that say more of what a step does.
var details = english.WordSet("with without via by using through including excluding except per before after until during in as only unless about regarding")

// plainWords are words that say nothing of what a step does, whatever they stand with.
var plainWords = english.StemSet("workflow task process procedure step case former latter result output variable time way turn order beginning end start meantime meanwhile mean parallel addition repetition round iteration attempt")

// unsaid lists details that steps quote, but that no field of the tree says: "with the reason" of a message "no".
func unsaid(t *tree.Tree) (out []string) {
	held := map[string]bool{}
	signs := strings.NewReplacer(`"`, " ", "_", " ", ".", " ", "@", " ", "#", " ", "-", " ")
	for _, w := range english.Scan(signs.Replace(asJSON(plain([]any{t.Name, t.Inputs, t.Triggers, t.Steps, t.Deadline}, nil)))) {
		held[w.Stem] = true
	}
	for s := range t.Walk {
		if s.Deadline != nil {
			for _, w := range english.Scan("gets reminder answer reply") {
				held[w.Stem] = true
			}
		}
		for _, q := range s.At {
			words, from, lost := english.Scan(t.Words(q)), -1, false
			for i, w := range words {
				_, count := numberOf(w)
				count = count || w.Text[0] >= '0' && w.Text[0] <= '9' // "9:00"
				switch {
				case from < 0 && details[w.Low]:
					from = i
				case from >= 0 && !lost && (w.Kind == english.SignWord || verb(w)):
					from = -1
				case from >= 0:
					lost = lost || w.Content() && !count && !details[w.Low] && !held[w.Stem] && !plainWords[w.Stem] && !phrase.Roles[w.Low] && unitAt(words[i:]).IsZero()
				}
			}
			if detail := ""; lost {
				detail = strings.TrimSpace(t.Words(tree.Quote{Text: q.Text, From: q.From + words[from].Start, To: q.To}))
				if !slices.Contains(out, detail) {
					out = append(out, detail)
				}
			}
		}
	}
	return out
}

func verb(w english.Word) bool { return phrase.Verbs[w.Low] || phrase.Base(w.Low) != "" }

// invented takes away new steps that no words say by themselves: those that stand twice in a list, and those whose words others have.
func (f *fill) invented(list *[]tree.Step) {
	for i := 0; i < len(*list); i++ {
		s := &(*list)[i]
		for _, below := range s.Lists() {
			f.invented(below)
		}
		if f.kept[s.ID] || f.changed[s.ID] || !slices.Contains([]tree.Kind{tree.Decide, tree.Each, tree.Parallel, tree.Repeat}, s.Kind) {
			continue
		}
		var inside []tree.Step
		for _, below := range s.Lists() {
			inside = append(inside, *below...)
		}
		if len(inside) == 0 || s.Kind == tree.Repeat && !f.repeats(s) {
			f.problem("No words of the description are left for the step of kind %s, or it holds no steps: it is dropped, and the steps in it stand in its place.", s.Kind)
			*list = slices.Replace(*list, i, i+1, inside...)
			i += len(inside) - 1
		}
	}
	seen := map[string]bool{}
	*list = slices.DeleteFunc(*list, func(s tree.Step) bool {
		if f.kept[s.ID] || f.changed[s.ID] || !slices.Contains([]tree.Kind{tree.Do, tree.Tell, tree.Agent, tree.Stop, tree.Wait}, s.Kind) {
			return false
		}
		own := s.Own()
		own.ID, own.No, own.At = "", 0, nil
		key := asJSON(own)
		twice := !s.Said.Empty() && seen[key]
		seen[key] = true
		said := !s.Said.Empty() || slices.ContainsFunc(s.At, func(q tree.Quote) bool {
			return slices.ContainsFunc(english.Scan(f.t.Words(q)), english.Word.Content)
		})
		if !said || twice {
			f.problem("No words of the description are left for the step %q of kind %s: it is dropped. A step that is done twice quotes other words each time.", cut(s.Text, 60), s.Kind)
		}
		return !said || twice
	})
}

// repeats reports whether a loop has words of its own, which are not the condition of a step outside it.
func (f *fill) repeats(loop *tree.Step) bool {
	own := slices.Clone(loop.At)
	for _, c := range loop.Until.All() {
		own = append(own, c.At...)
	}
	inside := tree.Tree{Steps: []tree.Step{*loop}}
	for s := range f.t.Walk {
		for _, b := range s.Branches {
			if b.When != nil && inside.Step(s.ID) == nil {
				own = slices.DeleteFunc(own, func(q tree.Quote) bool { return slices.ContainsFunc(b.When.At, q.Overlaps) })
			}
		}
	}
	return slices.ContainsFunc(own, func(q tree.Quote) bool {
		return slices.ContainsFunc(english.Scan(f.t.Words(q)), english.Word.Content)
	})
}

// ordered finds steps that the author numbered in another order.
func (f *fill) ordered() {
	last := 0
	for _, s := range f.t.Steps {
		if f.base == nil && s.No > 0 && s.No < last {
			f.problem("Step %d of the description stands behind step %d in the answer.", s.No, last)
		}
		last = max(last, s.No)
	}
}

// failing begin words that say what is done when a step fails.
var failing = english.StemSet("if when unless otherwise else fail failure error problem wrong broken unavailable instead cannot")

// placed finds steps that stand under an answer, an otherwise or a failure that no words say. Those that stand elsewhere, too, do so in either case.
func (f *fill) placed() {
	said := map[tree.Quote]int{}
	for s := range f.t.Walk {
		said[s.Said]++
	}
	under := func(steps []tree.Step, what string) {
		if len(steps) > 0 && !steps[0].Said.Empty() && said[steps[0].Said] == 1 && !f.kept[steps[0].ID] && !f.changed[steps[0].ID] {
			f.problem("No words say that %q is done %s only. Quote those that do; without them the step stands behind.", cut(steps[0].Text, 60), what)
		}
	}
	for s := range f.t.Walk {
		for _, b := range s.Branches {
			if len(b.At) == 0 && (b.Else || b.Choice != "" && b.Choice != "approve" && !slices.Contains(s.Choices, b.Choice)) {
				under(b.Steps, "under "+cmp.Or(b.Choice, "else"))
			}
		}
		if all := english.Scan(f.wordsOf(s)); !slices.ContainsFunc(all, func(w english.Word) bool { return failing[w.Stem] || english.Denials[w.Low] }) {
			under(s.OnError, "on an error")
		}
	}
}
