// Package flowtest makes flows for tests: random flows, and flows that are read from text.
package flowtest

import (
	"testing"

	"sluice/engine/flow"
	"sluice/engine/flow/file"
)

// Parsed reads a file and fails the test if the file has errors.
func Parsed(t testing.TB, src []byte) *flow.Flow {
	t.Helper()
	doc, problems := file.Parse("flow.yaml", src)
	if problems.HasErrors() {
		t.Fatalf("unexpected problems:\n%s\nin\n%s", problems.Error(), src)
	}
	return doc.Flow
}
