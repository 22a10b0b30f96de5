package flow_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/engine/flow"
	"sluice/engine/flow/file"
	"sluice/engine/flow/flowtest"
	"sluice/engine/flow/validate"
)

func TestForeignKindsAreCanonical(t *testing.T) {
	t.Parallel()
	f := flowtest.EveryForeignKind()
	again, err := flow.FromJSON(flow.Canonical(f))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(flow.Canonical(f), flow.Canonical(again)); diff != "" {
		t.Error(diff)
	}
	if flow.Hash(f) != flow.Hash(f.Clone()) {
		t.Error("a copy has another hash")
	}
	f.Node("code").Spec.(*flow.OpaqueSpec).Source["lines"] = 13.0
	if flow.Hash(f) == flow.Hash(again) {
		t.Error("another source has the same hash")
	}
	if _, err := flow.FromJSON(bytes.Replace(flow.Canonical(again), []byte(`"body":"agent"`), []byte(`"body":"agent","odd":1`), 1)); err == nil {
		t.Error("an unknown key of a loop was read")
	}
}

func TestForeignKindsAreValid(t *testing.T) {
	t.Parallel()
	var got []string
	for _, p := range validate.Flow(flowtest.EveryForeignKind(), flow.Checks{}) {
		got = append(got, string(p.Severity)+" "+p.Code+" "+p.Path)
	}
	if want := []string{"warning opaque flow.nodes[9]"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestForeignKindsAreChecked(t *testing.T) {
	t.Parallel()
	for want, breaks := range map[string]func(f *flow.Flow){
		"wrong-value flow.nodes[0].start":     func(f *flow.Flow) { f.Node("begin").Spec.(*flow.EntrySpec).Start = "noon" },
		"unknown-name flow.nodes[0].vars[0]":  func(f *flow.Flow) { f.Node("begin").Spec.(*flow.EntrySpec).Vars[0] = "nothing" },
		"empty flow.nodes[2].prompt":          func(f *flow.Flow) { f.Node("ask").Spec.(*flow.LLMSpec).Prompt = "" },
		"empty flow.nodes[3].to":              func(f *flow.Flow) { f.Node("rounds").Spec.(*flow.LoopSpec).To = "" },
		"bad-body flow.nodes[3].body":         func(f *flow.Flow) { f.Node("rounds").Spec.(*flow.LoopSpec).Body = "rounds" },
		"bad-name flow.nodes[3].as":           func(f *flow.Flow) { f.Node("rounds").Spec.(*flow.LoopSpec).As = "vars" },
		"wrong-value flow.nodes[3].loop":      func(f *flow.Flow) { f.Node("rounds").Spec.(*flow.LoopSpec).Type = "until" },
		"empty flow.nodes[3].while":           func(f *flow.Flow) { f.Node("rounds").Spec.(*flow.LoopSpec).Type = flow.LoopWhile },
		"wrong-value flow.nodes[4].tool_mode": func(f *flow.Flow) { f.Node("agent").Spec.(*flow.AgentSpec).ToolMode = "outside" },
		"empty flow.nodes[5].tools":           func(f *flow.Flow) { *f.Node("calls").Spec.(*flow.ToolexecSpec) = flow.ToolexecSpec{Calls: "vars.x"} },
		"too-few-branches flow.nodes[6].branches": func(f *flow.Flow) {
			*f.Node("parts").Spec.(*flow.SequenceSpec) = flow.SequenceSpec{}
			f.Node("parts").Routes = []flow.Route{{When: "vars.x", To: "sum"}, {To: "code"}}
			f.Node("sum").Routes = []flow.Route{{To: "done"}}
		},
		"out-of-place flow.nodes[8].routes":           func(f *flow.Flow) { f.Node("twice").Routes = []flow.Route{{To: "done"}} },
		"unknown-target flow.nodes[6].branches[0].to": func(f *flow.Flow) { f.Node("parts").Spec.(*flow.SequenceSpec).Branches[0].To = "nowhere" },
	} {
		f := flowtest.EveryForeignKind()
		breaks(f)
		found := false
		problems := validate.Flow(f, flow.Checks{})
		for _, p := range problems {
			found = found || p.Code+" "+p.Path == want
		}
		if !found {
			t.Errorf("no %s among %v", want, problems)
		}
	}
}

func TestTheNativeFileHasNoForeignKinds(t *testing.T) {
	t.Parallel()
	for _, kind := range []flow.Kind{flow.KindEntry, flow.KindLLM, flow.KindToolexec, flow.KindLoop, flow.KindSequence, flow.KindCompute, flow.KindOpaque} {
		if slices.Contains(flow.Kinds(), kind) || bytes.Contains(file.Schema(), []byte(`"const": "`+string(kind)+`"`)) {
			t.Errorf("%s is a kind of the native file", kind)
		}
		_, problems := file.Parse("f.yaml", []byte("name: f\nflow:\n  entry: a\n  nodes:\n    - {id: a, type: "+string(kind)+"}\n"))
		if len(problems) == 0 || problems[0].Code != "foreign-type" || !strings.Contains(problems[0].Message, "only for imported flows") {
			t.Errorf("%s: %v", kind, problems)
		}
	}
	for _, key := range []string{"tool_mode", "ends_run"} {
		if bytes.Contains(file.Schema(), []byte(key)) {
			t.Errorf("the schema has %s", key)
		}
	}
	for _, src := range []string{"{id: a, type: agent, agent: b, tool_mode: external}", "{id: a, type: terminal, ends_run: true}"} {
		_, problems := file.Parse("f.yaml", []byte("name: f\nagents: [{id: b}]\nflow:\n  entry: a\n  nodes:\n    - "+src+"\n"))
		if len(problems) == 0 || problems[0].Code != "unknown-key" {
			t.Errorf("%s: %v", src, problems)
		}
	}
}
