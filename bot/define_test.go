package bot

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/engine/flow"
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
	if _, f, err := surface.DecodeDraft(second); err != nil || len(f.Nodes) != 2 || second.Base != 1 || second.Flow != first.Flow {
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
	if _, err := w.bot.Define(t.Context(), "ana", "C1", "other", definition("two", 1)); err == nil {
		t.Error("a definition was taken under another name")
	}
	_, err = w.bot.Define(t.Context(), "ana", "C1", "bad", []byte(`{"id": "bad", "entrypointNodeId": "n0", "nodes": [], "edges": []}`))
	if problems, ok := errors.AsType[flow.Problems](err); !ok || len(problems) == 0 {
		t.Errorf("a bad definition is answered %v", err)
	}
}
