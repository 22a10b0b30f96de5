package history

import (
	"fmt"
	"maps"
	"time"
)

// Question is a yes-or-no question about a finished step.
type Question struct {
	ID   string `json:"id"` // of the criterion, or the edge of the route that asks
	Text string `json:"text"`
}

// Verdict is the answer to a question.
type Verdict struct {
	ID     string `json:"id"`
	Text   string `json:"text,omitempty"`
	Met    bool   `json:"met"`
	Reason string `json:"reason,omitempty"`
}

type (
	// JudgingStarted is the stored intent of asking a model about a finished step. Like a read act it is repeated after a crash.
	JudgingStarted struct {
		Questions []Question `json:"questions"`
		Epoch     int        `json:"epoch"`
	}
	// Judged holds answers, a model's or a person's. Questions that are still open are asked again.
	Judged struct {
		Verdicts []Verdict `json:"verdicts,omitempty"`
		Usage    *Usage    `json:"usage,omitempty"`
	}
)

func (b *JudgingStarted) apply(s *State, f Fact) error {
	t, err := s.need(f.Token)
	if err != nil {
		return err
	}
	if t.Done == 0 {
		return fmt.Errorf("step %d has not finished", f.Step)
	}
	t.Phase = PhaseStarted
	return nil
}

func (b *Judged) apply(s *State, f Fact) error {
	t, err := s.need(f.Token)
	if err != nil {
		return err
	}
	if len(b.Verdicts) == 0 { // the answer of the model could not be used, but was paid for
		return nil
	}
	verdicts := make(map[string]bool, len(t.Verdicts)+len(b.Verdicts)) // a copy of the state may share the old one
	maps.Copy(verdicts, t.Verdicts)
	for _, v := range b.Verdicts {
		verdicts[v.ID] = v.Met
	}
	t.Verdicts = verdicts
	return nil
}

func (b *RevisionChanged) apply(s *State, _ Fact) error {
	s.Revision = b.Revision
	for _, id := range b.Again {
		t, err := s.need(id)
		if err != nil {
			return err
		}
		t.Gen, t.Attempt, t.Calls, t.Started = t.Gen+1, 0, nil, time.Time{}
		t.Granted, t.ByHand = 0, false
	}
	return nil
}
