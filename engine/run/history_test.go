package run_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"sluice/engine/enginetest"
	"sluice/engine/history"
)

var update = flag.Bool("update", false, "write ../history/testdata/histories/"+release+" anew; those of earlier releases never change")

// release names the folder of histories that this release writes. A release that changes the facts begins a new one.
const release = "4"

// kept are the runs that make the histories of this release. They have every kind of fact that is written.
var kept = []string{
	"pause/a step in flight finishes", "pause/timers wait", "pause/several reasons",
	"vars_large/in a branch and in an item",
	"policy_all/every route that matches", "policy_priority/the highest group of expressions, and what is no expression",
	"loop_for/round by round", "loop_each/back into the loop", "sequence/part by part", "sequence/cancel in a branch",
	"pause_all/what has not started waits", "nobody/nobody may", "nobody/while the run is paused",
	"toolexec/two agents, and another executor that leads on",
	"subflow/a cancelled child is tried again as another run", "subflow/the time is over", "subflow_branches/the rest is told to end",
	"events/what it carries",
	"messages/taken back by a cancel", "messages/delivered late",
	"reopen/asked once more", "forked/what was done is taken", "revision/gates are asked anew",
	"agent/a once act inside asks a person: done", "again/after a timeout: a once act in flight is in doubt",
	"gates/remind, escalate, time out", "limit_interrupt/visits", "agent_limit_continue/continue, twice",
	"outcomes/a rejection", "outcomes/no, and the run goes on", "outcomes/one of two branches", "outcomes/all items are refused", "outcomes/a child is rejected",
	"calls/edited",
	"conversation/turns, until the agent says that it is over", "conversation/words that come while the agent works",
	"judge/all are met", "judge/the model gives no usable answer: a person is asked",
}

// Histories of every release fold for ever, into the states that are stored beside them.
func TestStoredHistoriesFold(t *testing.T) {
	t.Parallel()
	if *update {
		writeHistories(t)
	}
	files, err := filepath.Glob("../history/testdata/histories/*/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no histories: %v", err)
	}
	seen := map[history.FactKind]bool{} // in the histories of this release
	for _, file := range files {
		facts := readHistory(t, file)
		state := &history.State{}
		for _, f := range facts {
			seen[f.Kind] = seen[f.Kind] || filepath.Base(filepath.Dir(file)) == release
			if err := history.Apply(state, f); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
		}
		got, err := history.EncodeState(state)
		if err != nil {
			t.Fatal(err)
		}
		golden := strings.TrimSuffix(file, ".jsonl") + ".state.json"
		if *update {
			write(t, golden, append(got, '\n'))
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(bytes.TrimSpace(want), got) {
			t.Errorf("%s folds into another state:\n%s\nwant\n%s", file, got, want)
		}
	}
	for _, k := range history.Kinds() {
		if !seen[k] {
			t.Errorf("no history of release %s has a %s: add a run to kept, and write the histories with -update", release, k)
		}
	}
}

func readHistory(t *testing.T, file string) []history.Fact {
	t.Helper()
	stored, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	facts, err := enginetest.ReadHistory(stored)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return facts
}

func writeHistories(t *testing.T) {
	t.Helper()
	for _, name := range kept {
		file, script, _ := strings.Cut(name, "/")
		archive, err := txtar.ParseFile("testdata/flows/" + file + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		d, err := enginetest.NewDriver(parse(t, file, archive.Files[0]))
		if err != nil {
			t.Fatal(err)
		}
		d.Context.HasModel = true
		played := false
		for _, f := range archive.Files[1:] {
			if f.Name == script {
				played = true
				if err := d.Script(string(f.Data)); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
		}
		if !played {
			t.Fatalf("no script %s", name)
		}
		history, err := enginetest.WriteHistory(d.Facts)
		if err != nil {
			t.Fatal(err)
		}
		slug := strings.NewReplacer(" ", "-", ":", "", ",", "", "/", "-", "'", "").Replace(name)
		write(t, filepath.Join("../history/testdata/histories", release, slug+".jsonl"), history)
	}
}

func write(t *testing.T, file string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
}
