package run_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/engine/enginetest"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run"
	"sluice/engine/run/compile"
	"sluice/engine/run/scope"
)

func driver(t testing.TB, f *flow.Flow) *enginetest.Driver {
	t.Helper()
	d, err := enginetest.NewDriver(f)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func play(t testing.TB, d *enginetest.Driver, script string) {
	t.Helper()
	if err := d.Script(script); err != nil {
		t.Fatalf("%v\n%s", err, enginetest.Print(d.Facts))
	}
}

func tool(id, to string) flow.Node {
	n := flow.Node{ID: id, Kind: flow.KindTool, Spec: &flow.ToolSpec{Tool: "t." + id, Effects: flow.EffectsRead}}
	if to != "" {
		n.Routes = []flow.Route{{To: to}}
	}
	return n
}

func TestUnsupportedNodesAreRefusedByName(t *testing.T) {
	t.Parallel()
	f := &flow.Flow{Name: "f", Entry: "a", Nodes: []flow.Node{
		tool("a", ""),
		{ID: "sub", Kind: flow.KindSubflow, Spec: &flow.SubflowSpec{}},
		{ID: "hear", Kind: flow.KindWait, Spec: &flow.WaitSpec{Event: "paid"}},
		{ID: "code", Kind: "python"},
		{ID: "more", Kind: "sql"},
	}}
	want := []string{"code (python)", "more (sql)"}
	if diff := cmp.Diff(want, compile.Unsupported(f)); diff != "" {
		t.Error(diff)
	}
	if _, err := compile.Flow(f); err == nil || !strings.Contains(err.Error(), strings.Join(want, ", ")) {
		t.Errorf("compiling gives %v", err)
	}
}

// The hash of a gate covers everything that deciders see.
func TestShownHashFollowsMessageValuesAndChoices(t *testing.T) {
	t.Parallel()
	hash := func(message, value string, choices ...string) string {
		f := &flow.Flow{Name: "f", Entry: "a", Nodes: []flow.Node{{
			ID: "a", Kind: flow.KindApproval, Spec: &flow.ApprovalSpec{Message: message, Choices: choices, Show: []string{"inputs.v"}},
		}}}
		d := driver(t, f)
		if err := d.Start(map[string]any{"v": value}); err != nil {
			t.Fatal(err)
		}
		return d.State.Gates[0].Shown
	}
	first := hash("pay?", "1", "yes", "no")
	if len(first) != 64 || first != hash("pay?", "1", "yes", "no") {
		t.Errorf("equal questions have the hashes %s and %s", first, hash("pay?", "1", "yes", "no"))
	}
	for _, other := range []string{hash("pay!", "1", "yes", "no"), hash("pay?", "2", "yes", "no"), hash("pay?", "1", "no", "yes")} {
		if other == first {
			t.Error("different questions have the same hash")
		}
	}
}

func TestTitleAndKey(t *testing.T) {
	t.Parallel()
	f := &flow.Flow{
		Name: "refund", Entry: "a", Nodes: []flow.Node{tool("a", "")},
		Run:    flow.RunSpec{Title: "Refund {{inputs.order}} to {{inputs.iban}} by {{run.started_by}}", Key: "{{inputs.order}}/{{inputs.iban}}"},
		Inputs: []flow.Input{{Name: "order"}, {Name: "iban", Sensitive: true}},
	}
	p, err := compile.Flow(f)
	if err != nil {
		t.Fatal(err)
	}
	start := history.RunStarted{By: "U1", Inputs: map[string]any{"order": "A-1", "iban": "DE1"}}
	title, err := p.Title(start, enginetest.Epoch)
	if err != nil || title != "Refund A-1 to ••• by U1" {
		t.Errorf("the title is %q, %v", title, err)
	}
	key, err := p.Key(start, enginetest.Epoch)
	if err != nil || !strings.HasPrefix(key, "A-1/") || strings.Contains(key, "DE1") {
		t.Errorf("the key is %q, %v", key, err)
	}
	start.Inputs["iban"] = "DE2"
	if other, _ := p.Key(start, enginetest.Epoch); other == key {
		t.Error("another account gives the same key")
	}
	if start.Inputs["iban"] != "DE2" {
		t.Error("rendering changed the inputs")
	}
}

// Working days are the installation's business, and a gate without a deadline asks again after each.
func TestDueIsAskedOfTheInstallation(t *testing.T) {
	t.Parallel()
	f := &flow.Flow{Name: "f", Entry: "a", Nodes: []flow.Node{{
		ID: "a", Kind: flow.KindApproval, Spec: &flow.ApprovalSpec{Message: "?"},
	}}}
	d := driver(t, f)
	d.Context.Due = func(from time.Time, d flow.Duration) time.Time { return from.AddDate(0, 0, 100*d.WorkingDays) }
	play(t, d, `
		start
		timers remind
		fact timer_set {"timer":{"id":1,"kind":"remind","token":1,"gate":1,"due":"2026-06-10T09:00:00Z"}}
		fire remind
		fact gate_reminded {"gate":1}
		timers remind
		answer a approve
		timers`)
}

// A deadline may be a time, in the zone of the installation: the next one after the gate opens.
func TestADeadlineUntilATime(t *testing.T) {
	t.Parallel()
	for until, due := range map[string]string{
		"17:00":            "2026-03-02T16:00:00Z",
		"09:00":            "2026-03-03T08:00:00Z",
		"tomorrow 12:00":   "2026-03-03T11:00:00Z",
		"friday 16:00":     "2026-03-06T15:00:00Z",
		"2026-04-01 09:00": "2026-04-01T07:00:00Z",
	} {
		d := driver(t, &flow.Flow{Name: "f", Entry: "a", Nodes: []flow.Node{{
			ID: "a", Kind: flow.KindApproval, Spec: &flow.ApprovalSpec{Message: "?", Deadline: &flow.Deadline{Until: until}},
			Routes: []flow.Route{{When: "approvals.a == 'timeout'", To: "end"}, {When: "default", To: "end"}},
		}}})
		berlin, err := time.LoadLocation("Europe/Berlin")
		if err != nil {
			t.Fatal(err)
		}
		d.Now, d.Context.Zone = time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC), berlin
		play(t, d, `
			start
			fact timer_set {"timer":{"id":1,"kind":"deadline","token":1,"gate":1,"due":"`+due+`"}}
			fire deadline`)
		if d.State.Status != history.Succeeded {
			t.Errorf("until %s: the run is %s", until, d.State.Status)
		}
	}
}

