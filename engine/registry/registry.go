package registry

import (
	"context"

	"sluice/engine/flow"
)

// Registry has the agents of the installation. Its methods are safe for concurrent use.
type Registry struct {
	files []flow.Agent
}

// New makes the registry of the agents of files.
func New(files []flow.Agent) *Registry { return &Registry{files: files} }

// Agents lists the agents.
func (r *Registry) Agents(context.Context) ([]flow.Agent, error) { return r.files, nil }
