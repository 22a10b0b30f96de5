package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"sluice/engine/authority"
	"sluice/engine/history"
	"sluice/engine/run"
	"sluice/storage"
)

// GateBody is what a gate's row holds beside its columns: the question, the people who may answer, the votes so far.
type GateBody struct {
	Opened history.GateOpened `json:"opened"`
	Step   int                `json:"step"`
	Votes  []history.Vote     `json:"votes,omitempty"`
	Note   string             `json:"note,omitempty"`
	ByName string             `json:"by_name,omitempty"`
	Via    history.Via        `json:"via,omitempty"`
	Text   string             `json:"text,omitempty"`
	Form   map[string]any     `json:"form,omitempty"`
	Ends   history.Outcome    `json:"ends,omitempty"` // what the decision means for the run, see run.GateDecided
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
func (e *Engine) fillGate(ctx context.Context, w *storage.RunWrite, f history.Fact) error {
	opened, ok := f.Body.(*history.GateOpened)
	if ok {
		all := GateBody{Opened: *opened, Step: f.Step}
		body, err := json.Marshal(all)
		if err != nil {
			return err
		}
		asked, err := askedOf(w.Run, all).key()
		w.Gates = append(w.Gates, storage.Gate{
			ID: GateID(w.Run.ID, opened.Gate), Run: w.Run.ID, Num: opened.Gate, Node: f.Node, Kind: string(opened.Kind),
			Status: "open", Opened: f.At, Due: opened.Due, Body: body, Asked: asked,
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
	case *history.Voted:
		body.Votes = append(slices.DeleteFunc(body.Votes, func(v history.Vote) bool { return v.By.Same(f.Actor) }),
			history.Vote{By: f.Actor, Choice: b.Choice, Note: b.Note, At: f.At})
	case *history.GateReminded:
		body.Reminded = f.At
		if b.Escalated != "" {
			body.Escalated = append(body.Escalated, b.Escalated)
		}
		if g.Asked, err = askedOf(w.Run, body).key(); err != nil {
			return err
		}
	case *history.GateDecided:
		g.Status, g.Choice, g.By, g.Decided = "decided", b.Choice, f.Actor.User, f.At
		body.Note, body.ByName, body.Via, body.Text, body.Form, body.Ends = b.Note, f.Actor.Name, f.Actor.Via, b.Text, b.Form, b.Ends
	}
	g.Body, err = json.Marshal(body)
	return err
}

// gateOf gives the number of the gate that a fact is about.
func gateOf(b history.Body) int {
	switch b := b.(type) {
	case *history.Voted:
		return b.Gate
	case *history.GateReminded:
		return b.Gate
	case *history.GateDecided:
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
	Actor  history.Actor
	Choice string
	Note   string
	Text   string
	Form   map[string]any
	Value  json.RawMessage
	Shown  string // hash of what they saw; without it an answer decides nothing
	Inbox  []int64
}

// Answered is what an answer led to.
type Answered struct {
	Decided bool // false: the vote counts, more are needed
	Gate    storage.Gate
}

// Answer is the one function that decides gates: it looks up who may answer, then the machine takes the first valid
// decision. Errors: *NotAllowedError, *DecidedError, *UserError (not a choice, a field is missing), storage.ErrNotFound.
func (e *Engine) Answer(ctx context.Context, a GateAnswer) (Answered, error) {
	g, err := e.cfg.Store.Gate(ctx, a.Gate)
	if err != nil {
		return Answered{}, err
	}
	row, err := e.cfg.Store.Run(ctx, g.Run)
	if err != nil {
		return Answered{}, err
	}
	body, err := DecodeGate(g)
	if err != nil {
		return Answered{}, err
	}
	action := authority.Decide
	if g.Status != "open" {
		action = authority.ReadGate
	}
	if err := e.mayDecide(ctx, action, row, body, a.Actor); err != nil {
		return Answered{}, err
	}
	if g.Status != "open" {
		return Answered{}, &DecidedError{Choice: g.Choice, By: g.By, At: g.Decided}
	}
	in := run.Answer{
		At: e.Now(), Actor: a.Actor, Gate: g.Num, Choice: a.Choice, Note: e.cfg.Redactor.Redact(a.Note), Text: e.cfg.Redactor.Redact(a.Text), Form: redacted(e.cfg.Redactor, a.Form), Value: e.cfg.Redactor.RedactJSON(a.Value), Shown: a.Shown,
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
		if a.Shown == "" {
			return &UserError{Code: "not_shown", Text: "Nobody can decide on what they have not been shown.", Hint: "Answer where the whole question is to be seen.", Err: err}
		}
		return &UserError{Code: "stale", Text: "What you saw is not what is asked any more.", Err: err}
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

// MayAnswer checks a person's right to answer a gate, as Answer does. Errors: *NotAllowedError.
func (e *Engine) MayAnswer(ctx context.Context, g storage.Gate, actor history.Actor) error {
	row, err := e.cfg.Store.Run(ctx, g.Run)
	if err != nil {
		return err
	}
	body, err := DecodeGate(g)
	if err != nil {
		return err
	}
	return e.mayDecide(ctx, authority.Decide, row, body, actor)
}

// mayDecide checks a person's right to do something at a gate, at this moment.
func (e *Engine) mayDecide(ctx context.Context, a authority.Action, row storage.Run, body GateBody, actor history.Actor) error {
	p, err := e.Principal(ctx, actor)
	if err != nil {
		return err
	}
	about, err := e.AboutGate(ctx, row, body)
	if err != nil {
		return err
	}
	if e.cfg.Directory == nil && actor.Via != history.ViaCLI {
		about.Home = "" // a store without people, and no terminal: the program that embeds the engine has checked
	}
	err = e.May(ctx, p, a, about)
	denied, ok := errors.AsType[*authority.Denied](err)
	if !ok {
		return err
	}
	no := &NotAllowedError{Denied: denied}
	if denied.Code == authority.NotYou || denied.Code == authority.Excepted {
		asked, err := e.asked(ctx, *about.Asked)
		if err != nil {
			return err
		}
		no.Who = asked.who
	}
	return no
}

// AboutGate is a question of a run.
func (e *Engine) AboutGate(ctx context.Context, row storage.Run, body GateBody) (About, error) {
	asked := askedOf(row, body)
	if e.cfg.Directory == nil {
		return About{Home: row.Channel, Requester: row.By, Asked: &asked}, nil
	}
	f, err := e.cfg.Store.Flow(ctx, row.Flow)
	if err != nil {
		return About{}, fmt.Errorf("find where a question lives: %w", err)
	}
	about := AboutRun(f, row)
	about.Asked = &asked
	return about, nil
}

// Reopen asks a question once more that was not answered in time, when the run stopped there: with a new gate and a new deadline. A person
// who could have decided the gate may say so. Errors: *NotAllowedError, *UserError, storage.ErrNotFound.
func (e *Engine) Reopen(ctx context.Context, gate string, actor history.Actor, inbox ...int64) error {
	g, err := e.cfg.Store.Gate(ctx, gate)
	if err != nil {
		return err
	}
	row, err := e.cfg.Store.Run(ctx, g.Run)
	if err != nil {
		return err
	}
	body, err := DecodeGate(g)
	if err != nil {
		return err
	}
	if err := e.mayDecide(ctx, authority.Reopen, row, body, actor); err != nil {
		return err
	}
	if g.Choice != history.ChoiceTimeout {
		return &UserError{Code: "not_expired", Text: "This question did not time out."}
	}
	in := run.Reopen{At: e.Now(), Actor: actor, Step: body.Step}
	_, err = e.transition(ctx, g.Run, in, func(b *storage.Batch) { b.InboxDone = inbox })
	switch {
	case errors.Is(err, run.ErrOver):
		return &UserError{Code: "over", Text: "This run is over already.", Err: err}
	case errors.Is(err, run.ErrNotExpired):
		return &UserError{
			Code: "not_stopped", Text: "The run does not stand at this question any more.", Err: err,
		}
	}
	return err
}
