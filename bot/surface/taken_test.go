package surface

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/engine/flow/chart"
	"sluice/engine/history"
	"sluice/render"
)

func TestEdgesOfAnAuthorsChart(t *testing.T) {
	t.Parallel()
	taken := map[string]history.EdgeView{"a/0": {Count: 1, Why: "yes"}, "b/0": {Count: 2, Why: "yes"}}
	own := chart.Chart{Shown: map[string][]string{"a/0": {"a>d", "d>x"}, "b/0": {"b>d", "d>x"}}}
	want := map[string]render.Taken{"a>d": {Count: 1, Why: "yes"}, "b>d": {Count: 2, Why: "yes"}, "d>x": {Count: 3, Why: "yes"}}
	if diff := cmp.Diff(want, takenEdges(own, taken)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]render.Taken{"a/0": {Count: 1, Why: "yes"}, "b/0": {Count: 2, Why: "yes"}}, takenEdges(chart.Chart{}, taken)); diff != "" {
		t.Error(diff)
	}
}
