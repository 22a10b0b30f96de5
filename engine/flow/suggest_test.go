package flow

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestDistance compares the narrow computation with the plain one.
func TestDistance(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	word := func() string {
		b := make([]byte, r.IntN(9))
		for i := range b {
			b[i] = "abc"[r.IntN(3)]
		}
		return string(b)
	}
	for range 20_000 {
		a, b, most := word(), word(), 1+r.IntN(4)
		want := min(distance(a, b, 99), most+1)
		if got := distance(a, b, most); got != want {
			t.Fatalf("%q %q within %d: %d, want %d", a, b, most, got, want)
		}
	}
	for _, tt := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"abc", "acb", 1}, {"kitten", "sitting", 3}, {"route", "routes", 1}, {"ünï", "uni", 2}} {
		if got := distance(tt.a, tt.b, 9); got != tt.want {
			t.Errorf("%q %q: %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	names := []string{"triage", "triage_retry", "refund", "refunds", "gate", "end", "a", "b"}
	for name, want := range map[string][]string{
		"refnd": {"refund", "refunds"}, "refundss": {"refunds", "refund"}, "Gate": {"gate"}, "ned": {"end"}, "triag": {"triage", "triage_retry"},
		"c": nil, "": nil, "something-else": nil, "A": {"a"},
	} {
		if got := nearest(name, names); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
}
