package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"sluice/bot/slacksim"
)

// appManifest is what a manifest asks Slack for.
type appManifest struct {
	Features struct {
		Home struct {
			Home     bool `yaml:"home_tab_enabled"`
			Messages bool `yaml:"messages_tab_enabled"`
		} `yaml:"app_home"`
		Commands []struct {
			Command string `yaml:"command"`
		} `yaml:"slash_commands"`
		Shortcuts []struct {
			Name     string `yaml:"name"`
			Type     string `yaml:"type"`
			Callback string `yaml:"callback_id"`
		} `yaml:"shortcuts"`
	} `yaml:"features"`
	OAuth struct {
		Scopes struct {
			Bot []string `yaml:"bot"`
		} `yaml:"scopes"`
	} `yaml:"oauth_config"`
	Settings struct {
		Events struct {
			Bot []string `yaml:"bot_events"`
		} `yaml:"event_subscriptions"`
		Interactivity struct {
			Enabled bool `yaml:"is_enabled"`
		} `yaml:"interactivity"`
		SocketMode bool `yaml:"socket_mode_enabled"`
	} `yaml:"settings"`
}

// scopesOf are the scopes that a method of the client library takes, by its name without Context. Those of conversations are for each sort of
// conversation that the bot asks about.
var scopesOf = map[string][]string{
	"AuthTest": nil, "OpenView": nil, "UpdateView": nil, "PublishView": nil, "UploadToURL": nil, // the last one has an address of its own
	"AddReaction": {"reactions:write"}, "RemoveReaction": {"reactions:write"},
	"CompleteUploadExternal": {"files:write"}, "GetUploadURLExternal": {"files:write"}, "DeleteFile": {"files:write"},
	"GetFile": {"files:read"}, "GetFileInfo": {"files:read"},
	"GetConversationHistory": {"channels:history", "groups:history", "im:history"}, "GetConversationReplies": {"channels:history", "groups:history", "im:history"},
	"GetConversations": {"channels:read", "groups:read"}, "GetConversationInfo": {"channels:read", "groups:read", "im:read"},
	"GetUsersInConversation": {"channels:read", "groups:read", "im:read"}, "OpenConversation": {"im:write"},
	"GetUserGroups": {"usergroups:read"}, "GetUserGroupMembers": {"usergroups:read"}, "GetUsers": {"users:read"}, "GetUserInfo": {"users:read"},
	"PostEphemeral": {"chat:write"}, "PostMessage": {"chat:write"}, "UpdateMessage": {"chat:write"},
}

// subscriptionsOf are the subscriptions that bring an event, with the scopes that they take.
var subscriptionsOf = map[string]map[string][]string{
	"app_home_opened":         {"app_home_opened": nil},
	"app_mention":             {"app_mention": {"app_mentions:read"}},
	"message":                 {"message.channels": {"channels:history"}, "message.groups": {"groups:history"}, "message.im": {"im:history"}},
	"reaction_added":          {"reaction_added": {"reactions:read"}},
	"member_joined_channel":   {"member_joined_channel": {"channels:read", "groups:read"}},
	"channel_archive":         {"channel_archive": {"channels:read"}},
	"channel_unarchive":       {"channel_unarchive": {"channels:read"}},
	"group_archive":           {"group_archive": {"groups:read"}},
	"group_unarchive":         {"group_unarchive": {"groups:read"}},
	"channel_left":            {"channel_left": {"channels:read"}},
	"group_left":              {"group_left": {"groups:read"}},
	"subteam_members_changed": {"subteam_members_changed": {"usergroups:read"}},
	"user_change":             {"user_change": {"users:read"}},
}

// used is what the code of the connection to Slack uses.
type used struct {
	calls, events []string
	shortcuts     []string // their callback ids
}

// useOfSlack reads the calls of the client library, the events that are decoded and the names of the shortcuts off the source.
func useOfSlack(t *testing.T) used {
	t.Helper()
	files, err := filepath.Glob("../../bot/slack/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	u := used{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				u.call(n)
			case *ast.ValueSpec:
				u.value(t, n)
			}
			return true
		})
	}
	for _, list := range []*[]string{&u.calls, &u.events, &u.shortcuts} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return u
}

// call notes a call of a client that is called api.
func (u *used) call(n *ast.CallExpr) {
	method, ok := n.Fun.(*ast.SelectorExpr)
	if !ok {
		return
	}
	on := ""
	switch x := method.X.(type) {
	case *ast.SelectorExpr:
		on = x.Sel.Name
	case *ast.Ident:
		on = x.Name
	}
	if on == "api" {
		u.calls = append(u.calls, strings.TrimSuffix(method.Sel.Name, "Context"))
	}
}

