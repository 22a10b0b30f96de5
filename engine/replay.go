package engine

import (
	"context"
	"fmt"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/history/stored"
	"sluice/engine/run/compile"
	"sluice/engine/try"
)

// ReplayMost is how many finished runs a replay looks at when nothing else is said.
const ReplayMost = 50

// Replay feeds what the newest finished runs of a flow got (inputs, outputs, answers) to another revision of it, such as a draft: what
// would it have made of them? No tool is called, no person is asked, nothing is stored. Newest runs come first; most 0 = ReplayMost.
// Errors: *UserError when the candidate cannot run, or when
// this process is busy with others (code busy).
func (e *Engine) Replay(ctx context.Context, candidate *flow.Flow, most int) ([]try.Replayed, error) {
	if names := compile.Unsupported(candidate); len(names) > 0 {
		return nil, &UserError{Code: "unsupported", Text: "This version does not run nodes of type " + strings.Join(names, ", ") + "."}
	}
	leave, err := e.reserveTrial(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	p, err := compile.Flow(candidate)
	if err != nil {
		return nil, err
	}
	if most <= 0 {
		most = ReplayMost
	}
	rows, err := e.finished(ctx, candidate.Name, most)
	if err != nil {
		return nil, err
	}
	around := try.Surroundings{Tools: e.cfg.Tools, Due: e.due, Zone: e.cfg.Calendar.Zone}
	all := make([]try.Replayed, 0, len(rows))
	for _, row := range rows {
		program, err := e.compiled(ctx, row.Flow, row.Revision)
		if err != nil {
			return nil, fmt.Errorf("read revision %d of %s: %w", row.Revision, row.Flow, err)
		}
		url, err := e.address(ctx, row)
		if err != nil {
			return nil, err
		}
		r, err := try.Replay(p, try.History{ID: row.ID, Name: row.Name, URL: url, Flow: program.flow, Facts: stored.All(ctx, e.cfg.Store, row.ID)}, around)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}
