package model

import (
	"slices"
	"strings"

	"sluice/engine/planner/english"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
)

// details begin words that say more of what a step does.
var details = english.WordSet("with without via by using through including excluding except per before after until during in as only unless about regarding")

// plainWords are words that say nothing of what a step does, whatever they stand with.
var plainWords = english.StemSet("workflow task process procedure step case former latter result output variable time way turn order beginning end start meantime meanwhile mean parallel addition")

// unsaid lists details that steps quote, but that no field of the tree says: "with the reason" of a message "no".
func unsaid(t *tree.Tree) (out []string) {
	held := map[string]bool{}
	signs := strings.NewReplacer(`"`, " ", "_", " ", ".", " ", "@", " ", "#", " ", "-", " ")
	for _, w := range english.Scan(signs.Replace(asJSON(plain([]any{t.Name, t.Inputs, t.Triggers, t.Steps, t.Deadline}, nil)))) {
		held[w.Stem] = true
	}
	t.Walk(func(s *tree.Step) bool {
		for _, q := range s.At {
			words, from, lost := english.Scan(t.Words(q)), -1, false
			for i, w := range words {
				_, count := numberOf(w)
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
		return true
	})
	return out
}

func verb(w english.Word) bool { return phrase.Verbs[w.Low] || phrase.Base(w.Low) != "" }

// branchOf is a list of steps below a step.
type branchOf struct {
	step string // its id
	kind tree.Kind
	list int
	ends bool // the run ends behind it
}

// once takes away steps that stand twice one after the other although the words say them once.
func (f *fill) once(list *[]tree.Step, under []branchOf, seen map[string][][]branchOf) {
	rest := (*list)[:0]
	for i := range *list {
		s := &(*list)[i]
		if key := f.act(s); key != "" {
			if slices.ContainsFunc(seen[key], func(other []branchOf) bool { return !excluded(other, under) }) {
				f.problem("The step %q stands twice in the answer, and once in the description: it is there once, or quotes other words.", cut(s.Text, 60))
				continue
			}
			seen[key] = append(seen[key], under)
		}
		for n, below := range s.Lists() {
			ends := s.Kind == tree.Ask || n == len(s.Branches) || len(*below) > 0 && (*below)[len(*below)-1].Kind == tree.Stop
			f.once(below, append(slices.Clip(under), branchOf{s.ID, s.Kind, n, ends}), seen)
		}
		rest = append(rest, *s)
	}
	*list = rest
}

// act is what a new step does, and which words say it; "" = it does nothing.
func (f *fill) act(s *tree.Step) string {
	if s.Said.Empty() || f.kept[s.ID] || s.Kind != tree.Do && s.Kind != tree.Tell && s.Kind != tree.Agent {
		return ""
	}
	own := s.Own()
	own.ID, own.No, own.At = "", 0, nil
	return asJSON(own)
}

// excluded reports whether a run that does what is in one place never comes to the other, which stands behind it.
func excluded(first, second []branchOf) bool {
	for i, b := range first {
		switch {
		case i >= len(second) || second[i].step != b.step:
			return b.ends
		case second[i].list != b.list:
			return b.kind != tree.Parallel
		}
	}
	return false
}

// invented takes away new steps of which no words are left that others do not have.
func (f *fill) invented() {
	var without func(list *[]tree.Step)
	without = func(list *[]tree.Step) {
		*list = slices.DeleteFunc(*list, func(s tree.Step) bool {
			if f.kept[s.ID] || f.changed[s.ID] || !s.Said.Empty() || s.Kind != tree.Stop && s.Kind != tree.Tell && s.Kind != tree.Wait {
				return false
			}
			said := slices.ContainsFunc(s.At, func(q tree.Quote) bool {
				return slices.ContainsFunc(english.Scan(f.t.Words(q)), english.Word.Content)
			})
			if !said {
				f.problem("No words of the description are left for a step of kind %q: it was dropped.", s.Kind)
			}
			return !said
		})
		for i := range *list {
			for _, below := range (*list)[i].Lists() {
				without(below)
			}
		}
	}
	without(&f.t.Steps)
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
