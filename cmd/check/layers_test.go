package main

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// plan lists the layers from the top down. A package imports only packages of lower lines. The number is its layer; packages of one layer
// that need each other have lines of their own.
//
// A new package is added here, as low as its imports allow.
const plan = `
	7  cmd/sluice  cmd/check
	7  cmd/sluice/browser  cmd/sluice/chatcmd  cmd/sluice/cmdline  cmd/sluice/doctor  cmd/sluice/standins  cmd/sluice/limits  cmd/sluice/models
	6  bot/slack  bot/webhook  bot/session
	6  bot/httpapi
	5  bot  bot/inbox
	5  bot/triggers
	5  bot/drafts  bot/gates  bot/operate  bot/hometab
	5  bot/request  bot/project
	5  bot/surface
	5  bot/card  bot/draft  bot/form
	4  engine
	4  engine/cluster  engine/schedule  engine/signals  engine/timer
	3  engine/importer
	3  engine/planner/direct  engine/planner/model
	3  engine/runner
	3  engine/dryrun  engine/trigger  engine/view  engine/budget  engine/audit
	3  engine/node  engine/planner  engine/prune  engine/try  render
	3  engine/planner/account
	3  engine/planner/change  engine/planner/match  engine/planner/raise  engine/planner/readback
	3  engine/planner/lower
	3  render/canvas  render/group  render/layout  render/shape
	3  render/text
	3  render/path
	3  engine/run/forkplan  engine/people  engine/compiled  engine/lock  engine/outbox
	2  engine/run  engine/agent  engine/typecheck
	2  engine/planner/env  engine/planner/idiom
	1  engine/run/routes  engine/run/form  engine/run/talk
	1  engine/run/scope
	1  engine/run/compile
	1  engine/coerce  engine/gate  engine/history/stored
	1  engine/outage  engine/usererror  engine/token  engine/registry
	1  engine/importer/agentgraph  engine/importer/draftchart
	1  engine/history
	1  engine/expr
	1  engine/expr/function
	1  engine/tool/files
	1  engine/expr/value  engine/tool  engine/dispatch/local  engine/dispatch/river  storage/sqlite  storage/postgres
	1  engine/importer/app  engine/importer/routing  engine/importer/visualflow
	1  engine/importer/document
	1  storage/inspect
	1  storage/sqlstore
	0  bot/slacksim
	1  engine/planner/outline
	1  engine/planner/jumps  engine/planner/opening
	1  engine/planner/prose  engine/planner/reply
	1  engine/planner/quantity  engine/planner/times  engine/planner/values
	1  engine/planner/phrase
	1  engine/planner/english  engine/planner/tree
	0  engine/flow/approval  engine/flow/names
	0  engine/flow/chart
	0  engine/flow/file
	0  engine/flow/source  engine/flow/validate  engine/flow/agents
	0  engine/flow
	0  engine/flow/listing  engine/flow/lookalike  engine/flow/oneline  engine/flow/reference  engine/flow/refusal
	0  engine/calendar
	0  engine/naming  engine/authority  engine/jsonschema  engine/llm  engine/secret  engine/dispatch  storage  migrations  examples/shop  examples/starting
`

// kits are packages for tests alone: suites, worlds and players. A kit imports the package that it is about, and everything that this one
// may import. Tests of any package may use it; the product may not.
var kits = map[string]string{
	"engine/chaos":                 "engine",
	"engine/enginetest":            "engine/run/forkplan",
	"engine/planner/plannertest":   "engine/planner",
	"engine/flow/flowtest":         "engine/flow/file",
	"engine/growth":                "engine/naming",
	"engine/dispatch/dispatchtest": "engine/dispatch",
	"engine/importer/importertest": "engine/importer",
	"engine/llm/llmtest":           "engine/llm",
	"storage/storagetest":          "storage",
	"storage/pgtest":               "storage",
}

// upstairs is what tests may import although it is above their package.
var upstairs = map[string][]string{
	"engine/importer/visualflow": {"engine/tool", "engine/tool/files"},                                                      // what imported flows do with files is tried on real ones
	"engine/flow":                {"engine/flow/approval", "engine/flow/chart", "engine/flow/file", "engine/flow/validate"}, // what is made of a flow is tried on the same flows
	"engine/flow/file":           {"engine/flow/approval", "engine/flow/chart"},                                             // likewise
	"engine/flow/agents":         {"engine/flow/file"},                                                                      // what a file names is resolved
	"engine/flow/validate":       {"engine/flow/file"},                                                                      // the places of problems are those of a file
	"engine/run":                 {"engine/run/forkplan"},                                                                   // forks are played with the generated flows of the machine
	"storage/sqlstore":           {"storage/sqlite", "storage/postgres"},                                                    // a store without a dialect cannot be tried
	"engine/planner":             {"engine/planner/model"},                                                                  // one table measures both readers
	"engine/importer/draftchart": {"render"},                                                                                // what others have drawn can be drawn here
}

// apart are packages that may not import each other, though their layers would allow it.
var apart = [][2]string{
	{"bot/slack", "bot/slacksim"}, // they share Slack's wire and nothing else, or a test of one with the other shows nothing
}

// heights gives the line of each package, counted from the bottom.
func heights(t *testing.T) map[string]int {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(plan), "\n")
	all := map[string]int{}
	for i, line := range lines {
		for _, folder := range strings.Fields(line)[1:] {
			if _, twice := all[folder]; twice {
				t.Fatalf("%s stands twice in the table", folder)
			}
			all[folder] = len(lines) - i
		}
	}
	return all
}

// TestImportsGoDown compares every import with the table, and the table with the folders.
func TestImportsGoDown(t *testing.T) {
	t.Parallel()
	height := heights(t)
	gone := maps.Clone(height)
	for _, s := range goFiles(t) {
		here, subject := s.folder(), s.folder()
		delete(gone, here)
		if about, kit := kits[here]; kit {
			subject = about
		}
		if _, known := height[subject]; !known {
			t.Errorf("%s: the package %s is not in the table: add it in cmd/check/layers_test.go", s.name, here)
			continue
		}
		for _, there := range s.imported() {
			if problem := s.forbids(height, here, subject, there); problem != "" {
				t.Errorf("%s imports %s: %s", s.name, there, problem)
			}
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(gone)) {
		t.Errorf("the table in cmd/check/layers_test.go names %s: there is no such package", folder)
	}
}

// forbids says why a file in the package here may not import there, or nothing. For a kit, subject is the package that it is about.
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
		return "it is not in the table: add it in cmd/check/layers_test.go"
	case inKit && there == subject, s.test && slices.Contains(upstairs[here], there):
		return ""
	case height[there] >= height[subject]:
		return "imports only go down, see the table in cmd/check/layers_test.go"
	}
	for _, pair := range apart {
		if !s.test && (pair == [2]string{here, there} || pair == [2]string{there, here}) {
			return "these two may not know each other"
		}
	}
	return ""
}
