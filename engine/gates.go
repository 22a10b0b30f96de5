package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"sluice/engine/flow"
	"sluice/engine/run"
	"sluice/storage"
)

// GateBody is what a gate's row holds beside its columns: what is asked, who may answer, the votes so far.
type GateBody struct {
	Opened run.GateOpened `json:"opened"`
	Step   int            `json:"step"`
	Votes  []run.Vote     `json:"votes,omitempty"`
	Note   string         `json:"note,omitempty"`
	ByName string         `json:"by_name,omitempty"`
	Via    run.Via        `json:"via,omitempty"`
	Text   string         `json:"text,omitempty"`
	Form   map[string]any `json:"form,omitempty"`
	// Escalated names who was asked besides and may answer too; Reminded is when the gate last asked again.
	Escalated []string  `json:"escalated,omitempty"`
	Reminded  time.Time `json:"reminded,omitzero"`
}

// DecodeGate reads a gate row's body.
func DecodeGate(g storage.Gate) (GateBody, error) {
	var b GateBody
	if err := json.Unmarshal(g.Body, &b); err != nil {
		return b, fmt.Errorf("read gate %s: %w", g.ID, err)
	}
	return b, nil
}

// GateID is the id of a run's n-th gate.
func GateID(runID string, n int) string { return fmt.Sprintf("%s/%d", runID, n) }

// fillGate writes the row of a gate that a fact opened, counted a vote for, or decided.
func (e *Engine) fillGate(ctx context.Context, w *storage.RunWrite, f run.Fact) error {
	opened, ok := f.Body.(*run.GateOpened)
	if ok {
		body, err := json.Marshal(GateBody{Opened: *opened, Step: f.Step})
		w.Gates = append(w.Gates, storage.Gate{
			ID: GateID(w.Run.ID, opened.Gate), Run: w.Run.ID, Num: opened.Gate, Node: f.Node, Kind: string(opened.Kind),
			Status: "open", Opened: f.At, Due: opened.Due, Body: body,
		})
		return err
	}
	g, err := e.gateRow(ctx, w, gateOf(f.Body))
	if err != nil {
		return err
	}
	body, err := DecodeGate(*g)
	if err != nil {
		return err
	}
	switch b := f.Body.(type) {
	case *run.Voted:
		body.Votes = append(slices.DeleteFunc(body.Votes, func(v run.Vote) bool { return v.By.User == f.Actor.User }),
			run.Vote{By: f.Actor, Choice: b.Choice, Note: b.Note, At: f.At})
	case *run.GateReminded:
		body.Reminded = f.At
		if b.Escalated != "" {
			body.Escalated = append(body.Escalated, b.Escalated)
		}
	case *run.GateDecided:
		g.Status, g.Choice, g.By, g.Decided = "decided", b.Choice, f.Actor.User, f.At
		body.Note, body.ByName, body.Via, body.Text, body.Form = b.Note, f.Actor.Name, f.Actor.Via, b.Text, b.Form
	}
	g.Body, err = json.Marshal(body)
	return err
}

// gateOf gives the number of the gate that a fact is about.
func gateOf(b run.Body) int {
	switch b := b.(type) {
	case *run.Voted:
		return b.Gate
	case *run.GateReminded:
		return b.Gate
	case *run.GateDecided:
		return b.Gate
	}
	return 0
}

// gateRow gives the row to write for a gate: the one in this write already, else the stored one.
func (e *Engine) gateRow(ctx context.Context, w *storage.RunWrite, num int) (*storage.Gate, error) {
	id := GateID(w.Run.ID, num)
	if i := slices.IndexFunc(w.Gates, func(g storage.Gate) bool { return g.ID == id }); i >= 0 {
		return &w.Gates[i], nil
	}
	g, err := e.cfg.Store.Gate(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("load gate %s: %w", id, err)
	}
	w.Gates = append(w.Gates, g)
	return &w.Gates[len(w.Gates)-1], nil
}

// GateAnswer is one person's answer, from whatever button, modal, command or prompt.
type GateAnswer struct {
	Gate   string // id
	Actor  run.Actor
	Choice string
	Note   string
	Text   string
	Form   map[string]any
	Value  json.RawMessage
	Shown  string
	Inbox  []int64
}

// Answered is what an answer led to.
type Answered struct {
	Decided bool // false: the vote counts, more are needed
	Gate    storage.Gate
}

