package slack

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestBudget(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBudget(6000)
		for range channelBurst {
			if held := b.held("C1", false); held != 0 {
				t.Fatalf("held for %v within the burst", held)
			}
			if err := b.wait(t.Context(), "C1", false); err != nil {
				t.Fatal(err)
			}
		}
		if held := b.held("C1", false); held <= 0 || held > time.Second {
			t.Errorf("a message too many is held for %v", held)
		}
		if b.held("C1", true) != 0 || b.held("C2", false) != 0 || b.held("", false) != 0 {
			t.Error("a question, another channel or an edit is held")
		}
		time.Sleep(b.held("C1", false))
		if held := b.held("C1", false); held > time.Millisecond {
			t.Errorf("after that time it is still held for %v", held)
		}
		b.pause(time.Minute)
		if held := b.held("C2", true); held != time.Minute {
			t.Errorf("with a pause of a minute a question is held for %v", held)
		}
	})
}
