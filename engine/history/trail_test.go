package history

import (
	"bufio"
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestEveryKindIsSorted wants each kind of fact to be a decision or a consequence, and not both.
func TestEveryKindIsSorted(t *testing.T) {
	t.Parallel()
	for _, k := range table {
		if len(k.audit) == 0 {
			continue
		}
		if k.consequence {
			t.Errorf("%s is sorted twice", k.name)
		}
		if !slices.Contains(TrailKinds(), k.name) {
			t.Errorf("%s is not looked at", k.name)
		}
		body, err := json.Marshal(filled(k.name))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range k.audit {
			if !bytes.Contains(body, []byte(`"`+name+`"`)) {
				t.Errorf("%s has no field %s: %s", k.name, name, body)
			}
		}
	}
}

// filled makes a body in which no field is left out.
func filled(k FactKind) Body {
	switch k {
	case "run_started":
		return &RunStarted{Flow: "f", Revision: 1, Hash: "h", Name: "n", By: "U1", DuplicateOf: "r"}
	case "gate_opened":
		b := &GateOpened{Gate: 1, Kind: "approval", Choices: []string{"a"}, Quorum: 2, Veto: []string{"b"}, Hash: "h", Due: time.Unix(1, 0)}
		raw := []byte(`{"who":{"users":["@ana"]}}`)
		if err := json.Unmarshal(raw, b); err != nil {
			panic(err)
		}
		return b
	case "gate_reminded":
		return &GateReminded{Gate: 1, Escalated: "@ana", Asked: "U1"}
	case "call_edited":
		return &CallEdited{Gate: 1, Hash: "h", Shown: "h"}
	case "voted":
		return &Voted{Gate: 1, Choice: "a", Shown: "h"}
	case "gate_decided":
		return &GateDecided{Gate: 1, Choice: "a", Shown: "h", Ends: OutcomeRejected}
	case "run_ended":
		return &RunEnded{Status: Succeeded, Outcome: OutcomeDone}
	}
	return kinds[k].empty()
}

func TestADecisionStaysAndItsValuesGo(t *testing.T) {
	t.Parallel()
	person := Actor{User: "U1", Name: "Ana", Via: ViaButton}
	for _, c := range []struct {
		name  string
		actor Actor
		body  Body
		want  string // without hashes; empty = nothing stays
	}{
		{
			"start", person,
			&RunStarted{Flow: "refund", Revision: 3, Hash: "abc", Name: "refund-7", By: "U1", Title: "Refund of 19 EUR", Key: "A-1", Inputs: map[string]any{"order": "A-1"}},
			`{"by":"U1","dropped":["inputs","key","title"],"flow":"refund","hash":"abc","name":"refund-7","revision":3}`,
		},
		{
			"decision", person, &GateDecided{Gate: 2, Choice: "approve", Note: "it is fine", Shown: "def", Form: map[string]any{"iban": "DE1"}},
			`{"choice":"approve","dropped":["form","note"],"gate":2,"shown":"def"}`,
		},
		{"decision by the clock", Actor{Via: ViaTimer}, &GateDecided{Gate: 2, Choice: "timeout"}, `{"choice":"timeout","gate":2}`},
		{"vote", person, &Voted{Gate: 2, Choice: "deny", Note: "no", Shown: "def"}, `{"choice":"deny","dropped":["note"],"gate":2,"shown":"def"}`},
		{"end", person, &RunEnded{Status: Cancelled, Reason: "wrong order"}, `{"dropped":["reason"],"status":"cancelled"}`},
		{"output", person, &StepFinished{Output: Output{Text: "secret"}}, ""},
		{"variables", person, &VarsSet{Vars: map[string]any{"iban": "DE1"}}, ""},
		{"a worker's step", Actor{Via: ViaWorker}, &StepStarted{Params: json.RawMessage(`{"iban":"DE1"}`)}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := Fact{Seq: 7, Kind: KindOf(c.body), Version: 1, Actor: c.actor, Body: c.body}
			actor, body, err := Encode(f)
			if err != nil {
				t.Fatal(err)
			}
			kept, ok, err := Trail(f.Kind, c.actor, body)
			if err != nil || ok != (c.want != "") {
				t.Fatalf("it stays: %t, %v", ok, err)
			}
			if !ok {
				return
			}
			if got := withoutHashes(t, kept, body); got != c.want {
				t.Errorf("left %s, want %s", got, c.want)
			}
			if _, err := DecodeFact(Fact{Seq: 7, Kind: f.Kind, Version: 1}, actor, kept); err != nil {
				t.Errorf("it cannot be read any more: %v", err)
			}
			if again, _, err := Trail(f.Kind, c.actor, kept); err != nil || !bytes.Equal(again, kept) {
				t.Errorf("kept once more it is %s (%v)", again, err)
			}
		})
	}
}