// A decision that was not taken leaves no trace, and one that needs outputs asks for all of them at once.
func TestNeedNamesEverythingAtOnce(t *testing.T) {
	t.Parallel()
	f := &flow.Flow{Name: "f", Entry: "a", Nodes: []flow.Node{
		tool("a", "b"), tool("b", "c"), tool("c", "gate"),
		{ID: "gate", Kind: flow.KindApproval, Spec: &flow.ApprovalSpec{Message: "?"}, Routes: []flow.Route{{When: "a.result.ok", To: "d"}}},
		{ID: "d", Kind: flow.KindDecision, Spec: &flow.DecisionSpec{Expr: "b.result.ok"}, Routes: []flow.Route{{When: "true", To: "s"}}},
		{ID: "s", Kind: flow.KindSet, Spec: &flow.SetSpec{Vars: map[string]any{"c": "{{c.text}}"}}},
	}}
	d := driver(t, f)
	play(t, d, "start\ndo a {\"ok\":true}\ndo b {\"ok\":true}\ndo c see")
	before, _ := history.EncodeState(d.State)
	in := run.Answer{At: d.Now, Gate: 1, Shown: d.State.Gates[0].Shown, Choice: "approve"}
	reads := &scope.Reads{Start: d.Facts[0].Body.(*history.RunStarted), Outputs: map[int64]history.Output{}}
	_, err := run.Decide(d.Program, d.State, in, reads, d.Context)
	var need *scope.Need
	if !errors.As(err, &need) || len(need.Facts) != 3 {
		t.Fatalf("the decision needs %v", err)
	}
	if after, _ := history.EncodeState(d.State); string(after) != string(before) {
		t.Error("a decision that was not taken changed the state")
	}
	play(t, d, "answer gate approve\nstatus succeeded\nvars {\"c\":\"see\"}")
}

