package history

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"sluice/engine/flow"
)

// GateOpened asks people a question. It contains everything that they are shown.
type GateOpened struct {
	Gate     int                       `json:"gate"`
	Kind     GateKind                  `json:"kind"`
	Message  string                    `json:"message"`
	Model    [][2]int                  `json:"model,omitempty"` // the bytes of the message that a language model wrote, from and to
	Choices  []string                  `json:"choices,omitempty"`
	Who      *flow.Who                 `json:"who,omitempty"`
	Quorum   int                       `json:"quorum,omitempty"`
	Veto     []string                  `json:"veto,omitempty"`
	Form     map[string]flow.FormField `json:"form,omitempty"`
	Show     []Shown                   `json:"show,omitempty"`
	Hash     string                    `json:"hash,omitempty"` // of everything that is shown: a decision is bound to it; see Shown
	Due      time.Time                 `json:"due,omitzero"`
	Error    *NodeError                `json:"error,omitempty"`    // for failure and unknown gates; why no model answers a question
	Cause    *NodeError                `json:"cause,omitempty"`    // of an unknown gate: the error that left it open; nil = the worker was lost
	Question *Question                 `json:"question,omitempty"` // of a judge gate
	Call     *CallAsked                `json:"call,omitempty"`     // of a call gate
}

// openedTrail are the fields of an opened gate that stay when the run is removed.
var openedTrail = []string{"gate", "kind", "choices", "who", "quorum", "veto", "hash", "due"}

// Needed is how many votes for one choice decide.
func (b *GateOpened) Needed() int { return max(b.Quorum, 1) }

// Gate is an open question to people. Its id belongs to the step, so an old card cannot decide a later visit.
type Gate struct {
	ID       int      `json:"id"`
	Kind     GateKind `json:"kind"`
	Token    int      `json:"token"`
	Node     string   `json:"node"`
	Step     int      `json:"step"`
	Choices  []string `json:"choices,omitempty"` // none = free text or form
	Quorum   int      `json:"quorum,omitempty"`
	Veto     []string `json:"veto,omitempty"`
	Votes    []Vote   `json:"votes,omitempty"`
	Deadline int      `json:"deadline,omitempty"` // timer id
	Opened   int64    `json:"opened"`             // fact that holds message, values shown and their hash
	Shown    string   `json:"shown,omitempty"`    // hash of everything that deciders see
	Required []string `json:"required,omitempty"` // form fields that every answer needs
	// RequiredFor names the form fields that a choice needs.
	RequiredFor map[string][]string `json:"required_for,omitempty"`
	Remind      int                 `json:"remind,omitempty"`    // timer id
	Escalate    int                 `json:"escalate,omitempty"`  // timer id
	Question    string              `json:"question,omitempty"`  // of a judge gate: id of the criterion, or edge of the route
	Escalated   []string            `json:"escalated,omitempty"` // other people who were asked and may answer, too
	Call        *CallAsked          `json:"call,omitempty"`      // of a call gate
	People      int                 `json:"people,omitempty"`    // id of the timer that asks whether anybody may answer
}

// Shown is the hash that an answer presents. A gate of a release that stored none has one of its own: its number is not used again, and
// its question never changes.
func (b *GateOpened) Shown() string { return ShownHash(b.Hash, b.Gate, b.Kind, b.Choices) }

// ShownHash is a stored hash, or the one that stands for a gate of a release that stored none.
func ShownHash(hash string, gate int, kind GateKind, choices []string) string {
	if hash != "" {
		return hash
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "gate %d %s %q", gate, kind, choices))
	return hex.EncodeToString(sum[:])
}

func (b *GateOpened) apply(s *State, f Fact) error {
	t, err := s.need(f.Token)
	if err != nil {
		return err
	}
	if b.Gate < s.NextGate {
		return fmt.Errorf("gate %d was opened before", b.Gate)
	}
	g := Gate{
		ID: b.Gate, Kind: b.Kind, Token: f.Token, Node: f.Node, Step: f.Step, Choices: b.Choices,
		Quorum: b.Quorum, Veto: b.Veto, Opened: f.Seq, Shown: b.Hash,
	}
	if b.Kind == GateCall {
		g.Call = b.Call
		if t.Started.IsZero() { // the call is sent as it was shown, with the time that was shown
			t.Started = f.At
		}
	}
	if b.Question != nil {
		g.Question = b.Question.ID
	}
	for _, name := range slices.Sorted(maps.Keys(b.Form)) {
		field := b.Form[name]
		if field.Required {
			g.Required = append(g.Required, name)
		}
		for _, choice := range field.RequiredFor {
			if g.RequiredFor == nil {
				g.RequiredFor = map[string][]string{}
			}
			g.RequiredFor[choice] = append(g.RequiredFor[choice], name)
		}
	}
	s.Gates = append(s.Gates, g)
	s.NextGate = max(s.NextGate, b.Gate+1)
	t.Gate = b.Gate
	t.Resume = t.Resume || b.Kind == GateUnknown // until a person says what became of it
	if t.Phase != PhaseFailed {
		t.Phase = PhaseGate
	}
	return nil
}

func (b *GateReminded) apply(s *State, _ Fact) error {
	g := s.Gate(b.Gate)
	if g == nil {
		return fmt.Errorf("no open gate %d", b.Gate)
	}
	if b.Escalated != "" {
		g.Escalated = append(g.Escalated, b.Escalated)
	}
	return nil
}

func (b *Voted) apply(s *State, f Fact) error {
	g := s.Gate(b.Gate)
	if g == nil {
		return fmt.Errorf("no open gate %d", b.Gate)
	}
	g.Votes = b.Counted(g.Votes, f)
	return nil
}

