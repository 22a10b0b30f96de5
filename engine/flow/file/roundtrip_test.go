package file_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/engine/flow"
	"sluice/engine/flow/approval"
	"sluice/engine/flow/chart"
	"sluice/engine/flow/file"
	"sluice/engine/flow/flowtest"
	"sluice/engine/flow/validate"
)

func TestGeneratedFlowsSurviveEveryForm(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		f := flowtest.Generated(seed)
		canonical := flow.Canonical(f)
		back, err := flow.FromJSON(canonical)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if diff := cmp.Diff(string(canonical), string(flow.Canonical(back))); diff != "" {
			t.Fatalf("seed %d: JSON and back (-want +got):\n%s", seed, diff)
		}
		written := file.Format(f)
		read := flowtest.Parsed(t, written)
		if diff := cmp.Diff(back, read); diff != "" {
			t.Fatalf("seed %d: file and back (-want +got):\n%s\n%s", seed, diff, written)
		}
		if again := file.Format(read); string(again) != string(written) {
			t.Fatalf("seed %d: formatting twice differs:\n%s", seed, cmp.Diff(string(written), string(again)))
		}
		if diff := cmp.Diff(f, f.Clone()); diff != "" {
			t.Fatalf("seed %d: clone differs:\n%s", seed, diff)
		}
	}
}

func TestCloneSharesNothing(t *testing.T) {
	t.Parallel()
	f := flowtest.Generated(7)
	before := flow.Canonical(f)
	c := f.Clone()
	for i := range c.Nodes {
		c.Nodes[i].ID += "x"
		if s, ok := c.Nodes[i].Spec.(*flow.ToolSpec); ok {
			s.Params["new"] = true
		}
	}
	c.Inputs[1].Enum[0] = "changed"
	if string(flow.Canonical(f)) != string(before) {
		t.Error("changing a clone changed the flow")
	}
}

func TestEqualMeaningGivesEqualBytes(t *testing.T) {
	t.Parallel()
	const head = "name: a\nflow:\n  entry: p\n  nodes:\n"
	const tail = "    - {id: b, type: say, message: hi}\n    - {id: c, type: say, message: ho}\n"
	pairs := map[string][2]string{
		"join defaults written out are not the timeout's default, which stands": {
			"    - {id: p, type: parallel, branches: [b, c]}\n", "    - {id: p, type: parallel, branches: [{to: b}, {to: c}], join: {type: all}}\n",
		},
		"first is any":       {"    - {id: p, type: parallel, branches: [b, c], join: {type: first}}\n", "    - {id: p, type: parallel, branches: [b, c], join: {type: any}}\n"},
		"min is count":       {"    - {id: p, type: parallel, branches: [b, c], join: {type: min, min: 1}}\n", "    - {id: p, type: parallel, branches: [b, c], join: {type: count, count: 1}}\n"},
		"default":            {"    - {id: p, type: say, message: x, routes: [{default: true, to: b}, {to: c}]}\n", "    - {id: p, type: say, message: x, routes: [{when: default, to: b}, {when: \"default\", to: c}]}\n"},
		"choices":            {"    - {id: p, type: approval, message: x, routes: [{to: b}, {to: c}]}\n", "    - {id: p, type: approval, choices: [approve, reject], message: x, routes: [{to: b}, {to: c}]}\n"},
		"numbers":            {"    - {id: p, type: terminal, output: {n: 1.0}}\n", "    - {id: p, type: terminal, output: {n: 1}}\n"},
		"terminal params":    {"    - {id: p, type: terminal, params: {output: x}}\n", "    - {id: p, type: terminal, output: x}\n"},
		"durations":          {"    - {id: p, type: wait, for: 90m}\n", "    - {id: p, type: wait, for: 1h30m}\n"},
		"who without effect": {"    - {id: p, type: ask, message: x, who: {quorum: 1}}\n", "    - {id: p, type: ask, message: x}\n"},
		"timeout to answer":  {"    - {id: p, type: ask, message: x, timeout: 1h, deadline: {remind: 5m}}\n", "    - {id: p, type: ask, message: x, deadline: {after: 1h, remind: 5m}}\n"},
		"key order":          {"    - {id: p, type: ask, message: x}\n", "    - {message: x, type: ask, id: p}\n"},
	}
	for name, p := range pairs {
		one, two := flowtest.Parsed(t, []byte(head+p[0]+tail)), flowtest.Parsed(t, []byte(head+p[1]+tail))
		if diff := cmp.Diff(string(flow.Canonical(one)), string(flow.Canonical(two))); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
		if flow.Hash(one) != flow.Hash(two) {
			t.Errorf("%s: hashes differ", name)
		}
	}
}

