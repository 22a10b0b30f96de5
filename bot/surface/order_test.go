package surface

import (
	"strings"
	"testing"

	"sluice/engine/flow"
)

func TestStepsAreReadAlongTheMainLine(t *testing.T) {
	t.Parallel()
	to := func(targets ...string) []flow.Route {
		var out []flow.Route
		for _, id := range targets {
			out = append(out, flow.Route{To: id})
		}
		return out
	}
	for name, c := range map[string]struct {
		nodes []flow.Node
		want  string
	}{
		"a refusal comes last, although the file has it first": {
			[]flow.Node{
				{ID: "get", Routes: to("check")},
				{ID: "check", Routes: to("ask", "ask", "refund")},
				{ID: "ask", Routes: to("refund", "refused")},
				{ID: "refused", Routes: to(flow.End)},
				{ID: "refund", Routes: to("tell")},
				{ID: "tell", Routes: to(flow.End)},
			},
			"get check ask refund tell refused",
		},
		"branches stand one after the other, before their join": {
			[]flow.Node{
				{ID: "fork", Spec: &flow.ParallelSpec{Branches: to("left", "right")}, Routes: to("after")},
				{ID: "left", Routes: to("left2")},
				{ID: "right", Routes: to("join")},
				{ID: "left2", Routes: to("join")},
				{ID: "join", Routes: to("after")},
				{ID: "after", Routes: to(flow.End)},
			},
			"fork left left2 right join after",
		},
		"a way back holds nothing up": {
			[]flow.Node{{ID: "try", Routes: to("check")}, {ID: "check", Routes: to("try", "done")}, {ID: "done", Routes: to(flow.End)}},
			"try check done",
		},
		"what is never reached is listed": {
			[]flow.Node{{ID: "one", Routes: to(flow.End)}, {ID: "lost", Routes: to("one")}},
			"one lost",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, n := range reading(&flow.Flow{Entry: c.nodes[0].ID, Nodes: c.nodes}) {
				got = append(got, n.ID)
			}
			if s := strings.Join(got, " "); s != c.want {
				t.Errorf("read as %q, want %q", s, c.want)
			}
		})
	}
}
