package planner

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sluice/engine/planner/english"
	"sluice/engine/planner/idiom"
	"sluice/engine/planner/match"
	"sluice/engine/planner/tree"
)

// placeholders declares an input for each <name> and {name} in a text that is no value yet.
func (p *planning) placeholders(text string, k match.Scope) {
	for _, w := range english.Scan(text) {
		if w.Kind == english.QuotedWord && len(w.Text) < len(text) {
			p.placeholders(w.Text, k)
		}
		if w.Kind == english.InputWord && len(k.Slot(w.Text)) != 1 && p.t.Input(idiom.InputName(w.Text)) == nil {
			p.t.Inputs = append(p.t.Inputs, tree.Input{Name: idiom.InputName(w.Text)})
		}
	}
}

// reports reports whether a message can say what came of a step.
func reports(s *tree.Step) bool {
	return slices.Contains([]tree.Kind{tree.Do, tree.Agent, tree.Ask, tree.Set}, s.Kind)
}

// behind gives the step directly before s and before a wait in its list; nil = there is none, or it has branches.
func (p *planning) behind(s *tree.Step) *tree.Step {
	b := p.t.Before(s)
	for b != nil && b.Kind == tree.Wait && b.Event == "" {
		b = p.t.Before(b)
	}
	if b != nil && len(b.Branches) == 0 {
		return b
	}
	return nil
}

// answered gives the question to which a step comes first behind an answer, or behind a condition about one; nil = there is none.
func (p *planning) answered(s *tree.Step) *tree.Step {
	for _, o := range p.t.Earlier(s) {
		at := slices.IndexFunc(o.Branches, func(b tree.Branch) bool { return len(b.Steps) > 0 && b.Steps[0].ID == s.ID })
		switch {
		case at < 0:
		case o.Kind == tree.Decide && o.Branches[at].When != nil:
			if asked := p.t.Step(o.Branches[at].When.Subject().Ref.Step); asked != nil && asked.Kind == tree.Ask {
				return asked
			}
		case o.Kind == tree.Ask:
			return o
		}
	}
	return nil
}

// silent reports whether a message has no words of its own but needs some: no step before it has a result, or it is a reminder.
func (p *planning) silent(s *tree.Step, words []english.Word) bool {
	if len(words) > 0 && !slices.Contains(noContent, strings.ToLower(trimWords(s.Text))) {
		return false
	}
	reminds := slices.ContainsFunc(s.At, func(q tree.Quote) bool {
		return slices.ContainsFunc(english.Scan(p.t.Words(q)), func(w english.Word) bool { return w.Stem == "remind" })
	})
	return reminds || len(words) > 0 || len(s.To) == 1 && s.To[0].Is == tree.NameThread && s.To[0].Words == "" || !slices.ContainsFunc(p.t.Earlier(s), reports)
}

// noContent are words behind a receiver that say how a message is sent, and nothing of what it says.
var noContent = []string{"again", "too", "also", "as well", "once", "twice", "once more", "one more time", "once again"}

// request writes what somebody is told to do as a request to them: "to send the list" is "please send the list".
func request(text string) string {
	rest, ok := strings.CutPrefix(strings.TrimSpace(text), "to ")
	if not, denied := strings.CutPrefix(strings.TrimSpace(text), "not to "); denied {
		rest, ok = "do not "+not, true
	}
	if !ok {
		return text
	}
	return "please " + strings.ReplaceAll(rest, " and to ", " and ")
}

// toOthers writes what an author says of themselves, or of the person who is asked, as that person reads it.
func (p *planning) toOthers(s *tree.Step) {
	readers := slices.Concat(s.Who, s.To)
	if !s.ReadByPeople() || match.Quoted(english.Scan(p.t.Words(s.Said))) || len(readers) == 1 && (readers[0].Words == p.w.Author || p.spokenName(readers[0].Words, true) == p.w.Author) {
		return
	}
	if first := len(p.t.Steps) > 0 && p.t.Steps[0].ID == s.ID && len(p.t.Triggers) == 0; first && s.Kind == tree.Ask && len(readers) == 1 && slices.Equal(s.Choices, []string{"yes", "no"}) {
		s.Text = english.Addressed(s.Text)
	}
	s.Text = english.Author(s.Text, p.w.Author)
}

