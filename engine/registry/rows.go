package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"sluice/engine/flow"
	"sluice/engine/flow/agents"
	"sluice/engine/flow/file"
	"sluice/engine/history"
	"sluice/storage"
)

// What the audit says of agents.
const (
	added   = "agent_added"
	removed = "agent_removed"
)

// Store has the agents of the database.
type Store interface {
	Rows
	Write(ctx context.Context, b *storage.Batch) error
}

// DeclaredError means that a file declares an agent, so that the row of it does not count, or that there is none.
type DeclaredError struct{ ID string }

func (e *DeclaredError) Error() string { return fmt.Sprintf("a file declares the agent %s", e.ID) }

// NeededError means that an agent names another one as one that it may ask.
type NeededError struct{ ID, By string }

func (e *NeededError) Error() string { return fmt.Sprintf("the agent %s needs %s", e.By, e.ID) }

// Change is a change of the agents of the database.
type Change struct {
	Files  []flow.Agent // that files declare
	Checks flow.Checks
	By     history.Actor
	Now    time.Time
}

// Add puts the agents of a text into the database, in the place of those with their ids. All agents of the installation are checked with
// them. name is how the text is called in problems. Errors: flow.Problems, *DeclaredError.
func (c Change) Add(ctx context.Context, s Store, name string, src []byte) (ids []string, err error) {
	rows, err := s.Agents(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the agents: %w", err)
	}
	all := Files{Agents: slices.Clone(c.Files)}
	doc, _ := file.ParseAgents(name, src)
	for _, a := range doc.Flow.Agents {
		if named(c.Files, a.ID) {
			return nil, &DeclaredError{a.ID}
		}
	}
	for _, row := range rows {
		if !named(c.Files, row.ID) && !named(doc.Flow.Agents, row.ID) {
			all.add("the agent "+row.ID+" of the database", []byte(row.Source))
		}
	}
	all.add(name, src)
	problems := all.Check(c.Checks).Errors()
	if len(doc.Flow.Agents) == 0 && len(problems) == 0 {
		problems = flow.Problems{doc.Problem("agents", "empty", "'agents' is empty", "")}
	}
	if len(problems) > 0 {
		return nil, problems
	}
	b := &storage.Batch{}
	for _, a := range doc.Flow.Agents {
		row := storage.Agent{ID: a.ID, Source: string(src), Updated: c.Now}
		if len(doc.Flow.Agents) > 1 {
			row.Source = string(file.FormatAgent(a))
		}
		b.Agents, ids = append(b.Agents, row), append(ids, a.ID)
		b.Audit = append(b.Audit, c.audit(added, a.ID, map[string]string{"hash": agents.Hash(a)}))
	}
	return ids, s.Write(ctx, b)
}

// Remove takes an agent out of the database. Errors: storage.ErrNotFound, *DeclaredError, *NeededError.
func (c Change) Remove(ctx context.Context, s Store, id string) error {
	rows, err := s.Agents(ctx)
	if err != nil {
		return fmt.Errorf("list the agents: %w", err)
	}
	if !slices.ContainsFunc(rows, func(row storage.Agent) bool { return row.ID == id }) {
		if named(c.Files, id) {
			return &DeclaredError{id}
		}
		return fmt.Errorf("the agent %s: %w", id, storage.ErrNotFound)
	}
	all := slices.Clone(c.Files)
	for _, row := range rows {
		if a, ok := Read(row); ok && row.ID != id && !named(c.Files, row.ID) {
			all = append(all, a)
		}
	}
	for _, a := range all {
		if slices.Contains(a.Subagents, id) && !named(all, id) {
			return &NeededError{ID: id, By: a.ID}
		}
	}
	return s.Write(ctx, &storage.Batch{NoAgents: []string{id}, Audit: []storage.Audit{c.audit(removed, id, nil)}})
}

func (c Change) audit(what, id string, detail map[string]string) storage.Audit {
	body, _ := json.Marshal(detail) // texts always have a JSON form
	return storage.Audit{At: c.Now, User: c.By.User, Team: c.By.Team, Via: string(c.By.Via), What: what, Ref: "agent:" + id, Detail: body}
}
