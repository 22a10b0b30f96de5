package planner

import (
	"os"
	"strings"
	"testing"

	"sluice/engine/planner/change"
	"sluice/engine/planner/outline"
)

const (
	readme    = "../../README.md"
	bookBegin = "<!-- phrasebook, made by go test ./engine/planner -run TestPhrasebook -update -->\n"
	bookEnd   = "<!-- end of the phrasebook -->"
)

// TestPhrasebook holds the README's phrasebook against what is read.
func TestPhrasebook(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	section := func(title string, lines []string) {
		b.WriteString("\n    " + title + "\n\n")
		for _, l := range lines {
			b.WriteString("        " + l + "\n")
		}
	}
	for _, p := range outline.Phrasebook() {
		section(p.Title, p.Lines)
	}
	section("Change a draft, in its thread", strings.Split(change.Forms, "\n"))
	want := b.String() + "\n"

	src, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(src), bookBegin)
	got, after, ended := strings.Cut(rest, bookEnd)
	switch {
	case !found || !ended:
		t.Fatalf("the README lacks the lines %q and %q", bookBegin, bookEnd)
	case got == want:
	case *update:
		if err := os.WriteFile(readme, []byte(before+bookBegin+want+bookEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("the README's phrasebook is not what is read (-update writes it):\n%s", got)
	}
}
