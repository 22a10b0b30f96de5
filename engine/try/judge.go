package try

import (
	"slices"
	"time"

	"sluice/engine/history"
	"sluice/engine/run"
)

// thought is what a model thought of an outcome, if it had an answer.
func (r *replay) thought(t history.Token, v *visit, p run.Perform) (move, bool) {
	in := run.Finished{Token: p.Token, Step: p.Step, Epoch: p.Epoch, Questions: p.Questions}
	if e, use, ok := r.event("judge", t.Step, v.judged); ok && e.lost {
		return move{e.seq, e.at, func(at time.Time) run.Input {
			use()
			in.At, in.Error = at, e.err
			return in
		}}, true
	}
	return r.verdicts(t, v, p.Questions, func(at time.Time, known []history.Verdict) run.Input {
		in.At, in.Verdicts = at, known
		return in
	})
}

// verdicts are what a model or a person thought of an outcome.
func (r *replay) verdicts(t history.Token, v *visit, asked []history.Question, in func(at time.Time, known []history.Verdict) run.Input) (move, bool) {
	var known []history.Verdict
	e, use, ok := r.event("judge", t.Step, v.judged)
	for _, q := range asked {
		if said, found := v.verdict(q, r.used["judge "+r.ledger.keys[t.Step]]); found {
			known = append(known, said)
		}
	}
	return move{e.seq, e.at, func(at time.Time) run.Input {
		use()
		return in(at, known)
	}}, ok && len(known) > 0
}

// verdict finds what was said to a question: to the same one, else to one of the same words, and not before what has been used up.
func (v *visit) verdict(q history.Question, from int) (history.Verdict, bool) {
	for _, same := range []func(history.Verdict) bool{
		func(said history.Verdict) bool { return said.ID == q.ID && said.Text == q.Text },
		func(said history.Verdict) bool { return said.Text == q.Text },
	} {
		for _, e := range v.judged[min(from, len(v.judged)):] {
			if i := slices.IndexFunc(e.judged, same); i >= 0 {
				said := e.judged[i]
				said.ID = q.ID
				return said, true
			}
		}
	}
	return history.Verdict{}, false
}

// judge answers a question about an outcome as a person did.
func (r *replay) judge(t history.Token, v *visit, g history.Gate) (move, bool) {
	q := history.Question{ID: g.Question}
	for _, f := range r.facts {
		if b, ok := f.Body.(*history.GateOpened); ok && b.Gate == g.ID && b.Question != nil {
			q = *b.Question
		}
	}
	if e, use, ok := r.event("judge", t.Step, v.judged); ok && e.lost { // the record has a model that was asked in vain
		use()
		return r.judge(t, v, g)
	}
	return r.verdicts(t, v, []history.Question{q}, func(at time.Time, known []history.Verdict) run.Input {
		choice := history.ChoiceNo
		if known[0].Met {
			choice = history.ChoiceYes
		}
		return run.Answer{At: at, Gate: g.ID, Shown: g.Shown, Choice: choice, Note: known[0].Reason}
	})
}
