package typecheck

import (
	"fmt"
	"regexp"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/naming"
)

// addresses holds names of channels, people and groups against the directory of the workspace.
type addresses struct {
	*reports
	world *World
}

func (c *checker) addresses() addresses { return addresses{&c.reports, &c.w} }

const longestName = 80 // characters of a channel's name in Slack

// idForm is the id of a channel, person or direct message.
var idForm = regexp.MustCompile(`^[CDGUW][A-Z0-9]{5,}$`)

// check checks a channel or a person. sure says that nothing else can work.
func (c addresses) check(at place, v, means string, sure bool) {
	if v == "" || strings.Contains(v, "{{") || idForm.MatchString(v) {
		return
	}
	report, wanted := c.error, "a channel or a person"
	if !sure {
		report = c.warn
	}
	if means == channelKind {
		wanted = "a channel"
	}
	kind := c.kind(v)
	switch {
	case strings.Contains(v, "://") || strings.ContainsAny(v, "\r\n") || len([]rune(v)) > longestName:
		report(at, -1, "bad-address", fmt.Sprintf("'%s' is not %s", shorten(v), wanted), "write for example #support")
	case kind == Group:
		report(at, -1, "bad-address", fmt.Sprintf("'%s' is a group, and a message goes to %s", v, wanted), "name the channel of the group, or a person")
	case means == channelKind && (kind == User || kind == "" && strings.HasPrefix(v, "@")):
		report(at, -1, "bad-address", fmt.Sprintf("'%s' is a person, and this must be a channel", v), "write for example #support")
	case kind == User || kind == Channel || kind == Unasked:
	case c.world.Kind != nil:
		c.unknown(at, v, kind, "nobody and nothing here is called '%s'")
	case !strings.HasPrefix(v, "#") && !strings.HasPrefix(v, "@") && strings.ContainsAny(v, " \t"):
		c.warn(at, -1, "bad-address", fmt.Sprintf("'%s' is not written as %s", shorten(v), wanted), "write for example #support or @ana")
	}
}

// kind asks what a name is.
func (c addresses) kind(name string) string {
	if c.world.Kind == nil {
		return ""
	}
	return c.world.Kind(name)
}

// unknown reports a name that does not exist now. It may be created later, unless the directory rules that out.
func (c addresses) unknown(at place, name, kind, message string) {
	report, hint := c.warn, ""
	if kind == Nobody {
		report = c.error
	}
	if c.world.Names != nil && !c.quiet() {
		hint = naming.Suggest(name, c.world.Names())
	}
	report(at.about(name), -1, "unknown-person", fmt.Sprintf(message, name), hint)
}

// people checks who may answer at a gate.
func (c addresses) people(at place, who *flow.Who, d *flow.Deadline) {
	if c.world.Kind == nil {
		return
	}
	one := func(at place, name string) {
		if name == "" || strings.Contains(name, "{{") || strings.ContainsAny(name, " \t\n") {
			return
		}
		if kind := c.world.Kind(name); kind == "" || kind == Nobody {
			c.unknown(at, name, kind, "nobody here is called '%s', so nobody could answer")
		}
	}
	if who != nil {
		for i, name := range who.Groups {
			one(at.in("who").item("groups", i), name)
		}
		for i, name := range who.Users {
			one(at.in("who").item("users", i), name)
		}
	}
	if d != nil && d.Escalate != nil {
		one(at.in("deadline.escalate.to"), d.Escalate.To)
	}
}
