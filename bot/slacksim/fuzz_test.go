package slacksim

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
)

// FuzzEncode: whatever people type, angle brackets are left in references and addresses only, and what is encoded already
// stays as it is.
func FuzzEncode(f *testing.F) {
	for _, seed := range []string{
		"@ana and @finance in #support", "a < b > c & d", "<@U0ANA> <!here> <b>", "http://x.example/<y>", "@", "#", "(@ana)", "<<@ana>>",
	} {
		f.Add(seed)
	}
	w := newWorld(DefaultSeed())
	forms := regexp.MustCompile(`<(@|#|!|https?://)[^<>\n]*>`)
	f.Fuzz(func(t *testing.T, typed string) {
		for _, out := range []string{w.encode(typed), w.encodeCommand(typed)} {
			if rest := forms.ReplaceAllString(out, ""); strings.ContainsAny(rest, "<>") {
				t.Errorf("%q became %q", typed, out)
			}
		}
	})
}

// FuzzParseSeed: a seed is refused or good enough to make a workspace of.
func FuzzParseSeed(f *testing.F) {
	f.Add([]byte("users: [{name: ana}]\nchannels: [{name: general, members: [ana, sluice]}]"))
	f.Add([]byte("workspace: {name: x, refuse_blocks: [plan]}\ngroups: [{handle: g, members: []}]"))
	f.Fuzz(func(t *testing.T, source []byte) {
		seed, err := parseSeed(source)
		if err != nil {
			return
		}
		w := newWorld(seed)
		for _, u := range w.users {
			if len(u.ID) != 11 || w.user(u.ID) == nil {
				t.Errorf("user %q has the id %q", u.Name, u.ID)
			}
		}
	})
}

// FuzzReadEntries: a journal is read up to a whole number of lines, or refused.
func FuzzReadEntries(f *testing.F) {
	f.Add([]byte(`{"seq":1,"kind":"message","value":{"channel":"C","ts":"1.000001"}}` + "\n" + `{"seq":2,`))
	f.Fuzz(func(t *testing.T, stored []byte) {
		w := newWorld(DefaultSeed())
		whole, err := readEntries(bytes.NewReader(stored), w.replay)
		if err == nil && (whole > int64(len(stored)) || whole > 0 && stored[whole-1] != '\n') {
			t.Errorf("%d of %d bytes are said to be whole lines", whole, len(stored))
		}
	})
}
