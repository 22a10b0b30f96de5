package storagetest

import (
	"testing"
	"time"

	"sluice/storage"
)

func agents(t *testing.T, s storage.Store) {
	writer := storage.Agent{ID: "writer", Source: "id: writer\ninstructions: Write. \u00e9\n", Updated: stored(start)}
	checker := storage.Agent{ID: "checker", Source: "id: checker\n", Updated: stored(start)}
	write(t, s, &storage.Batch{Agents: []storage.Agent{writer, checker}})
	same(t, "agents", must(s.Agents(t.Context()))(t), []storage.Agent{checker, writer})
	old := writer
	writer.Source, writer.Updated = "id: writer\ninstructions: Write more.\n", stored(start.Add(time.Hour))
	write(t, s, &storage.Batch{Agents: []storage.Agent{old, writer}, NoAgents: []string{"writer", "checker", "nobody"}})
	same(t, "agents that are left", must(s.Agents(t.Context()))(t), []storage.Agent{writer})
}
