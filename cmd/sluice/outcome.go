package main

import (
	"context"
	"encoding/json"

	"sluice/engine"
	"sluice/engine/run"
)

// verdict prints the outcome and turns it into an exit code.
func (t *terminal) verdict(asJSON bool) error {
	v, err := t.engine.View(context.Background(), t.run)
	if err != nil {
		return err
	}
	status := run.Status(v.Run.Status)
	if asJSON {
		if err := t.printJSON(v); err != nil {
			return err
		}
	}
	switch {
	case status == run.Succeeded:
		return nil
	case status == run.Cancelled && aborted(v):
		return &exitError{code: exitFailed}
	case status == run.Cancelled:
		return &exitError{code: exitCancelled}
	}
	return &exitError{code: exitFailed}
}

// aborted tells a run that a person gave up after a failure from one that was cancelled.
func aborted(v *engine.View) bool {
	for _, x := range v.Visits {
		if x.Error != nil {
			return true
		}
	}
	return false
}

func (t *terminal) printJSON(v *engine.View) error {
	nodes := map[string]any{}
	for id, n := range v.Nodes {
		row := map[string]any{"state": n.State, "visits": n.Visits}
		if x := v.Latest(id); x.Choice != "" {
			row["choice"] = x.Choice
		} else if x.Error != nil {
			row["error"] = x.Error
		}
		nodes[id] = row
	}
	edges := map[string]int{}
	for id, e := range v.Edges {
		edges[id] = e.Count
	}
	e := json.NewEncoder(t.std.out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(map[string]any{
		"run": v.Run.Name, "title": v.Run.Title, "status": v.Run.Status, "steps": v.Run.Steps, "output": v.Result, "nodes": nodes, "edges": edges,
	})
}
