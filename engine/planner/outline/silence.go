package outline

import (
	"cmp"
	"slices"
	"strings"

	"sluice/engine/planner/phrase"
	"sluice/engine/planner/reply"
	"sluice/engine/planner/tree"
)

// reminded makes a reminder of a branch that reminds those who have not answered: "if nobody answers in a day remind them". With ", after 3
// days tell #ops" it stays unread, because the question is not over then.
func reminded(r *reader, ask *tree.Step, b *tree.Branch, term string) bool {
	open := ask.Deadline != nil && term == "" // the time limit is that of the reminder
	if open {
		term = ask.Deadline.After
	}
	if len(b.Steps) == 0 || term == "" {
		return false
	}
	s := b.Steps[0]
	if s.Kind != tree.Tell || s.Text != "" || len(s.To) == 0 || !remindsOnly(r.t, &s) || slices.ContainsFunc(s.To, func(n tree.Name) bool { return !asked(ask, n.Words) }) {
		return false
	}
	if len(b.Steps) > 1 {
		return b.Steps[1].Kind == tree.Wait
	}
	ask.Deadline = cmp.Or(ask.Deadline, &tree.Deadline{})
	ask.Deadline.Remind, ask.Deadline.RemindOnce = term, !slices.ContainsFunc(s.At, func(q tree.Quote) bool { return !phrase.Once(r.t.Words(q)) })
	if open {
		ask.Deadline.After = ""
	}
	ask.At = slices.Concat(ask.At, b.At, s.At)
	return true
}

// elseReminds reads "otherwise remind them" behind a time limit of n tokens: the question stays open, and a reminder comes then.
func elseReminds(r *reader, list *[]tree.Step, toks []phrase.Token, n int) bool {
	in := *nearest(list)
	ask, rest := &in[len(in)-1], phrase.Trim(toks[n:])
	if !asksPeople(ask) || ask.Deadline == nil || len(ask.Branches) > 0 || len(rest) < 2 || !phrase.Reminds[rest[0].Low] {
		return false
	}
	if who, size := phrase.ReadWho(rest[1:]); size == 0 || slices.ContainsFunc(who, func(w phrase.Who) bool { return !asked(ask, r.Words(w.Toks)) }) {
		return false
	}
	at := append(r.lead, r.Quotes(toks[:n])...)
	b := r.branch(at, rest, nil, 1)
	return reminded(r, ask, &b, "")
}

// lateBehind takes a missing answer behind the step that follows it: "ask @bob to approve within 2 days, and tell @ana if he does not answer".
func lateBehind(r *reader, list *[]tree.Step, from int, toks []phrase.Token) int {
	last := len(*list) - 1
	if last < 1 || last != from || !asksPeople(&(*list)[last-1]) {
		return 0
	}
	ask := &(*list)[last-1]
	choice, term, n := reply.OrSilence(ask, toks)
	if n < len(toks) && toks[n].Kind != phrase.Sign || choice != "timeout" {
		return 0
	}
	b := tree.Branch{Choice: choice, Steps: slices.Clone((*list)[last:]), At: r.Quotes(toks[:n])}
	if !follows(r, ask, b, term, toks[:n], n) {
		return 0
	}
	*list = (*list)[:last]
	return n
}

// remindsOnly reports whether a message is a reminder, or calls somebody who should answer.
func remindsOnly(t *tree.Tree, s *tree.Step) bool {
	return slices.ContainsFunc(s.At, func(q tree.Quote) bool {
		first, _, _ := strings.Cut(strings.ToLower(t.Words(q)), " ")
		first = cmp.Or(phrase.Base(first), first)
		return phrase.Reminds[first] || first == "page"
	})
}

// escalated makes an escalation of a branch that only asks somebody else the same: "if nobody answers within 2 days, ask @cfo". With
// "instead" it is a question of its own, since the first one is over then; but not where steps stand behind an answer, which would be lost.
func (r *reader) escalated(ask *tree.Step, b *tree.Branch, term string) bool {
	if len(b.Steps) != 1 || ask.Deadline != nil && (ask.Deadline.EscalateTo != nil && !r.anew || strings.HasPrefix(ask.Deadline.After, tree.Until)) { // beside a time nobody is asked besides
		return false
	}
	s := &b.Steps[0]
	instead := slices.ContainsFunc(s.At, func(q tree.Quote) bool { return strings.HasSuffix(strings.ToLower(r.t.Words(q)), "instead") })
	if instead && len(ask.Branches) == 0 || !(unanswered(s) && s.Text == "" || sameForm(s, ask)) || len(s.Who) != 1 || s.Deadline != nil {
		return false
	}
	ask.Deadline = cmp.Or(ask.Deadline, &tree.Deadline{})
	ask.Deadline.EscalateAfter, ask.Deadline.EscalateTo = term, &s.Who[0]
	ask.At = slices.Concat(ask.At, b.At, s.At)
	return true
}

// sameForm reports whether two questions ask for the same values.
func sameForm(a, b *tree.Step) bool {
	name := func(f tree.Field) string { return strings.ToLower(f.Name) }
	return a.Kind == tree.Ask && b.Kind == tree.Ask && len(a.Fields) > 0 && len(a.Branches) == 0 && a.Text == "" &&
		slices.EqualFunc(a.Fields, b.Fields, func(f, g tree.Field) bool { return name(f) == name(g) })
}

// lateAsked lists the questions that words about a missing answer may be for, each as the last step of a list: those of people who are asked at
// the same time at its end, else the only one before its end, when nobody else is named behind that.
func lateAsked(list []tree.Step) (out [][]tree.Step) {
	last := &list[len(list)-1]
	if eachAsks(last) {
		for i := range last.Branches {
			out = append(out, last.Branches[i].Steps)
		}
		return out
	}
	for i := range list {
		s := &list[i]
		switch {
		case asksPeople(s) && len(out) == 0 && i < len(list)-1 && len(s.Branches) == 0:
			out = append(out, list[:i+1])
		case asksPeople(s), len(s.Branches) > 0, len(out) > 0 && slices.ContainsFunc(s.Names(), func(n *tree.Name) bool { return !strings.HasPrefix(n.Words, "#") }):
			return nil
		}
	}
	return out
}

// lateIn sets how long people have, or a reminder, for each of several questions: "They have 2 days".
func lateIn(r *reader, lists [][]tree.Step, f *stepForm, m *phrase.Match, toks []phrase.Token, at []tree.Quote) bool {
	for _, in := range lists {
		ask := &in[len(in)-1]
		if !r.changeLast(ask, f, m, toks) {
			return false
		}
		ask.At = append(ask.At, at...)
	}
	r.lead = nil
	return len(lists) > 0
}

// silentIn reads what follows when one of several questions has no answer: "if nobody answers within 2 days, tell #ops".
func silentIn(r *reader, lists [][]tree.Step, toks []phrase.Token, depth int) (taken int, took bool) {
	if len(lists) == 0 {
		return 0, false
	}
	first := &lists[0][len(lists[0])-1]
	choice, term, n := reply.OrSilence(first, toks)
	if choice != "timeout" || n == len(toks) {
		return 0, false
	}
	lead, end := r.lead, n+answerEnd(r, first, choice, toks, n, depth)
	for _, in := range lists {
		ask := &in[len(in)-1]
		r.lead = lead
		b := answerBranch(r, in, ask, toks[:end], n, nil, depth)
		b.Choice = choice
		if !follows(r, ask, b, term, toks[:end], n) {
			return len(toks), true // two deadlines: the words stay unread
		}
	}
	return end, end == len(toks)
}
