package slack

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"sluice/bot/project"
)

func TestBudget(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBudget(40)
		post := func(channel string) call { return call{method: methodPost, channel: channel} }
		edit := call{method: methodUpdate}
		for range channelBurst {
			if held := b.held(post("C1")); held != 0 {
				t.Fatalf("held for %v within the burst", held)
			}
			if err := b.take(t.Context(), post("C1")); err != nil {
				t.Fatal(err)
			}
		}
		if held := b.held(post("C1")); held <= 0 || held > time.Second {
			t.Errorf("a message too many is held for %v", held)
		}
		if b.held(post("C2")) != 0 || b.held(edit) != 0 {
			t.Error("another channel or an edit is held")
		}
		time.Sleep(b.held(post("C1")))
		if held := b.held(post("C1")); held > time.Millisecond {
			t.Errorf("after that time it is still held for %v", held)
		}
	})
}

// TestEditsOfQuestionsComeFirst: whatever else is edited, some edits are left for questions, and all together stay within what Slack allows.
func TestEditsOfQuestionsComeFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBudget(40)
		const slackAllows = 50
		edits := 0
		for start := time.Now(); time.Since(start) < 10*time.Minute; {
			for b.held(call{method: methodUpdate}) <= 0 {
				if err := b.take(t.Context(), call{method: methodUpdate}); err != nil {
					t.Fatal(err)
				}
				edits++
			}
			if time.Since(start)%(10*time.Second) == 0 {
				gate := call{method: methodUpdate, urgent: true}
				if held := b.held(gate); held > 0 {
					t.Fatalf("after %v a question's edit is held for %v", time.Since(start), held)
				}
				if err := b.take(t.Context(), gate); err != nil {
					t.Fatal(err)
				}
				edits++
			}
			time.Sleep(time.Second)
		}
		if edits > 10*slackAllows+20 {
			t.Errorf("%d edits in ten minutes", edits)
		}
	})
}

func TestAPauseKeepsBackOneMethod(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBudget(40)
		b.pause(methodPost, "C1", time.Minute)
		if held := b.held(call{method: methodPost, channel: "C1", urgent: true}); held != time.Minute {
			t.Errorf("a post to the channel is held for %v", held)
		}
		if b.held(call{method: methodPost, channel: "C2"}) != 0 || b.held(call{method: methodUpdate}) != 0 {
			t.Error("another channel or another method is held")
		}
		b.pause(methodUpdate, "", time.Minute)
		if b.held(call{method: methodUpdate, urgent: true}) != time.Minute || b.held(call{method: methodPost, channel: "C2"}) != 0 {
			t.Error("a pause of edits keeps back what it should not, or not what it should")
		}
		var retry *project.RetryError
		if err := b.take(t.Context(), call{method: methodUpdate}); !errors.As(err, &retry) || retry.After != time.Minute {
			t.Errorf("a call in a pause gave %v", err)
		}
	})
}

// Many calls that wait for their turn at once take no more than there is.
func TestCallsAtOnceStayWithinTheBudget(t *testing.T) {
	t.Parallel()
	b := newBudget(400) // ten new messages a second in a channel, and ten at once
	c := call{method: methodPost, channel: "C1"}
	var taken atomic.Int32
	begun := time.Now()
	var all sync.WaitGroup
	for range 60 {
		all.Go(func() {
			if b.take(t.Context(), c) == nil {
				taken.Add(1)
			}
		})
	}
	all.Wait()
	if most := channelBurst + int32(10*time.Since(begun).Seconds()) + 1; taken.Load() > most {
		t.Errorf("%d calls had their turn, of %d that the budget allows", taken.Load(), most)
	}
}
