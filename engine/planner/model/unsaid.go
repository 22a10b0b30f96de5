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
var plainWords = english.StemSet("workflow task process procedure step case former latter result output variable time way turn order beginning end start meantime meanwhile mean parallel addition repetition round iteration attempt each every next another further get reminder reply slack channel")

// unsaid lists details that steps quote, but that no field of the tree says: "with the reason" of a message "no".
func unsaid(t *tree.Tree) (out []string) {
	held := map[string]bool{}
	signs := strings.NewReplacer(`"`, " ", "_", " ", ".", " ", "@", " ", "#", " ", "-", " ")
	for _, w := range english.Scan(signs.Replace(asJSON(plain([]any{t.Name, t.Inputs, t.Triggers, t.Steps, t.Deadline}, nil)))) {
		held[w.Stem] = true
	}
	for s := range t.Walk {
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
					lost = lost || w.Content() && !count && !details[w.Low] && !held[w.Stem] && !plainWords[w.Stem] && !phrase.Roles[w.Low] && len(durationsIn("1 "+w.Low)) == 0
				}
			}
			if detail := ""; lost {
				detail = strings.TrimSpace(t.Words(tree.Quote{Text: q.Text, From: q.From + words[from].From, To: q.To}))
				if !slices.Contains(out, detail) {
					out = append(out, detail)
				}
			}
		}
	}
	return out
}

func verb(w english.Word) bool { return phrase.Verbs[w.Low] || phrase.Base(w.Low) != "" }
