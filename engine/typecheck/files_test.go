package typecheck_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/engine/flow"
	flowfile "sluice/engine/flow/file"
	"sluice/engine/tool"
	"sluice/engine/typecheck"
)

// TestExamples finds no problems in the flows that the project shows.
func TestExamples(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../examples/*/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no examples", err)
	}
	for _, file := range files {
		if filepath.Base(file) == "actions.yaml" {
			continue
		}
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		declared, err := os.ReadFile(filepath.Join(filepath.Dir(file), "actions.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		w := typecheck.World{Tools: actions(t, declared)}
		if _, problems := flowfile.Check(file, src, checks(w)); len(problems) > 0 {
			t.Errorf("%s", problems)
		}
	}
}

// TestToolsOfImportedAgents warns of a tool that is not there, unless a node needs it.
func TestToolsOfImportedAgents(t *testing.T) {
	t.Parallel()
	f := &flow.Flow{
		Name: "imported", Profile: "other", Entry: "a", Agents: []flow.Agent{{ID: "bot", Tools: []string{"web_search"}}},
		Nodes: []flow.Node{{ID: "a", Spec: &flow.AgentSpec{Agent: "bot"}}, {ID: "b", Spec: &flow.ToolSpec{Tool: "web_search"}}},
	}
	var got []string
	for _, p := range typecheck.Check(f, typecheck.World{Tools: actions(t, nil)}) {
		got = append(got, string(p.Severity)+" "+p.Path)
	}
	if diff := cmp.Diff([]string{"warning agents[0].tools[0]", "error flow.nodes[1].tool"}, got); diff != "" {
		t.Error(diff)
	}
}

// TestCallsOfImportedSteps warns of a call that its tool surely refuses.
func TestCallsOfImportedSteps(t *testing.T) {
	t.Parallel()
	take := map[string]any{"type": "object", "properties": map[string]any{"text": map[string]any{"type": "string"}}, "required": []any{"text"}, "additionalProperties": false}
	w := typecheck.World{Tools: []tool.Tool{{Name: "mail.send", Params: take}}}
	for want, params := range map[string]map[string]any{
		"": {"text": "{{x}}"}, "unknown-param missing-param": {"body": "hi"}, "missing-param": nil,
	} {
		f := &flow.Flow{Name: "imported", Profile: "other", Entry: "a", Nodes: []flow.Node{{ID: "a", Spec: &flow.ToolSpec{Tool: "mail.send", Params: params}}}}
		var got []string
		for _, p := range typecheck.Check(f, w) {
			if got = append(got, p.Code); p.Severity != flow.SeverityWarning || p.Node != "a" {
				t.Errorf("%+v", p)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("with %v: %q, and not %q", params, got, want)
		}
	}
}

// TestCorpus finds no errors in flows that others wrote. Their tools are other programs'.
func TestCorpus(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../../shared/corpus/flows/*.yaml")
	if err != nil || len(files) == 0 {
		t.Skip("the corpus ../shared/corpus/flows is not here")
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		doc, _ := flowfile.Parse(file, src)
		if len(doc.Flow.Nodes) == 0 {
			t.Errorf("%s has no nodes", file)
		}
		for _, p := range typecheck.Check(doc.Flow, typecheck.World{}) {
			if p.Severity == flow.SeverityError {
				t.Errorf("%s: %s %v", file, p.Path, p)
			} else {
				t.Logf("%s: %s %v", file, p.Path, p)
			}
		}
	}
}
