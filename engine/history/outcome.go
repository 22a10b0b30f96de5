package history

import (
	"encoding/json"
	"slices"
	"time"

	"sluice/engine/flow"
)

// Outcome is the result of an ended run.
type Outcome string

// Outcomes of a run that is over. A live run has none.
const (
	OutcomeDone     Outcome = "done"
	OutcomeRejected Outcome = "rejected"  // the last decision on the way to its end refused it (Ending)
	OutcomeFailed   Outcome = "failed"    // it stopped at an error, or its flow says so
	OutcomeStopped  Outcome = "stopped"   // a person cancelled or aborted it
	OutcomeTimedOut Outcome = "timed_out" // a gate expired without an answer, or the run's own time was over
)

// Outcomes lists them all.
var Outcomes = []Outcome{OutcomeDone, OutcomeRejected, OutcomeFailed, OutcomeStopped, OutcomeTimedOut}

// OutcomeOf is the outcome of a run of which no more is known than its status: releases before outcomes stored no other.
func OutcomeOf(s Status) Outcome {
	switch s {
	case Succeeded:
		return OutcomeDone
	case Failed:
		return OutcomeFailed
	case Cancelled:
		return OutcomeStopped
	}
	return ""
}

// Ending is the decision because of which a run would not count as done if the path of its token ended now. Later decisions of approvals
// replace it. One that is not firm is dropped as soon as the run acts outside again, other than to tell people.
type Ending struct {
	Outcome Outcome   `json:"outcome"`
	Node    string    `json:"node"`
	Choice  string    `json:"choice,omitempty"`
	Note    string    `json:"note,omitempty"`
	By      Actor     `json:"by,omitzero"` // empty = no person: the time was over, or the flow says so
	Run     string    `json:"run,omitempty"`
	At      time.Time `json:"at"`
	Fact    int64     `json:"fact"`
	Firm    bool      `json:"firm,omitempty"`
}

// liftOutcome gives a run_ended of version 1 its outcome: what its status and its error tell.
func liftOutcome(body map[string]json.RawMessage) map[string]json.RawMessage {
	var old struct {
		Status Status     `json:"status"`
		Error  *NodeError `json:"error"`
	}
	for name, into := range map[string]any{"status": &old.Status, "error": &old.Error} {
		_ = json.Unmarshal(body[name], into) // an outcome that cannot be read counts as none
	}
	out := OutcomeOf(old.Status)
	if out == OutcomeFailed && old.Error != nil && old.Error.Type == ErrorGate {
		out = OutcomeTimedOut
	}
	body["outcome"], _ = json.Marshal(out)
	return body
}

// decided records what a decision means for the outcome of its token.
func (t *Token) decided(b *GateDecided, f Fact) {
	switch {
	case b.Ends != "":
		t.Ending = &Ending{Outcome: b.Ends, Node: f.Node, Choice: b.Choice, Note: b.said(), By: f.Actor, At: f.At, Fact: f.Seq, Firm: b.Firm}
		if b.Ends == OutcomeTimedOut {
			t.Ending.By, t.Ending.Choice = Actor{}, ""
		}
	case b.Settles:
		t.Ending = nil
	}
}

// said is a person's text with a decision: the note, or the form's field of that name.
func (b *GateDecided) said() string {
	if b.Note != "" {
		return b.Note
	}
	note, _ := b.Form["note"].(string)
	return note
}

// proceed drops a refusal after which something is done.
func (t *Token) proceed(goesOn bool) {
	if goesOn {
		t.Ending = nil
	}
}

// ends records the ending of a path in the root, or in its branch. Any token of a branch can refuse the whole branch.
func (t *Token) ends(b *PathEnded, f Fact, into **Ending) {
	end := t.Ending
	switch {
	case b.Outcome == "" || end != nil && end.Outcome == b.Outcome:
	case b.Outcome == OutcomeDone:
		end = nil
	default:
		end = &Ending{Outcome: b.Outcome, Node: f.Node, At: f.At, Fact: f.Seq, Firm: true}
	}
	if end != nil {
		*into = end
	}
}

// mergeEndings takes over the endings of the branches of a frame. They are not firm: the author of the join knows whether one refusal is
// enough, and the run may go on to act. An earlier decision is dropped when a branch settled it.
func (t *Token) mergeEndings(branches []Branch) {
	var latest *Ending
	settled := false
	for i := range branches {
		switch e := branches[i].Ending; {
		case !branches[i].Done:
		case e == nil:
			settled = true
		case t.Ending != nil && e.Fact == t.Ending.Fact:
		case latest == nil || latest.Fact < e.Fact:
			latest = e
		}
	}
	switch {
	case latest != nil:
		t.Ending = latest.weak()
	case settled:
		t.Ending = nil
	}
}

func (e *Ending) weak() *Ending {
	c := *e
	c.Firm = false
	return &c
}

func (b *RunEnded) apply(s *State, f Fact) error {
	s.Status, s.Outcome, s.Ended = b.Status, b.Outcome, f.At
	if b.Output != 0 {
		s.Output = b.Output
	}
	if b.Status.Final() {
		s.Tokens, s.Gates, s.Timers, s.Holds, s.Deferred = nil, nil, nil, nil, nil
		s.Frames = slices.Clone(s.Frames[:min(1, len(s.Frames))])
	}
	return nil
}

func (b *RunReopened) apply(s *State, f Fact) error {
	s.Status, s.Outcome, s.Ended = Running, "", time.Time{}
	if t := s.Token(f.Token); t != nil && t.Phase == PhaseFailed {
		t.Phase = PhaseReady
	}
	return nil
}

// OwnTime says that the time of the run itself was over, not that of a question.
func (e *Ending) OwnTime(f *flow.Flow) bool {
	n := f.Node(e.Node)
	return e.Outcome == OutcomeTimedOut && e.Choice == "" && n != nil && n.Kind != flow.KindApproval && n.Kind != flow.KindAsk
}