// withoutHashes lists the names of what was dropped in the place of the hashes, which it checks against the whole body.
func withoutHashes(t *testing.T, kept, whole []byte) string {
	t.Helper()
	var fields, values map[string]json.RawMessage
	if err := json.Unmarshal(kept, &fields); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(whole, &values); err != nil {
		t.Fatal(err)
	}
	if raw, ok := fields[DroppedKey]; ok {
		var hashes map[string]string
		if err := json.Unmarshal(raw, &hashes); err != nil {
			t.Fatal(err)
		}
		for name, hash := range hashes {
			if hash != hashValue(values[name]) {
				t.Errorf("the hash of %s is %s", name, hash)
			}
		}
		names, err := json.Marshal(slices.Sorted(maps.Keys(hashes)))
		if err != nil {
			t.Fatal(err)
		}
		fields[DroppedKey] = names
	}
	out, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestAKindThatNobodySortedKeepsThePerson is about kinds to come.
func TestAKindThatNobodySortedKeepsThePerson(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		actor Actor
		stays bool
	}{{Actor{User: "U1"}, true}, {Actor{Via: ViaWorker}, false}} {
		kept, ok, err := Trail("pondered", c.actor, []byte(`{"thought":"secret"}`))
		if err != nil || ok != c.stays || strings.Contains(string(kept), "secret") {
			t.Errorf("%+v: %s, %t, %v", c.actor, kept, ok, err)
		}
	}
}

// TestStoredHistoriesLeaveATrail goes through the histories of every release: no output and no input survives, every decision does.
func TestStoredHistoriesLeaveATrail(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/histories/*/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		decided, left := 0, 0
		lines := bufio.NewScanner(bytes.NewReader(raw))
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var f struct {
				Kind  FactKind        `json:"kind"`
				Actor Actor           `json:"actor"`
				Body  json.RawMessage `json:"body"`
			}
			if err := json.Unmarshal(lines.Bytes(), &f); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			kept, ok, err := Trail(f.Kind, f.Actor, f.Body)
			if err != nil {
				t.Fatalf("%s: %v in %s", file, err, lines.Bytes())
			}
			if f.Kind == "gate_decided" || f.Kind == "voted" || f.Kind == "run_started" {
				decided++
				if ok {
					left++
				}
			}
			if ok {
				onlyKept(t, f.Kind, kept)
			}
		}
		if decided == 0 || left != decided {
			t.Errorf("%s: %d of %d decisions are left", file, left, decided)
		}
	}
}

// onlyKept wants a kept body to have no field but those that stay, and hashes.
func onlyKept(t *testing.T, kind FactKind, kept []byte) {
	t.Helper()
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(kept, &fields); err != nil {
		t.Fatal(err)
	}
	for name := range fields {
		if name != DroppedKey && !slices.Contains(kinds[kind].audit, name) {
			t.Errorf("%s of a %s stays: %s", name, kind, kept)
		}
	}
}
