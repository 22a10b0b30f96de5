package bot

import (
	"fmt"
	"strings"
	"testing"

	"sluice/bot/draft"
	"sluice/bot/request"
	"sluice/bot/triggers"
	"sluice/engine/flow"
	"sluice/engine/tool"
	"sluice/storage"
)

// written proposes a flow file as somebody's draft, in a thread of its own, and gives the draft.
func (w *world) written(user, src string) storage.Draft {
	w.Helper()
	w.ts++
	return w.writtenIn(user, src, fmt.Sprintf("%d.0", w.ts))
}

func (w *world) writtenIn(user, src, thread string) storage.Draft {
	w.Helper()
	w.wall["F1"] = triggers.Message{Text: src}
	in := request.Incoming{Kind: request.KindMention, User: user, Channel: "C1", TS: thread, Thread: thread, Files: []request.File{{ID: "F1", Name: "flow.yaml"}}}
	if got := said(w.hear(in)); got != "" {
		w.Fatalf("a file is answered with %q", got)
	}
	return w.newest(thread)
}

func (w *world) approve(user string, d storage.Draft) string {
	w.Helper()
	return w.click(user, "draft.approve", draft.Value(d))
}

func (w *world) body(d storage.Draft) draft.Body {
	w.Helper()
	body, _, err := draft.Decode(d)
	if err != nil {
		w.Fatal(err)
	}
	return body
}

const pays = `
name: pays
flow:
  entry: gate
  nodes:
    - {id: gate, type: approval, message: "Pay A-1?", who: {groups: ["@finance"]}, routes: [{when: "approvals.gate == 'approve'", to: pay}, {when: default, to: end}]}
    - {id: pay, type: tool, tool: shop.refund, params: {order_id: A-1}, routes: [{to: end}]}
`

const looks = `
name: looks
flow:
  entry: get
  nodes:
    - {id: get, type: tool, tool: shop.get_order, params: {order_id: A-1}, routes: [{to: tell}]}
    - {id: tell, type: say, message: "it is there", routes: [{to: end}]}
`

// secondPerson is a world where second_person is on and lee is an approver; pays is approved.
func secondPerson(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, func(c *Config) {
		c.SecondPerson, c.Approvers = true, []string{"@lee"}
		who := c.Directory.(workspace)
		who["everybody"], who["C1"] = append(who["everybody"], "lee"), append(who["C1"], "lee")
	})
	if got := w.approve("fin", w.written("ana", pays)); got != "" {
		t.Fatalf("the first revision was refused: %q", got)
	}
	return w
}

// The author of a change finds no door to approve it alone: neither the card, nor the command, nor an undo, nor a draft of their own gates.
func TestNoDoorForAnAuthorAlone(t *testing.T) {
	t.Parallel()
	refused := func(w *world, user string, d storage.Draft) {
		w.Helper()
		if got := w.approve(user, d); !strings.Contains(got, "Who may") {
			w.Errorf("%s was answered %q", user, got)
		}
		if f, err := w.store.Flow(w.Context(), "pays"); err != nil || f.Head != 1 {
			w.Errorf("revision %d, %v", f.Head, err)
		}
	}
	more := strings.Replace(pays, "order_id: A-1", "order_id: A-666", 1)

	t.Run("a changed parameter", func(t *testing.T) {
		t.Parallel()
		w := secondPerson(t)
		d := w.written("ana", more)
		refused(w, "ana", d)
		if words := fmt.Sprint(w.body(d).Allows); !strings.Contains(words, "step 2 'Pay': order_id was A-1, becomes A-666") {
			t.Errorf("it says %s", words)
		}
		if who := w.body(d).Seconds; !strings.Contains(who, "@finance") || !strings.Contains(who, "@lee") {
			t.Errorf("who may approve it: %q", who)
		}
		if got := w.approve("fin", d); got != "" {
			t.Errorf("fin was answered %q", got)
		}
	})
	t.Run("people of the draft's own gate", func(t *testing.T) {
		t.Parallel()
		w := secondPerson(t)
		d := w.written("ana", strings.Replace(more, `groups: ["@finance"]`, `users: ["@bob"]`, 1))
		refused(w, "bob", d)
	})
	t.Run("who wrote only an earlier edit", func(t *testing.T) {
		t.Parallel()
		w := secondPerson(t)
		first := w.written("fin", more)
		second := w.writtenIn("ana", strings.Replace(more, "Pay A-1?", "Pay A-666?", 1), first.Thread)
		refused(w, "fin", second)
		w.hear(request.Incoming{Kind: request.KindMessage, User: "ana", Thread: first.Thread, Text: "undo"})
		refused(w, "fin", w.newest(first.Thread))
		refused(w, "ana", w.newest(first.Thread))
	})
	t.Run("who takes an edit back", func(t *testing.T) {
		t.Parallel()
		w := secondPerson(t)
		first := w.written("ana", more)
		second := w.writtenIn("ana", strings.Replace(more, "Pay A-1?", "Pay A-666?", 1), first.Thread)
		w.hear(request.Incoming{Kind: request.KindMention, User: "lee", Thread: second.Thread, Text: "undo"})
		d := w.newest(first.Thread)
		if d.ID == second.ID {
			t.Fatal("nothing was undone")
		}
		refused(w, "lee", d)
	})
	t.Run("the command approve, after a tool has changed", func(t *testing.T) {
		t.Parallel()
		w := secondPerson(t)
		w.replaceTool("shop.refund", func(x *tool.Tool) { x.Effects = flow.EffectsOnce })
		thread := fmt.Sprintf("%d.0", w.ts+1)
		w.hear(request.Incoming{Kind: request.KindMention, User: "ana", Text: "approve pays"})
		d := w.newest(thread)
		refused(w, "ana", d)
		if words := fmt.Sprint(w.body(d).Allows); !strings.Contains(words, "became riskier: once instead of idempotent") {
			t.Errorf("it says %s", words)
		}
	})
	t.Run("a draft of an older base", func(t *testing.T) {
		t.Parallel()
		w := secondPerson(t)
		old := w.written("ana", more)
		if got := w.approve("fin", w.written("bob", strings.Replace(pays, "Pay A-1?", "Pay A-1 now?", 1))); got != "" {
			t.Fatal(got)
		}
		if got := w.approve("fin", old); !strings.Contains(got, "approved after this draft was made") {
			t.Errorf("fin was answered %q", got)
		}
	})
}

