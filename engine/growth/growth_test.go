package growth

import (
	"strings"
	"testing"
)

// recorder keeps what a test would have said.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Helper()               {}
func (r *recorder) Errorf(string, ...any) { r.failed = true }

func TestLinearWorkPassesAndQuadraticWorkFails(t *testing.T) {
	sum := 0
	for _, c := range []struct {
		name  string
		work  func(n int)
		fails bool
	}{
		{"linear", func(n int) {
			for i := range n {
				sum += strings.Count("abcabcabcabc", "bc") + i
			}
		}, false},
		{"quadratic", func(n int) {
			for i := range n {
				for j := range n {
					sum += i ^ j
				}
			}
		}, true},
		{"quadratic but tiny", func(n int) {
			for i := range min(n, 100) {
				for j := range min(n, 100) {
					sum += i ^ j
				}
			}
		}, false},
	} {
		r := &recorder{TB: t}
		Linear(r, 1<<20, func(n int) func() { return func() { c.work(n) } })
		if r.failed != c.fails {
			t.Errorf("%s work: failed is %v", c.name, r.failed)
		}
	}
}

func TestShapesHaveTheSizeAskedFor(t *testing.T) {
	t.Parallel()
	for _, s := range Shapes {
		if n := len(s.Text(4000)); n < 3900 || n > 4100 {
			t.Errorf("%s: %d bytes", s.Name, n)
		}
	}
}
