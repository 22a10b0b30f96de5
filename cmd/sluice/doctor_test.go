package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"sluice/bot/slacksim"
	"sluice/cmd/sluice/doctor"
	"sluice/cmd/sluice/limits"
	"sluice/engine/flow"
	flowfile "sluice/engine/flow/file"
	"sluice/storage"
	"sluice/storage/pgtest"
)

// manifestScopes are those of the manifest.
var manifestScopes = []string{
	"app_mentions:read", "channels:history", "channels:read", "chat:write", "commands", "files:read", "files:write", "groups:history", "groups:read", "im:history",
	"im:read", "im:write", "reactions:read", "reactions:write", "usergroups:read", "users:read", "users:read.email", "team:read", "mpim:history", "mpim:read",
}

// clinic is a small Slack with a configuration that fits it.
type clinic struct {
	*testing.T
	cmd  doctorCmd
	seed slacksim.Seed
}

func newClinic(t *testing.T, change func(o *slacksim.Options)) *clinic {
	t.Helper()
	o := slacksim.Options{Seed: slacksim.DefaultSeed()}
	o.Seed.Bot.Scopes = manifestScopes
	if change != nil {
		change(&o)
	}
	sim, err := slacksim.New(o)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(sim.Handler())
	t.Cleanup(func() { srv.Close(); _ = sim.Close() })
	sim.SetBaseURL(srv.URL)
	c := &clinic{T: t, seed: o.Seed}
	if err := kong.ApplyDefaults(&c.cmd); err != nil {
		t.Fatal(err)
	}
	c.cmd.config.SlackBotToken, c.cmd.config.SlackAppToken, c.cmd.config.SlackAPIURL = o.Seed.Bot.Token, o.Seed.Bot.AppToken, srv.URL+"/api/"
	c.cmd.config.Data, c.cmd.Timeout = t.TempDir(), limits.Span(20*time.Second)
	return c
}

// findings runs the doctor, and checks its exit code.
func (c *clinic) findings() []doctor.Finding {
	c.Helper()
	var out bytes.Buffer
	c.cmd.JSON = true
	err := c.cmd.Run(c.Context(), stdio{strings.NewReader(""), &out, &out})
	var all []doctor.Finding
	if jerr := json.Unmarshal(out.Bytes(), &all); jerr != nil {
		c.Fatalf("%v in %s", jerr, out.String())
	}
	bad := false
	for _, f := range all {
		bad = bad || f.Level == doctor.Wrong
		if f.Level == doctor.Wrong && f.Do == "" {
			c.Errorf("%s says nothing about what to do: %s", f.Check, f.Text)
		}
	}
	if bad != (exit(stdio{err: &out}, err) == exitFailed) {
		c.Errorf("something is wrong: %t, and the program ends with %v", bad, err)
	}
	return all
}

// wants expects a finding of a check at a level, with some words.
func (c *clinic) wants(all []doctor.Finding, l doctor.Level, check, words string) {
	c.Helper()
	for _, f := range all {
		if f.Check == check && f.Level == l && strings.Contains(f.Text, words) {
			return
		}
	}
	c.Errorf("no finding %s %s with %q in %+v", l, check, words, all)
}

// approve stores flows as the bot does.
func (c *clinic) approve(channel string, source string) storage.Store {
	c.Helper()
	s, err := openStore(c.Context(), c.cmd.DatabaseURL, c.cmd.config.Data)
	if err != nil {
		c.Fatal(err)
	}
	c.Cleanup(func() { _ = s.Close() })
	doc, problems := flowfile.Parse("f.yaml", []byte(source))
	for _, p := range problems {
		c.Error(p)
	}
	f := doc.Flow
	err = s.Write(c.Context(), &storage.Batch{
		Flow:     &storage.Flow{Name: f.Name, Head: 1, Channel: channel, Owner: "U1"},
		Revision: &storage.Revision{Flow: f.Name, Number: 1, Hash: flow.Hash(f), LockHash: "l", Body: flow.Canonical(f)},
	})
	if err != nil {
		c.Fatal(err)
	}
	return s
}