// TestDeadlineUntil: a deadline that is a time comes back as it was; one that is no time, or stands beside a length of time, is refused.
func TestDeadlineUntil(t *testing.T) {
	t.Parallel()
	const head, tail = "name: a\nflow:\n  entry: p\n  nodes:\n    - {id: p, type: ask, message: x, deadline: {", "}}\n"
	for deadline, code := range map[string]string{
		"until: \"17:00\"": "", "until: friday 16:00": "", "until: tomorrow 12:00": "", "until: 2026-12-01 09:00": "",
		"until: soon": "bad-time", "until: \"25:00\"": "bad-time", "until: \"17:00\", after: 2h": "bad-time",
	} {
		f := flowtest.Parsed(t, []byte(head+deadline+tail))
		if got := validate.Flow(f, flowtest.Checks()).Errors(); code == "" && len(got) > 0 || code != "" && (len(got) != 1 || got[0].Code != code) {
			t.Errorf("%s: %v", deadline, got)
		}
		if code != "" {
			continue
		}
		again, err := flow.FromJSON(flow.Canonical(f))
		if err != nil || cmp.Diff(f.Nodes[0].Spec, again.Nodes[0].Spec) != "" {
			t.Errorf("%s comes back as %s: %v", deadline, flow.Canonical(again), err)
		}
	}
}

func TestFromJSONRefusesWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{
		`{"name":"a","entry":"x","nodes":[],"newer":1}`,
		`{"name":"a","entry":"x","nodes":[{"id":"x","type":"say","message":"m","newer":1}]}`,
		`{"name":"a","entry":"x","nodes":[{"id":"x","type":"dance"}]}`,
		`{"name":"a","entry":"x","nodes":[{"id":"x","type":"say","message":"m","routes":[{"to":"end","newer":1}]}]}`,
		`{"name":`,
	} {
		if _, err := flow.FromJSON([]byte(bad)); err == nil {
			t.Errorf("accepted %s", bad)
		}
	}
}

func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*/*")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
	}
	for seed := range uint64(20) {
		f.Add(file.Format(flowtest.Generated(seed)))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		doc, problems := file.Parse("fuzz.yaml", src)
		all := append(problems, doc.Validate(flow.Checks{})...)
		if _, err := json.Marshal(all); err != nil {
			t.Fatal(err)
		}
		_ = all.Error()
		chart.Of(doc.Flow)
		if problems.HasErrors() {
			return
		}
		canonical := flow.Canonical(doc.Flow)
		again, more := file.Parse("again.yaml", file.Format(doc.Flow))
		if more.HasErrors() {
			t.Fatalf("formatted file has problems:\n%s\n%s", more.Error(), file.Format(doc.Flow))
		}
		if diff := cmp.Diff(string(canonical), string(flow.Canonical(again.Flow))); diff != "" {
			t.Fatalf("parse, format, parse (-want +got):\n%s", diff)
		}
	})
}

func FuzzFromJSON(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(flow.Canonical(flowtest.Generated(seed)))
	}
	f.Add(flow.Canonical(flowtest.ForeignParts()))
	f.Fuzz(func(t *testing.T, src []byte) {
		read, err := flow.FromJSON(src)
		if err != nil {
			return
		}
		canonical := flow.Canonical(read)
		again, err := flow.FromJSON(canonical)
		if err != nil {
			t.Fatalf("%v in %s", err, canonical)
		}
		if diff := cmp.Diff(string(canonical), string(flow.Canonical(again))); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		chart.Of(read)
		_ = validate.Flow(read, flow.Checks{}).Error()
		approval.NewlyAllows(nil, read, nil)
		if c := approval.Review(read, again, approval.Surroundings{}); len(c) != 0 {
			t.Fatalf("a flow differs from itself: %v", c)
		}
	})
}

// TestRefusesNothing: a gate whose choices refuse nothing is another one than a gate that does not say it.
func TestRefusesNothing(t *testing.T) {
	t.Parallel()
	for _, refuses := range [][]string{nil, {}, {"no"}} {
		gate := flow.Node{ID: "ok", Kind: flow.KindApproval, Spec: &flow.ApprovalSpec{Message: "Well?", Choices: []string{"yes", "no"}, Refuses: refuses}}
		text := file.Format(&flow.Flow{Name: "x", Entry: "ok", Nodes: []flow.Node{gate}})
		doc, _ := file.Parse("x.yaml", text)
		if got := doc.Flow.Node("ok").Spec.(*flow.ApprovalSpec).Refuses; (got == nil) != (refuses == nil) || len(got) != len(refuses) {
			t.Errorf("%#v is read as %#v:\n%s", refuses, got, text)
		}
	}
}
