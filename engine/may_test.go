package engine_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"sluice/engine"
	"sluice/engine/authority"
	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/engine/people"
	"sluice/storage"
)

// TestOnePersonHasOneVote: doors differ in whether they name a person's team; it stays one person, on the row and in the run.
func TestOnePersonHasOneVote(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := newTown()
	w.directory = d
	d.groups["@finance"] = []string{"fin", "ana"}
	w.serve()
	w.save(gateFor(`who: {groups: ["@finance"], quorum: 2},`))
	r := w.begin("")
	w.until(r.ID, "it is known who may answer", asked)
	g := w.gate(r.ID)
	for _, team := range []string{"", "T1", "T2", ""} {
		res, err := w.engine.Answer(t.Context(), engine.GateAnswer{Gate: g.ID, Shown: shown(w.engine, g.ID), Choice: "approve", Actor: history.Actor{User: "fin", Team: team}})
		if err != nil || res.Decided {
			t.Fatalf("fin, of %q, has decided alone: %v (%v)", team, res.Decided, err)
		}
		if body, err := gate.Decode(res.Gate); err != nil || len(body.Votes) != 1 {
			t.Errorf("the row has %d votes (%v)", len(body.Votes), err)
		}
	}
	w.answerAs("ana", w.gate(r.ID), "approve")
	w.ended(r.ID, history.Succeeded)
}

// TestAScheduleOfSomebodyWhoIsGoneStartsNothing: it is paused, and its channel is told why. While nobody can look its owner up it waits.
func TestAScheduleOfSomebodyWhoIsGoneStartsNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		become func(*town)
		why    string
	}{
		{"deactivated", func(d *town) { d.people["ana"] = people.Person{} }, "not an active member of this workspace"},
		{"a guest now", func(d *town) { d.people["ana"] = people.Person{Active: true, Guest: true} }, "not an active member of this workspace"},
		{"of another workspace", func(d *town) { d.people["ana"] = people.Person{Active: true, Foreign: true} }, "not an active member of this workspace"},
		{"not in the channel", func(d *town) { d.groups["C1"] = []string{"fin"} }, "not in its channel"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			d := newTown()
			d.groups["C1"] = []string{"ana", "fin"}
			w.directory = d
			w.open()
			w.save(strings.Replace(gateFor(""), "deadline: {after: 10h, escalate: {after: 1h, to: \"@finance\"}}, ", "", 1))
			f, err := w.store.Flow(t.Context(), "asks")
			if err != nil {
				t.Fatal(err)
			}
			f.Channel, f.Owner = "C1", "fin"
			if err := w.store.Write(t.Context(), &storage.Batch{Flow: &f}); err != nil {
				t.Fatal(err)
			}
			s, _, err := w.engine.AddSchedule(t.Context(), storage.Schedule{Flow: "asks", Cron: "* * * * *", Overlap: "allow", Owner: "ana", Channel: "C1"}, nil, history.Actor{User: "ana"})
			if err != nil {
				t.Fatal(err)
			}
			runs := func() int {
				rows, err := w.store.Runs(t.Context(), storage.RunQuery{})
				if err != nil {
					t.Fatal(err)
				}
				return len(rows)
			}
			fire := func() (storage.Schedule, error) {
				t.Helper()
				w.clock.Advance(2 * time.Minute)
				now, err := w.store.Schedule(t.Context(), s.ID)
				if err != nil {
					t.Fatal(err)
				}
				ferr := w.engine.FireSchedule(t.Context(), now)
				now, err = w.store.Schedule(t.Context(), s.ID)
				if err != nil {
					t.Fatal(err)
				}
				return now, ferr
			}
			if _, err := fire(); err != nil || runs() != 1 {
				t.Fatalf("while ana may, %d runs: %v", runs(), err)
			}
			d.set(func() { d.away = "person" })
			if now, err := fire(); !errors.Is(err, people.ErrLookup) || now.Paused || runs() != 1 {
				t.Fatalf("while ana cannot be looked up: paused %v, %d runs, %v", now.Paused, runs(), err)
			}
			d.set(func() { d.away = ""; c.become(d) })
			now, err := fire()
			if err != nil || !now.Paused || runs() != 1 {
				t.Fatalf("paused %v, %d runs: %v", now.Paused, runs(), err)
			}
			told, err := w.store.StaleSurfaces(t.Context(), time.Now().Add(time.Hour), 100)
			if err != nil || len(told) == 0 || !strings.Contains(string(told[len(told)-1].Body), c.why) {
				t.Errorf("told %d things, the last %s (%v)", len(told), told[len(told)-1].Body, err)
			}
		})
	}
}

// TestADecidedQuestionIsNoNewsForStrangers: how a question was decided is told to those who may see it, and to nobody else.
func TestADecidedQuestionIsNoNewsForStrangers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := newTown()
	w.directory = d
	w.serve()
	w.save(gateFor(`who: {groups: ["@finance"]},`))
	r := w.begin("")
	w.until(r.ID, "it is known who may answer", asked)
	g := w.gate(r.ID)
	w.answerAs("fin", g, "approve")
	w.ended(r.ID, history.Succeeded)
	d.set(func() { d.people["eve"] = people.Person{Active: true} })
	for user, may := range map[string]bool{"fin": true, "ana": true, "eve": false, "gone": false, "guest": false, "nobody": false} {
		_, err := w.engine.Answer(t.Context(), engine.GateAnswer{Gate: g.ID, Shown: shown(w.engine, g.ID), Choice: "reject", Actor: history.Actor{User: user}})
		_, told := errors.AsType[*engine.DecidedError](err)
		_, denied := errors.AsType[*authority.Denied](err)
		if told != may || denied == may {
			t.Errorf("%s is told %v", user, err)
		}
	}
}
