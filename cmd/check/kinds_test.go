package main

import (
	"go/ast"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"sluice/engine/flow"
)

// switches are the files that tell three or more kinds of nodes apart, with what they ask of a kind. A new kind is looked at in each of
// them; what package flow can answer for every kind is asked of the node instead, see engine/flow/answer.go. The list gets shorter and never longer.
var switches = map[string]string{
	"engine/planner/lower/value.go":   "the values that it reads",
	"engine/planner/raise/step.go":    "the step that it is in words",
	"engine/planner/readback/node.go": "its words in a read-back",
}

// TestKindsAreToldApartInFewFiles holds the change map in engine/doc.go: every kind has a file of its own in engine/flow, and other files
// do not tell kinds apart unless they are listed.
func TestKindsAreToldApartInFewFiles(t *testing.T) {
	t.Parallel()
	found := map[string]bool{}
	for _, s := range goFiles(t) {
		if !s.test && s.tellsKindsApart() {
			found[s.name] = true
		}
	}
	for _, k := range flow.AllKinds() {
		if !slices.ContainsFunc(nodeKinds(), func(name string) bool { return strings.EqualFold(name, string(k.Kind)) }) {
			t.Errorf("the kind %s has no file engine/flow/kind_%s.go with its constant", k.Kind, k.Kind)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if _, listed := switches[name]; !listed {
			t.Errorf("%s tells kinds of nodes apart: make the answer a method of flow.Spec, or list the file in cmd/check/kinds_test.go", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(switches)) {
		if !found[name] {
			t.Errorf("%s tells no kinds apart any more: take it from the list in cmd/check/kinds_test.go", name)
		}
	}
}

// tellsKindsApart reports whether a switch of the file names three or more kinds.
func (s source) tellsKindsApart() (apart bool) {
	ast.Inspect(s.syntax, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.SwitchStmt, *ast.TypeSwitchStmt:
			apart = apart || len(casesIn(n)) > 2
		}
		return !apart
	})
	return apart
}

// casesIn names the kinds in the cases of a switch.
func casesIn(n ast.Node) map[string]bool {
	kinds := map[string]bool{}
	ast.Inspect(n, func(n ast.Node) bool {
		if c, ok := n.(*ast.CaseClause); ok {
			for _, e := range c.List {
				maps.Copy(kinds, kindsIn(e))
			}
		}
		return true
	})
	return kinds
}

// kindsIn names the kinds that a piece of code names, as KindTool or ToolSpec.
func kindsIn(n ast.Node) map[string]bool {
	kinds := map[string]bool{}
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		kind, isKind := strings.CutPrefix(id.Name, "Kind")
		if !isKind {
			kind, isKind = strings.CutSuffix(id.Name, "Spec")
		}
		if isKind && slices.Contains(nodeKinds(), kind) {
			kinds[kind] = true
		}
		return true
	})
	return kinds
}

// nodeKinds are the kinds as names of Go have them: the constants of the files kind_NAME.go.
var nodeKinds = sync.OnceValue(func() []string {
	var all []string
	files, err := filepath.Glob(filepath.Join(root, "engine/flow/kind_*.go"))
	if err != nil {
		panic(err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			panic(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^const Kind(\w+) Kind = `).FindAllStringSubmatch(string(text), -1) {
			all = append(all, m[1])
		}
	}
	return all
})
