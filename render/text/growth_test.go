package text

import (
	"strings"
	"testing"

	"sluice/engine/growth"
)

// The time of everything that is done with a text grows with the text and no faster.
func TestTextGrowth(t *testing.T) {
	const file, line = 1 << 20, 1 << 16 // the size of a flow file, and one that no cleaned line has
	for _, c := range []struct {
		name string
		most int
		work func(string)
	}{
		{"Plain", file, func(s string) { Plain(s) }},
		{"Head", file, func(s string) { Head(s, 200) }},
		{"Wrap", file, func(s string) { Wrap(s, body, 158, 2) }},
		{"Fit", file, func(s string) { Fit(s, body, 158) }},
		{"Width", line, func(s string) { Width(s, body) }},
		{"Glyphs", line, func(s string) { Glyphs(s, body) }},
	} {
		t.Run(c.name, func(t *testing.T) { growth.Texts(t, c.most, c.work) })
	}
}

// A label costs the same however long its text is: only its first letters are measured.
func TestALongLabelIsMeasuredUpToWhatIsSeen(t *testing.T) {
	t.Parallel()
	for _, s := range growth.Shapes {
		short, long := s.Text(8*longest), s.Text(1<<20)
		if strings.TrimSpace(Plain(short)) == "" {
			continue
		}
		a, b := Wrap(short, body, 158, 2), Wrap(long, body, 158, 2)
		if len(a) != len(b) || len(a) > 0 && a[0] != b[0] {
			t.Errorf("%s: %q and %q", s.Name, a, b)
		}
	}
}

func TestWhatIsCutIsVisiblyCut(t *testing.T) {
	t.Parallel()
	for _, s := range []string{strings.Repeat("x", 5000), strings.Repeat("word ", 5000), strings.Repeat("日", 5000), "Pay" + strings.Repeat("\u0301", 5000) + "AND MORE"} {
		lines := Wrap(s, body, 158, 2)
		if len(lines) == 0 || !strings.HasSuffix(lines[len(lines)-1], ellipsis) {
			t.Errorf("%.20q… becomes %q", s, lines)
		}
	}
	if got := Head("one two three", 7); got != "one two"+ellipsis {
		t.Errorf("%q", got)
	}
	for _, s := range []string{"one two", "one two  ", "\u200b one\u202e two"} {
		if got := Head(s, 7); got != "one two" {
			t.Errorf("%q becomes %q", s, got)
		}
	}
}

func FuzzTimeOfWrapping(f *testing.F) {
	growth.Fuzz(f, 1<<16, func(s string) { Wrap(s, body, 158, 2); Fit(s, body, 158) })
}
