package main

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// plan is the house from the roof down. A room imports only rooms that stand on lower lines. The number is its floor; rooms of one
// floor that need each other stand on lines of their own.
//
// A new room gets its place here: as low as what it imports allows.
const plan = `
	7  cmd/sluice  cmd/check
	6  bot/slack  bot/httpapi
	5  bot
	5  bot/project
	5  bot/card
	4  engine
	3  engine/node  engine/plan  engine/prune  engine/try  render
	3  render/canvas  render/group  render/layout  render/shape
	3  render/text
	3  render/path
	2  engine/run  engine/agent
	1  engine/expr  engine/tool  engine/dispatch/local  engine/dispatch/river  storage/sqlite  storage/postgres
	1  storage/sqlstore
	0  bot/slacksim
	0  engine/flow  engine/calendar  engine/llm  engine/secret  engine/dispatch  storage  migrations  examples/shop
`

// kits are rooms for tests alone: suites, worlds and players. A kit imports the rooms that it is about, and whatever they may import.
// Tests of any room may use it; the product may not.
var kits = map[string]string{
	"engine/chaos":                 "engine",
	"engine/enginetest":            "engine/run",
	"engine/dispatch/dispatchtest": "engine/dispatch",
	"engine/llm/llmtest":           "engine/llm",
	"storage/storagetest":          "storage",
	"storage/pgtest":               "storage",
}

// upstairs is what tests may import although it stands above their room.
var upstairs = map[string][]string{
	"storage/sqlstore": {"storage/sqlite", "storage/postgres"}, // a store without a dialect cannot be tried
}

// apart are rooms that may not know each other, though their floors would allow it.
var apart = [][2]string{
	{"bot/slack", "bot/slacksim"}, // they share Slack's wire and nothing else, or a test of one with the other shows nothing
}

// heights gives the line of each room, counted from the ground.
func heights(t *testing.T) map[string]int {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(plan), "\n")
	all := map[string]int{}
	for i, line := range lines {
		for _, room := range strings.Fields(line)[1:] {
			if _, twice := all[room]; twice {
				t.Fatalf("%s stands twice on the plan", room)
			}
			all[room] = len(lines) - i
		}
	}
	return all
}

// TestImportsGoDown holds every import against the plan, and the plan against the folders.
func TestImportsGoDown(t *testing.T) {
	t.Parallel()
	height := heights(t)
	gone := maps.Clone(height)
	for _, s := range goFiles(t) {
		here, subject := s.room(), s.room()
		delete(gone, here)
		if about, kit := kits[here]; kit {
			subject = about
		}
		if _, known := height[subject]; !known {
			t.Errorf("%s: the room %s is not on the plan: give it a place in cmd/check/floors_test.go", s.name, here)
			continue
		}
		for _, there := range s.rooms() {
			if problem := s.forbids(height, here, subject, there); problem != "" {
				t.Errorf("%s imports %s: %s", s.name, there, problem)
			}
		}
	}
	for _, room := range slices.Sorted(maps.Keys(gone)) {
		t.Errorf("the plan in cmd/check/floors_test.go names %s: there is no such room", room)
	}
}

// forbids says why a file in the room here may not import there, or nothing. For a kit, subject is the room that it is about.
func (s source) forbids(height map[string]int, here, subject, there string) string {
	_, inKit := kits[here]
	_, kit := kits[there]
	switch {
	case there == here: // its outside tests
		return ""
	case kit:
		if !s.test && !inKit {
			return "it is for tests alone"
		}
		return ""
	case height[there] == 0:
		return "it is not on the plan: give it a place in cmd/check/floors_test.go"
	case inKit && there == subject, s.test && slices.Contains(upstairs[here], there):
		return ""
	case height[there] >= height[subject]:
		return "imports only go down, see the plan in cmd/check/floors_test.go"
	}
	for _, pair := range apart {
		if !s.test && (pair == [2]string{here, there} || pair == [2]string{there, here}) {
			return "these two may not know each other"
		}
	}
	return ""
}
