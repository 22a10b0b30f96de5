package slacksim

import (
	"encoding/base32"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// Seed is the initial content of a workspace: its people, channels and so on. Names are the ones people type (`ana`, `support`, `finance`), without
// the `@` or `#`; ids are made from the names, so the same seed always gives the same ids.
type Seed struct {
	Workspace SeedWorkspace  `yaml:"workspace"`
	Bot       SeedBot        `yaml:"bot"`
	Users     []SeedUser     `yaml:"users"`
	Groups    []SeedGroup    `yaml:"groups"`
	Channels  []SeedChannel  `yaml:"channels"`
	Commands  []SeedCommand  `yaml:"commands"`
	Shortcuts []SeedShortcut `yaml:"shortcuts"`
}

// SeedWorkspace names the workspace. RefuseBlocks lists block types (`plan`, `task_card`) that this workspace refuses,
// as workspaces do that have not received a new block type yet.
type SeedWorkspace struct {
	ID           string   `yaml:"id"`
	Name         string   `yaml:"name"`
	RefuseBlocks []string `yaml:"refuse_blocks"`
}

// SeedBot is the installed app: its tokens and its user.
type SeedBot struct {
	Token    string   `yaml:"token"`
	AppToken string   `yaml:"app_token"`
	Scopes   []string `yaml:"scopes"` // that answers tell (X-OAuth-Scopes); none = they do not
	User     string   `yaml:"user"`
	Name     string   `yaml:"name"`
}

// SeedUser is a person. TZ is an IANA zone name; Deleted is a deactivated account; Guest is a single-channel guest, MultiGuest one with
// several; Team is the id of another workspace, for people who are here through a shared channel. Teams are all workspaces of an
// organisation (Enterprise Grid) that the person is in: with this one among them, Team is where the account was made.
type SeedUser struct {
	Name     string `yaml:"name"`
	RealName string `yaml:"real_name"`
	TZ       string `yaml:"tz"`
	Admin    bool   `yaml:"admin"`
	Guest    bool   `yaml:"guest"`

	MultiGuest bool     `yaml:"multi_guest"`
	Teams      []string `yaml:"teams"`

	Team    string `yaml:"team"`
	Deleted bool   `yaml:"deleted"`
}

// SeedGroup is a user group; people mention it as @handle.
type SeedGroup struct {
	Handle   string   `yaml:"handle"`
	Name     string   `yaml:"name"`
	Members  []string `yaml:"members"`
	Channels []string `yaml:"channels"` // names of the public channels that its settings name
}

// SeedChannel is a channel with its members (user names; the bot's user name among them where the bot is a member).
type SeedChannel struct {
	Name     string   `yaml:"name"`
	Topic    string   `yaml:"topic"`
	Members  []string `yaml:"members"`
	Private  bool     `yaml:"private"`
	Archived bool     `yaml:"archived"`
}

// SeedCommand is a slash command of the app, with its leading slash.
type SeedCommand struct {
	Command     string `yaml:"command"`
	Description string `yaml:"description"`
	UsageHint   string `yaml:"usage_hint"`
}

// SeedShortcut is a global or message shortcut of the app.
type SeedShortcut struct {
	Name       string `yaml:"name"`
	Type       string `yaml:"type"`
	CallbackID string `yaml:"callback_id"`
}

// DefaultSeed is the workspace of `sluice dev`: ana, bob and fin; the groups of the examples; #general, #support, #finance.
func DefaultSeed() Seed {
	everybody := []string{"ana", "bob", "fin", "sluice"}
	return Seed{
		Workspace: SeedWorkspace{ID: seedID("T", "sluice"), Name: "Sluice Dev"},
		Bot:       SeedBot{Token: "xoxb-dev", AppToken: "xapp-dev", User: "sluice", Name: "Sluice"},
		Users: []SeedUser{
			{Name: "ana", RealName: "Ana Lindqvist", TZ: "Europe/Berlin", Admin: true},
			{Name: "bob", RealName: "Bob Okafor", TZ: "America/New_York"},
			{Name: "fin", RealName: "Fin Moreau", TZ: "Europe/Berlin"},
		},
		Groups: []SeedGroup{
			{Handle: "finance", Name: "Finance", Members: []string{"fin"}},
			{Handle: "warehouse", Name: "Warehouse", Members: []string{"bob"}},
			{Handle: "qa", Name: "Quality", Members: []string{"bob"}},
			{Handle: "release-managers", Name: "Release managers", Members: []string{"bob", "fin"}},
		},
		Channels: []SeedChannel{
			{Name: "general", Topic: "Everything for everybody", Members: everybody},
			{Name: "support", Topic: "Customers and their orders", Members: everybody},
			{Name: "finance", Topic: "Money in, money out", Members: []string{"ana", "fin", "sluice"}},
		},
		Commands: []SeedCommand{{
			Command: "/flow", Description: "Start, inspect, schedule or cancel workflow runs",
			UsageHint: "new <words> | run <flow> [input=value] | runs | show <run> | approvals | schedule <flow> <cron> [input=value] | help",
		}},
		Shortcuts: []SeedShortcut{
			{Name: "New workflow", Type: "global", CallbackID: "flow_new"},
			{Name: "Make a workflow of this", Type: "message", CallbackID: "flow_from_message"},
		},
	}
}

// Admins gives the ids of the workspace's admins.
func (s *Seed) Admins() []string {
	var ids []string
	for _, u := range s.Users {
		if u.Admin {
			ids = append(ids, seedID("U", u.Name))
		}
	}
	return ids
}

// LoadSeed reads a seed from a YAML file. Unknown keys and wrong types are errors that name line and column; workspace,
// bot, commands and shortcuts that the file leaves out are those of [DefaultSeed].
func LoadSeed(path string) (Seed, error) {
	source, err := os.ReadFile(path)
	if err != nil {
		return Seed{}, fmt.Errorf("reading the seed: %w", err)
	}
	seed, err := parseSeed(source)
	if err != nil {
		return Seed{}, fmt.Errorf("the seed %s: %w", path, err)
	}
	return seed, nil
}

func parseSeed(source []byte) (Seed, error) {
	var seed Seed
	if err := yaml.UnmarshalWithOptions(source, &seed, yaml.Strict()); err != nil {
		return Seed{}, fmt.Errorf("not as a seed should be: %w", err)
	}
	seed.fill()
	return seed, seed.check()
}

// fill completes what a seed leaves out from the default one.
func (s *Seed) fill() {
	base := DefaultSeed()
	setDefault(&s.Workspace.ID, base.Workspace.ID)
	setDefault(&s.Workspace.Name, base.Workspace.Name)
	setDefault(&s.Bot.Token, base.Bot.Token)
	setDefault(&s.Bot.AppToken, base.Bot.AppToken)
	setDefault(&s.Bot.User, base.Bot.User)
	setDefault(&s.Bot.Name, base.Bot.Name)
	if s.Commands == nil {
		s.Commands = base.Commands
	}
	if s.Shortcuts == nil {
		s.Shortcuts = base.Shortcuts
	}
	for i := range s.Users {
		setDefault(&s.Users[i].RealName, s.Users[i].Name)
		setDefault(&s.Users[i].TZ, "UTC")
	}
	for i := range s.Groups {
		setDefault(&s.Groups[i].Name, s.Groups[i].Handle)
	}
}

func setDefault(field *string, value string) {
	if *field == "" {
		*field = value
	}
}

// typeable is a name that people can type after @ or #.
var typeable = regexp.MustCompile(`^[\p{L}\p{N}]([\p{L}\p{N}._-]*[\p{L}\p{N}])?$`)

// check reports every name that cannot be typed, is doubled or unknown, all in one error.
func (s *Seed) check() error {
	var problems []error
	report := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	take := func(taken map[string]bool, what, name string) {
		key := strings.ToLower(name)
		switch {
		case !typeable.MatchString(name):
			report("%s %q: use letters, digits, dots, dashes and underscores", what, name)
		case taken[key]:
			report("%s %q is listed twice", what, name)
		}
		taken[key] = true
	}
	people, channels := map[string]bool{}, map[string]bool{} // users and groups share the @
	take(people, "bot user", s.Bot.User)
	members := map[string]bool{s.Bot.User: true}
	for _, u := range s.Users {
		take(people, "user", u.Name)
		members[u.Name] = true
	}
	for _, g := range s.Groups {
		take(people, "group", g.Handle)
		s.checkMembers("group @"+g.Handle, g.Members, members, report)
		for _, name := range g.Channels {
			if !slices.ContainsFunc(s.Channels, func(c SeedChannel) bool { return c.Name == name && !c.Private }) {
				report("group @%s has %q among its channels, which is no public channel: add it under channels", g.Handle, name)
			}
		}
	}
	for _, c := range s.Channels {
		take(channels, "channel", c.Name)
		s.checkMembers("channel #"+c.Name, c.Members, members, report)
	}
	for _, c := range s.Commands {
		if !strings.HasPrefix(c.Command, "/") {
			report("command %q must start with a slash", c.Command)
		}
	}
	return errors.Join(problems...)
}

func (s *Seed) checkMembers(where string, members []string, users map[string]bool, report func(string, ...any)) {
	for _, m := range members {
		if !users[m] {
			report("%s has the unknown member %q: add it under users", where, m)
		}
	}
}

// seedID makes an id of Slack's looks from a name: the kind's letter, a zero, the start of the name, a few characters
// that depend on the whole name; eleven characters in all.
func seedID(kind, name string) string {
	var readable strings.Builder
	for _, r := range strings.ToUpper(name) {
		if (r >= 'A' && r <= 'Z' || r >= '0' && r <= '9') && readable.Len() < 5 {
			readable.WriteRune(r)
		}
	}
	sum := fnv.New64a()
	sum.Write([]byte(kind + name))
	tail := base32.StdEncoding.EncodeToString(sum.Sum(nil))
	id := kind + "0" + readable.String()
	return id + tail[:11-len(id)]
}
