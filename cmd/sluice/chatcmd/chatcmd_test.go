package chatcmd

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"sluice/engine/flow"
	"sluice/engine/flow/file"
	"sluice/engine/people"
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
		{text: "audit @U2", want: "left out a start of greet"},
		{text: "audit @U3", want: "Nothing that you may see is recorded"},
		{text: "audit @ben", code: "no_person"},
		{text: "resume greet schedule", want: "The schedule"},
		{text: "rollback greet 1", want: "The draft is stored."},
		{text: "rollback greet 2", code: "same_version"},
		{text: "history greeet", code: "no_flow"},
		{text: "pause greet", code: "in_chat"},
		{text: "skip greet", code: "in_chat"},
		{text: "run greet", code: "no_command"},
		{text: "remove greet", want: "no run of it starts any more: 1 schedule and 0 triggers are deleted"},
		{text: "remove greet go", want: "is removed"},
		{text: "rollback greet 1", code: "removed_flow"},
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

// workspace knows ana, a guest and two channels.
type workspace struct{}

func (workspace) Resolve(_ context.Context, name string) (people.Principal, error) {
	for _, p := range []people.Principal{{Kind: "user", ID: "U1", Name: "@ana"}, {Kind: "user", ID: "U3", Name: "@guest"}, {Kind: "channel", ID: "C1", Name: "#ops"}, {Kind: "channel", ID: "C2", Name: "#all"}} {
		if name == p.ID || name == p.Name {
			return p, nil
		}
	}
	return people.Principal{}, people.ErrUnknownName
}

func (workspace) Members(context.Context, people.Principal) ([]string, error) { return nil, nil }

func (w workspace) Person(ctx context.Context, id string) (people.Person, error) {
	p, err := w.Resolve(ctx, id)
	return people.Person{ID: id, Name: strings.TrimPrefix(p.Name, "@"), Zone: "UTC", Active: true, Guest: id == "U3"}, err
}

// TestWhoGivesThem: with a directory, only a member of the workspace gives commands, and people are called by their names.
func TestWhoGivesThem(t *testing.T) {
	t.Parallel()
	cfg := kept(t)
	cfg.Directory = workspace{}
	for person, want := range map[string]string{"U1": "", "U3": "this is a guest", "U9": "Slack knows nobody with this id"} {
		var out bytes.Buffer
		cfg.Out, cfg.Person = &out, person
		err := Do(t.Context(), cfg, "list")
		said, _ := errors.AsType[*usererror.Error](err)
		switch {
		case want == "" && (err != nil || !strings.Contains(out.String(), "in #ops, owner @ana")):
			t.Errorf("%s: %v\n%s", person, err, out.String())
		case want != "" && (said == nil || said.Code != "no_person" || !strings.Contains(said.Text, want) || out.Len() > 0):
			t.Errorf("%s: %v\n%s", person, err, out.String())
		}
	}
	cfg.Person = "U1"
	if err := Do(t.Context(), cfg, "audit @ana"); err != nil {
		t.Error(err)
	}
}

// TestSave: a file is a draft of a new flow, or of the next version of one; the same file changes nothing, another one replaces the draft.
func TestSave(t *testing.T) {
	t.Parallel()
	cfg := kept(t)
	cfg.Directory, cfg.Person = workspace{}, "U1"
	file := func(version string) []byte { return []byte(strings.Replace(src, "VERSION", version, 1)) }
	for _, row := range []struct {
		def        Definition
		want, code string
	}{
		{def: Definition{Source: file("greets people")}, want: "Nothing has changed: the approved version of greet says the same."},
		{def: Definition{Source: file("greets all"), Channel: "#all"}, want: "A draft of greet is stored. Sluice posts it in #ops, where it is approved."},
		{def: Definition{Source: file("greets all")}, want: "Nothing has changed: the open draft of greet in #ops says the same."},
		{def: Definition{Source: file("greets some")}, want: "A draft of greet is stored."},
		{def: Definition{Source: bytes.Replace(file("x"), []byte("greet"), []byte("meet"), 1)}, code: "no_channel"},
		{def: Definition{Source: bytes.Replace(file("x"), []byte("greet"), []byte("meet"), 1), Channel: "#nowhere"}, code: "no_channel"},
		{def: Definition{Source: bytes.Replace(file("x"), []byte("greet"), []byte("meet"), 1), Channel: "#all"}, want: "A draft of meet is stored. Sluice posts it in #all"},
	} {
		var out bytes.Buffer
		cfg.Out, row.def.File = &out, "dir/a.yaml"
		err := Save(t.Context(), cfg, row.def)
		said, _ := errors.AsType[*usererror.Error](err)
		if row.code != "" && (said == nil || said.Code != row.code) || row.code == "" && (err != nil || !strings.Contains(out.String(), row.want)) {
			t.Errorf("%+v: %v\n%s", row, err, out.String())
		}
	}
	if err := Save(t.Context(), cfg, Definition{File: "a.yaml", Source: []byte("name: greet\nflow: {entry: x}\n")}); !errors.As(err, new(flow.Problems)) {
		t.Errorf("a bad file gives %v", err)
	}
	all, err := cfg.Store.DraftsAfter(t.Context(), "", 10)
	open := map[string]int{}
	for _, d := range all {
		open[d.Flow+" "+d.Status]++
	}
	if err != nil || len(all) != 3 || open["greet open"] != 1 || open["greet replaced"] != 1 || open["meet open"] != 1 {
		t.Errorf("drafts: %v, %v", open, err)
	}
}
