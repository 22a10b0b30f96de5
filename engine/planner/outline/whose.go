package outline

import (
	"slices"

	"sluice/engine/planner/english"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/reply"
	"sluice/engine/planner/tree"
)

// whose gives the question that an answer is for: ask, or one that is asked behind an answer of it. A word that is an answer of one of them as it
// stands is for that one, and another word for a yes or a no is for the nearest. certain is false where it may be for several. n tokens say it.
func whose(r *reader, ask *tree.Step, choice string, toks []phrase.Token, n int) (of *tree.Step, answer string, certain bool) {
	inner := askedBehind(r, ask, toks)
	if len(inner) == 0 {
		return ask, choice, true
	}
	near := inner[len(inner)-1]
	answer, _ = reply.Of(near, toks)
	said := english.Scan(r.Words(toks[:n]))
	outer := reply.Literally(choice, said) && !slices.ContainsFunc(ask.Branches, func(b tree.Branch) bool { return b.Choice == choice })
	if outer && !slices.ContainsFunc(inner, func(s *tree.Step) bool { c, _ := reply.Of(s, toks); return reply.Literally(c, said) }) {
		return ask, choice, true
	}
	return near, answer, !outer && len(inner) == 1
}

// unsure reads an answer of n tokens, with the steps behind it, as a condition that nothing decides yet: whose answer it is, is asked.
func unsure(r *reader, list *[]tree.Step, toks []phrase.Token, n int, kids []phrase.Item, depth int) (taken int, took bool) {
	words := phrase.Trim(toks[phrase.Starting(toks, phrase.AnswerLeads):n])
	for len(words) > 1 && reply.Arrows[words[len(words)-1].Low] {
		words = words[:len(words)-1]
	}
	cond := tree.Cond{Words: r.Words(words), At: r.Quotes(toks[:n])}
	taken, took = r.conditionBody(list, step(r.t, tree.Decide), &cond, toks[n:], kids, depth)
	return n + taken, took
}

// askedBehind lists the questions at the ends of what follows the answers of a question, that words can answer and of whose answer nothing is
// said yet. What has items of its own below it is over behind them.
func askedBehind(r *reader, ask *tree.Step, toks []phrase.Token) (out []*tree.Step) {
	for i := range ask.Branches {
		if len(ask.Branches[i].Steps) == 0 {
			continue
		}
		in := *nearest(&ask.Branches[i].Steps)
		last := &in[len(in)-1]
		choice, n := reply.Of(last, toks)
		if n > 0 && last.Kind == tree.Ask && reply.IsAsked(last, reply.Answerer(toks)) && !r.closed[last.ID] && !slices.ContainsFunc(last.Branches, func(b tree.Branch) bool { return b.Choice == choice }) {
			out = append(out, last)
		}
		out = append(out, askedBehind(r, last, toks)...)
	}
	return out
}
