package surface

import (
	"strings"
	"testing"

	"sluice/engine/planner/readback"
)

// TestStepsAreAnOutline indents steps by how many others they stand below.
func TestStepsAreAnOutline(t *testing.T) {
	t.Parallel()
	for number, want := range map[string]string{
		"": "Wait.", "1": "1. Wait.", "12": "12. Wait.", "12a": "\u2003\u200312a. Wait.", "1ab2": "\u2003\u2003\u2003\u20031ab2. Wait.",
		"L1": "L1. Wait.", "L1a": "\u2003\u2003L1a. Wait.",
	} {
		if got := Steps([]readback.Line{{Number: number, Text: "Wait."}})[0].String(); got != want {
			t.Errorf("%q: %q, not %q", number, got, want)
		}
	}
}

// TestChangedStepsArePaired: the old line and the new one are of the same step, also when another step has its node's name by now.
func TestChangedStepsArePaired(t *testing.T) {
	t.Parallel()
	old := []readback.Line{{Number: "1", Node: "ask", Step: "s1", Text: "Ask @ana."}, {Number: "2", Node: "tell", Step: "s2", Text: "Tell #a: one."}, {Number: "3", Node: "tell_2", Step: "s3", Text: "Tell #a: two."}, {Text: "It starts."}}
	now := []readback.Line{{Number: "1", Node: "ask", Step: "s1", Text: "Ask @bob."}, {Number: "2", Node: "tell", Step: "s3", Text: "Tell #a: two."}, {Number: "3", Node: "tell_2", Step: "s4", Text: "Tell #b: three."}, {Text: "It starts."}}
	var got strings.Builder
	for _, line := range Changed(old, now, "") {
		got.WriteString(line.Words() + "\n")
	}
	if want := "was 1. Ask @ana.\nnow 1. Ask @bob.\nnew 3. Tell #b: three.\ngone 2. Tell #a: one.\n"; got.String() != want {
		t.Errorf("the changes are:\n%snot:\n%s", got.String(), want)
	}
	for i := range now {
		now[i].Step = "" // of a draft that an earlier release made
	}
	if n := len(Changed(old, now, "")); n != 3 {
		t.Errorf("%d lines changed of nodes whose steps are not known", n)
	}
}

// TestDifferencesAreShownInLine: few other words of a step are shown in one line, and a step that only got another number is no change.
func TestDifferencesAreShownInLine(t *testing.T) {
	t.Parallel()
	old := []readback.Line{{Number: "1", Step: "s1", Node: "ask", Text: "Ask @ana within 3 days. Approve → 2; reject: the run ends."}, {Number: "2", Step: "s2", Node: "tell", Text: "Tell #a: one, then → 3."}, {Number: "3", Step: "s3", Node: "wait", Text: "Wait."}}
	now := []readback.Line{
		{Number: "1", Step: "s1", Node: "ask", Text: "Ask @ana within 5 days. Approve → 3; reject: the run ends."},
		{Number: "2", Step: "s4", Node: "wait_2", Text: "Wait a day."},
		{Number: "3", Step: "s2", Node: "tell", Text: "Tell #a: one, then → 4."},
		{Number: "4", Step: "s3", Node: "wait", Text: "Wait."},
	}
	var got []string
	for _, line := range Differences(old, now) {
		got = append(got, line.String())
	}
	if want := "1. Ask @ana within ~3 days. Approve → 2;~ *5 days. Approve → 3;* reject: the run ends.\n*new* 2. Wait a day."; strings.Join(got, "\n") != want {
		t.Errorf("the differences are:\n%s\nnot:\n%s", strings.Join(got, "\n"), want)
	}
}
