package runner

import (
	"testing"
	"time"
)

// TestPace: a run makes its burst at once, then so many steps a second, and has its burst again after a rest.
func TestPace(t *testing.T) {
	t.Parallel()
	p := paces{Pace: Pace{PerSecond: 10, Burst: 100}}
	now := time.Unix(0, 0)
	for _, c := range []struct {
		after time.Duration
		steps int
		want  time.Duration
	}{
		{0, 5000, 0}, // made before this process knew the run
		{0, 5100, 0},
		{0, 5110, time.Second},
		{time.Second, 5110, 0},
		{0, 5130, 2 * time.Second},
		{time.Second, 5130, time.Second},
		{time.Hour, 5130, 0},
		{0, 5230, 0},
		{0, 5231, time.Second / 10},
	} {
		now = now.Add(c.after)
		if got := p.wait("r", c.steps, now); got.Round(time.Millisecond) != c.want {
			t.Errorf("at %d steps it waits %s, want %s", c.steps, got, c.want)
		}
	}
	if got := p.wait("other", 0, now); got != 0 {
		t.Errorf("another run waits %s", got)
	}
	if got := (&paces{}).wait("r", 1_000_000, now); got != 0 {
		t.Errorf("without a pace it waits %s", got)
	}
}
