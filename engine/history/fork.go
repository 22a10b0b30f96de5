package history

import (
	"errors"
	"fmt"
	"slices"
)

type (
	// RunForked says where the history that is not the run's own ends.
	RunForked struct {
		From       string `json:"from"`
		Origin     string `json:"origin"`
		Generation int    `json:"generation"`
		Reason     string `json:"reason,omitempty"`
	}
	// OutputKept holds an output for the next visit to a node: it is taken instead of an act.
	OutputKept struct {
		Output Output `json:"output"`
	}
)

// Forkable gives the token before the node of a step, when the run can be forked there: nothing else is live.
func (s *State) Forkable(step int) (Token, bool) {
	if len(s.Tokens) != 1 || len(s.Frames) != 1 || len(s.Gates)+len(s.Timers) > 0 {
		return Token{}, false
	}
	t := s.Tokens[0]
	return t, t.Step == step && (t.Phase == PhaseReady || t.Phase == PhaseHeld) && t.Attempt == 0 && t.Done == 0
}

func (b *RunForked) apply(s *State, _ Fact) error {
	s.Origin, s.Generation, s.Holds, s.Reuse = b.Origin, b.Generation, nil, nil
	for i := range s.Tokens {
		t := &s.Tokens[i]
		t.Gen = b.Generation
		if t.Phase == PhaseHeld {
			t.Phase = PhaseReady
		}
	}
	return nil
}

func (b *OutputKept) apply(s *State, f Fact) error {
	if f.Node == "" {
		return errors.New("an output is kept for no node")
	}
	Put(&s.Reuse, f.Node, append(slices.Clip(s.Reuse[f.Node]), f.Seq))
	return nil
}

// reused removes an output from those that are kept for a node.
func (s *State) reused(node string, seq int64) error {
	kept := s.Reuse[node]
	if len(kept) == 0 || kept[0] != seq {
		return fmt.Errorf("output %d is not the next one that is kept for %s", seq, node)
	}
	if s.Reuse[node] = kept[1:]; len(kept) == 1 {
		delete(s.Reuse, node)
	}
	return nil
}

// TokenSplit takes several routes at the same time, without a frame: the token goes the first way, a new token of the same
// branch each of the others. Nothing joins them. Inside a loop the first way goes on with the loop.
type TokenSplit struct {
	Ways []SplitWay     `json:"ways"`
	Seen map[string]any `json:"seen,omitempty"` // the values that decided
}

// SplitWay is one of several routes that are taken at the same time.
type SplitWay struct {
	Token int    `json:"token"`
	Edge  string `json:"edge"`
	To    string `json:"to"`
	Why   string `json:"why,omitempty"`
}

func (b *TokenSplit) apply(s *State, f Fact) error {
	t, err := s.need(f.Token)
	if err != nil {
		return err
	}
	if len(b.Ways) == 0 || b.Ways[0].Token != f.Token {
		return errors.New("a token that is split goes the first way itself")
	}
	before := *t
	s.arrive(t, b.Ways[0].Edge, b.Ways[0].To)
	for _, w := range b.Ways[1:] {
		if w.Token < s.NextToken {
			return fmt.Errorf("token %d was made before", w.Token)
		}
		next := before
		next.ID, next.Epoch, next.Blocks = w.Token, 1, nil
		s.arrive(&next, w.Edge, w.To)
		s.insert(next)
		if next.Frame == 0 {
			continue
		}
		br, err := s.branch(next.Frame, next.Branch)
		if err != nil {
			return err
		}
		br.Live++
	}
	return nil
}

// note records where a path met others of its frame: at the node of the frame, else at the node of a frame around it.
func (fr *Frame) note(met string) {
	if met != "" && (fr.Met == "" || met == fr.Meet || fr.Met != fr.Meet && met < fr.Met) {
		fr.Met = met
	}
}