// Answer is the one function that decides gates: who may is asked at this moment, then the machine takes the first valid
// decision. Errors: *NotAllowedError, *DecidedError, *UserError (not a choice, a field is missing), storage.ErrNotFound.
func (e *Engine) Answer(ctx context.Context, a GateAnswer) (Answered, error) {
	g, err := e.cfg.Store.Gate(ctx, a.Gate)
	if err != nil {
		return Answered{}, err
	}
	if g.Status != "open" {
		return Answered{}, &DecidedError{Choice: g.Choice, By: g.By, At: g.Decided}
	}
	row, err := e.cfg.Store.Run(ctx, g.Run)
	if err != nil {
		return Answered{}, err
	}
	body, err := DecodeGate(g)
	if err != nil {
		return Answered{}, err
	}
	if err := e.mayAnswer(ctx, row, body, a.Actor); err != nil {
		return Answered{}, err
	}
	in := run.Answer{
		At: e.Now(), Actor: a.Actor, Gate: g.Num, Choice: a.Choice, Note: a.Note, Text: a.Text, Form: a.Form, Value: a.Value, Shown: a.Shown,
	}
	_, err = e.transition(ctx, g.Run, in, func(b *storage.Batch) { b.InboxDone = append(b.InboxDone, a.Inbox...) })
	if err != nil {
		return Answered{}, e.answerError(ctx, a, body, err)
	}
	g, err = e.cfg.Store.Gate(ctx, a.Gate)
	return Answered{Decided: g.Status != "open", Gate: g}, err
}

func (e *Engine) answerError(ctx context.Context, a GateAnswer, body GateBody, err error) error {
	switch {
	case errors.Is(err, run.ErrNoGate), errors.Is(err, run.ErrOver):
		g, gerr := e.cfg.Store.Gate(ctx, a.Gate)
		if gerr != nil {
			return gerr
		}
		return &DecidedError{Choice: g.Choice, By: g.By, At: g.Decided}
	case errors.Is(err, run.ErrShown):
		return &UserError{Code: "stale", Text: "What you saw is not what is asked any more.", Hint: "Look at the newest card and answer there.", Err: err}
	case errors.Is(err, run.ErrChoice):
		return &UserError{
			Code: "bad_choice", Text: fmt.Sprintf("%q is not one of the answers.", a.Choice), Hint: "Choose one of: " + strings.Join(body.Opened.Choices, ", ") + ".", Err: err,
		}
	}
	var form *run.FormError
	if errors.As(err, &form) {
		return &UserError{Code: "bad_answer", Text: form.Error() + ".", Hint: "Give the fields as name=value.", Err: err}
	}
	return err
}

// mayAnswer checks a person's right to answer a gate, at this moment.
func (e *Engine) mayAnswer(ctx context.Context, row storage.Run, body GateBody, actor run.Actor) error {
	g := body.Opened
	if e.cfg.Directory == nil {
		return nil
	}
	who, allowed, err := e.Deciders(ctx, row, body)
	if err != nil {
		return err
	}
	p, err := e.cfg.Directory.Person(ctx, actor.User)
	if err != nil {
		return fmt.Errorf("look up who answers: %w", err)
	}
	if p.Bot || !p.Active || (actor.Team != "" && p.Team != "" && p.Team != actor.Team) {
		return &NotAllowedError{Who: who, Why: "only people of this workspace may answer"}
	}
	if !slices.Contains(allowed, actor.User) {
		return &NotAllowedError{Who: who}
	}
	if selfless(g.Who) && actor.User == row.By {
		return &NotAllowedError{Who: who, Why: "you asked for this run, and whoever asks may not approve it"}
	}
	return nil
}

// selfless tells whether whoever asked for a run may not answer.
func selfless(who *flow.Who) bool {
	return who != nil && who.SelfApproval != nil && !*who.SelfApproval
}

// Reopen asks once more what nobody answered in time, when the run stopped there: with a new gate and a new deadline. Whoever could
// have decided the gate may say so. Errors: *NotAllowedError, *UserError, storage.ErrNotFound.
func (e *Engine) Reopen(ctx context.Context, gate string, actor run.Actor, inbox ...int64) error {
	g, err := e.cfg.Store.Gate(ctx, gate)
	if err != nil {
		return err
	}
	if g.Choice != run.ChoiceTimeout {
		return &UserError{Code: "not_expired", Text: "This question did not time out."}
	}
	row, err := e.cfg.Store.Run(ctx, g.Run)
	if err != nil {
		return err
	}
	body, err := DecodeGate(g)
	if err != nil {
		return err
	}
	if err := e.mayAnswer(ctx, row, body, actor); err != nil {
		return err
	}
	in := run.Reopen{At: e.Now(), Actor: actor, Step: body.Step}
	_, err = e.transition(ctx, g.Run, in, func(b *storage.Batch) { b.InboxDone = inbox })
	switch {
	case errors.Is(err, run.ErrOver):
		return &UserError{Code: "over", Text: "This run is over already.", Err: err}
	case errors.Is(err, run.ErrNotExpired):
		return &UserError{
			Code: "not_stopped", Text: "The run does not stand at this question any more.",
			Hint: "If it stopped elsewhere, answer the card that says why.", Err: err,
		}
	}
	return err
}
