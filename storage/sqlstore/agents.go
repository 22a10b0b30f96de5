package sqlstore

import (
	"context"
	"slices"
	"time"

	"sluice/storage"
)

var (
	agentColumns = []Column{{"id", Text}, {"source", Text}, {"updated", Time}}
	agents       = table{"agents", agentColumns, replace("id", agentColumns...)}
)

// agentStore has the agents of the installation.
type agentStore struct{ *database }

type agentRow struct {
	storage.Agent
	Updated stamp
}

func (r agentRow) value() storage.Agent {
	r.Agent.Updated = time.Time(r.Updated)
	return r.Agent
}

// Agents lists all agents by id.
func (s agentStore) Agents(ctx context.Context) ([]storage.Agent, error) {
	return list[agentRow](ctx, s.database, "list agents", "SELECT id, source, updated FROM agents ORDER BY id")
}

func agentParts(b *storage.Batch) []Part {
	var rows [][]any
	put := newest(b.Agents, func(a storage.Agent) any { return a.ID })
	for _, a := range put {
		rows = append(rows, []any{a.ID, a.Source, a.Updated})
	}
	gone := slices.DeleteFunc(slices.Clone(b.NoAgents), func(id string) bool {
		return slices.ContainsFunc(put, func(a storage.Agent) bool { return a.ID == id })
	})
	return []Part{agents.part(rows), removeRows("agents", "id", gone)}
}
