package main

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// size is a figure of measure with its bound.
type size struct {
	of     string // what is counted
	counts func(*tree) map[string]int
	most   int
	// except has what may be larger, with the reason. It gets shorter and never longer.
	except map[string]string
}

const standsForSlack = "it stands for all that Slack answers"

var sizes = []size{
	{"lines of a package, without tests", func(t *tree) map[string]int { return t.lines }, 4500, map[string]string{"bot/slacksim": standsForSlack}},
	{"lines of a package of the planner, without tests", func(t *tree) map[string]int { return below(t.lines, "engine/planner") }, 4000, nil},
	{"methods of a type", func(t *tree) map[string]int { return t.methods }, 50, map[string]string{"bot/slacksim.Server": standsForSlack}},
	{"exported names of a package", func(t *tree) map[string]int { return t.exported }, 60, map[string]string{
		"engine/flow":           "the document: each field, kind and problem of it has a name",
		"engine/history":        "the facts and the state: each kind of fact has a name and a body",
		"engine/planner/phrase": "the words of the grammar are sets with names",
		"bot/surface":           "twenty of them are the kinds of surfaces",
		"storage":               "the rows of all tables and what is asked of them",
	}},
}

// below keeps the packages in a folder and under it.
func below(lines map[string]int, folder string) map[string]int {
	out := maps.Clone(lines)
	maps.DeleteFunc(out, func(name string, _ int) bool { return name != folder && !strings.HasPrefix(name, folder+"/") })
	return out
}

// TestSizes holds the bounds of packages and types. What is too large is about two subjects: split it.
func TestSizes(t *testing.T) {
	t.Parallel()
	measured, err := count(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sizes {
		counts := s.counts(measured)
		for _, name := range slices.Sorted(maps.Keys(counts)) {
			if _, listed := s.except[name]; counts[name] > s.most && !listed {
				t.Errorf("%s: %d %s, more than %d", name, counts[name], s.of, s.most)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(s.except)) {
			if counts[name] <= s.most {
				t.Errorf("%s has %d %s: take it from the list in cmd/check/size_test.go", name, counts[name], s.of)
			}
		}
	}
}