const telling = `name: telling
triggers: [{webhook: {path: orders}}]
flow:
  entry: tell
  nodes:
    - {id: tell, type: tool, tool: slack.post_message, params: {channel: "#CHANNEL", text: hello}, routes: [{to: look}]}
    - {id: look, type: tool, tool: http.get, params: {url: "https://x.example", headers: {Authorization: "{{secret.SHOP_KEY}}"}}}
`

// TestTheDoctorFindsAFault sets one thing wrong at a time: what is found names it, and shows no password.
func TestTheDoctorFindsAFault(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		slack  func(*slacksim.Options)
		config func(*config)
		want   map[string]string // words by check
	}{
		"wrong tokens": {
			config: func(c *config) { c.SlackBotToken, c.SlackAppToken = "xoxb-wrong", "xapp-wrong" },
			want:   map[string]string{"bot token": "invalid_auth", "app token": "invalid_auth"},
		},
		"a missing scope": {
			slack: func(o *slacksim.Options) { o.Seed.Bot.Scopes = []string{"chat:write", "commands"} },
			want:  map[string]string{"scopes": "app_mentions:read"},
		},
		"a clock two minutes behind": {
			slack: func(o *slacksim.Options) { o.DateSkew = 2 * time.Minute },
			want:  map[string]string{"clock": "behind Slack's"},
		},
		"Slack is away": {
			config: func(c *config) { c.SlackAPIURL = "http://127.0.0.1:1/api/" },
			want:   map[string]string{"bot token": "does not answer"},
		},
		"the database is away": {
			config: func(c *config) {
				c.DatabaseURL = "postgres://sluice:hunter2@127.0.0.1:1/sluice?sslmode=disable&connect_timeout=2"
			},
			want: map[string]string{"database": "does not answer"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClinic(t, tt.slack)
			if tt.config != nil {
				tt.config(&c.cmd.config)
			}
			all := c.findings()
			for check, words := range tt.want {
				c.wants(all, doctor.Wrong, check, words)
			}
			for _, f := range all {
				if strings.Contains(f.Text, "hunter2") {
					t.Errorf("the password is shown: %s", f.Text)
				}
			}
		})
	}
}

// TestTheDoctorSaysWhatIsWrong tries each fault on the wire: what is found is said with what to do about it.
func TestTheDoctorSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	t.Run("nothing is configured", func(t *testing.T) {
		t.Parallel()
		c := newClinic(t, nil)
		c.cmd.config.SlackBotToken, c.cmd.config.SlackAppToken = "", ""
		all := c.findings()
		c.wants(all, doctor.Wrong, "bot token", "not set")
		c.wants(all, doctor.Wrong, "app token", "not set")
		c.wants(all, doctor.Fine, "database", "sluice serve makes it")
		if entries, err := os.ReadDir(c.cmd.config.Data); err != nil || len(entries) > 0 {
			t.Errorf("it left %v in the data directory, %v", entries, err)
		}
	})
	t.Run("all is well", func(t *testing.T) {
		t.Parallel()
		c := newClinic(t, nil)
		all := c.findings()
		for _, f := range all {
			if f.Level != doctor.Fine {
				t.Errorf("%+v", f)
			}
		}
		c.wants(all, doctor.Fine, "scopes", "has all")
		c.wants(all, doctor.Fine, "app token", "Socket Mode")
		c.wants(all, doctor.Fine, "clock", "Slack's")
		c.wants(all, doctor.Fine, "time zone", "UTC")
	})
	t.Run("channels, secrets and webhooks of flows, while the bot serves", func(t *testing.T) {
		t.Parallel()
		c := newClinic(t, func(o *slacksim.Options) {
			o.Seed.Channels = append(o.Seed.Channels, slacksim.SeedChannel{Name: "attic", Members: []string{o.Seed.Bot.User}, Archived: true}, slacksim.SeedChannel{Name: "elsewhere"})
		})
		s := c.approve("", strings.NewReplacer("telling", "a", "#CHANNEL", "#attic", "orders", "a").Replace(telling))
		c.approve("", strings.NewReplacer("telling", "b", "#CHANNEL", "#elsewhere", "orders", "b").Replace(telling))
		c.approve("", strings.NewReplacer("telling", "c", "#CHANNEL", "#nowhere", "orders", "c").Replace(telling))
		release, _, err := s.Serve(t.Context(), "the bot")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = release() }()
		all := c.findings()
		c.wants(all, doctor.Wrong, "channel #attic", "archived")
		c.wants(all, doctor.Wrong, "channel #elsewhere", "no member")
		c.wants(all, doctor.Wrong, "channel #nowhere", "no such channel")
		c.wants(all, doctor.Wrong, "secrets", "secret.SHOP_KEY")
		c.wants(all, doctor.Wrong, "webhook a", "SLUICE_HTTP_ADDR")
		c.wants(all, doctor.Fine, "database", "step")
	})
	t.Run("the database is a newer program's", func(t *testing.T) {
		t.Parallel()
		c := newClinic(t, nil)
		c.cmd.config.DatabaseURL = pgtest.URL(t)
		all := c.findings()
		c.wants(all, doctor.Fine, "database", "serve makes it")
		c.wants(all, doctor.Fine, "clock", "the database's clock")
		c.approve("", strings.ReplaceAll(telling, "#CHANNEL", "#general"))
		c.wants(c.findings(), doctor.Fine, "database", "Postgres")
	})
}

