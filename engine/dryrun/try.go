package dryrun

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"sluice/engine/coerce"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/history/stored"
	"sluice/engine/run"
	"sluice/engine/run/compile"
	"sluice/engine/try"
	"sluice/engine/usererror"
	"sluice/storage"
)

// Request says with what a flow is tried.
type Request struct {
	// Inputs need not be complete: a required one that is missing is taken from its example, or is not known.
	Inputs map[string]any
	// Samples are values by node id, as try.Request has them.
	Samples map[string]any
	Event   map[string]any // what starts the run; nil = not known
	By      string         // who asks: user id
}

// recordedRuns is how many recent runs are looked at for values.
const recordedRuns = 20

// Try finds out what a flow would do with some inputs; nothing is performed, asked or stored. What a step would give comes from a
// sample, from the newest finished run of this flow in which the same tool or agent gave something, from a declared schema, or
// is not known. Errors: *usererror.Error for everything the person can mend, and when this process is busy with others (code busy).
func (d *Dryruns) Try(ctx context.Context, f *flow.Flow, q Request) (*try.Result, error) {
	if names := compile.Unsupported(f); len(names) > 0 {
		return nil, &usererror.Error{Code: "unsupported", Text: "This version does not run nodes of type " + strings.Join(names, ", ") + "."}
	}
	if err := knownSamples(f, q.Samples); err != nil {
		return nil, err
	}
	inputs, sources, err := triedInputs(f, q.Inputs)
	if err != nil {
		return nil, err
	}
	leave, err := d.reserve(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	recorded, err := d.recorded(ctx, f)
	if err != nil {
		return nil, err
	}
	return try.Run(try.Request{
		Flow: f, Inputs: inputs, Source: sources, Event: q.Event, Samples: q.Samples, Recorded: recorded, Tools: d.cfg.Tools,
		Now: d.cfg.Now(), Due: d.cfg.Due, Zone: d.cfg.Zone, By: q.By,
	})
}

func knownSamples(f *flow.Flow, samples map[string]any) error {
	for id := range samples {
		if f.Node(id) != nil {
			continue
		}
		var ids []string
		for i := range f.Nodes {
			ids = append(ids, f.Nodes[i].ID)
		}
		return &usererror.Error{
			Code: "no_node", Text: fmt.Sprintf("There is no step called %q%s.", id, usererror.Nearest(id, ids)),
			Hint: "The steps are " + strings.Join(ids, ", ") + ".",
		}
	}
	return nil
}

// triedInputs completes inputs for a trial, and says where each comes from.
func triedInputs(f *flow.Flow, given map[string]any) (map[string]any, map[string]try.Source, error) {
	lenient := f.Clone()
	sources := map[string]try.Source{}
	for i := range lenient.Inputs {
		in := &lenient.Inputs[i]
		v, ok := given[in.Name]
		switch {
		case ok && v != nil && v != "":
			sources[in.Name] = try.FromSample
		case in.Default != nil || !in.Required:
			sources[in.Name] = try.FromDefault
		case in.Example != nil:
			in.Default, sources[in.Name] = in.Example, try.FromExample
		case len(in.Enum) > 0:
			in.Default, sources[in.Name] = in.Enum[0], try.FromExample
		default:
			sources[in.Name] = try.Unknown
		}
		in.Required = false
	}
	inputs, err := coerce.Inputs(lenient, given)
	return inputs, sources, err
}

// recorded finds what the steps of a flow gave in its newest finished runs.
func (d *Dryruns) recorded(ctx context.Context, f *flow.Flow) (map[string]try.Recorded, error) {
	found := map[string]try.Recorded{}
	if d.cfg.Store == nil {
		return found, nil
	}
	rows, err := d.finished(ctx, f.Name, recordedRuns)
	if err != nil {
		return nil, err
	}
	wanted := map[string]*flow.Node{}
	for i := range f.Nodes {
		if n := &f.Nodes[i]; run.Giver(n) != "" && n.Kind != flow.KindSay {
			wanted[n.ID] = n
		}
	}
	for _, row := range rows {
		if len(wanted) == 0 {
			break
		}
		c, err := d.cfg.Revisions.Load(ctx, row.Flow, row.Revision)
		if err != nil {
			return nil, err
		}
		latest := map[string]history.Output{}
		if err := stored.Each(ctx, d.cfg.Store, row.ID, 0, func(f history.Fact) error {
			n, then := wanted[f.Node], c.Flow.Node(f.Node)
			b, _ := f.Body.(*history.StepFinished)
			if n == nil || then == nil || run.Giver(n) != run.Giver(then) || b.Given {
				return nil
			}
			if out, ok := history.OutputOf(f); ok {
				latest[n.ID] = out
			}
			return nil
		}, "step_finished"); err != nil {
			return nil, fmt.Errorf("read what the steps of %s gave: %w", row.Name, err)
		}
		for node, out := range latest {
			found[node] = try.Recorded{Run: row.Name, Output: out}
			delete(wanted, node)
		}
	}
	return found, nil
}

// finished lists the newest runs of a flow that are over, newest first.
func (d *Dryruns) finished(ctx context.Context, name string, most int) ([]storage.Run, error) {
	rows, err := d.cfg.Store.Runs(ctx, storage.RunQuery{Flow: name, Limit: 4 * most})
	if err != nil {
		return nil, fmt.Errorf("list the runs of %s: %w", name, err)
	}
	rows = slices.DeleteFunc(rows, func(r storage.Run) bool { return !history.Status(r.Status).Final() })
	return rows[:min(most, len(rows))], nil
}
