package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sluice/engine/flow"

	"sluice/engine/enginetest"
	"sluice/storage"
)

// stored says whether a text stands anywhere in the bot's SQLite files.
func (w *world) stored(text string) bool {
	w.Helper()
	files, err := filepath.Glob(filepath.Join(w.botData(), "sluice.db*"))
	if err != nil || len(files) == 0 {
		w.Fatalf("there is no database: %v", err)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			w.Fatal(err)
		}
		if bytes.Contains(b, []byte(text)) {
			return true
		}
	}
	return false
}

// TestOtherTalkIsNeverStored: what people say to each other does not reach the database, and what they say to the bot is gone from the
// inbox when it is done.
func TestOtherTalkIsNeverStored(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{apart: true})
	lunch := w.write("bob", "#support", "", "shall we have quinoa-for-lunch?")
	w.write("ana", "#support", lunch.TS, "rather tagliatelle-again")
	w.react("ana", "#support", lunch.TS, "broccoli", false)
	draft := w.draftOf("ana", "lunch: 1. ask @bob zucchini-or-not?")
	w.write("bob", "#support", draft.TS, "just an artichoke-remark") // in a thread of the bot's
	w.flow("ana", "#support", "help me with the cauliflower-topic")
	w.untilDelivered()
	for text, want := range map[string]bool{
		"quinoa-for-lunch": false, "tagliatelle-again": false, "broccoli": false, // not the bot's business
		"zucchini-or-not": true, // a step of the draft
	} {
		if got := w.stored(text); got != want {
			t.Errorf("%q is stored: %v, want %v", text, got, want)
		}
	}
}

// draftOf drafts a flow by the slash command, and gives its card.
func (w *world) draftOf(user, words string) message {
	w.Helper()
	w.flow(user, "#support", "new "+words)
	name, _, _ := strings.Cut(words, ":")
	return w.untilMessage("#support", "the draft", func(m message) bool { return strings.Contains(m.shown(), flow.Words(name)+", draft 1") })
}

// untilDelivered waits until the inbox is empty: a message that comes last has been worked on, and so has all before it.
func (w *world) untilDelivered() {
	w.Helper()
	a := w.flow("ana", "#support", "approvals")
	w.private("ana", "#support", a.Seq)
	w.look(func(ctx context.Context, s storage.Store) error {
		rows, err := s.PendingInbox(ctx, 0, 10)
		if err == nil && len(rows) > 0 {
			w.Errorf("%d deliveries are not done", len(rows))
		}
		return err
	})
}

// TestForgetAPerson: what somebody wrote is gone from the database's files, and that they decided is still known.
func TestForgetAPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{apart: true})
	draft := w.draftOf("bob", "asparagus: 1. ask @ana \"is-the-asparagus-ripe?\"")
	w.click("bob", draft, "Approve")
	w.untilMessage("#support", "the approved card", func(m message) bool { return m.TS == draft.TS && strings.Contains(m.shown(), "Approved as version 1") })
	w.draftOf("bob", "radish: 1. ask @ana \"about-the-radish?\"")
	w.flow("bob", "#support", "run asparagus")
	status := w.untilMessage("#support", "the run", isStatus)
	w.flow("bob", "#support", "cancel "+runName(status)+" the-chicory-is-late")
	w.untilMessage("#support", "the end", func(m message) bool {
		return m.TS == status.TS && !strings.Contains(strings.Join(m.buttons(), ","), "Cancel")
	})
	name := runName(status)

	forget := func() (int, string) {
		var out bytes.Buffer
		code := program([]string{"forget", "--data", w.botData(), "--database-url=", w.id("bob")}, stdio{strings.NewReader(""), &out, &out})
		return code, out.String()
	}
	if code, said := forget(); code != exitFailed || !strings.Contains(said, "stop it first") {
		t.Errorf("beside the serving process it ended with %d: %s", code, said)
	}
	w.bot.stop(t)
	if code, said := forget(); code != 0 || !strings.Contains(said, "1 runs, 2 drafts") {
		t.Errorf("it ended with %d: %s", code, said)
	}
	for _, text := range []string{"about-the-radish", "the-chicory-is-late"} {
		if w.stored(text) {
			t.Errorf("%q is still stored", text)
		}
	}
	if !w.stored("s-the-asparagus-ripe") {
		t.Error("the flow that was approved is gone")
	}
	w.look(func(ctx context.Context, s storage.Store) error {
		trail, err := enginetest.TrailOf(ctx, s, name)
		if err == nil && (len(trail.Facts) == 0 || trail.Facts[0].Actor.User != w.id("bob")) {
			t.Errorf("the trail of %s is %+v", name, trail.Facts)
		}
		return err
	})
}
