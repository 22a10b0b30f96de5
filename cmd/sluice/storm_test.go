package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sluice/storage"
	"sluice/storage/pgtest"
)

// stormFlow says something first, asks, and says something last.
const stormFlow = `
name: storm
run: {title: "Storm {{inputs.n}}"}
inputs: {n: {type: string, required: true}}
triggers: [{webhook: {path: refunds}}]
flow:
  entry: first
  nodes:
    - {id: first, type: say, message: "first of {{inputs.n}}", routes: [{to: ask}]}
    - {id: ask, type: approval, message: "Go on with {{inputs.n}}?", routes: [{when: "approvals.ask == 'approve'", to: last}, {when: default, to: end}]}
    - {id: last, type: say, message: "last of {{inputs.n}}", routes: [{to: end}]}
`

// storm is the load and the faults of a test in which many runs start at once.
type storm struct {
	runs      int
	away      time.Duration // Slack does not answer, from the moment when half of the runs are started
	token     time.Duration // after that it does not accept the token
	limited   int           // percent of its answers that are "too many requests", each with a second's pause
	limits    int           // such answers after the outage
	processes int
	rate      int // SLUICE_MESSAGES_PER_MINUTE
	patience  time.Duration
}

// runStorm starts runs while Slack fails, and checks that every run ends, that every message is there once and in order, and that every
// question could be answered.
func runStorm(t *testing.T, s setup, st storm) {
	s.apart = true
	s.settings = append(s.settings, "SLUICE_SECRET_HOOK_REFUNDS="+hookKey)
	s.rate = st.rate
	address := reserved(t)
	first := s
	first.settings = append(slices.Clone(s.settings), "SLUICE_HTTP_ADDR="+address)
	w := newWorld(t, first)
	w.post("limits", fields{"times": float64(st.rate) / 40})
	for range st.processes - 1 {
		other := *w
		other.settings = append(slices.Clone(s.settings), "SLUICE_HTTP_ADDR="+reserved(t))
		if _, err := other.serve("another").says(`sluice serves`); err != nil {
			t.Fatal(err)
		}
	}
	card := w.put("ana", "", "storm.yaml", stormFlow)
	w.click("ana", card, "Approve")
	w.untilMessage("#support", "the approved draft", func(m message) bool { return m.TS == card.TS && strings.Contains(m.shown(), "Approved as version 1") })

	limited := func(times int) {
		if st.limited == 0 {
			return
		}
		w.fault(fields{"target": "api", "kind": "429", "after": "1s", "percent": st.limited, "times": times})
	}
	limited(1_000_000)
	begun := time.Now()
	var starts sync.WaitGroup
	half := make(chan struct{}, st.runs)
	for lane := range 4 {
		starts.Go(func() {
			for n := lane; n < st.runs; n += 4 {
				status, text, err := deliver(t.Context(), "http://"+address, fmt.Sprintf("storm-%d", n), fmt.Sprintf(`{"n":"%04d"}`, n))
				if err != nil || status >= 300 {
					t.Errorf("start %d: %d %s %v", n, status, text, err)
				}
				half <- struct{}{}
			}
		})
	}
	for range st.runs / 2 {
		<-half
	}
	w.fault(fields{"target": "api", "kind": "drop", "times": 1_000_000})
	starts.Wait()
	started := time.Since(begun)
	rest(t, st.away)
	w.post("heal", fields{})
	if st.token > 0 {
		w.fault(fields{"target": "api", "kind": "refuse", "error": "invalid_auth", "times": 1_000_000})
		rest(t, st.token)
		w.post("heal", fields{})
	}
	limited(st.limits)
	well := time.Now()
	all := w.answerAll(st)
	over := time.Since(well)
	w.checkStorm(st, all)
	calls := w.get("calls")
	for method, n := range calls.Exceeded {
		if n > 2+calls.Allowed[method]/50 {
			t.Errorf("%d calls of %s were beyond Slack's limits, %d within", n, method, calls.Allowed[method])
		}
	}
	posts := len(filter(all, func(m message) bool { return m.Bot && m.EphemeralTo == "" }))
	t.Logf("%d runs started in %s; %s after Slack's outage every run had ended and every card was right: %d messages, of which the budget allows %d a minute in a channel; calls beyond Slack's limits: %v of %v",
		st.runs, started.Round(time.Millisecond), over.Round(time.Millisecond), posts, 60*st.rate/40, calls.Exceeded, calls.Allowed)
}

