package main

import (
	"go/ast"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sluice/engine/importer/importertest"
)

// numbered is the number of a statement about a published format.
var numbered = regexp.MustCompile(`\bS\d-x?\d+\b`)

// whole are the formats of which every statement has a test. What others lack is only listed.
var whole = []string{"S2", "S3", "S4"}

// TestConformanceNumbers lists the statements about published formats that no test of an importer names.
func TestConformanceNumbers(t *testing.T) {
	t.Parallel()
	list, err := os.ReadFile(importertest.Shared(t, "seeds/conformance.md"))
	if err != nil {
		t.Fatal(err)
	}
	tested := map[string]bool{}
	for _, s := range goFiles(t) {
		if !s.test || !strings.HasPrefix(s.name, "engine/importer/") {
			continue
		}
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				for _, number := range numbered.FindAllString(lit.Value, -1) {
					tested[number] = true
				}
			}
			return true
		})
	}
	missing := map[string][]string{}
	for line := range strings.Lines(string(list)) {
		entry, ok := strings.CutPrefix(line, "- ")
		if number := numbered.FindString(entry); ok && strings.HasPrefix(entry, number) && number != "" && !tested[number] {
			format, _, _ := strings.Cut(number, "-")
			missing[format] = append(missing[format], number)
		}
	}
	for format, numbers := range missing {
		if slices.Contains(whole, format) {
			t.Errorf("%s: no test for %s", format, strings.Join(numbers, ", "))
		} else {
			t.Logf("%s: no test for %s", format, strings.Join(numbers, ", "))
		}
	}
}
