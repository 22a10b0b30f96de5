package typecheck

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"sluice/engine/flow"
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
		p.addresses().check(at, v, means, sure)
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
