package typecheck

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/naming"
	"sluice/engine/tool"
)

// What a text is meant to be.
const (
	urlKind     = "url"
	addressKind = "address" // a channel or a person
	channelKind = "channel"
	textKind    = "text" // and nothing else
)

// meaningOf says what a parameter's text must be, and whether nothing else can work.
func meaningOf(t *tool.Tool, label string, schema map[string]any) (means string, sure bool) {
	description, _ := schema["description"].(string)
	switch said := schema["x-sluice"]; said {
	case urlKind, addressKind, channelKind, textKind:
		return said.(string), true
	}
	switch format := schema["format"]; {
	case format == "uri" || format == "url" || format == "iri":
		return urlKind, true
	case t.Message != nil && t.Message(tool.Call{Params: map[string]any{label: "#x"}}).Channel == "#x":
		return addressKind, true
	case strings.Contains(description, "http://") || strings.Contains(description, "https://"):
		return urlKind, true
	case strings.Contains(description, "#") && strings.Contains(description, "@"):
		return addressKind, false
	}
	if last := label[strings.LastIndex(label, ".")+1:]; strings.EqualFold(last, "url") || strings.HasSuffix(last, "_url") || strings.HasSuffix(last, "Url") {
		return urlKind, false
	}
	return "", false
}

// nameForm is how channels and people are written.
var nameForm = regexp.MustCompile(`^[#@][\p{L}\p{N}][\p{L}\p{N}._-]*$`)

// takesNames are parameters that may well take a person or a channel as a text.
var takesNames = regexp.MustCompile(`(?i)(user|person|people|member|assignee|owner|author|channel|recipient|mention|group|team|who|handle|^to$|^from$|^cc$|tag|label)`)

// meant checks a text that is written out.
func (p params) meant(at place, label, v string, schema map[string]any, means string, sure bool) {
	switch means {
	case urlKind:
		p.url(at, label, v, sure)
	case addressKind, channelKind:
		p.address(at, v, means, sure)
	default:
		description, _ := schema["description"].(string)
		if !nameForm.MatchString(v) || p.w.Kind == nil || takesNames.MatchString(label) || strings.ContainsAny(description, "#@") {
			return
		}
		if kind := p.w.Kind(v); kind == User || kind == Group || kind == Channel {
			p.warn(at, -1, "name-as-text", fmt.Sprintf("'%s' takes a text, and '%s' is a %s: '%s' does not look it up", label, v, kind, p.tool.Name), p.postHint())
		}
	}
}

// postHint names the tool that writes to channels and people.
func (p params) postHint() string {
	if p.tools[flow.PostMessage] == nil {
		return ""
	}
	return "to write to a channel or a person use " + flow.PostMessage
}

// url checks an address. Of a template the part that is written out must be the beginning of one.
func (p params) url(at place, label, v string, sure bool) {
	filled := v
	if open := strings.Index(v, "{{"); open == 0 {
		return
	} else if open > 0 {
		filled = filledIn(v)
	}
	u, err := url.Parse(filled)
	report, hint := p.error, ""
	if !sure {
		report = p.warn
	}
	is := "'" + shorten(v) + "'"
	switch {
	case err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "":
		return
	case nameForm.MatchString(v) && v[0] == '#':
		is, hint = "the channel "+is, p.postHint()
	case nameForm.MatchString(v):
		is, hint = "the person or group "+is, p.postHint()
	}
	report(at, -1, "bad-url", fmt.Sprintf("'%s' must be a URL with http:// or https://, not %s", label, is), hint)
}

// filledIn puts a letter in the place of every template.
func filledIn(v string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(v, "{{")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		b.WriteByte('x')
		if _, v, found = strings.Cut(rest, "}}"); !found {
			return b.String()
		}
	}
}

const longestName = 80 // characters of a channel's name in Slack

// idForm is the id of a channel, person or direct message.
var idForm = regexp.MustCompile(`^[CDGUW][A-Z0-9]{5,}$`)

// address checks a channel or a person. sure says that nothing else can work.
func (c *checker) address(at place, v, means string, sure bool) {
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
	case c.w.Kind != nil:
		c.nobody(at, v, kind, "nobody and nothing here is called '%s'")
	case !strings.HasPrefix(v, "#") && !strings.HasPrefix(v, "@") && strings.ContainsAny(v, " \t"):
		c.warn(at, -1, "bad-address", fmt.Sprintf("'%s' is not written as %s", shorten(v), wanted), "write for example #support or @ana")
	}
}

// kind asks what a name is.
func (c *checker) kind(name string) string {
	if c.w.Kind == nil {
		return ""
	}
	return c.w.Kind(name)
}

// nobody reports a name that does not exist now. It may be created later, unless the directory rules that out.
func (c *checker) nobody(at place, name, kind, message string) {
	report, hint := c.warn, ""
	if kind == Nobody {
		report = c.error
	}
	if c.w.Names != nil && !c.quiet() {
		hint = naming.Suggest(name, c.w.Names())
	}
	report(at.about(name), -1, "unknown-person", fmt.Sprintf(message, name), hint)
}

// people checks who may answer at a gate.
func (c *checker) people(at place, who *flow.Who, d *flow.Deadline) {
	if c.w.Kind == nil {
		return
	}
	check := func(at place, name string) {
		if name == "" || strings.Contains(name, "{{") || strings.ContainsAny(name, " \t\n") {
			return
		}
		if kind := c.w.Kind(name); kind == "" || kind == Nobody {
			c.nobody(at, name, kind, "nobody here is called '%s', so nobody could answer")
		}
	}
	if who != nil {
		for i, name := range who.Groups {
			check(at.in("who").item("groups", i), name)
		}
		for i, name := range who.Users {
			check(at.in("who").item("users", i), name)
		}
	}
	if d != nil && d.Escalate != nil {
		check(at.in("deadline.escalate.to"), d.Escalate.To)
	}
}
