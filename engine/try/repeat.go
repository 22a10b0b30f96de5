package try

import (
	"slices"

	"sluice/engine/history"
	"sluice/engine/run"
)

// repeat decides about an input. Whether the worker that brings it begins a next act at once, with this token or with another, or leaves
// that to others is not recorded: it is what gives the facts that the record has.
func (r *replay) repeat(in run.Input) (run.Decision, error) {
	best, err := r.decide(in, nil)
	if err != nil {
		return best, err
	}
	if leave := r.leaving(in); leave != nil && slices.ContainsFunc(best.Effects, performs) {
		left, err := r.decide(leave, nil)
		if err == nil && slices.ContainsFunc(left.Facts, moves) && r.repeated(left.Facts) >= r.repeated(best.Facts) {
			best = left
		}
	}
	if !slices.ContainsFunc(best.Effects, dispatches) {
		return best, nil
	}
	r.context.Follow, r.context.AtHand = true, true
	followed, err := r.decide(in, nil)
	r.context.Follow, r.context.AtHand = false, false
	if err == nil && r.repeated(followed.Facts) > r.repeated(best.Facts) {
		best = followed
	}
	return best, nil
}

// leaving is the same input from a worker that begins no act after it, or nil.
func (r *replay) leaving(in run.Input) run.Input {
	switch in := in.(type) {
	case run.Finished:
		in.Leave = true
		return in
	case run.Claimed:
		t := r.state.Token(in.Token)
		if n := r.program.Flow().Node(t.Node); n != nil && run.Giver(n) != "" && t.Done == 0 {
			return nil
		}
		return run.Lost{At: in.At, Token: in.Token, Epoch: in.Epoch, Reason: "release"}
	}
	return nil
}

func performs(e run.Effect) bool {
	_, ok := e.(run.Perform)
	return ok
}

func dispatches(e run.Effect) bool {
	_, ok := e.(run.Dispatch)
	return ok
}

// moves tells facts apart from those that say which worker has a token, which differs in every run.
func moves(f history.Fact) bool { return f.Kind != history.KindOf((*history.TokenHanded)(nil)) }

// repeated counts how many facts of the record, from the latest one on, these facts repeat. Facts of one decision have one time.
func (r *replay) repeated(facts []history.Fact) int {
	all := r.record.facts[r.latest:]
	rest, visits := all, r.ledger.ahead(facts)
	for i, f := range facts {
		next := rest
		for len(next) > 0 && !moves(history.Fact{Kind: next[0].kind}) {
			next = next[1:]
		}
		if moves(f) && len(next) > 0 && next[0].kind == f.Kind && next[0].visit == visits[i] && next[0].at.Equal(all[0].at) {
			rest = next[1:]
		}
	}
	return len(all) - len(rest)
}