// outcomes are messages about the result of the step before.
var outcomes = []string{"what happened", "what has happened", "how it went", "what we did", "what was done", "what was decided", "the outcome", "the result", "yes or no", "about it", "so", "that it is done", "that it's done", "when it is done", "when it's done"}

// why finds words for the reason of an answer.
var why = regexp.MustCompile(`(?i)^(?:why|why not|why it (?:was|is|has been) (?:rejected|declined|refused|denied|turned down|not approved)|the reasons?|what(?:'s|’s| is| was) wrong|what went wrong)$`)

// report lets a message say what somebody has answered, with the note, if it stands behind a question. An empty note alone would be no message.
func (p *planning) report(s *tree.Step) bool {
	b := cmp.Or(p.behind(s), p.answered(s))
	if b == nil || b.Kind != tree.Ask || len(b.Fields) > 0 || b.Free {
		return false
	}
	s.Parts = []tree.Value{{Words: s.Text, Literal: ""}}
	return true
}

// results are outcomes that may be those of any step before, where people only say that they have done the last one.
var results = map[string]bool{"the result": true, "the outcome": true}

// laterThan reports whether a step that has a result comes before this one in its list.
func (p *planning) laterThan(s *tree.Step) bool {
	list, at := p.t.Place(s.ID)
	return slices.ContainsFunc((*list)[:at], func(o tree.Step) bool { return o.Kind == tree.Do || o.Kind == tree.Ask || o.Kind == tree.Agent })
}

// text cuts the text of a step into literals and values. Words in quotes are literal. Words such as "the amount" are values only in a message
// (tell). A message that only names an unknown value becomes a question.
func (p *planning) text(s *tree.Step, k match.Scope, tell bool) {
	if len(s.Parts) > 0 {
		for i := range s.Parts {
			p.value(s, "text."+strconv.Itoa(i), &s.Parts[i], k)
		}
		return
	}
	tell = tell && !slices.Contains(p.t.Settled, s.ID+".text")
	p.toOthers(s)
	if tell {
		s.Text = request(s.Text)
	}
	words := english.Scan(s.Text)
	if match.Quoted(words) {
		s.Text = words[0].Text
		words, tell = english.Scan(s.Text), false
	}
	tell = tell && !match.Quoted(english.Scan(p.t.Words(s.Said)))
	if b := p.behind(s); tell && s.Text == "" && b != nil && len(p.t.Alike(b)) > 1 {
		s.Parts = []tree.Value{{Ref: tree.Ref{Step: b.ID}}}
		if len(b.Fields) == 1 {
			s.Parts[0].Ref.Field = b.Fields[0].Name
		}
	}
	if len(s.Parts) == 0 && tell && p.wholeText(s, k, words) {
		s.Parts = p.t.OfEach(s.Parts)
		return
	}
	if len(s.Parts) == 0 {
		s.Parts = p.textParts(s, words, k, tell)
	}
	if slices.ContainsFunc(s.Parts, tree.Value.Open) || tell && listsMore(s.Parts) {
		s.Parts = nil
		p.askText(s, k)
		return
	}
	if s.Parts = p.t.OfEach(s.Parts); len(s.Parts) > 0 || !tell || !match.NounPhrase(words) {
		if b := p.behind(s); b != nil && p.tellsAnswer(s, b) {
			b.Judges = true // there is something to tell after a no, too
		}
		return
	}
	if all := k.Named(words, match.AnyType); len(all) == 1 {
		s.Parts = p.t.OfEach([]tree.Value{{Words: s.Text, Ref: all[0].Ref}})
		return
	}
	p.askText(s, k)
}

// tellsAnswer reports whether a message is the answer to a yes-or-no question, and nothing more: "ask @bob whether it is off and tell #ops".
func (p *planning) tellsAnswer(s, ask *tree.Step) bool {
	if ask.Kind != tree.Ask || len(ask.Branches) > 0 || !slices.Equal(ask.Choices, []string{"yes", "no"}) {
		return false
	}
	if s.Text != "" || len(s.Parts) > 0 {
		return len(s.Parts) == 1 && s.Parts[0].Ref == tree.Ref{Step: ask.ID}
	}
	at := tree.Span(tree.Quotes(s))
	return at.Text == ask.Said.Text && at.From > ask.Said.To && strings.HasPrefix(strings.TrimSpace(p.t.Texts[at.Text].Words[ask.Said.To:]), "and ")
}

