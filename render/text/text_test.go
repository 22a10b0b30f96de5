package text

import (
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

var body = Style{Size: 13, Bold: true}

func TestClean(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                 "",
		"  two\t words\n":  "two words",
		"e\u0301te\u0301":  "été",
		"\x00\xffa\u202eb": "ab",
		"Café ☕ 🚀 ok":      "Café ok",
		"日本語 한국어 Ελληνικά Русский": "日本語 한국어 Ελληνικά Русский",
		"שָׁלוֹם": "שלום",
		"ไทย":     "□□□",
		"≥ → ✓ €": "≥ → ✓ €",
	} {
		if got := Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestPlainKeepsWhatOthersCanDraw(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"שלום 👩‍💻 ☕":         "שלום 👩‍💻 ☕",
		"a\u202eb\u0000\xff": "ab",
		" two\n lines ":      "two lines",
	} {
		if got := Plain(in); got != want {
			t.Errorf("Plain(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestWrap(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text  string
		limit float64
		want  []string
	}{
		{"", 100, nil},
		{"Get the order", 200, []string{"Get the order"}},
		{"Check the order total", 120, []string{"Check the", "order total"}},
		{"slack.post_message_to_channel", 130, []string{"slack.post_", "message_to_chan…"}},
		{"Check the order total against the ledger of last year", 120, []string{"Check the order", "total against the l…"}},
		{"新しい社員が入社しました", 90, []string{"新しい社員が", "入社しました"}},
		{strings.Repeat("x", 60), 100, []string{"xxxxxxxxxxxxx", "xxxxxxxxxxxx…"}},
	} {
		if d := cmp.Diff(c.want, Wrap(c.text, body, c.limit, 2)); d != "" {
			t.Errorf("%q in %v:\n%s", c.text, c.limit, d)
		}
	}
}

func FuzzWrap(f *testing.F) {
	for _, s := range []string{"Get the order", "新入社員", "a/b_c-d.e:f@g", "\xff\x00", strings.Repeat("W", 300)} {
		f.Add(s, 90.0)
	}
	f.Fuzz(func(t *testing.T, s string, limit float64) {
		if !(limit >= 20 && limit < 1000) || len(s) > 2000 {
			t.Skip()
		}
		lines := Wrap(s, body, limit, 2)
		if len(lines) > 2 {
			t.Fatalf("%d lines", len(lines))
		}
		for _, l := range lines {
			if Width(l, body) > limit+.01 {
				t.Errorf("%q is %.1f wide, limit %.1f", l, Width(l, body), limit)
			}
			if !utf8.ValidString(l) {
				t.Errorf("%q is not valid", l)
			}
		}
		if Fit(s, body, limit) == "" && Clean(s) != "" {
			t.Errorf("nothing of %q is left in %.1f", s, limit)
		}
	})
}

// Two texts with other letters have other widths: what is measured is what is drawn.
func TestWidthIsThatOfTheGlyphs(t *testing.T) {
	t.Parallel()
	if a, b := Width("iiii", body), Width("WWWW", body); a*2 > b {
		t.Errorf("iiii is %.1f and WWWW %.1f wide", a, b)
	}
	if Width("AVAV", body) >= 2*(Width("A", body)+Width("V", body)) {
		t.Error("there is no kerning")
	}
	glyphs := Glyphs("a漢b", body)
	if len(glyphs) != 3 || glyphs[0].X != 0 || glyphs[1].X <= 0 || glyphs[2].X <= glyphs[1].X {
		t.Errorf("the letters are not in a row: %v", glyphs)
	}
}

func TestFontsAreSafeForManyAtOnce(t *testing.T) {
	t.Parallel()
	want := Width("Größe 漢字 AVAV", body)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				if got := Width("Größe 漢字 AVAV", body); got != want {
					t.Errorf("got %v, want %v", got, want)
				}
			}
		})
	}
	wg.Wait()
}
