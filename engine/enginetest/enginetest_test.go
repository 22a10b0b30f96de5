package enginetest

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"sluice/engine/flow"
	"sluice/engine/history"
)

func small(t *testing.T) *Driver {
	t.Helper()
	d, err := NewDriver(&flow.Flow{Name: "small", Entry: "a", Nodes: []flow.Node{
		{ID: "a", Kind: flow.KindTool, Spec: &flow.ToolSpec{Tool: "t.a"}, Routes: []flow.Route{{To: "gate"}}},
		{ID: "gate", Kind: flow.KindApproval, Spec: &flow.ApprovalSpec{Message: "go?"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Every expectation of a script can fail, and says where.
func TestScriptsNotice(t *testing.T) {
	t.Parallel()
	for _, wrong := range []string{
		"status failed", "at a", "phase gate ready", "phase nowhere gate", "path a", "edges", "output a 2", "output gate x", "result x",
		`vars {"x":1}`, "size 10", "approval gate approve", "params gate {}", "gate gate approval approve", "gate a approval", "message gate stop?",
		"message a x", "gates 2", "timers retry", "active 1h", "resume", "reopen gate", "! held pause", "visits 1", "acts 2", "error x", `seen a/0 {"x":1}`, "seen b/0 {}", "why a/0 x",
		`fact gate_opened {"message":"x"}`, "fact joined", "nofact gate_opened", "view gate complete", "view a complete 2",
		"do gate", "claim a", "answer gate perhaps", "! choice answer gate approve", "! fenced answer gate perhaps", "fire retry",
		"late a", "again a", "items a 1/1/0/0", "cancels", "lose gate", "call gate 1 x", "wait soon",
	} {
		d := small(t)
		err := d.Script("start\n# a comment\ndo a {\"n\":1}\n\n" + wrong)
		if err == nil || !strings.HasPrefix(err.Error(), "line 5: "+wrong) {
			t.Errorf("%s: %v", wrong, err)
		}
	}
	d := small(t)
	if err := d.Script("start\ndo a {\"n\":1}\nview gate waiting\n! choice answer gate perhaps\nanswer gate approve\nstatus succeeded"); err != nil {
		t.Error(err)
	}
}

// The driver notices a machine that does what it must not.
func TestDriversNotice(t *testing.T) {
	t.Parallel()
	for name, broken := range map[string]func(d *Driver){
		"a token without a lease":  func(d *Driver) { delete(d.Leases, 1) },
		"a lease without a token":  func(d *Driver) { d.Leases[7] = Lease{Epoch: 1} },
		"a lease of another epoch": func(d *Driver) { d.Leases[1] = Lease{Epoch: 9} },
		"a run that waits for no one": func(d *Driver) {
			d.State.Status = history.Waiting
			d.State.Tokens[0].Phase = history.PhaseTimer
			delete(d.Leases, 1)
		},
		"a run that nobody moves":    func(d *Driver) { d.State.Tokens, d.Leases = nil, map[int]Lease{} },
		"a gate without a token":     func(d *Driver) { d.State.Gates = []history.Gate{{ID: 3, Token: 1}} },
		"a timer without a token":    func(d *Driver) { d.State.Timers = []history.Timer{{ID: 3, Kind: history.TimerRetry, Token: 1}} },
		"a timer without a gate":     func(d *Driver) { d.State.Timers = []history.Timer{{ID: 3, Kind: history.TimerRemind, Gate: 1}} },
		"a join without a frame":     func(d *Driver) { d.State.Timers = []history.Timer{{ID: 3, Kind: history.TimerJoin, Frame: 1}} },
		"a frame without a token":    func(d *Driver) { d.State.Frames = append(d.State.Frames, history.Frame{ID: 1, Token: 5}) },
		"a run that is over but not": func(d *Driver) { d.State.Status = history.Succeeded },
		"a failed run without gate":  func(d *Driver) { d.State.Status = history.Failed },
		"a status that is none":      func(d *Driver) { d.State.Status = "odd" },
		"a lost fact":                func(d *Driver) { d.Facts = d.Facts[1:] },
	} {
		d := small(t)
		if err := d.Start(nil); err != nil {
			t.Fatal(err)
		}
		if err := d.check(); err != nil {
			t.Fatal(err)
		}
		broken(d)
		if d.check() == nil {
			t.Errorf("%s goes unnoticed", name)
		}
	}
}

func TestGeneratedFlowsRepeat(t *testing.T) {
	t.Parallel()
	kinds := map[flow.Kind]bool{}
	for seed := range uint64(150) {
		make := func() []byte {
			f := Generate(rand.New(rand.NewPCG(seed, 1)), Shape{Size: 15, Branches: 2, Foreign: seed%2 == 0})
			for _, n := range f.Nodes {
				kinds[n.Kind] = true
			}
			return flow.Canonical(f)
		}
		if !bytes.Equal(make(), make()) {
			t.Fatalf("seed %d gives two flows", seed)
		}
	}
	if len(kinds) != 20 {
		t.Errorf("150 flows have nodes of %d kinds: %v", len(kinds), kinds)
	}
}

func TestHistoriesComeBack(t *testing.T) {
	t.Parallel()
	d := small(t)
	if err := d.Script("start\ndo a {\"n\":1}\nanswer gate approve"); err != nil {
		t.Fatal(err)
	}
	stored, err := WriteHistory(d.Facts)
	if err != nil {
		t.Fatal(err)
	}
	facts, err := ReadHistory(stored)
	if err != nil {
		t.Fatal(err)
	}
	again, err := WriteHistory(facts)
	if err != nil || !bytes.Equal(stored, again) {
		t.Errorf("the history comes back as\n%s, %v", again, err)
	}
	if _, err := ReadHistory([]byte("{}\nno")); err == nil {
		t.Error("a broken history was read")
	}
}