// value notes the table of events and the names of shortcuts.
func (u *used) value(t *testing.T, n *ast.ValueSpec) {
	t.Helper()
	for i, name := range n.Names {
		if i >= len(n.Values) {
			return
		}
		switch v := n.Values[i].(type) {
		case *ast.CompositeLit:
			if name.Name != "events" {
				continue
			}
			for _, e := range v.Elts {
				u.events = append(u.events, literal(t, e.(*ast.KeyValueExpr).Key))
			}
		case *ast.BasicLit:
			if strings.HasPrefix(name.Name, "shortcut") {
				u.shortcuts = append(u.shortcuts, literal(t, v))
			}
		}
	}
}

func literal(t *testing.T, e ast.Expr) string {
	t.Helper()
	s, err := strconv.Unquote(e.(*ast.BasicLit).Value)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestTheManifestAsksForWhatIsUsed compares the scopes, events, shortcuts and commands of the manifest with the code, both ways, and the
// small Slack with the manifest.
func TestTheManifestAsksForWhatIsUsed(t *testing.T) {
	t.Parallel()
	var m appManifest
	if err := yaml.Unmarshal([]byte(manifest), &m); err != nil {
		t.Fatal(err)
	}
	u := useOfSlack(t)
	scopes, subscriptions := map[string]bool{"commands": len(m.Features.Commands)+len(m.Features.Shortcuts) > 0}, []string{}
	take := func(names []string) {
		for _, s := range names {
			scopes[s] = true
		}
	}
	for _, call := range u.calls {
		names, known := scopesOf[call]
		if !known {
			t.Errorf("the table of this test does not say which scopes %s takes", call)
		}
		take(names)
	}
	for call := range scopesOf {
		if !slices.Contains(u.calls, call) {
			t.Errorf("nothing calls %s: its line in the table of this test goes", call)
		}
	}
	for _, event := range u.events {
		if subscriptionsOf[event] == nil {
			t.Errorf("the table of this test does not say which subscription brings %s", event)
		}
		for name, names := range subscriptionsOf[event] {
			subscriptions = append(subscriptions, name)
			take(names)
		}
	}
	slices.Sort(subscriptions)
	if diff := cmp.Diff(slices.Sorted(maps.Keys(scopes)), m.OAuth.Scopes.Bot); diff != "" {
		t.Errorf("the scopes in use and those of the manifest: %s", diff)
	}
	if diff := cmp.Diff(subscriptions, m.Settings.Events.Bot); diff != "" {
		t.Errorf("the events in use and those of the manifest: %s", diff)
	}
	if usesHome := slices.Contains(u.calls, "PublishView"); m.Features.Home.Home != usesHome || !m.Features.Home.Messages {
		t.Errorf("the tabs of the app's Home are %+v", m.Features.Home)
	}
	if !m.Settings.Interactivity.Enabled || !m.Settings.SocketMode {
		t.Error("buttons or Socket Mode are switched off")
	}
	checkNames(t, m, u)
}

// checkNames compares the commands and shortcuts of the manifest with the code and the small Slack.
func checkNames(t *testing.T, m appManifest, u used) {
	t.Helper()
	seed := slacksim.DefaultSeed()
	type shortcut struct{ Name, Type, Callback string }
	var asked, small []shortcut
	var callbacks, commands, smallCommands []string
	for _, s := range m.Features.Shortcuts {
		asked, callbacks = append(asked, shortcut(s)), append(callbacks, s.Callback)
	}
	for _, s := range seed.Shortcuts {
		small = append(small, shortcut{s.Name, s.Type, s.CallbackID})
	}
	for _, c := range m.Features.Commands {
		commands = append(commands, c.Command)
	}
	for _, c := range seed.Commands {
		smallCommands = append(smallCommands, c.Command)
	}
	slices.Sort(callbacks)
	for what, diff := range map[string]string{
		"the shortcuts in use and those of the manifest":         cmp.Diff(u.shortcuts, callbacks),
		"the shortcuts of the manifest and the small Slack":      cmp.Diff(asked, small),
		"the commands of the manifest and the small Slack":       cmp.Diff(commands, smallCommands),
		"the commands of the manifest and the one that is heard": cmp.Diff(commands, []string{"/flow"}),
	} {
		if diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
	}
}
