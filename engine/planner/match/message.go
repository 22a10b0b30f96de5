package match

import (
	"slices"

	"sluice/engine/flow"
	"sluice/engine/planner/english"
	"sluice/engine/planner/env"
)

var (
	receivers = english.WordSet("to recipient recipients")
	titles    = english.WordSet("subject title")
	contents  = english.WordSet("body text message content")
)

// message reads the subject of a message, "send a welcome email", and requires a text for it.
func (f *Filling) message() {
	called := func(names map[string]bool) int {
		return slices.IndexFunc(f.Entry.Params, func(p env.Param) bool { return env.PlainText(p) && names[p.Name] })
	}
	if f.Entry.Tool.Effects == flow.EffectsRead || called(receivers) < 0 {
		return
	}
	if i := called(contents); i >= 0 {
		f.Wanted[f.Entry.Params[i].Name] = true
	}
	at := called(titles)
	if at < 0 || f.Has(f.Entry.Params[at].Name) {
		return
	}
	for end := 2; end < len(f.Words); end++ {
		from := end
		for from > 1 && f.describes(from-1) {
			from--
		}
		if w := f.Words[end]; from < end && w.Content() && f.Entry.knows(w.Stem) {
			f.set(f.Entry.Params[at], from, end+1)
			return
		}
	}
}

// topic takes the words behind "about" or "saying" for the text that a tool needs: "open a ticket about the printer".
func (f *Filling) topic() {
	lead := slices.IndexFunc(f.Words, func(w english.Word) bool { return topics[w.Low] })
	at := slices.IndexFunc(f.Entry.Params, func(p env.Param) bool {
		return p.Required && env.PlainText(p) && (titles[p.Name] || contents[p.Name] || p.Name == "summary" || p.Name == "description") && !f.Has(p.Name)
	})
	if lead < 2 || at < 0 {
		return
	}
	from, to := lead+1, lead+1
	for to < len(f.Words) && !f.used[to] && f.Words[to].Kind == english.PlainWord && f.Words[to].Low != "with" {
		to++
	}
	for from < to && Determiners[f.Words[from].Low] {
		from++
	}
	if from < to && !english.Pronouns[f.Words[from].Low] && f.set(f.Entry.Params[at], from, to) {
		f.mark(lead, from)
	}
}

// topics lead to what a text is about, and introducing also to a text in quotes.
var (
	topics      = english.WordSet("about regarding concerning saying")
	introducing = english.WordSet("saying says reading called named titled")
)

// describes reports whether a word may only say of what sort the next one is.
func (f *Filling) describes(i int) bool {
	_, numeral := english.Numerals[f.Words[i].Low]
	return f.open(i) && !numeral && !english.Quantities[f.Words[i].Low] && !english.Denials[f.Words[i].Low] && !Prepositions[f.Words[i].Low]
}
