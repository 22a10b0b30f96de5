package session

import (
	"context"
	"errors"
	"net/http"

	"sluice/engine/importer/agentgraph"
	"sluice/engine/importer/draftchart"
	"sluice/engine/view"
)

// Runs looks at runs. The engine does.
type Runs interface {
	View(ctx context.Context, id string) (*view.View, error)
}

// errNoRecord is the answer for what is no run of a graph of agents.
var errNoRecord = errors.New("there is no record of this session")

// status answers where a run stands, in the nodes of its draft.
func (h *Handler) status(w http.ResponseWriter, r *http.Request) {
	h.answer(w, r, func(c *Config, x found) (any, error) { return x.status(r.Context(), c.Runs) })
}

// status has no nodes as long as there is no run.
func (x found) status(ctx context.Context, runs Runs) (draftchart.StatusAnswer, error) {
	if x.run.ID == "" {
		return draftchart.StatusAnswer{}, nil
	}
	v, err := runs.View(ctx, x.run.ID)
	if err != nil {
		return draftchart.StatusAnswer{}, err
	}
	return draftchart.Live(v.Flow, v.Nodes), nil
}

// record answers with the record of a run whose flow is a graph of agents.
func (h *Handler) record(w http.ResponseWriter, r *http.Request) {
	h.answer(w, r, func(c *Config, x found) (any, error) {
		if x.run.ID == "" {
			return nil, errNoRecord
		}
		v, err := c.Runs.View(r.Context(), x.run.ID)
		if err != nil {
			return nil, err
		}
		if v.Flow.Profile != agentgraph.Profile {
			return nil, errNoRecord
		}
		return agentgraph.NewRecord(v.Run.ID, v.Flow, v.Facts), nil
	})
}
