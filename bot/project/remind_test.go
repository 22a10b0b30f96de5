package project

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sluice/engine"
	"sluice/engine/flow"
	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/engine/people"
	"sluice/engine/tool"
	"sluice/storage"
	"sluice/storage/sqlite"
)

// desk is a workspace with one group; its members come and go.
type desk struct{ members []string }

func (d *desk) Resolve(_ context.Context, name string) (people.Principal, error) {
	return people.Principal{Kind: "group", ID: "S1", Name: name}, nil
}

func (d *desk) Members(context.Context, people.Principal) ([]string, error) { return d.members, nil }

func (d *desk) Person(_ context.Context, id string) (people.Person, error) {
	return people.Person{ID: id, Active: true}, nil
}

// A reminder names the people who may answer, and says so when there are none any more.
func TestAReminderSaysThatNobodyIsLeft(t *testing.T) {
	t.Parallel()
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "sluice.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	tools, err := tool.New()
	if err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(gate.Body{Opened: history.GateOpened{
		Gate: 1, Kind: history.GateApproval, Message: "Pay?", Choices: []string{"approve"}, Who: &flow.Who{Groups: []string{"@finance"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	err = store.Write(t.Context(), &storage.Batch{Run: &storage.RunWrite{
		Run:   storage.Run{ID: "r1", Flow: "refund", Name: "refund-1", Status: "waiting", Started: now},
		Gates: []storage.Gate{{ID: "r1/1", Num: 1, Status: "open", Opened: now, Body: body}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{}
	p := New()
	p.Connect(engine.New(engine.Config{Store: store, Tools: tools, Directory: d}))
	for _, c := range []struct {
		members []string
		want    string
	}{
		{[]string{"fin"}, "<@fin> may answer: Pay?"},
		{nil, "nobody may answer: @finance has no active members. It stays open: a member who comes back may answer, and `/flow cancel refund-1` ends it. Pay?"},
	} {
		d.members = c.members
		got, err := p.RemindCard(t.Context(), "r1/1")
		if err != nil || !strings.HasSuffix(got.Text.String(), c.want) {
			t.Errorf("with %v it says %q, want %q (%v)", c.members, got.Text.String(), c.want, err)
		}
	}
	p.URL = func(channel, ts, thread string) string {
		return "https://slack.test/" + channel + "/" + ts + "/" + thread
	}
	if err := store.Write(t.Context(), &storage.Batch{Surfaces: []storage.Surface{{ID: "gate-r1/1", Kind: "gate", Ref: "gate:r1/1", Channel: "C1", TS: "2.0", Thread: "1.0"}}}); err != nil {
		t.Fatal(err)
	}
	if got, err := p.RemindCard(t.Context(), "r1/1"); err != nil || !strings.HasSuffix(got.Text.String(), "Pay? · <https://slack.test/C1/2.0/1.0|Go to the question>") {
		t.Errorf("it leads to %q (%v)", got.Text.String(), err)
	}
}
