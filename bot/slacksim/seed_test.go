package slacksim_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sluice/bot/slacksim"
)

func writeSeed(t *testing.T, source string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "seed.yaml")
	if err := os.WriteFile(path, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLoadSeed(t *testing.T) {
	t.Parallel()
	seed, err := slacksim.LoadSeed(writeSeed(t, `
workspace: {name: Shop}
users:
  - {name: eva, real_name: Eva Holm, tz: Europe/Oslo, admin: true}
  - {name: ole}
groups:
  - {handle: cooks, members: [ole]}
channels:
  - {name: kitchen, members: [eva, ole, sluice]}
`))
	if err != nil {
		t.Fatal(err)
	}
	w := open(t, func(o *slacksim.Options) { o.Seed = seed })
	sent := w.post("message", map[string]any{"user": "eva", "channel": "kitchen", "text": "@cooks"})
	if !regexp.MustCompile(`^<!subteam\^S0COOKS[A-Z0-9]{4}\|@cooks>$`).MatchString(sent.Text) {
		t.Errorf("@cooks became %s", sent.Text)
	}
}

func TestLoadSeedNamesTheMistake(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ source, says string }{
		"an unknown key":     {"users:\n  - {name: eva, colour: red}\n", `[2:17] unknown field "colour"`},
		"a wrong type":       {"users: eva\n", "[1:8]"},
		"an unknown member":  {"users: [{name: eva}]\nchannels: [{name: k, members: [eva, ole]}]\n", `channel #k has the unknown member "ole": add it under users`},
		"a doubled name":     {"users: [{name: eva}, {name: eva}]\n", `user "eva" is listed twice`},
		"a nameless channel": {"channels: [{topic: x}]\n", `channel "": use letters`},
		"a taken handle":     {"users: [{name: eva}]\ngroups: [{handle: Eva}]\n", `group "Eva" is listed twice`},
		"a spaced name":      {"users: [{name: eva holm}]\n", `user "eva holm": use letters`},
		"a bare command":     {"commands: [{command: flow}]\n", `command "flow" must start with a slash`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := slacksim.LoadSeed(writeSeed(t, c.source))
			if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "seed.yaml") {
				t.Errorf("got %v, want %q", err, c.says)
			}
		})
	}
	if _, err := slacksim.LoadSeed(filepath.Join(t.TempDir(), "none.yaml")); err == nil {
		t.Error("a missing file was read")
	}
}
