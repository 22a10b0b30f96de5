package engine_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"sluice/engine/dryrun"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/storage"
)

const addressed = `
name: addressed
flow:
  entry: a
  nodes:
    - {id: a, type: tool, tool: work.note, params: {at: "{{run.url}}"}, routes: [{to: b}]}
    - {id: b, type: tool, tool: work.note, params: {at: "{{run.url}}"}, routes: [{to: c}]}
    - {id: c, type: tool, tool: work.note, params: {at: "{{run.name}}"}, routes: [{to: end}]}
`

// TestOnlyAStepThatReadsTheLinkLooksItUp: it is looked up until it is known, a dry run has a placeholder, and a replay does not take a
// step that began without it for another one.
func TestOnlyAStepThatReadsTheLinkLooksItUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const link = "https://team.example/archives/C1/p1?thread_ts=1&cid=C1"
	var asked atomic.Int32
	w.runURL = func(context.Context, storage.Run) (string, error) {
		if asked.Add(1) == 1 {
			return "", nil
		}
		return link, nil
	}
	w.record("work.note", flow.EffectsRead)
	w.serve()
	f := w.save(addressed)
	w.ended(w.start("addressed", nil).ID, history.Succeeded)
	got := []any{}
	for _, c := range w.seen("work.note") {
		got = append(got, c.Params["at"])
	}
	if len(got) != 3 || got[0] != "" || got[1] != link || got[2] != "addressed-1" || asked.Load() != 2 {
		t.Errorf("the steps got %q after %d questions", got, asked.Load())
	}
	all, err := w.engine.Replay(t.Context(), f, 0)
	if err != nil || len(all) != 1 || all[0].Verdict != "same" || len(all[0].Other) > 0 {
		t.Errorf("a replay says %+v %v", all, err)
	}
	changed := reparsed(t, w, strings.Replace(addressed, `"{{run.url}}"`, `"see {{run.url}}"`, 1))
	if all, err = w.engine.Replay(t.Context(), changed, 0); err != nil || len(all) != 1 || len(all[0].Other) != 1 {
		t.Errorf("a replay of other parameters says %+v %v", all, err)
	}
	before := asked.Load()
	if _, err := w.engine.Try(t.Context(), f, dryrun.Request{By: "ana"}); err != nil || asked.Load() != before {
		t.Errorf("a dry run looked the link up %d times: %v", asked.Load()-before, err)
	}
}
