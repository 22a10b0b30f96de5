package bot

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"sluice/bot/draft"
	"sluice/bot/request"
	"sluice/engine"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/usererror"
	"sluice/storage"
)

// definition is a workflow of another program, with as many nodes in a row.
func definition(id string, nodes int) []byte {
	var ns, es []string
	for i := range nodes {
		ns = append(ns, fmt.Sprintf(`{"id": "n%d", "workflowId": %q, "nodeType": "AGENT", "nodeName": "A%d", "agentId": "a"}`, i, id, i))
		to, kind := fmt.Sprintf(`"n%d"`, i+1), fmt.Sprintf("A%d", i+1)
		if i == nodes-1 {
			to, kind = "null", "END"
		}
		es = append(es, fmt.Sprintf(`{"id": "e%d", "workflowId": %q, "sourceNodeId": "n%d", "targetNodeId": %s, "conditionType": "CONDITIONAL", "conditionValue": %q}`, i, id, i, to, kind))
	}
	return fmt.Appendf(nil, `{"id": %q, "name": %q, "isConversational": false, "entrypointNodeId": "n0", "nodes": [%s], "edges": [%s],
		"agents": [{"agentId": "a", "description": "An agent", "messages": [{"role": "system", "content": "Help."}], "tools": []}]}`, id, id, strings.Join(ns, ","), strings.Join(es, ","))
}

// TestWhoMayDefine: members of the channel who are no guests, as in Slack. To everybody else there is no such workflow.
func TestWhoMayDefine(t *testing.T) {
	t.Parallel()
	p := newDoors(t)
	for user := range maps.Keys(sorts) {
		may := slices.Contains(home, user)
		for _, name := range []string{"fresh-" + user, "ask"} {
			put, err := p.bot.Define(t.Context(), user, "C1", name, definition(name, 1))
			if may != (err == nil && put.Draft != "") || !may && !errors.Is(err, request.ErrHidden) {
				t.Errorf("%s defines %s: %+v, %v", user, name, put, err)
			}
		}
	}
	if _, err := p.bot.Define(t.Context(), "owner", "C2", "elsewhere", definition("elsewhere", 1)); !errors.Is(err, request.ErrHidden) {
		t.Errorf("in a channel of other people: %v", err)
	}
}

// TestADefinitionIsPutTwice: the same one gives the same draft, another one another draft, and nothing is approved by it.
func TestADefinitionIsPutTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	put := func(nodes int) (draft storage.Draft, same bool) {
		t.Helper()
		got, err := w.bot.Define(t.Context(), "ana", "C1", "Two-Chat", definition("Two-Chat", nodes))
		if err != nil {
			t.Fatal(err)
		}
		if got.Draft != "" {
			if draft, err = w.store.Draft(t.Context(), got.Draft); err != nil {
				t.Fatal(err)
			}
		}
		return draft, got.Same
	}
	first, same := put(1)
	if again, known := put(1); same || !known || again.ID != first.ID {
		t.Errorf("the second time: draft %s, %v; the first: %s, %v", again.ID, known, first.ID, same)
	}
	if _, err := w.store.Flow(t.Context(), "two-chat"); !errors.Is(err, storage.ErrNotFound) {
		t.Fatalf("it is approved by being put: %v", err)
	}
	if got := w.approve("bob", first); got != "" {
		t.Fatalf("the approval is answered %q", got)
	}
	if d, known := put(1); d.ID != "" || !known {
		t.Errorf("what is approved is put again as %s, %v", d.ID, known)
	}
	second, _ := put(2)
	if _, f, err := draft.Decode(second); err != nil || len(f.Nodes) != 2 || second.Base != 1 || second.Flow != first.Flow {
		t.Errorf("the other definition is %+v (%v)", second, err)
	}
	all, err := w.store.Audit(t.Context(), "", 100)
	if err != nil {
		t.Fatal(err)
	}
	puts := slices.DeleteFunc(all, func(a storage.Audit) bool { return a.What != "definition_put" || a.Via != "http" || a.User != "ana" })
	if len(puts) != 2 {
		t.Errorf("the audit has %+v", all)
	}
	third, _ := put(3)
	if was, err := w.store.Draft(t.Context(), second.ID); err != nil || was.Status != draft.Replaced || third.Base != 1 || third.Number != second.Number+1 {
		t.Errorf("a changed definition leaves %+v (%v) and gives %+v", was, err, third)
	}
	if again, known := put(3); !known || again.ID != third.ID {
		t.Errorf("the changed definition, put again, gives %s, %v", again.ID, known)
	}
	if back, known := put(2); known || back.Number != third.Number+1 {
		t.Errorf("the one before, put again, gives %+v, %v", back, known)
	}
	if _, err := w.bot.Define(t.Context(), "ana", "C1", "other", definition("two", 1)); err == nil {
		t.Error("a definition was taken under another name")
	}
	_, err = w.bot.Define(t.Context(), "ana", "C1", "bad", []byte(`{"id": "bad", "entrypointNodeId": "n0", "nodes": [], "edges": []}`))
	if problems, ok := errors.AsType[flow.Problems](err); !ok || len(problems) == 0 {
		t.Errorf("a bad definition is answered %v", err)
	}
}

