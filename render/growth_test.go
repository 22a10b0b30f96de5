//go:build growth

package render

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// TestManyPicturesDoNotGrow makes thousands of pictures. It takes a minute, so it has a build tag of its own:
//
//	go test -tags growth -run Grow -v ./render
//
// Pictures of known charts leave nothing behind. A chart that is new leaves some 15 KiB for each of its layouts inside
// Graphviz, whose wrapper does not free what it hands out; the bound is on that.
func TestManyPicturesDoNotGrow(t *testing.T) {
	for _, c := range []struct {
		name           string
		pictures       int
		charts         int   // that come again and again, 0 for a new one every time
		heap, resident int64 // by how much they may grow, in KiB
	}{
		{"known charts", 2000, 40, 4 << 10, 24 << 10},
		{"new charts", 400, 0, 48 << 10, 96 << 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := New(Options{Charts: 64, Patience: patient.Patience})
			draw := func(i int) {
				seed := i
				if c.charts > 0 {
					seed = i % c.charts
				}
				p := randomChart(uint64(seed))
				q := Request{Chart: p, Overlay: randomOverlay(uint64(i), p), Scale: 1}
				var err error
				if i%4 == 0 {
					_, err = r.PNG(t.Context(), q)
				} else {
					_, err = r.SVG(t.Context(), q)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			const warm = 200
			for i := range warm {
				draw(i)
			}
			heap, resident := memory(t)
			for i := range c.pictures {
				draw(warm + i)
			}
			heapAfter, residentAfter := memory(t)
			t.Logf("%d pictures: heap %+d KiB to %d, resident %+d KiB to %d", c.pictures, heapAfter-heap, heapAfter, residentAfter-resident, residentAfter)
			if heapAfter-heap > c.heap {
				t.Errorf("the heap grew by more than %d KiB", c.heap)
			}
			if residentAfter-resident > c.resident {
				t.Errorf("the process grew by more than %d KiB", c.resident)
			}
		})
	}
}

// memory is the live heap, and what the process holds of the machine (0 where the system does not say), in KiB.
func memory(t *testing.T) (heap, resident int64) {
	t.Helper()
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return int64(m.HeapAlloc >> 10), 0
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kib, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return int64(m.HeapAlloc >> 10), kib
		}
	}
	return int64(m.HeapAlloc >> 10), 0
}
