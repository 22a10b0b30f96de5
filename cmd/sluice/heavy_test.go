package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// heavy are files that people may drop and that are hard to draw, as far as validation accepts them.
func heavy() map[string]string {
	one := func(name, message string) string {
		return fmt.Sprintf("name: heavy\nflow:\n  entry: a\n  nodes:\n    - {id: a, name: %q, type: approval, message: %q, routes: [{to: end}]}\n", name, message)
	}
	var chain, branches, ids strings.Builder
	chain.WriteString("name: heavy\nflow:\n  entry: n0\n  nodes:\n")
	for i := range 999 {
		to := fmt.Sprint("n", i+1)
		fmt.Fprintf(&chain, "    - {id: n%d, type: say, message: hello, routes: [{when: 'state.a == %d', to: n%d}, {to: %s}]}\n", i, i, min(i+1+i*7%50, 999), to)
	}
	chain.WriteString("    - {id: n999, type: say, message: hello, routes: [{to: end}]}\n")
	for i := range 500 {
		fmt.Fprintf(&ids, "b%d, ", i)
		fmt.Fprintf(&branches, "    - {id: b%d, type: say, message: hello, routes: [{to: end}]}\n", i)
	}
	return map[string]string{
		"word.yaml":     one(strings.Repeat("W", 9000), "Well?"),
		"question.yaml": one("Ask", strings.Repeat("Is this what you want? ", 1500)),
		"marks.yaml":    one("Z"+strings.Repeat("\u0301", 3000), "Well?"),
		"bidi.yaml":     one(strings.Repeat("\u202eabc\u202c אבג ", 400), "Well?"),
		"emoji.yaml":    one(strings.Repeat("👨\u200d👩\u200d👧\u200d👦", 400), "Well?"),
		"joined.yaml":   one(strings.Repeat("👩\u200d", 3000), "Well?"),
		"nodes.yaml":    chain.String(),
		"branches.yaml": "name: heavy\nflow:\n  entry: p\n  nodes:\n    - {id: p, type: parallel, branches: [" + strings.TrimSuffix(ids.String(), ", ") + "], routes: [{to: end}]}\n" + branches.String(),
	}
}

// crowdedSeed is the usual workspace with more channels.
func crowdedSeed(n int) (seed string, channels []string) {
	var out strings.Builder
	out.WriteString(`workspace: {name: Crowded}
bot: {token: xoxb-dev, app_token: xapp-dev, user: sluice, name: Sluice}
users: [{name: ana, admin: true}, {name: bob}, {name: fin}]
commands: [{command: /flow}]
channels:
  - {name: support, members: [ana, bob, fin, sluice]}
`)
	for i := range n {
		name := fmt.Sprint("c", i)
		fmt.Fprintf(&out, "  - {name: %s, members: [ana, bob, fin, sluice]}\n", name)
		channels = append(channels, "#"+name)
	}
	return out.String(), channels
}

// TestAHeavyFileDelaysNoQuestion: people drop files that are hard to draw. The questions of 8 other channels appear about as soon as
// without them, also when the program is killed and started again in the middle. Times are compared: it runs beside no other test.
func TestAHeavyFileDelaysNoQuestion(t *testing.T) {
	seed, channels := crowdedSeed(8)
	w := newWorld(t, setup{apart: true, seed: seed, rate: 6000, settings: []string{"SLUICE_MAX_BRANCHES=500"}})
	for i, c := range channels {
		w.drop("ana", c, "", "@Sluice", "asking.yaml", strings.Replace(asking, "name: asking", fmt.Sprint("name: asking", i), 1))
	}
	for _, c := range channels {
		w.click("ana", w.untilMessage(c, "the draft", func(m message) bool { return slices.Contains(m.buttons(), "Approve") }), "Approve")
	}
	for _, c := range channels {
		w.untilMessage(c, "the approved draft", func(m message) bool { return strings.Contains(m.shown(), "Approved as version 1") })
	}
	ask := func(n int) {
		for i, c := range channels {
			w.flow("ana", c, fmt.Sprintf("run asking%d n=%d", i, n))
		}
	}
	// appeared says how long after a moment the questions of a round were all there.
	appeared := func(n int, since time.Time) time.Duration {
		for _, c := range channels {
			w.untilMessage(c, "the question", func(m message) bool {
				return strings.Contains(m.shown(), fmt.Sprintf("Go on with %d?", n)) && slices.Contains(m.buttons(), "Approve")
			})
		}
		return time.Since(since)
	}
	// measured asks twice: of a program that runs, and of one that is killed as soon as it was asked.
	measured := func(n int, beside func()) (running, restarted time.Duration) {
		beside()
		began := time.Now()
		ask(n)
		running = appeared(n, began)
		beside()
		ask(n + 1)
		w.bot.kill()
		w.startBot()
		return running, appeared(n+1, time.Now())
	}
	running, restarted := measured(1, func() {})
	heavyRunning, heavyRestarted := measured(3, func() {
		for name, text := range heavy() {
			w.drop("bob", "#support", "", "@Sluice", name, text)
		}
	})
	t.Logf("8 questions appeared within %v, beside heavy files within %v; after a restart within %v and %v", running, heavyRunning, restarted, heavyRestarted)
	if most := 5*running + 5*time.Second; heavyRunning > most {
		t.Errorf("the questions appeared after %v, and without the heavy files after %v", heavyRunning, running)
	}
	if most := 5*restarted + 5*time.Second; heavyRestarted > most {
		t.Errorf("after a restart the questions appeared after %v, and without the heavy files after %v", heavyRestarted, restarted)
	}
	files := 2 * len(heavy())
	until(w, "#support", "a draft of each heavy file", func(all []message) (int, bool) {
		n := len(filter(all, func(m message) bool { return m.Bot && strings.Contains(m.shown(), "Heavy, draft 1\n") }))
		return n, n >= files
	})
}