func (w *world) replaceTool(name string, change func(*tool.Tool)) {
	w.Helper()
	set := w.bot.Tools.(*tool.Set)
	t, _ := set.Lookup(name)
	change(&t)
	set.Remove(name)
	if err := set.Add(t); err != nil {
		w.Fatal(err)
	}
}

// A person approves what they were shown: a tool that changes while a draft is looked at brings a new draft, by the same authors.
func TestADraftWhoseToolChangedIsShownAgain(t *testing.T) {
	t.Parallel()
	w := secondPerson(t)
	d := w.written("ana", strings.Replace(pays, "Pay A-1?", "Really pay A-1?", 1))
	w.replaceTool("shop.refund", func(x *tool.Tool) { x.Policy = tool.Ask })
	if got := w.approve("fin", d); !strings.Contains(got, "has the policy ask instead of allow") || !strings.Contains(got, "Nothing was approved") {
		t.Errorf("fin was answered %q", got)
	}
	next := w.newest(d.Thread)
	if body := w.body(next); next.ID == d.ID || len(body.Authors) != 1 || body.Authors[0] != "ana" || !strings.Contains(fmt.Sprint(body.Allows), "policy ask") {
		t.Fatalf("the next draft is %+v", body)
	}
	if got := w.approve("fin", d); !strings.Contains(got, "has replaced") {
		t.Errorf("the older one was answered %q", got)
	}
	if got := w.approve("fin", next); got != "" {
		t.Errorf("the next one was answered %q", got)
	}
}

// A flow that only reads is its author's own, until it writes; a flow that runs it is then looked at anew.
func TestAFlowThatOnlyReadsIsItsAuthorsOwn(t *testing.T) {
	t.Parallel()
	w := secondPerson(t)
	if got := w.approve("ana", w.written("ana", looks)); got != "" {
		t.Fatalf("a flow that reads was refused: %q", got)
	}
	const parent = "name: parent\nflow:\n  entry: sub\n  nodes:\n    - {id: sub, type: subflow, flow: looks, routes: [{to: tell}]}\n    - {id: tell, type: say, message: done, routes: [{to: end}]}\n"
	if got := w.approve("lee", w.written("ana", parent)); got != "" {
		t.Fatalf("lee was answered %q", got)
	}
	if got := w.approve("ana", w.written("ana", strings.Replace(parent, "message: done", "message: all done", 1))); got != "" {
		t.Errorf("a message beside a subflow that reads was refused: %q", got)
	}
	writes := w.written("ana", strings.Replace(looks, "shop.get_order", "shop.refund", 1))
	if got := w.approve("ana", writes); !strings.Contains(got, "second person") {
		t.Errorf("ana was answered %q", got)
	}
	if got := w.approve("lee", writes); got != "" {
		t.Fatalf("lee was answered %q", got)
	}
	d := w.written("ana", strings.Replace(parent, "message: done", "message: really done", 1))
	if got := w.approve("ana", d); !strings.Contains(got, "second person") {
		t.Errorf("a change of a flow whose subflow writes now was answered %q", got)
	}
	if words := fmt.Sprint(w.body(d).Allows); !strings.Contains(words, "the subflow looks changed") || !strings.Contains(words, "message was all done, becomes really done") {
		t.Errorf("it says %s", words)
	}
}

// A file whose tool nothing may call says so before its approval.
func TestADraftNamesADeniedTool(t *testing.T) {
	t.Parallel()
	w := secondPerson(t)
	w.replaceTool("shop.refund", func(x *tool.Tool) { x.Policy = tool.Deny })
	d := w.written("ana", strings.Replace(pays, "Pay A-1?", "Really pay A-1?", 1))
	if got := w.approve("fin", d); !strings.Contains(got, "the policy of the tool “shop.refund” is deny") {
		t.Errorf("fin was answered %q", got)
	}
}

// TestANameThatNobodyWroteIsFree: a draft without a name of its own takes none of a flow in another channel; a name in words is refused there.
func TestANameThatNobodyWroteIsFree(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	_, first := w.draft("ana", "ask @fin to approve")
	if got := w.approve("ana", first); got != "" {
		t.Fatalf("the approval is answered %q", got)
	}
	in := request.Incoming{Kind: request.KindMention, User: "ana", Channel: "C2", TS: "900.0", Text: "ask @fin to approve"}
	if got := said(w.hear(in)); got != "" {
		t.Fatalf("the second draft is answered %q", got)
	}
	d, err := w.store.DraftInThread(t.Context(), "C2", "900.0")
	if err != nil || d.Flow != first.Flow+"-2" {
		t.Errorf("the flows are called %q and %q (%v)", first.Flow, d.Flow, err)
	}
	in.TS, in.Text = "901.0", "new "+first.Flow+": ask @fin to approve"
	if got := said(w.hear(in)); !strings.Contains(got, "lives in") {
		t.Errorf("the same name in words is answered %q", got)
	}
}
