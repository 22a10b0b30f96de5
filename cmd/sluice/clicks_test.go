package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// clicking is many people pressing the buttons of many open questions, several of them the same ones.
type clicking struct {
	gates  int
	rate   int // clicks a second
	length time.Duration
}

// pressed is a click and how long Slack waited for its acknowledgement.
type pressed struct {
	took   time.Duration
	failed string
}

// clicked opens questions and has people press their buttons. Every question must be decided once, by the choice that its card shows, and no
// card may be lost. It gives how long the acknowledgements took, in order.
func clicked(t *testing.T, s setup, c clicking) []time.Duration {
	t.Helper()
	address := reserved(t)
	s.apart, s.rate = true, 100_000
	s.settings = append(slices.Clone(s.settings), "SLUICE_SECRET_HOOK_REFUNDS="+hookKey, "SLUICE_HTTP_ADDR="+address)
	w := newWorld(t, s)
	card := w.put("ana", "", "storm.yaml", stormFlow)
	w.click("ana", card, "Approve")
	w.untilShown(card, "Approved as version 1")
	for n := range c.gates {
		if status, text, err := deliver(t.Context(), "http://"+address, fmt.Sprint("click-", n), fmt.Sprintf(`{"n":"%04d"}`, n)); err != nil || status >= 300 {
			t.Fatalf("start %d: %d %s %v", n, status, text, err)
		}
	}
	open := w.questions(c.gates, func(m message) bool { return has(m, "Approve") })
	acks := w.pressAll(c, open)
	decided := w.questions(c.gates, func(m message) bool { return len(m.buttons()) == 0 })
	w.checkDecisions(open, decided)
	slices.Sort(acks)
	return acks
}

// questions waits until so many questions are as they should be.
func (w *world) questions(n int, fits func(message) bool) []message {
	w.Helper()
	for limit := time.Now().Add(patience + time.Duration(n)*time.Second); ; {
		all := filter(w.state("#support"), func(m message) bool { return strings.Contains(m.shown(), "*Go on with ") && fits(m) })
		if len(all) == n {
			return all
		}
		if time.Now().After(limit) {
			w.Fatalf("%d of %d questions are there:\n%s", len(all), n, w.whatWaits())
		}
		rest(w.T, 200*time.Millisecond)
	}
}

// pressAll presses at a steady rate, whether earlier presses were acknowledged or not: one question after the other, by several people at once.
func (w *world) pressAll(c clicking, open []message) []time.Duration {
	w.Helper()
	people, choices := []string{"ana", "bob", "fin"}, []string{"Approve", "Reject"}
	total := int(c.length.Seconds() * float64(c.rate))
	done := make([]pressed, total)
	var under sync.WaitGroup
	tick := time.NewTicker(time.Second / time.Duration(c.rate))
	defer tick.Stop()
	again := max(1, total/len(open)) // so often each question is pressed, one time right after the other
	for i := range total {
		<-tick.C
		m := open[i/again%len(open)]
		e, _ := m.button(choices[i%len(choices)])
		click := stale(press(people[i%len(people)], m, e)) // they all see it open
		under.Go(func() {
			began := time.Now()
			a, err := w.call(http.MethodPost, "action", click)
			done[i].took = time.Since(began)
			if err != nil || !a.OK && a.Error != slow { // a busy machine takes longer than Slack waits, which the figures show
				done[i].failed = fmt.Sprint(err, a.Error, a.Detail)
			}
		})
	}
	under.Wait()
	var acks []time.Duration
	for i, p := range done {
		if acks = append(acks, p.took); p.failed != "" {
			w.Errorf("click %d was not acknowledged: %s", i, p.failed)
		}
	}
	return acks
}

// checkDecisions wants each question in its place, and its run to go on as its card says, once.
func (w *world) checkDecisions(open, decided []message) {
	w.Helper()
	var wrong []string
	for limit := time.Now().Add(patience); ; rest(w.T, 200*time.Millisecond) {
		if wrong = w.wrongDecisions(open, decided); len(wrong) == 0 {
			return
		}
		if time.Now().After(limit) {
			w.Fatalf("%d questions are wrong:\n%s", len(wrong), strings.Join(wrong, "\n"))
		}
	}
}

func (w *world) wrongDecisions(open, decided []message) (wrong []string) {
	w.Helper()
	count := map[string]int{}
	for _, m := range w.state("#support") {
		if m.Bot && m.EphemeralTo == "" {
			count[m.Text]++
		}
	}
	for i, m := range decided {
		_, name, _ := strings.Cut(m.shown(), "*Go on with ")
		name, _, _ = strings.Cut(name, "?")
		want := 0
		if strings.Contains(m.shown(), "Approve* by") {
			want = 1
		} else if !strings.Contains(m.shown(), "Reject* by") {
			wrong = append(wrong, fmt.Sprintf("the question about %s is not decided:\n%s", name, m.shown()))
		}
		if m.TS != open[i].TS {
			wrong = append(wrong, fmt.Sprintf("the question about %s is another message than before", name))
		}
		if n := count["last of "+name]; n != want {
			wrong = append(wrong, fmt.Sprintf("run %s went on %d times, and its card shows:\n%s", name, n, m.shown()))
		}
	}
	return wrong
}

// TestManyClicks: several people press the same buttons at the same time. The test runs beside no other one.
func TestManyClicks(t *testing.T) {
	clicked(t, setup{}, clicking{gates: 20, rate: 100, length: 2 * time.Second})
}