// listsMore reports whether a message lists values and a thing that is none: “the guest count and the menu”.
func listsMore(parts []tree.Value) bool {
	return len(parts) > 1 && parts[0].Ref != (tree.Ref{}) && slices.ContainsFunc(parts[1:], func(v tree.Value) bool {
		said, _ := v.Literal.(string)
		words := english.Scan(said)
		for len(words) > 0 && words[0].Is("and", ",") {
			words = words[1:]
		}
		return len(words) > 1 && len(words) < len(english.Scan(said)) && (match.Determiners[words[0].Low] && match.NounPhrase(words) || words[0].Is("whether", "what", "who", "why", "how"))
	})
}

// wholeText resolves a message whose words have one meaning as a whole: no words, an outcome, or a pronoun. It reports whether they have one.
func (p *planning) wholeText(s *tree.Step, k match.Scope, words []english.Word) bool {
	switch {
	case p.silent(s, words):
	case why.MatchString(trimWords(s.Text)) && p.report(s):
		return true
	case slices.Contains(outcomes, strings.ToLower(trimWords(s.Text))):
		if b := cmp.Or(p.behind(s), p.answered(s)); b != nil && reports(b) && !(b.Doer == tree.DoerPerson && results[strings.ToLower(trimWords(s.Text))] && p.laterThan(b)) {
			s.Parts = []tree.Value{{Words: s.Text, Literal: ""}} // a message without words reports the step before
			return true
		}
	case match.Indirect(words), match.Several(words):
	case match.Pronoun(words) && !slices.ContainsFunc(words, func(w english.Word) bool { return w.Low == "answer" }):
		if b := p.behind(s); b != nil && b.Kind == tree.Do && b.Doer == tree.DoerOpen { // "it" is what that step gives, once it is known
			p.out.Open[s.ID] = true
			return true
		} else if b != nil && p.onlyDone(tree.Ref{Step: b.ID}) {
			break
		}
		if n := k.Nearest(); n != nil {
			s.Parts = []tree.Value{{Words: s.Text, Ref: n.Ref}}
			return true
		}
	default:
		return false
	}
	p.askText(s, k)
	return true
}

// textParts cuts a text into literals and values; nil = it has no values. determined also reads a determiner with a name as a value.
func (p *planning) textParts(s *tree.Step, words []english.Word, k match.Scope, determined bool) (parts []tree.Value) {
	text, done := s.Text, 0
	add := func(from, to int, ref tree.Ref) {
		if lit := text[done:from]; lit != "" {
			parts = append(parts, tree.Value{Literal: lit})
		}
		parts, done = append(parts, tree.Value{Words: text[from:to], Ref: ref}), to
	}
	for i := range words {
		switch w := words[i]; {
		case w.Kind == english.InputWord:
			ref := tree.Ref{Input: idiom.InputName(w.Text)}
			if all := k.Slot(w.Text); len(all) == 1 && p.t.Input(ref.Input) == nil {
				ref = all[0].Ref
			}
			add(w.From, w.To, ref)
		case determined && w.Kind != english.QuotedWord && w.From >= done:
			var c match.Candidate
			n, from := 0, w.From
			if match.Determiners[w.Low] {
				c, n = k.PhraseAt(words[i+1:])
			} else if (w.Low == "and" || w.Low == ",") && len(parts) > 0 && strings.Trim(text[done:from], " ,") == "" { // "the name, team and birthday"
				if c, n = k.PhraseAt(words[i+1:]); n > 0 && (w.Low == "and" || match.Listed(words[i+1+n:])) {
					from = words[i+1].From
				} else {
					n = 0
				}
			}
			if ref, end := p.answerAt(s, from, k, n > 0); end > 0 {
				add(from, end, ref)
			} else if n > 0 {
				add(from, words[i+n].To, c.Ref)
			}
		}
	}
	if rest := text[done:]; rest != "" && len(parts) > 0 {
		parts = append(parts, tree.Value{Literal: rest})
	}
	return parts
}