// TestABundleIsNotPut: a file with several flows has no one name.
func TestABundleIsNotPut(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	files := map[string]string{"manifest.json": `{"bundle_id":"b","default_entrypoint":"one","flows":{"one":"one.json","two":"two.json"}}`}
	for _, id := range []string{"one", "two"} {
		files[id+".json"] = fmt.Sprintf(`{"id":%[1]q,"name":%[1]q,"entryNode":"start","nodes":[{"id":"start","type":"on_flow_start","data":{"nodeType":"on_flow_start","label":"Start","inputs":[],"outputs":[]}}],"edges":[]}`, id)
	}
	for name, text := range files {
		f, err := z.Create(name)
		if err == nil {
			_, err = f.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := w.bot.Define(t.Context(), "ana", "C1", "one", out.Bytes())
	if ue, ok := errors.AsType[*usererror.Error](err); !ok || ue.Code != "several_flows" || ue.Text != "The file holds 2 flows." {
		t.Errorf("it is answered %v", err)
	}
}

// TestAFlowIsRemovedAndMadeAnew: after a removal nothing starts, people are told so, and the same definition is a draft that begins anew.
func TestAFlowIsRemovedAndMadeAnew(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	put := func() storage.Draft {
		t.Helper()
		got, err := w.bot.Define(t.Context(), "ana", "C1", "anew", definition("anew", 1))
		if err != nil || got.Same {
			t.Fatalf("%+v, %v", got, err)
		}
		d, err := w.store.Draft(t.Context(), got.Draft)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	if got := w.approve("bob", put()); got != "" {
		t.Fatalf("the approval is answered %q", got)
	}
	if got := w.command("ana", "remove anew"); !strings.Contains(got, "no run of it starts any more") || !strings.Contains(got, "remove anew go") {
		t.Errorf("what a removal means is said so: %q", got)
	}
	if _, err := w.bot.Engine.Start(t.Context(), engine.StartRequest{Flow: "anew", Actor: history.Actor{User: "ana"}, Channel: "C1"}); err != nil {
		t.Fatal("it was removed by being asked about:", err)
	}
	if got := w.command("ana", "remove anew go"); !strings.Contains(got, "is removed") {
		t.Fatalf("the removal is answered %q", got)
	}
	if got := w.command("eve", "remove anew go"); strings.Contains(got, "was removed") {
		t.Errorf("somebody who cannot see it is answered %q", got)
	}
	for _, words := range []string{"run anew", "show anew", "remove anew go", "schedule anew every day at 9", "rollback anew 1"} {
		if got := w.command("ana", words); !strings.Contains(got, "was removed") {
			t.Errorf("%q is answered %q", words, got)
		}
	}
	if _, err := w.bot.Engine.Start(t.Context(), engine.StartRequest{Flow: "anew", Actor: history.Actor{User: "ana"}, Channel: "C1"}); !errors.Is(err, storage.ErrRetired) {
		t.Errorf("a start gives %v", err)
	}
	if got := w.command("ana", "list"); strings.Contains(got, "anew") {
		t.Errorf("the list has it: %q", got)
	}
	for words, part := range map[string]string{"runs anew": "anew-1", "audit anew": "removed", "history anew": "ersion 1"} {
		if got := w.command("ana", words); !strings.Contains(got, part) {
			t.Errorf("%q is answered %q", words, got)
		}
	}
	d := put()
	if d.Base != 0 {
		t.Errorf("the draft is a change to version %d", d.Base)
	}
	if got := w.approve("bob", d); got != "" {
		t.Fatalf("the second approval is answered %q", got)
	}
	if head, err := w.store.Flow(t.Context(), "anew"); err != nil || head.Head != 2 || !head.Retired.IsZero() {
		t.Errorf("the flow is %+v (%v)", head, err)
	}
	if err := w.bot.Remove(t.Context(), "ana", "anew"); err != nil {
		t.Error(err)
	}
	if err := w.bot.Remove(t.Context(), "ana", "anew"); !errors.Is(err, storage.ErrRetired) {
		t.Errorf("the second time: %v", err)
	}
}
