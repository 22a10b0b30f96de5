package dryrun

import (
	"context"
	"fmt"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/history/stored"
	"sluice/engine/run/compile"
	"sluice/engine/try"
	"sluice/engine/usererror"
)

// replayMost is how many finished runs a replay looks at when nothing else is said.
const replayMost = 50

// Replay feeds what the newest finished runs of a flow got (inputs, outputs, answers) to another revision of it, such as a draft: what
// would it have made of them? No tool is called, no person is asked, nothing is stored. Newest runs come first; most 0 = replayMost.
// Errors: *usererror.Error when the candidate cannot run, or when
// this process is busy with others (code busy).
func (d *Dryruns) Replay(ctx context.Context, candidate *flow.Flow, most int) ([]try.Replayed, error) {
	if names := compile.Unsupported(candidate); len(names) > 0 {
		return nil, &usererror.Error{Code: "unsupported", Text: "This version does not run nodes of type " + strings.Join(names, ", ") + "."}
	}
	leave, err := d.reserve(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	p, err := compile.Flow(candidate)
	if err != nil {
		return nil, err
	}
	if most <= 0 {
		most = replayMost
	}
	rows, err := d.finished(ctx, candidate.Name, most)
	if err != nil {
		return nil, err
	}
	around := try.Surroundings{Tools: d.cfg.Tools, Due: d.cfg.Due, Zone: d.cfg.Zone}
	all := make([]try.Replayed, 0, len(rows))
	for _, row := range rows {
		c, err := d.cfg.Revisions.Load(ctx, row.Flow, row.Revision)
		if err != nil {
			return nil, fmt.Errorf("read revision %d of %s: %w", row.Revision, row.Flow, err)
		}
		url, err := d.cfg.Address(ctx, row)
		if err != nil {
			return nil, err
		}
		r, err := try.Replay(p, try.History{ID: row.ID, Name: row.Name, URL: url, Flow: c.Flow, Facts: stored.All(ctx, d.cfg.Store, row.ID)}, around)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}
