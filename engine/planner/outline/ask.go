package outline

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"sluice/engine/planner/english"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/reply"
	"sluice/engine/planner/tree"
	"sluice/engine/planner/values"
)

// Choice gives the choice of a question that an answer means: "rejected", "nobody answers"; "" = it has none.
func Choice(s *tree.Step, answer string) string {
	low := strings.ToLower(strings.TrimSpace(answer))
	if strings.HasPrefix(low, "no one ") || strings.HasPrefix(low, "nobody ") {
		return "timeout"
	}
	return reply.For(s, low)
}

// Unread gives the first sentence of a text that is no step, and the words of it that may be misspelled: word by word what is near.
func Unread(text string) (sentence string, near []string) {
	r := newReader(&tree.Tree{Texts: []tree.Text{{Words: text}}}, values.Source{Src: text})
	r.opening.Whole(nil)
	for _, it := range phrase.Arrange(phrase.Scan(text, 0, len(text))) {
		toks := it.Toks
		if len(r.t.Triggers) == 0 {
			toks = r.opening.Head(toks)
		}
		parts := phrase.Sentences(toks)
		if len(parts) == 0 {
			continue
		}
		part := phrase.Trim(parts[0])
		for i, t := range part {
			begins := i == 0 || part[i-1].Kind != phrase.Word
			if verb := phrase.Near(t); verb != "" && begins && i+1 < len(part) && !phrase.Auxiliaries[part[i+1].Low] {
				near = append(near, t.Text, verb)
			}
		}
		return r.Words(part), near
	}
	return strings.TrimSpace(text), nil
}

// Inputs reads the words of a quote as values that a run is given, and adds them. false = they are something else.
func Inputs(t *tree.Tree, q tree.Quote) bool {
	r, toks := within(t, q)
	return !phrase.HasAny(toks, phrase.Requests) && r.opening.Inputs(toks)
}

// approvedFirst reads an approval with what is done behind it: "@legal must sign it off before we send it".
func approvedFirst(r *reader, list *[]tree.Step, start int, toks []phrase.Token) bool {
	at := phrase.Find(toks, "before")
	if at < 2 || at+2 >= len(toks) || toks[at-1].Is("long", "right", "just", "shortly", "well", "day", "hour", "week") {
		return false
	}
	said := slices.Clone(toks[at+1:])
	if said[0].Is("we", "i", "you") && phrase.Verbs[said[1].Low] {
		said = said[1:]
	}
	phrase.Commands(said[:1])
	if a := phrase.ActorOf(said); a.N > 0 && phrase.Base(said[a.Verb].Low) == "" && !phrase.Verbs[said[a.Verb].Low] || !acts(said) && !phrase.Passive(said) || phrase.Has(said, "after", "before") { // "before she leaves" is a time
		return false
	}
	var asked []tree.Step
	if probe := r.probe(); !probe.clause(&asked, 0, toks[:at]) || len(probe.lead) > 0 || len(asked) != 1 || !asked[0].Approves() || len(asked[0].Who) == 0 {
		return false
	}
	r.clause(list, start, toks[:at])
	done := said[len(said)-1]
	passive := phrase.PassiveWord(done)
	done.Low = cmp.Or(english.Irregular[done.Low], done.Low)
	if passive && phrase.Mentions(r.Src[done.To:], []phrase.Token{done}) { // "before it is paid. Pay it."
		s := &(*list)[len(*list)-1]
		s.At = append(s.At, r.Quotes(toks[at:])...)
		return true
	}
	r.lead = r.Quotes(toks[at : at+1])
	return r.clause(list, start, said)
}

// seeks reads that somebody asks others for an approval: "the clerk submits it to @bob for approval". The flow asks them.
func seeks(r *reader, list *[]tree.Step, toks []phrase.Token) bool {
	a := phrase.ActorOf(toks)
	if a.N == 0 && (len(r.acting) == 0 || !phrase.Third(toks[0].Low)) || a.N > 0 && !a.Person {
		return false
	}
	said := slices.Clone(toks[a.Verb:])
	phrase.Imperative(said[:1])
	var asked []tree.Step
	if _, decides := phrase.Decides(r.Words(said)); !decides || !r.probe().form(&asked, said, false) || len(asked) != 1 || !asked[0].Approves() {
		return false
	}
	r.lead = append(r.lead, r.Quotes(toks[:a.Verb])...)
	return r.form(list, said, false)
}

// handedOver drops a step that only delivers what the question behind it is about: "it is sent to the manager, who receives two buttons".
func handedOver(list *[]tree.Step, at int) {
	all := *list
	if at < 1 || at >= len(all) || all[at].Kind != tree.Ask {
		return
	}
	before := &all[at-1]
	same := unanswered(before) && before.Text == "" && len(before.Who) == 1 && len(all[at].Who) == 1 && before.Who[0].Words == all[at].Who[0].Words // "run it by @ana, who decides ..."
	if !same && (before.Kind != tree.Do || !handing.MatchString(before.Text)) {
		return
	}
	all[at].At = slices.DeleteFunc(slices.Concat(before.At, []tree.Quote{before.Said}, all[at].At), tree.Quote.Empty)
	*list = slices.Delete(all, at-1, at)
}

var handing = regexp.MustCompile(`(?i)^(?:receives?|gets?) (?:the|this|that|it)\b|\b(?:routed|forwarded|passed|handed|sent|submitted|assigned) to\b`)