// rest waits: it is the length of the outage.
func rest(t *testing.T, d time.Duration) {
	t.Helper()
	select {
	case <-time.After(d):
	case <-t.Context().Done():
	}
}

// answerAll answers every question when it appears, and gives the messages when every run is over and its status says so.
func (w *world) answerAll(st storm) []message {
	w.Helper()
	answered := map[string]bool{}
	limit := time.Now().Add(st.patience)
	for {
		all := w.state("#support")
		done := 0
		for _, m := range all {
			if _, open := m.button("Approve"); open && strings.Contains(m.shown(), "Go on with") && !answered[m.TS] {
				answered[m.TS] = true
				w.click("fin", m, "Approve")
			}
			if isStatus(m) && strings.Contains(m.shown(), "*Done* in") {
				done++
			}
		}
		if done == st.runs {
			return all
		}
		if time.Now().After(limit) {
			w.Fatalf("%d of %d runs are done, %d questions were answered:\n%s", done, st.runs, len(answered), w.whatWaits())
		}
		rest(w.T, 200*time.Millisecond)
	}
}

// whatWaits lists what is not shown yet.
func (w *world) whatWaits() (out string) {
	if w.database == "" {
		return w.bot.output()
	}
	w.look(func(ctx context.Context, s storage.Store) error {
		stale, err := s.StaleSurfaces(ctx, time.Now().Add(time.Hour), 50)
		for _, f := range stale {
			out += fmt.Sprintf("%s %s tries %d retry %s blocked %q\n", f.Kind, f.ID, f.Tries, f.RetryAt.Format(time.TimeOnly), f.Blocked)
		}
		return err
	})
	return out
}

func (w *world) checkStorm(st storm, all []message) {
	w.Helper()
	byText := map[string][]message{}
	for _, m := range all {
		if m.Bot {
			byText[m.Text] = append(byText[m.Text], m)
		}
	}
	statuses := filter(all, isStatus)
	if len(statuses) != st.runs {
		w.Errorf("%d status messages for %d runs", len(statuses), st.runs)
	}
	for n := range st.runs {
		name := fmt.Sprintf("%04d", n)
		first, last := byText["first of "+name], byText["last of "+name]
		if len(first) != 1 || len(last) != 1 {
			w.Errorf("run %s: %d first and %d last messages", name, len(first), len(last))
			continue
		}
		root := first[0].Thread
		if root == "" || last[0].Thread != root {
			w.Errorf("run %s: the messages are in the threads %q and %q", name, root, last[0].Thread)
		}
		gates := filter(all, func(m message) bool {
			return m.Bot && m.Thread == root && m.EphemeralTo == "" && strings.Contains(m.shown(), "Go on with "+name)
		})
		if len(gates) != 1 || !(root < first[0].TS && first[0].TS < gates[0].TS && gates[0].TS < last[0].TS) {
			w.Errorf("run %s: %d questions; status %s, first %s, last %s", name, len(gates), root, first[0].TS, last[0].TS)
		}
	}
}

// TestABurstFailsNoRun: many runs start at once while Slack is away, does not accept the token, and answers every tenth call that there are
// too many.
func TestABurstFailsNoRun(t *testing.T) {
	t.Parallel()
	st := storm{runs: 25, away: 3 * time.Second, token: 2 * time.Second, limited: 10, limits: 5, rate: 4000, patience: 2 * patience}
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		st := st
		st.processes = 1
		runStorm(t, setup{}, st)
	})
	t.Run("Postgres", func(t *testing.T) {
		t.Parallel()
		st := st
		st.processes = 2
		runStorm(t, setup{database: pgtest.URL(t)}, st)
	})
}

// TestTwoProcessesStayWithinOneBudget: Slack counts the calls of both, and its limits are those that the budget was made for.
func TestTwoProcessesStayWithinOneBudget(t *testing.T) {
	t.Parallel()
	runStorm(t, setup{database: pgtest.URL(t)}, storm{runs: 20, rate: 400, processes: 2, patience: patience})
}
