package render

import (
	"bytes"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/engine/flow"
	"sluice/engine/flow/chart"
)

// chain is a chart of n nodes with a decision at every fourth, for measuring.
func chain(n int) chart.Chart {
	s := newSketch("Chain")
	kinds := []flow.FlowchartType{flow.TypeProcess, flow.TypeIO, flow.TypeDatabase, flow.TypeDecision}
	for i := range n {
		s.node(id(i), "Step "+id(i), "does its part", kinds[i%len(kinds)])
		if i > 0 {
			s.edge(id(i-1), id(i), "")
		}
		if i%4 == 3 && i+3 < n {
			s.edge(id(i), id(i+3), "No")
		}
	}
	return s.chart
}

func id(i int) string { return "n" + string(rune('a'+i/26)) + string(rune('a'+i%26)) }

var sizes = []struct {
	name  string
	chart chart.Chart
}{{"5", linear()}, {"15", incident()}, {"40", chain(40)}}

// median runs work as often as the benchmark asks for and reports the time that half of the runs stay below: on a busy
// machine the mean says more about the others.
func median(b *testing.B, work func() error) {
	b.Helper()
	var took []time.Duration
	for b.Loop() {
		start := time.Now()
		if err := work(); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
}

// BenchmarkPicture makes pictures of charts that are new every time, and beside each one of the same graph by the program
// dot, a process for each.
func BenchmarkPicture(b *testing.B) {
	for _, s := range sizes {
		b.Run("png/"+s.name+"/sluice", func(b *testing.B) {
			median(b, func() error {
				_, err := New(patient).PNG(b.Context(), Request{Chart: s.chart})
				return err
			})
		})
		b.Run("png/"+s.name+"/dot", func(b *testing.B) { native(b, s.chart, "-Tpng", "-Gdpi=192") })
		b.Run("svg/"+s.name+"/sluice", func(b *testing.B) {
			median(b, func() error {
				_, err := New(patient).SVG(b.Context(), Request{Chart: s.chart})
				return err
			})
		})
		b.Run("svg/"+s.name+"/dot", func(b *testing.B) { native(b, s.chart, "-Tsvg") })
	}
}

func native(b *testing.B, p chart.Chart, args ...string) {
	dot, err := exec.LookPath("dot")
	if err != nil {
		b.Skip("the program dot is not installed")
	}
	source := New(patient).DOT(p)
	median(b, func() error {
		cmd := exec.CommandContext(b.Context(), dot, args...)
		cmd.Stdin = strings.NewReader(source)
		var out bytes.Buffer
		cmd.Stdout = &out
		return cmd.Run()
	})
}

// BenchmarkStatusChange draws a known chart again, with another state.
func BenchmarkStatusChange(b *testing.B) {
	for _, s := range sizes {
		b.Run(s.name, func(b *testing.B) {
			r, i := New(patient), 0
			over := &Overlay{Nodes: map[string]NodeStatus{}}
			if _, err := r.PNG(b.Context(), Request{Chart: s.chart, Overlay: over}); err != nil {
				b.Fatal(err)
			}
			median(b, func() error {
				n := s.chart.Nodes[i%len(s.chart.Nodes)].ID
				over.Nodes[n] = NodeStatus{State: []State{Running, Complete}[i/len(s.chart.Nodes)%2]}
				i++
				_, err := r.PNG(b.Context(), Request{Chart: s.chart, Overlay: over})
				return err
			})
		})
	}
}
