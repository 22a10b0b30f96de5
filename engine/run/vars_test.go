package run_test

import (
	"fmt"
	"strings"
	"testing"

	"sluice/engine/enginetest"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run/compile"
)

// sets is a flow of two set nodes and a tool that reads a variable; an error of the second set leads to the tool, too.
func sets(first, second map[string]any, read string) *flow.Flow {
	return &flow.Flow{Name: "f", Entry: "a", Nodes: []flow.Node{
		{ID: "a", Kind: flow.KindSet, Spec: &flow.SetSpec{Vars: first}, Routes: []flow.Route{{To: "b"}}},
		{
			ID: "b", Kind: flow.KindSet, Spec: &flow.SetSpec{Vars: second}, Routes: []flow.Route{{To: "c"}},
			OnError: []flow.ErrorRoute{{Match: "LimitError", To: "c"}},
		},
		{ID: "c", Kind: flow.KindTool, Spec: &flow.ToolSpec{Tool: "t.c", Params: map[string]any{"v": read}}},
	}}
}

func numbered(n, size int) map[string]any {
	vars := map[string]any{}
	for i := range n {
		vars[fmt.Sprintf("v%d", i)] = strings.Repeat("x", size)
	}
	return vars
}

// The state holds 64 KiB of variables, and refers to what there is no space for, so that no single value is too much.
func TestVariablesTakeAtMost64KiBOfTheState(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]*flow.Flow{
		"one large value":     sets(map[string]any{"v0": strings.Repeat("x", 500<<10)}, map[string]any{"n": 1}, "{{len(vars.v0)}}"),
		"many smaller values": sets(numbered(20, 5<<10), map[string]any{"n": 1}, "{{len(vars.v0)}}"),
		"one after the other": sets(numbered(10, 6<<10), map[string]any{"n": strings.Repeat("x", 6<<10)}, "{{len(vars.n)}}"),
		"all of them":         sets(numbered(10, 9<<10), map[string]any{"n": 1}, "{{len(vars)}}"),
		"one by its name":     sets(numbered(10, 9<<10), map[string]any{"n": "v3"}, "{{len(vars[vars.n])}}"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := driver(t, f)
			play(t, d, "start\nat c\nnofact limit_reached\nclaim c")
			stored, err := history.EncodeState(d.State)
			if err != nil || len(stored) > 65<<10 {
				t.Errorf("the state takes %d bytes, %v", len(stored), err)
			}
			want := map[string]string{"one large value": "512000", "many smaller values": "5120", "one after the other": "6144", "all of them": "11", "one by its name": "9216"}[name]
			play(t, d, `params c {"v":`+want+`}`)
		})
	}
}

// What a branch or an item writes counts with what all others have written: when they are merged there is space for it.
func TestVariablesOfBranchesHaveSpaceWhenTheyAreMerged(t *testing.T) {
	t.Parallel()
	f := &flow.Flow{Name: "f", Entry: "fork"}
	spec := &flow.ParallelSpec{Join: flow.Join{Type: "all"}}
	f.Nodes = []flow.Node{{ID: "fork", Kind: flow.KindParallel, Spec: spec, Routes: []flow.Route{{To: "c"}}}, tool("c", "")}
	for i := range 20 {
		id := fmt.Sprintf("s%d", i)
		spec.Branches = append(spec.Branches, flow.Route{To: id})
		f.Nodes = append(f.Nodes, flow.Node{ID: id, Kind: flow.KindSet, Spec: &flow.SetSpec{Vars: map[string]any{id: strings.Repeat("x", 5<<10)}}})
	}
	d := driver(t, f)
	play(t, d, "start\nat c\nsize 70000")
	if all := enginetest.Variables(d.State, d.Facts); len(all) != 20 || len(d.State.Large) == 0 {
		t.Errorf("%d variables, %d of them in facts", len(all), len(d.State.Large))
	}
}

func TestVariablesHaveLimits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		first, second map[string]any
		message       string
	}{
		"a value":        {map[string]any{"n": 1}, map[string]any{"v0": strings.Repeat("x", 1<<20)}, "the variable v0 may take 1024 KiB; this value would take 1025"},
		"too many names": {numbered(1500, 40), map[string]any{"w": "{{inputs.many}}", strings.Repeat("n", 30<<10): 1}, "all variables together may take 64 KiB"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := driver(t, sets(c.first, c.second, "{{error.type}}"))
			play(t, d, `
				start
				at c
				fact limit_reached {"limit":"vars","action":"fail"}
				params c {"v":"LimitError"}
				error LimitError: `+c.message)
			for written := range c.second {
				if _, ok := enginetest.Variables(d.State, d.Facts)[written]; ok {
					t.Errorf("the variable %s was written all the same", clip(written))
				}
			}
		})
	}
}

func clip(s string) string { return s[:min(len(s), 20)] }

// What ended items left is asked for together with what the failing one reads: the way behind the foreach may need both.
func TestLargeVariablesOfItemsAreForeseen(t *testing.T) {
	t.Parallel()
	f := &flow.Flow{Name: "f", Entry: "a", Nodes: []flow.Node{
		{ID: "a", Kind: flow.KindSet, Spec: &flow.SetSpec{Vars: map[string]any{"big": strings.Repeat("x", 9<<10)}}, Routes: []flow.Route{{To: "each"}}},
		{
			ID: "each", Kind: flow.KindForeach, Spec: &flow.ForeachSpec{Items: "[1, 2]", As: "it", Body: "item", MaxParallel: 1, OnItemError: "stop"},
			OnError: []flow.ErrorRoute{{Default: true, To: "after"}},
		},
		tool("item", "check"),
		{
			ID: "check", Kind: flow.KindDecision, Spec: &flow.DecisionSpec{Expr: "len(vars.big) > 1 and it == 2"},
			Routes: []flow.Route{{When: "true", To: "bad"}, {To: "note"}},
		},
		{ID: "note", Kind: flow.KindSet, Spec: &flow.SetSpec{Vars: map[string]any{"last": "{{it}}{{vars.big}}"}}},
		{ID: "bad", Kind: flow.KindDecision, Spec: &flow.DecisionSpec{Expr: "1 +"}},
		{ID: "after", Kind: flow.KindSet, Spec: &flow.SetSpec{Vars: map[string]any{"n": "{{len(vars.last)}}"}}, Routes: []flow.Route{{To: "c"}}},
		tool("c", ""),
	}}
	d := driver(t, f)
	play(t, d, "start\ndo item\ndo item\nat c")
	if n := fmt.Sprint(d.State.Vars["n"]); n != "9217" {
		t.Errorf("the first item left a text of %s characters", n)
	}
}

// What a step gives, and a variable, take what is set for the program. What a tool gives is bounded where it arrives.
func TestValuesTakeWhatIsSet(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("x", 3<<10)
	f := sets(map[string]any{"v": large}, map[string]any{"n": 1}, "1")
	f.Nodes[0].OnError = []flow.ErrorRoute{{Match: "LimitError", To: "said"}}
	f.Nodes = append(f.Nodes, flow.Node{ID: "said", Kind: flow.KindAgent, Spec: &flow.AgentSpec{Agent: "bot"}, OnError: []flow.ErrorRoute{{Match: "LimitError", To: "c"}}})
	d := driver(t, f)
	d.Program.Bound(compile.Sizes{Output: 2 << 10, Variable: 2 << 10})
	play(t, d, "start\nat said\nfact limit_reached")
	play(t, d, "claim said\ndo said "+large+"\nat c")
	play(t, d, "do c "+large+"\nstatus succeeded")
}