// Counted adds the vote, which a fact brings, to those before it: one person has one vote.
func (b *Voted) Counted(votes []Vote, f Fact) []Vote {
	return append(OtherVotes(votes, f.Actor), Vote{By: f.Actor, Choice: b.Choice, Note: b.Note, At: f.At})
}

// OtherVotes leaves out the actor's earlier vote: one person has one vote.
func OtherVotes(votes []Vote, by Actor) []Vote {
	return slices.DeleteFunc(slices.Clone(votes), func(v Vote) bool { return v.By.Same(by) })
}

// VotesFor counts the votes for a choice.
func VotesFor(choice string, votes []Vote) (n int) {
	for _, v := range votes {
		if v.Choice == choice {
			n++
		}
	}
	return n
}

// ErrVoted means that an answer repeats the vote that its person gave: nothing moves.
var ErrVoted = errors.New("answered so before")

// Repeats reports whether a vote changes nothing: its person has given the same answer before, and adds no other note.
func Repeats(votes []Vote, by Actor, choice, note string) bool {
	return slices.ContainsFunc(votes, func(v Vote) bool {
		return v.By.Same(by) && v.Choice == choice && (note == "" || note == v.Note)
	})
}

func (b *GateDecided) apply(s *State, f Fact) error {
	g := s.Gate(b.Gate)
	if g == nil {
		return fmt.Errorf("no open gate %d", b.Gate)
	}
	t, err := s.need(g.Token)
	if err != nil {
		return err
	}
	if g.Kind == GateApproval || g.Kind == GateAsk {
		a := Approval{Choice: b.Choice, Note: b.Note, By: f.Actor.User, At: f.At, Form: b.Form}
		if err := s.setApproval(t, g.Node, a); err != nil {
			return err
		}
	}
	t.decided(b, f)
	t.Gate = 0
	if g.Kind == GateTurn && b.Text != "" {
		t.answer(f.Seq)
		s.Unheard = nil
	}
	g.called(t, b.Choice)
	if t.Phase == PhaseGate || t.Phase == PhaseFailed && slices.Contains([]string{ChoiceRetry, ChoiceSkip, ChoiceContinue, ChoiceAnswer}, b.Choice) {
		t.Phase = PhaseReady
	}
	t.ByHand = t.ByHand || g.Kind == GateFailure && b.Choice == ChoiceAnswer
	s.Gates = slices.DeleteFunc(s.Gates, func(g Gate) bool { return g.ID == b.Gate })
	return nil
}

func (b *TimerSet) apply(s *State, f Fact) error {
	tm := b.Timer
	if tm.ID < s.NextTimer {
		return fmt.Errorf("timer %d was set before", tm.ID)
	}
	s.Timers = append(s.Timers, tm)
	s.NextTimer = max(s.NextTimer, tm.ID+1)
	switch tm.Kind {
	case TimerRetry, TimerWait:
		t, err := s.need(f.Token)
		if err != nil {
			return err
		}
		t.Timer, t.Phase = tm.ID, PhaseTimer
	case TimerTimeout:
		t, err := s.need(f.Token)
		if err != nil {
			return err
		}
		t.Timer = tm.ID
	case TimerJoin:
		fr := s.Frame(tm.Frame)
		if fr == nil {
			return fmt.Errorf("no open frame %d", tm.Frame)
		}
		fr.Timer, fr.Left = tm.ID, 0
	case TimerDeadline, TimerRemind, TimerEscalate, TimerPeople:
		g := s.Gate(tm.Gate)
		if g == nil {
			return fmt.Errorf("no open gate %d", tm.Gate)
		}
		*g.timer(tm.Kind) = tm.ID
	}
	return nil
}

// timer is the field of a gate that holds the id of its timer of a kind.
func (g *Gate) timer(kind TimerKind) *int {
	switch kind {
	case TimerRemind:
		return &g.Remind
	case TimerEscalate:
		return &g.Escalate
	case TimerPeople:
		return &g.People
	}
	return &g.Deadline
}

func (b *TimerGone) apply(s *State, _ Fact) error {
	i := slices.IndexFunc(s.Timers, func(t Timer) bool { return t.ID == b.ID })
	if i < 0 {
		return fmt.Errorf("no timer %d", b.ID)
	}
	tm := s.Timers[i]
	s.Timers = slices.Delete(s.Timers, i, i+1)
	switch tm.Kind {
	case TimerRetry, TimerWait:
		if t := s.Token(tm.Token); t != nil && t.Timer == tm.ID {
			t.Timer, t.Phase = 0, PhaseReady
		}
	case TimerTimeout:
		if t := s.Token(tm.Token); t != nil && t.Timer == tm.ID {
			t.Timer = 0
		}
	case TimerJoin:
		if fr := s.Frame(tm.Frame); fr != nil {
			fr.Timer, fr.Left = 0, b.Left
		}
	case TimerDeadline, TimerRemind, TimerEscalate, TimerPeople:
		if g := s.Gate(tm.Gate); g != nil {
			*g.timer(tm.Kind) = 0
		}
	}
	return nil
}

func (b *TokenHanded) apply(s *State, f Fact) error {
	t, err := s.need(f.Token)
	if err != nil {
		return err
	}
	t.Resume = t.Resume || t.Phase == PhaseStarted && t.Done == 0
	t.Epoch, t.Phase = b.Epoch, PhaseReady
	if b.Gen != 0 { // a person repeats it: another attempt, not the same one resumed
		t.Gen, t.Resume = b.Gen, false
	}
	return nil
}
