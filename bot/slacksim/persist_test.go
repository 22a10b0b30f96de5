package slacksim_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/slack-go/slack"

	"sluice/bot/slacksim"
)

// in opens a workspace in a directory.
func in(dir string) func(*slacksim.Options) {
	return func(o *slacksim.Options) { o.Dir, o.FileDelay = dir, -1 }
}

func TestTheWorkspaceSurvivesItsProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	before := open(t, in(dir))
	support := before.id("support")
	root := before.post("message", map[string]any{"user": "ana", "channel": "support", "text": "@Sluice hello"})
	before.post("reaction", map[string]any{"user": "bob", "channel": "support", "ts": root.TS, "name": "eyes"})
	before.post("seen", map[string]any{"user": "bob", "channel": "support", "ts": root.TS})
	file := before.upload(picture(t))
	_, ts, err := before.api.PostMessage(support, slack.MsgOptionText("a flow", true), slack.MsgOptionTS(root.TS),
		slack.MsgOptionBlocks(imageBlock("p", file)),
		slack.MsgOptionMetadata(slack.SlackMetadata{EventType: "k", EventPayload: map[string]any{"key": "v"}}))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := before.api.UpdateMessage(support, ts, slack.MsgOptionText("a better flow", true)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := before.api.PostMessage(before.id("ana"), slack.MsgOptionText("psst", true)); err != nil {
		t.Fatal(err)
	}
	home := slack.HomeTabViewRequest{Type: slack.VTHomeTab, Blocks: slack.Blocks{BlockSet: []slack.Block{slack.NewDividerBlock()}}}
	if _, err := before.api.PublishView(before.id("ana"), home, ""); err != nil {
		t.Fatal(err)
	}
	before.post("clock", map[string]any{"advance": "2h"})
	wantState, wantDM := before.get("state", "channel=support"), before.get("state", "channel=@ana").Messages
	before.abandon()

	var hooked time.Duration
	after := open(t, in(dir), func(o *slacksim.Options) { o.ClockHook = func(d time.Duration) { hooked += d } })
	got := after.get("state", "channel=support")
	if diff := cmp.Diff(wantState.Messages, got.Messages); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(wantDM, after.get("state", "channel=@ana").Messages); diff != "" {
		t.Error(diff)
	}
	if got.Seq < wantState.Seq {
		t.Errorf("seq went back from %d to %d", wantState.Seq, got.Seq)
	}
	if hooked != 2*time.Hour || after.sim.ClockOffset() != 2*time.Hour {
		t.Errorf("the clock is ahead by %v, the hook heard %v", after.sim.ClockOffset(), hooked)
	}
	if seen := after.get("info", "user=bob").Seen; seen[support] != root.TS {
		t.Errorf("bob has seen %v", seen)
	}
	if after.get("home", "user=ana").View == nil {
		t.Error("ana's Home is gone")
	}
	replies, _, _, err := after.api.GetConversationReplies(&slack.GetConversationRepliesParameters{
		ChannelID: support, Timestamp: root.TS, IncludeAllMetadata: true,
	})
	if err != nil || len(replies) != 2 || replies[1].Metadata.EventPayload["key"] != "v" {
		t.Errorf("the thread is %+v: %v", replies, err)
	}
	if m := after.connect(nil).nextMessage(t); m.TimeStamp != root.TS {
		t.Errorf("the event that waited for the app is gone, heard %+v", m)
	}
}

// abandon leaves the workspace as a kill does: nothing is closed, nothing more is written.
func (w *workspace) abandon() {
	w.http.CloseClientConnections()
}

func TestAJournalCutShortLosesItsLastLineOnly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	before := open(t, in(dir))
	before.post("message", map[string]any{"user": "ana", "channel": "support", "text": "whole"})
	before.abandon()
	path := filepath.Join(dir, "journal.jsonl")
	journal, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := journal.WriteString(`{"seq":99,"kind":"message","val`); err != nil {
		t.Fatal(err)
	}
	if err := journal.Close(); err != nil {
		t.Fatal(err)
	}
	after := open(t, in(dir))
	after.post("message", map[string]any{"user": "ana", "channel": "support", "text": "more"})
	if m := after.get("state", "channel=support").Messages; len(m) != 2 || m[0].Text != "whole" || m[1].Text != "more" {
		t.Errorf("the channel holds %+v", m)
	}
}

func TestABrokenJournalIsRefusedByLine(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "journal.jsonl"), []byte("{\"seq\":1}\nnonsense\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := slacksim.New(slacksim.Options{Dir: dir})
	if err == nil || !contains([]message{{Text: err.Error()}}, "journal.jsonl: line 2") {
		t.Errorf("got %v", err)
	}
	fresh, err := slacksim.New(slacksim.Options{Dir: dir, Fresh: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := fresh.Close(); err != nil {
		t.Error(err)
	}
}

func TestResetEmptiesEverythingButGoesOn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := open(t, in(dir))
	a := w.connect(nil)
	sent := w.post("message", map[string]any{"user": "ana", "channel": "support", "text": "old"})
	a.nextMessage(t)
	if _, err := w.refund("k"); err != nil {
		t.Fatal(err)
	}
	reset := w.post("reset", nil)
	if reset.Seq <= sent.Seq {
		t.Errorf("seq went from %d to %d", sent.Seq, reset.Seq)
	}
	if n := w.said(); n != 0 {
		t.Errorf("%d messages are left", n)
	}
	if s := w.get("shop", ""); len(s.Arrivals)+len(s.Bookings) != 0 {
		t.Errorf("the shop remembers %+v", s)
	}
	w.post("message", map[string]any{"user": "ana", "channel": "support", "text": "new"})
	if m := a.nextMessage(t); m.Text != "new" {
		t.Errorf("heard %+v", m)
	}
	w.abandon()
	if again := open(t, in(dir)); again.said() != 1 {
		t.Errorf("%d messages came back", again.said())
	}
}
