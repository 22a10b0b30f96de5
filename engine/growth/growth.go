// Package growth tests how the cost of work grows with its input: work whose time grows faster than the text of one person
// takes the time of everybody else.
//
// It compares the times of an input and of one 16 times as large in the same run, and never asserts a time by itself. It
// knows nothing about the work. Begin with Texts for work on a text, else with Linear.
//
// Tests that use it are not parallel: the time is that of the processor in all of the process, with what the work starts
// and what it leaves to the garbage collector. How busy the machine is does not matter then.
//
// # Decisions
//
//   - Times and not counters: a counter finds the loops that somebody thought of. The shortest of several times is compared.
//     Linear work takes 16 times as long, quadratic work 256 times, and the bound is 80.
package growth

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

const (
	factor = 16                     // between the two sizes that are compared
	bound  = 5 * factor             // how much longer the larger one may take: new memory costs more than a cache
	enough = 3 * time.Millisecond   // work that takes as long is large enough to be judged
	little = 2 * time.Millisecond   // work that takes less at its largest size hurts nobody
	copied = 10 * time.Nanosecond   // nor does work that takes less for each byte, which is the time of memory
	sample = 100 * time.Microsecond // shorter work is repeated for so long, or the clock would be what is measured
	sure   = 2 * time.Millisecond   // ... and for so long before it is found to grow too fast: a short time may miss what other threads of the process did
	rounds = 8                      // as often is measured again before work is found to grow too fast
	first  = 128                    // the smallest size
)

// Linear fails when the time of the work grows faster than its size. Sizes double from 128 to most, which should be the
// largest that the program accepts. prepare makes the input of a size; what it returns is measured.
func Linear(t testing.TB, most int, prepare func(size int) func()) {
	t.Helper()
	Between(t, first, most, prepare)
}

// Between is Linear for sizes from least: work that is done in another way above a size is compared on each side of it alone.
func Between(t testing.TB, least, most int, prepare func(size int) func()) {
	t.Helper()
	type sized struct {
		size int
		work func()
		best time.Duration
	}
	var all []sized
	for n := min(least, most); ; n = min(2*n, most) {
		work := prepare(n)
		all = append(all, sized{n, work, best(work, 1, sample)})
		if n == most || n >= factor*least && all[len(all)-1].best >= enough { // smaller, and no size is a sixteenth of it
			break
		}
	}
	large := &all[len(all)-1]
	small := &all[0]
	for i := range all {
		if all[i].size*factor <= large.size {
			small = &all[i]
		}
	}
	small.best = best(small.work, 5, sample) // measured too long, it would excuse the large one
	for round := range rounds {
		if large.best < little+copied*time.Duration(large.size) || large.best <= bound*small.best {
			return
		}
		if again := best(small.work, 5, sure); round == 0 || again < small.best {
			small.best = again
		}
		large.best = min(large.best, best(large.work, 1, sample))
	}
	t.Errorf("size %d takes %s and size %d takes %s, %.0f times as long: that is more than linear",
		small.size, small.best, large.size, large.best, float64(large.best)/float64(small.best))
}

// best is the shortest of so many measured times of one call, which is repeated for a while.
func best(work func(), times int, while time.Duration) time.Duration {
	shortest := time.Duration(1 << 62)
	for range times {
		start, all, calls := spent(), time.Duration(0), 0
		for all < while {
			work()
			calls++
			all = spent() - start
		}
		shortest = min(shortest, all/time.Duration(calls))
	}
	return shortest
}

// Texts fails when the time of the work grows faster than the text that it is given, for each of the shapes of text in Shapes.
// Texts have up to most bytes.
func Texts(t *testing.T, most int, work func(text string)) {
	t.Helper()
	for _, s := range Shapes {
		t.Run(s.Name, func(t *testing.T) {
			Linear(t, most, func(size int) func() {
				text := s.Text(size)
				return func() { work(text) }
			})
		})
	}
}

// Around is Texts for work on a text that stands between two others: a part of a document, of a sentence, of an expression.
func Around(t *testing.T, most int, before, after string, work func(text string)) {
	t.Helper()
	Texts(t, most, func(text string) { work(fmt.Sprint(before, text, after)) })
}

// Fuzz is Texts for shapes that a fuzzer finds: each is what it gives, repeated. go test tries a few, go test -fuzz as many as there is
// time for.
func Fuzz(f *testing.F, most int, work func(text string)) {
	for _, unit := range []string{"a", "a ", "<@U1>*_`", "(\"", "e\u0301\u200d"} {
		f.Add(unit)
	}
	f.Fuzz(func(t *testing.T, unit string) {
		if unit == "" || len(unit) > longestUnit {
			t.Skip("nothing to repeat, or too long to be repeated often")
		}
		Linear(t, most, func(size int) func() {
			text := strings.Repeat(unit, size/len(unit)+1)
			return func() { work(text) }
		})
	})
}

// longestUnit is how long a repeated part may be: the smallest text has two of them.
const longestUnit = first / 2
