package engine

import (
	"testing"
	"time"
)

// TestStarts: a flow may start so often in a minute, whatever others do.
func TestStarts(t *testing.T) {
	t.Parallel()
	s := starts{perMinute: 60}
	now := time.Unix(0, 0)
	for range 60 {
		if err := s.take("a", now); err != nil {
			t.Fatal(err)
		}
	}
	if s.take("a", now) == nil || s.take("b", now) != nil {
		t.Error("the bound is not one of each flow")
	}
	if s.take("a", now.Add(time.Second)) != nil || s.take("a", now.Add(time.Second)) == nil {
		t.Error("a second later one more may start, and no second one")
	}
	if (&starts{}).take("a", now) != nil {
		t.Error("without a bound it is refused")
	}
}