// TestTheDoctorAsksTheModelsService does so over HTTP.
func TestTheDoctorAsksTheModelsService(t *testing.T) {
	t.Parallel()
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer right" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = w.Write([]byte(`{"data":[{"id":"gpt-large"},{"id":"gpt-small"}]}`))
	}))
	t.Cleanup(service.Close)
	c := newClinic(t, nil)
	c.cmd.config.OpenAIBaseURL, c.cmd.config.OpenAIKey, c.cmd.config.OpenAIModel = service.URL, "wrong", "gpt-large"
	c.wants(c.findings(), doctor.Wrong, "model", "401")
	c.cmd.config.OpenAIKey = "right"
	c.wants(c.findings(), doctor.Fine, "model", "gpt-large")
	c.cmd.config.OpenAIModel = "gpt-larg"
	c.wants(c.findings(), doctor.Wrong, "model", "no model gpt-larg")
	c.cmd.config.OpenAIBaseURL = "http://127.0.0.1:1"
	c.wants(c.findings(), doctor.Wrong, "model", "does not answer")

	c.cmd.config.Models = filepath.Join(t.TempDir(), "models.yaml")
	file := "providers:\n  - {name: acme, base_url: " + service.URL + ", model: gpt-large}\n  - {name: local, base_url: 'http://127.0.0.1:1', model: m}\n"
	if err := os.WriteFile(c.cmd.config.Models, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	all := c.findings()
	c.wants(all, doctor.Wrong, "model", "does not answer")
	c.wants(all, doctor.Wrong, "model provider acme", "401 Unauthorized")
	c.wants(all, doctor.Wrong, "model provider local", "does not answer")
}

// TestTheDoctorLooksAtActions reads them, resolves their hosts and looks for their secrets.
func TestTheDoctorLooksAtActions(t *testing.T) {
	t.Parallel()
	c := newClinic(t, nil)
	file := filepath.Join(t.TempDir(), "actions.yaml")
	put := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c.cmd.config.Tools = file
	put(`actions:
  - name: shop.get
    description: Get it
    method: GET
    url: "http://127.0.0.1:1/orders/{{id}}"
    headers: {Authorization: "Bearer {{secret.NOBODY_HAS_SET_IT}}"}
    params: {type: object, properties: {id: {type: string}}, required: [id]}
    effects: read
  - name: shop.far
    description: Get it from far
    method: GET
    url: "https://shop.invalid/orders"
    params: {type: object, properties: {}}
    effects: read
`)
	all := c.findings()
	c.wants(all, doctor.Fine, "tools", "can be read")
	c.wants(all, doctor.Warning, "host 127.0.0.1:1", "does not answer")
	c.wants(all, doctor.Wrong, "host shop.invalid", "no address")
	c.wants(all, doctor.Wrong, "secrets", "NOBODY_HAS_SET_IT")
	put("actions:\n  - name: shop\n    metod: GET\n")
	c.wants(c.findings(), doctor.Wrong, "tools", "metod")
}
