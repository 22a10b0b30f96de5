// Package gate has the rows of gates: the question, the people whom it is for, the votes so far. A row is written by the transition of its
// run and never elsewhere.
//
// The package knows what the flow says of the people, and not who they are at a moment: that is engine/people. Look next at Fill.
package gate

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"sluice/engine/history"
	"sluice/storage"
)

// States of a row.
const (
	Open    = "open"
	Decided = "decided"
)

// Store is the part of the store that has the gates.
type Store interface {
	Gate(ctx context.Context, id string) (storage.Gate, error)
}

// Body is what a gate's row holds beside its columns: the question, the people who may answer, the votes so far.
type Body struct {
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
	Asks      []Ask     `json:"asks,omitempty"`
	Edit      *Edit     `json:"edit,omitempty"` // the last one; Opened has what is asked since then
}

// Decode reads a gate row's body.
func Decode(g storage.Gate) (Body, error) {
	var b Body
	if err := json.Unmarshal(g.Body, &b); err != nil {
		return b, fmt.Errorf("read gate %s: %w", g.ID, err)
	}
	return b, nil
}

// ID is the id of a run's n-th gate.
func ID(runID string, n int) string { return fmt.Sprintf("%s/%d", runID, n) }

// Fill puts the rows of the gates that a decision is about into a write. The rows follow from the state after the decision: a gate that the
// state has is open, with its votes and with those who were asked besides; any other one is decided.
func Fill(ctx context.Context, s Store, w *storage.RunWrite, after *history.State, facts []history.Fact) error {
	var rows []*row
	for _, f := range facts {
		num := number(f.Body)
		if num == 0 {
			continue
		}
		i := slices.IndexFunc(rows, func(r *row) bool { return r.Num == num })
		if i < 0 {
			r, err := begin(ctx, s, w.Run.ID, num, f)
			if err != nil {
				return err
			}
			i, rows = len(rows), append(rows, r)
		}
		rows[i].note(f)
	}
	for _, r := range rows {
		r.follow(after.Gate(r.Num))
		if err := r.encode(w.Run); err != nil {
			return err
		}
		w.Gates = append(w.Gates, r.Gate)
	}
	return nil
}

// row is a gate's row while it is written.
type row struct {
	storage.Gate
	body Body
}

// number gives the number of the gate that a fact is about; 0 = of none.
func number(b history.Body) int {
	switch b := b.(type) {
	case *history.GateOpened:
		return b.Gate
	case *history.Voted:
		return b.Gate
	case *history.GateReminded:
		return b.Gate
	case *history.CallEdited:
		return b.Gate
	case *history.GateDecided:
		return b.Gate
	}
	return 0
}

// begin gives the row of a gate before a decision: that of the fact that opens it, else the stored one.
func begin(ctx context.Context, s Store, runID string, num int, f history.Fact) (*row, error) {
	id := ID(runID, num)
	if b, ok := f.Body.(*history.GateOpened); ok {
		r := &row{body: Body{Opened: *b, Step: f.Step, Edit: earlier(b.Call)}}
		r.Gate = storage.Gate{ID: id, Run: runID, Num: num, Node: f.Node, Kind: string(b.Kind), Opened: f.At, Due: b.Due}
		return r, nil
	}
	g, err := s.Gate(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("load gate %s: %w", id, err)
	}
	body, err := Decode(g)
	return &row{g, body}, err
}

// note adds what a fact says and the machine does not keep.
func (r *row) note(f history.Fact) {
	switch b := f.Body.(type) {
	case *history.CallEdited:
		r.body.edited(f, b)
	case *history.GateReminded:
		if b.Asked != "" {
			r.body.Asks = append(r.body.Asks, Ask{By: f.Actor.User, User: b.Asked, At: f.At})
			return
		}
		r.body.Reminded = f.At
	case *history.GateDecided:
		r.Choice, r.By, r.Decided = b.Choice, f.Actor.User, f.At
		r.body.Note, r.body.ByName, r.body.Via, r.body.Text, r.body.Form, r.body.Ends = b.Note, f.Actor.Name, f.Actor.Via, b.Text, b.Form, b.Ends
	}
}

// follow makes the row equal to the machine's gate. A gate that the machine does not have any more keeps the votes that it was decided with.
func (r *row) follow(g *history.Gate) {
	if r.Status = Decided; g != nil {
		r.Status, r.body.Votes, r.body.Escalated = Open, g.Votes, g.Escalated
	}
}

// encode fills in the columns that follow from the body.
func (r *row) encode(of storage.Run) (err error) {
	if r.Asked, err = AskedOf(of, r.body).Key(); err != nil {
		return err
	}
	r.Body, err = json.Marshal(r.body)
	return err
}
