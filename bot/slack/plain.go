package slack

import (
	"cmp"
	"context"
	"regexp"
	"strings"
)

// encoded are Slack's forms for people, channels, groups, links and special mentions.
var encoded = regexp.MustCompile(`<([@#!]?)([^<>|]+)(?:\|([^<>]*))?>`)

// namesMost is how many people, channels and groups of one message are looked up. Further ones keep their ids: each look-up is a call, which
// delays other calls.
const namesMost = 50

// plain turns Slack's encoded text into what a person would read: @ana, #support, @finance.
func (d *directory) plain(ctx context.Context, text string) string {
	names := map[string]string{} // by id, "" for those that nobody knows
	named := func(id string, ask func() (string, error)) string {
		name, asked := names[id]
		if asked || len(names) == namesMost {
			return name
		}
		name, err := ask()
		if err != nil {
			name = ""
		}
		names[id] = name
		return name
	}
	text = encoded.ReplaceAllStringFunc(text, func(s string) string {
		m := encoded.FindStringSubmatch(s)
		sigil, id, label := m[1], m[2], m[3]
		resolve := func(id string) func() (string, error) {
			return func() (string, error) {
				p, err := d.Resolve(ctx, id)
				return p.Name, err
			}
		}
		switch sigil {
		case "@":
			name := named(id, func() (string, error) {
				p, err := d.Person(ctx, id)
				return p.Name, err
			})
			return "@" + cmp.Or(name, id)
		case "#":
			return cmp.Or(named(id, resolve(id)), "#"+label)
		case "!":
			if group, ok := strings.CutPrefix(id, "subteam^"); ok {
				if name := named(group, resolve(group)); name != "" {
					return name
				}
			}
			return "@" + strings.TrimPrefix(label, "@")
		}
		if label != "" && strings.HasSuffix(id, label) {
			return label
		}
		return strings.TrimPrefix(id, "mailto:")
	})
	return strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(text)
}
