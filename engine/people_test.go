package engine_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"sluice/engine"
	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/engine/people"
	"sluice/engine/timer"
	"sluice/engine/view"
	"sluice/storage"
)

// town is a directory of a few people. While it is away it cannot be asked.
type town struct {
	mu     sync.Mutex
	groups map[string][]string
	people map[string]people.Person
	away   string // what cannot be asked: name, member or person
	asked  int
}

func newTown() *town {
	active := func(p people.Person) people.Person {
		p.Active = true
		return p
	}
	return &town{
		groups: map[string][]string{"@finance": {"fin"}, "@empty": nil, "@left": {"gone"}, "@bots": {"robot"}, "@bosses": {"ana"}, "#guests": {"guest", "robot"}, "#office": {"fin", "guest"}},
		people: map[string]people.Person{
			"ana": active(people.Person{}), "fin": active(people.Person{}), "gone": {}, "robot": active(people.Person{Bot: true}), "guest": active(people.Person{Guest: true}),
		},
	}
}

func (d *town) set(change func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change()
}

func (d *town) ask(what string) error {
	d.asked++
	if d.away == what {
		return errors.New("nobody picks up the telephone")
	}
	return nil
}

func (d *town) Resolve(_ context.Context, name string) (people.Principal, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.ask("name"); err != nil {
		return people.Principal{}, err
	}
	if _, ok := d.groups[name]; ok {
		return people.Principal{Kind: "group", ID: name, Name: name}, nil
	}
	if _, ok := d.people[strings.TrimPrefix(name, "@")]; ok {
		return people.Principal{Kind: "user", ID: strings.TrimPrefix(name, "@"), Name: name}, nil
	}
	return people.Principal{}, people.ErrUnknownName
}

func (d *town) Members(_ context.Context, p people.Principal) ([]string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if p.Kind == "user" {
		return []string{p.ID}, d.ask("member")
	}
	return d.groups[p.ID], d.ask("member")
}

func (d *town) Person(_ context.Context, id string) (people.Person, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.people[id], d.ask("person")
}

func gateFor(who string) string {
	return `
name: asks
flow:
  entry: gate
  nodes:
    - {id: gate, type: approval, message: "Go?", ` + who + ` deadline: {after: 10h, escalate: {after: 1h, to: "@finance"}}, routes: [{when: default, to: end}]}
`
}

func (w *world) begin(channel string) storage.Run {
	w.t.Helper()
	s, err := w.engine.Start(w.t.Context(), engine.StartRequest{Flow: "asks", Actor: history.Actor{User: "ana"}, Channel: channel})
	if err != nil {
		w.t.Fatal(err)
	}
	return s.Run
}

// asked tells whether a run's gate has found out who may answer it.
func asked(v *view.View) bool { return !waits(history.TimerPeople)(v) }

// A run fails at a gate that opens with nobody who could answer it, and says why; it is never open to all instead.
func TestAGateThatNobodyMayAnswer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, who, channel, why string }{
		{"somebody", `who: {groups: ["@finance"]},`, "", ""},
		{"somebody among others", `who: {groups: ["@empty", "@ghosts"], users: ["@gone", "@fin"]},`, "", ""},
		{"a name that nobody has", `who: {groups: ["@ghosts"]},`, "", "nobody is called @ghosts"},
		{"an empty group", `who: {groups: ["@empty"]},`, "", "@empty has no active members"},
		{"everybody has left", `who: {groups: ["@left"], users: ["@gone"]},`, "", "@left has no active members; @gone is deactivated or a bot"},
		{"bots alone", `who: {groups: ["@bots"]},`, "", "@bots has no active members"},
		{"the requester alone", `who: {groups: ["@bosses"], self_approval: false},`, "", "besides the requester"},
		{"the requester by name", `who: {users: ["@ana"], self_approval: false},`, "", "@ana asked for the run and may not approve it"},
		{"the requester alone, who may", `who: {groups: ["@bosses"]},`, "", ""},
		{"the run's channel", "", "#office", ""},
		{"a channel of guests", "", "#guests", "#guests has no active members"},
		{"the starter", "", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.directory = newTown()
			w.serve()
			w.save(gateFor(c.who))
			v := w.until(w.begin(c.channel).ID, "it is known who may answer", asked)
			g := w.gate(v.Run.ID)
			if c.why == "" {
				if v.Run.Status != string(history.Waiting) || g.Kind != string(history.GateApproval) {
					t.Fatalf("the run is %s, its gate a %s", v.Run.Status, g.Kind)
				}
				return
			}
			body, err := gate.Decode(g)
			if err != nil || v.Run.Status != string(history.Failed) || g.Kind != string(history.GateFailure) || !strings.Contains(body.Opened.Message, c.why) {
				t.Fatalf("the run is %s, its gate a %s: %s (%v)", v.Run.Status, g.Kind, body.Opened.Message, err)
			}
			if old, err := w.store.Gate(t.Context(), gate.ID(v.Run.ID, 1)); err != nil || old.Status == "open" || old.Choice != history.ChoiceCancelled {
				t.Errorf("the gate itself is %s, %s (%v)", old.Status, old.Choice, err)
			}
		})
	}
}

