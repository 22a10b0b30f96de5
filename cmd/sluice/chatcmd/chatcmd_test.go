package chatcmd

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"sluice/engine/flow"
	"sluice/engine/flow/file"
	"sluice/engine/tool"
	"sluice/engine/usererror"
	"sluice/storage"
	"sluice/storage/sqlite"
)

const src = `
name: greet
description: VERSION
flow:
  entry: hello
  nodes:
    - {id: hello, type: say, message: hello, routes: [{to: end}]}
`

// kept is a database in which a bot has two versions of a flow, and a schedule of it.
func kept(t *testing.T) Config {
	t.Helper()
	store, err := sqlite.Open(t.Context(), t.TempDir()+"/bot.db")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	tools, err := tool.New()
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	for i, version := range []string{"says hello", "greets people"} {
		parsed, problems := file.Parse("greet.yaml", []byte(strings.Replace(src, "VERSION", version, 1)))
		if problems.HasErrors() {
			t.Fatal(problems)
		}
		head, _ := store.Flow(t.Context(), "greet")
		head.Name, head.Head, head.Channel, head.Owner = "greet", i+1, "C1", "U1"
		batch := &storage.Batch{Flow: &head, Revision: &storage.Revision{Flow: "greet", Number: i + 1, Hash: flow.Hash(parsed.Flow), Body: flow.Canonical(parsed.Flow), Lock: []byte("{}"), By: "U1", At: now}}
		if i == 1 {
			batch.Schedules = []storage.Schedule{{ID: "s-000001", Flow: "greet", Cron: "0 9 * * *", Zone: "UTC", Next: now.Add(time.Hour), Owner: "U1", Channel: "C1"}}
		}
		if err := store.Write(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
	}
	return Config{Store: store, Tools: tools, Person: "U2", Zone: time.UTC}
}

// TestCommands: commands of chat answer in lines, and what they change is stored and recorded as the person's, by the terminal.
func TestCommands(t *testing.T) {
	t.Parallel()
	cfg := kept(t)
	for _, row := range []struct{ text, want, code string }{
		{text: "history greet", want: "version 2, which runs now, "},
		{text: "history greet", want: "approved by @U1"},
		{text: "find people", want: "greet  version 2: greets people"},
		{text: "find nothing", want: "Nothing that you may see has all of these words."},
		{text: "list", want: "greet  version 2, in #C1, owner @U1"},
		{text: "schedules", want: "every day at 09:00"},
		{text: "skip next greet", want: "leaves out its start on "},
		{text: "pause greet schedule until 2099-01-04", want: "is paused until 2099-01-04 00:00 UTC"},
		{text: "audit greet", want: "U2"},
		{text: "resume greet schedule", want: "The schedule"},
		{text: "rollback greet 1", want: "The draft is stored."},
		{text: "rollback greet 2", code: "same_version"},
		{text: "history greeet", code: "no_flow"},
		{text: "pause greet", code: "in_chat"},
		{text: "skip greet", code: "in_chat"},
		{text: "run greet", code: "no_command"},
	} {
		var out bytes.Buffer
		cfg.Out = &out
		err := Do(t.Context(), cfg, row.text)
		said, _ := errors.AsType[*usererror.Error](err)
		switch {
		case row.code != "" && (said == nil || said.Code != row.code):
			t.Errorf("%s: %v, and not the error %s", row.text, err, row.code)
		case row.code == "" && (err != nil || !strings.Contains(out.String(), row.want)):
			t.Errorf("%s: %v\n%s\nand not %q", row.text, err, out.String(), row.want)
		}
	}
	all, err := cfg.Store.AuditPage(t.Context(), storage.AuditQuery{Limit: 10})
	if err != nil || len(all) < 2 || all[0].User != "U2" || all[0].Via != "cli" {
		t.Errorf("recorded: %+v, %v", all, err)
	}
}