// A big output is not loaded unless it is read: a decision asks only for the values that it reads.
func TestUnreadOutputsAreNotAskedFor(t *testing.T) {
	t.Parallel()
	f := &flow.Flow{Name: "f", Entry: "a", Nodes: []flow.Node{
		tool("a", "gate"),
		{ID: "gate", Kind: flow.KindApproval, Spec: &flow.ApprovalSpec{Message: "?"}, Routes: []flow.Route{
			{When: "approvals.gate == 'approve'", To: "b"}, {When: "a.result.ok", To: "b"},
		}},
		tool("b", ""),
	}}
	d := driver(t, f)
	play(t, d, "start\ndo a {\"ok\":true}")
	reads := &scope.Reads{Start: d.Facts[0].Body.(*history.RunStarted)}
	if _, err := run.Decide(d.Program, d.State, run.Answer{At: d.Now, Gate: 1, Shown: d.State.Gates[0].Shown, Choice: "approve"}, reads, d.Context); err != nil {
		t.Errorf("the decision needs more than it looks at: %v", err)
	}
}

// One program serves many runs at once.
func TestProgramsAreShared(t *testing.T) {
	t.Parallel()
	f := enginetest.Generate(source(11), enginetest.Shape{Size: 20, Branches: 2})
	p, err := compile.Flow(f)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		wg.Go(func() {
			d, err := enginetest.NewDriver(f)
			if err != nil {
				errs[i] = err
				return
			}
			d.Program = p
			errs[i] = (&enginetest.Player{D: d, R: source(uint64(i)), Seed: 3, Errors: 10, Crashes: 10}).Play()
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
}

// The state stays small: it does not grow with the number of steps.
func TestStateStaysSmall(t *testing.T) {
	t.Parallel()
	d := circle(t, 10)
	early, _ := history.EncodeState(d.State)
	d = circle(t, 10_000)
	late, _ := history.EncodeState(d.State)
	if len(late) > len(early)+64 {
		t.Errorf("the state takes %d bytes at step 10 and %d at step 10,000", len(early), len(late))
	}
}

// circle is a run of two tools and a decision that has made so many steps; the token is at a started tool.
func circle(t testing.TB, steps int) *enginetest.Driver {
	t.Helper()
	f := &flow.Flow{Name: "circle", Entry: "a", MaxVisits: 1_000_000, Limits: flow.Limits{Steps: 1_000_000}, Nodes: []flow.Node{
		tool("a", "b"), tool("b", "c"),
		{ID: "c", Kind: flow.KindDecision, Spec: &flow.DecisionSpec{Expr: "b.result.n > 3"}, Routes: []flow.Route{{When: "true", To: "a"}}},
	}}
	p, err := compile.Flow(f)
	if err != nil {
		t.Fatal(err)
	}
	d := &enginetest.Driver{Flow: f, Program: p, Context: &run.Context{RunID: "run"}, State: &history.State{}, Now: enginetest.Epoch}
	reads := &scope.Reads{Outputs: map[int64]history.Output{}}
	feed := func(in run.Input) {
		dec, err := run.Decide(p, d.State, in, reads, d.Context)
		if err != nil {
			t.Fatal(err)
		}
		d.State = dec.State
		for _, f := range dec.Facts {
			if start, ok := f.Body.(*history.RunStarted); ok {
				reads.Start = start
			}
		}
	}
	feed(run.Start{At: d.Now})
	feed(run.Claimed{At: d.Now, Token: 1, Epoch: 1})
	for d.State.Steps < steps || d.State.Tokens[0].Node != "b" {
		feed(run.Finished{At: d.Now, Token: 1, Step: d.State.Tokens[0].Step, Epoch: 1, Output: outcome5})
	}
	return d
}

var outcome5 = history.Output{Text: "five", Data: json.RawMessage(`{"n":5,"words":"some words that a tool gave"}`)}

// BenchmarkTransition measures one transition from a tool over a decision to the next tool, with the encoding of state and
// facts, at different ages of the run: it must cost the same.
func BenchmarkTransition(b *testing.B) {
	for _, steps := range []int{10, 100, 1000, 10_000} {
		b.Run(fmt.Sprintf("step=%d", steps), func(b *testing.B) {
			d := circle(b, steps)
			reads := &scope.Reads{Start: &history.RunStarted{}}
			in := run.Finished{At: d.Now, Token: 1, Step: d.State.Tokens[0].Step, Epoch: 1, Output: outcome5}
			size := 0
			b.ReportAllocs()
			for b.Loop() {
				dec, err := run.Decide(d.Program, d.State, in, reads, d.Context)
				if err != nil {
					b.Fatal(err)
				}
				state, err := history.EncodeState(dec.State)
				if err != nil {
					b.Fatal(err)
				}
				size = len(state)
				for _, f := range dec.Facts {
					_, body, err := history.Encode(f)
					if err != nil {
						b.Fatal(err)
					}
					size += len(body)
				}
			}
			b.ReportMetric(float64(size), "stored-bytes")
		})
	}
}

// BenchmarkJoin measures the transition of one branch's end among many, and of the last.
func BenchmarkJoin(b *testing.B) {
	for _, branches := range []int{3, 100} {
		b.Run(fmt.Sprintf("branches=%d", branches), func(b *testing.B) {
			spec := &flow.ParallelSpec{Join: flow.Join{Type: "all"}}
			f := &flow.Flow{Name: "f", Entry: "fork", Nodes: []flow.Node{{ID: "fork", Kind: flow.KindParallel, Spec: spec}}}
			for i := range branches {
				id := fmt.Sprintf("n%d", i)
				spec.Branches = append(spec.Branches, flow.Route{To: id})
				f.Nodes = append(f.Nodes, tool(id, ""))
			}
			d := driver(b, f)
			play(b, d, "start\nclaim n0")
			in := run.Finished{At: d.Now, Token: 2, Step: 2, Epoch: 1, Output: outcome5}
			reads := &scope.Reads{Start: &history.RunStarted{}}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := run.Decide(d.Program, d.State, in, reads, d.Context); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Times are stored in UTC with microseconds; a decision already rounds them so.
func TestTimesComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	f := &flow.Flow{Name: "f", Entry: "v", Nodes: []flow.Node{
		{ID: "v", Kind: flow.KindSet, Spec: &flow.SetSpec{Vars: map[string]any{"at": "{{now()}}", "n": "{{len('abc')}}"}}, Routes: []flow.Route{{To: "a"}}},
		{ID: "a", Kind: flow.KindApproval, Spec: &flow.ApprovalSpec{Message: "?", Deadline: &flow.Deadline{After: flow.Duration{Clock: time.Hour}}}},
	}}
	d := driver(t, f)
	d.Now = time.Date(2026, 7, 1, 12, 0, 0, 123_456_789, time.FixedZone("east", 7200))
	play(t, d, `
		start
		vars {"at":"2026-07-01T10:00:00.123456Z","n":3}
		fact timer_set {"timer":{"id":1,"kind":"deadline","token":1,"gate":1,"due":"2026-07-01T11:00:00.123456Z"}}`)
	if got := d.State.Started; got.Location() != time.UTC || got.Nanosecond() != 123_456_000 {
		t.Errorf("the run started at %v", got)
	}
}
