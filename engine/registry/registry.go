package registry

import (
	"context"
	"slices"
	"sync"

	"sluice/engine/flow"
	"sluice/engine/flow/file"
	"sluice/storage"
)

// Rows are the agents of the database.
type Rows interface {
	Agents(ctx context.Context) ([]storage.Agent, error)
}

// Registry has the agents of the installation. Its methods are safe for concurrent use.
type Registry struct {
	files []flow.Agent
	rows  Rows

	mu   sync.Mutex
	read map[string]readRow // by id
}

type readRow struct {
	source string
	agent  flow.Agent
}

// New makes the registry of the agents of files, and of those of the database that no file declares. Nil rows: there are none.
func New(files []flow.Agent, rows Rows) *Registry {
	return &Registry{files: files, rows: rows, read: map[string]readRow{}}
}

// Agents lists the agents as they are now. A row that this release cannot read is left out.
func (r *Registry) Agents(ctx context.Context) ([]flow.Agent, error) {
	if r.rows == nil {
		return r.files, nil
	}
	rows, err := r.rows.Agents(ctx)
	if err != nil {
		return nil, err
	}
	all := slices.Clone(r.files)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, row := range rows {
		if named(r.files, row.ID) {
			continue
		}
		known, ok := r.read[row.ID]
		if !ok || known.source != row.Source {
			a, readable := Read(row)
			if !readable {
				continue
			}
			known = readRow{row.Source, a}
			r.read[row.ID] = known
		}
		all = append(all, known.agent)
	}
	return all, nil
}

// Read reads a row; false = it is not readable as the agent with its id.
func Read(row storage.Agent) (flow.Agent, bool) {
	doc, problems := file.ParseAgents(row.ID, []byte(row.Source))
	if problems.HasErrors() || len(doc.Flow.Agents) != 1 || doc.Flow.Agents[0].ID != row.ID {
		return flow.Agent{}, false
	}
	return doc.Flow.Agents[0], true
}

func named(all []flow.Agent, id string) bool {
	return slices.ContainsFunc(all, func(a flow.Agent) bool { return a.ID == id })
}
