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

// Fill writes the row of a gate that a fact opened, counted a vote for, or decided.
func Fill(ctx context.Context, s Store, w *storage.RunWrite, f history.Fact) error {
	opened, ok := f.Body.(*history.GateOpened)
	if ok {
		all := Body{Opened: *opened, Step: f.Step}
		body, err := json.Marshal(all)
		if err != nil {
			return err
		}
		asked, err := AskedOf(w.Run, all).Key()
		w.Gates = append(w.Gates, storage.Gate{
			ID: ID(w.Run.ID, opened.Gate), Run: w.Run.ID, Num: opened.Gate, Node: f.Node, Kind: string(opened.Kind),
			Status: "open", Opened: f.At, Due: opened.Due, Body: body, Asked: asked,
		})
		return err
	}
	g, err := rowOf(ctx, s, w, number(f.Body))
	if err != nil {
		return err
	}
	body, err := Decode(*g)
	if err != nil {
		return err
	}
	switch b := f.Body.(type) {
	case *history.Voted:
		body.Votes = b.Counted(body.Votes, f)
	case *history.GateReminded:
		body.Reminded = f.At
		if b.Escalated != "" {
			body.Escalated = append(body.Escalated, b.Escalated)
		}
		if g.Asked, err = AskedOf(w.Run, body).Key(); err != nil {
			return err
		}
	case *history.GateDecided:
		g.Status, g.Choice, g.By, g.Decided = "decided", b.Choice, f.Actor.User, f.At
		body.Note, body.ByName, body.Via, body.Text, body.Form, body.Ends = b.Note, f.Actor.Name, f.Actor.Via, b.Text, b.Form, b.Ends
	}
	g.Body, err = json.Marshal(body)
	return err
}

// number gives the number of the gate that a fact is about.
func number(b history.Body) int {
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

// rowOf gives the row to write for a gate: the one in this write already, else the stored one.
func rowOf(ctx context.Context, s Store, w *storage.RunWrite, num int) (*storage.Gate, error) {
	id := ID(w.Run.ID, num)
	if i := slices.IndexFunc(w.Gates, func(g storage.Gate) bool { return g.ID == id }); i >= 0 {
		return &w.Gates[i], nil
	}
	g, err := s.Gate(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("load gate %s: %w", id, err)
	}
	w.Gates = append(w.Gates, g)
	return &w.Gates[len(w.Gates)-1], nil
}
