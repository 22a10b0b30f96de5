package chaos_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"sluice/engine"
	"sluice/engine/flow"
	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/storage"
)

// unanswered reports whether no person answers at this node.
func unanswered(node string) bool { return strings.HasPrefix(node, "silent") }

// chooseAnswer gives the answer of people at a gate of a run with this key. It depends on the question alone, so that faults do not change
// a run's outcome. failures is how often the step has failed: the first time it is tried again. For an act with an unknown outcome
// see unknown.
func chooseAnswer(key, node string, kind history.GateKind, choices []string, failures int) (choice, text string, value json.RawMessage) {
	switch {
	case kind == history.GateFailure && failures <= 1 && slices.Contains(choices, history.ChoiceRetry):
		return history.ChoiceRetry, "", nil
	case kind == history.GateFailure && slices.Contains(choices, history.ChoiceSkip) && chance(key, "/", node, " gives up")%6 > 0:
		return history.ChoiceSkip, "", json.RawMessage(`{"n":1}`)
	case kind == history.GateFailure:
		return history.ChoiceAbort, "", nil
	case len(choices) == 0:
		return "", "an answer at " + node, nil
	}
	return choices[chance(key, "/", node, " chooses")%uint64(len(choices))], "", nil
}

// failures counts how often a step has failed in a way that people were asked about.
func failures(facts []history.Fact, step int) (n int) {
	for _, f := range facts {
		if b, ok := f.Body.(*history.GateOpened); ok && b.Kind == history.GateFailure && f.Step == step {
			n++
		}
	}
	return n
}

// user is the id of the next person to vote.
func user(votes int) string { return []string{"U1", "U2", "U3"}[votes%3] }

// unknown is a person's answer about an act whose outcome is not known. The person reads the entries of the service. Mostly they answer
// truly; sometimes they want a done act again, or fill in the result of an act that was not done.
func unknown(q question, key string, checkActs bool) (choice string, value json.RawMessage) {
	status, body := q.answer()
	h := chance(key, " in doubt") % 10
	if status == 200 && (checkActs && h < 7 || !checkActs && h < 2) {
		b, _ := json.Marshal(body)
		return history.ChoiceDone, b
	}
	return history.ChoiceAgain, nil
}

// answerGates answers every open gate, until ctx ends.
func (s *storm) answerGates(ctx context.Context) {
	said := map[string]engine.GateAnswer{} // an answer about an act with an unknown outcome stays the same
	for ctx.Err() == nil {
		var open []storage.Gate
		if !s.query("look for questions", func(ctx context.Context) (err error) {
			open, err = s.store.Gates(ctx, storage.GateQuery{Open: true, Limit: 1000})
			return err
		}) {
			return
		}
		for _, g := range open {
			if unanswered(g.Node) && g.Kind != string(history.GateUnknown) || ctx.Err() != nil {
				continue
			}
			body, err := gate.Decode(g)
			if err != nil {
				s.Error(err)
				return
			}
			a, known := said[g.ID]
			if !known {
				a = s.answerTo(g, body)
			}
			if g.Kind == string(history.GateUnknown) {
				said[g.ID] = a
			}
			a.Actor = history.Actor{User: user(len(body.Votes)), Via: history.ViaButton}
			s.tell("/answer", a, &struct{}{})
		}
		time.Sleep(30 * time.Millisecond)
	}
}

// answerTo says what people answer.
func (s *storm) answerTo(g storage.Gate, body gate.Body) engine.GateAnswer {
	a := engine.GateAnswer{Gate: g.ID, Shown: body.Opened.Hash}
	facts := s.factsOf(g.Run)
	if g.Kind != string(history.GateUnknown) {
		a.Choice, a.Text, a.Value = chooseAnswer(keyOf(facts), g.Node, history.GateKind(g.Kind), body.Opened.Choices, failures(facts, body.Step))
		return a
	}
	key := unknownAct(facts, body.Step)
	e, arrived := s.outside.entries()[key]
	if !arrived {
		a.Choice = history.ChoiceAgain
		return a
	}
	a.Choice, a.Value = unknown(e.question, key, e.Acted > 0)
	return a
}

// keyOf is the key of a run; the outside service knows the run by it.
func keyOf(facts []history.Fact) string { return facts[0].Body.(*history.RunStarted).Key }

// unknownAct is the idempotency key of the act of a step whose outcome is unknown.
func unknownAct(facts []history.Fact, step int) (key string) {
	open := map[int]string{}
	for _, f := range facts {
		if f.Step != step {
			continue
		}
		switch b := f.Body.(type) {
		case *history.StepStarted:
			key = b.Key
		case *history.CallIntended:
			if b.Effects == flow.EffectsOnce {
				open[b.Number] = b.Key
			}
		case *history.CallFinished:
			delete(open, b.Number)
		}
	}
	for _, k := range open {
		key = k
	}
	return key
}

// factsOf reads the facts of a run.
func (s *storm) factsOf(id string) (facts []history.Fact) {
	s.query("read facts", func(ctx context.Context) error {
		stored, err := s.store.Facts(ctx, id, 0)
		facts = facts[:0]
		for _, f := range stored {
			fact, wrong := history.DecodeFact(history.Fact{
				Seq: f.Seq, Kind: history.FactKind(f.Kind), Version: f.Version, At: f.At, Token: f.Token, Node: f.Node, Step: f.Step,
			}, f.Actor, f.Body)
			if wrong != nil {
				s.Errorf("fact %d of run %s: %v", f.Seq, id, wrong)
			}
			facts = append(facts, fact)
		}
		return err
	})
	return facts
}
