package render

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"sluice/engine/flow"
)

// chain is a plan of n nodes with a decision at every fourth, for measuring.
func chain(n int) flow.Plan {
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
	return s.plan
}

func id(i int) string { return "n" + string(rune('a'+i/26)) + string(rune('a'+i%26)) }

var sizes = []struct {
	name string
	plan flow.Plan
}{{"5", linear()}, {"15", incident()}, {"40", chain(40)}}

// BenchmarkPNG makes a picture of a plan that is new every time.
func BenchmarkPNG(b *testing.B) {
	for _, s := range sizes {
		b.Run(s.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := New(Options{}).PNG(b.Context(), Request{Plan: s.plan}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSVG makes a document of a plan that is new every time.
func BenchmarkSVG(b *testing.B) {
	for _, s := range sizes {
		b.Run(s.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := New(Options{}).SVG(b.Context(), Request{Plan: s.plan}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkStatusChange draws a known plan again, with another state.
func BenchmarkStatusChange(b *testing.B) {
	for _, s := range sizes {
		b.Run(s.name, func(b *testing.B) {
			r := New(Options{})
			over := &Overlay{Nodes: map[string]NodeStatus{}}
			if _, err := r.PNG(b.Context(), Request{Plan: s.plan, Overlay: over}); err != nil {
				b.Fatal(err)
			}
			for i := 0; b.Loop(); i++ {
				n := s.plan.Nodes[i%len(s.plan.Nodes)].ID
				over.Nodes[n] = NodeStatus{State: []State{Running, Complete}[i/len(s.plan.Nodes)%2]}
				if _, err := r.PNG(b.Context(), Request{Plan: s.plan, Overlay: over}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkNative is the yardstick: the same graphs by the dot program, one process each.
func BenchmarkNative(b *testing.B) {
	dot, err := exec.LookPath("dot")
	if err != nil {
		b.Skip("the program dot is not installed")
	}
	for _, args := range [][]string{{"-Tpng", "-Gdpi=192"}, {"-Tsvg"}} {
		for _, s := range sizes {
			b.Run(strings.TrimPrefix(args[0], "-T")+"/"+s.name, func(b *testing.B) {
				source := New(Options{}).DOT(s.plan)
				for b.Loop() {
					cmd := exec.CommandContext(b.Context(), dot, args...)
					cmd.Stdin = strings.NewReader(source)
					var out bytes.Buffer
					cmd.Stdout = &out
					if err := cmd.Run(); err != nil || out.Len() == 0 {
						b.Fatalf("dot made %d bytes: %v", out.Len(), err)
					}
				}
			})
		}
	}
}