// When all who may answer leave while a gate is open it stays open and can say that nobody may answer. A person who comes back answers it.
func TestAGateOutlivesItsPeople(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := newTown()
	w.directory = d
	w.serve()
	w.save(gateFor(`who: {groups: ["@finance"]},`))
	r := w.begin("")
	v := w.until(r.ID, "it is known who may answer", asked)
	body, err := gate.Decode(w.gate(r.ID))
	if err != nil {
		t.Fatal(err)
	}
	left := func(people ...string) (why string) {
		t.Helper()
		d.set(func() { d.groups["@finance"] = people })
		why, err := w.engine.Unanswerable(t.Context(), v.Run, body)
		if err != nil {
			t.Fatal(err)
		}
		return why
	}
	if why := left("fin"); why != "" {
		t.Errorf("somebody may answer, and yet %s", why)
	}
	if why := left(); why != "nobody may answer: @finance has no active members" {
		t.Errorf("it says %q", why)
	}
	w.clock.Advance(9 * time.Hour)
	w.waits(r.ID)
	if _, err := w.engine.Answer(t.Context(), engine.GateAnswer{Gate: w.gate(r.ID).ID, Shown: shown(w.engine, w.gate(r.ID).ID), Choice: "approve", Actor: history.Actor{User: "fin"}}); err == nil {
		t.Error("who has left may answer")
	}
	if g := w.gate(r.ID); g.Status != "open" {
		t.Errorf("the gate is %s", g.Status)
	}
	left("fin")
	w.answerAs("fin", w.gate(r.ID), "approve")
	w.ended(r.ID, history.Succeeded)
}

// A directory that cannot be asked fails no run: the gate stays open and is asked about again. When people come back, a person's
// retry opens it again.
func TestADirectoryThatIsAwayFailsNothing(t *testing.T) {
	t.Parallel()
	for _, away := range []string{"name", "member", "person"} {
		t.Run(away, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			d := newTown()
			d.away = away
			w.directory = d
			w.serve()
			w.save(gateFor(`who: {groups: ["@left"]},`))
			r := w.begin("")
			w.until(r.ID, "it was tried", func(*view.View) bool {
				d.mu.Lock()
				defer d.mu.Unlock()
				return d.asked >= map[string]int{"name": 1, "member": 2, "person": 3}[away]
			})
			if v := w.until(r.ID, "waiting", waits(history.TimerPeople)); v.Run.Status != string(history.Waiting) {
				t.Fatalf("the run is %s", v.Run.Status)
			}
			d.set(func() { d.away = "" })
			w.clock.Advance(timer.Hold + time.Second)
			w.ended(r.ID, history.Failed)
			d.set(func() { d.groups["@left"] = []string{"fin"} })
			w.answerAs("ana", w.gate(r.ID), history.ChoiceRetry)
			w.until(r.ID, "it is known who may answer", asked)
			w.answerAs("fin", w.gate(r.ID), "approve")
			w.ended(r.ID, history.Succeeded)
		})
	}
}

// A process that dies between the opening of a gate and the question who may answer it leaves the question to the next one.
func TestAGateIsAskedAboutAfterACrash(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.directory = newTown()
	w.open()
	w.save(gateFor(`who: {groups: ["@empty"]},`))
	r := w.begin("") // by an engine that does not serve
	if _, err := w.store.ClaimTimers(t.Context(), "", w.clock.Now(), timer.Hold, 10); err != nil {
		t.Fatal(err)
	}
	w.close()
	w.clock.Advance(timer.Hold + time.Second)
	w.serve()
	v := w.ended(r.ID, history.Failed)
	n := 0
	for _, f := range v.Facts {
		if f.Kind == history.KindOf((*history.StepFailed)(nil)) {
			n++
		}
	}
	if n != 1 {
		t.Errorf("the gate failed %d times", n)
	}
}
