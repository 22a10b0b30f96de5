package slacksim

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// check looks at one value; what is wrong goes to the checker.
type check func(k *checker, value any, path string)

// field is one field of a shape.
type field struct {
	required bool
	check    check
}

// shape is what a block or element of one type looks like and where it may stand.
type shape struct {
	where  surface
	fields map[string]field
	also   func(k *checker, o object, path string) // what concerns several fields
}

func must(c check) field { return field{required: true, check: c} }
func may(c check) field  { return field{check: c} }

// within is a string of a length.
func within(least, most int) check {
	return func(k *checker, value any, path string) {
		s, ok := value.(string)
		if !ok {
			k.report(path, "must be a string")
			return
		}
		switch n := utf8.RuneCountInString(s); {
		case n < least:
			k.report(path, "must be more than %d characters", least-1)
		case n > most:
			k.report(path, "must be less than %d characters", most+1)
		}
	}
}

func boolean(k *checker, value any, path string) {
	if _, ok := value.(bool); !ok {
		k.report(path, "must be a boolean")
	}
}

func whole(least, most int64) check {
	return func(k *checker, value any, path string) {
		n, ok := value.(json.Number)
		i, err := n.Int64()
		if !ok || err != nil {
			k.report(path, "must be an integer")
			return
		}
		if i < least || i > most {
			k.report(path, "must be between %d and %d", least, most)
		}
	}
}

func oneOf(allowed ...string) check {
	return func(k *checker, value any, path string) {
		if s, ok := value.(string); !ok || !slices.Contains(allowed, s) {
			k.report(path, "must be one of %s", strings.Join(allowed, ", "))
		}
	}
}

func pattern(layout, wanted string) check {
	return func(k *checker, value any, path string) {
		s, _ := value.(string)
		if _, err := time.Parse(layout, s); err != nil {
			k.report(path, "must be %s", wanted)
		}
	}
}

func webAddress(k *checker, value any, path string) {
	within(1, 3000)(k, value, path)
	s, _ := value.(string)
	if u, err := url.Parse(s); err != nil || u.Scheme == "" || u.Host == "" {
		k.report(path, "must be a valid URL")
	}
}

// actionID must be unique in its block.
func actionID(k *checker, value any, path string) {
	within(0, maxID)(k, value, path)
	id, _ := value.(string)
	if id != "" && k.actions[id] {
		k.report(path, "action_id %q already exists", id)
	}
	if k.actions != nil {
		k.actions[id] = true
	}
}

func anything(*checker, any, string) {}

func focus(k *checker, value any, path string) {
	boolean(k, value, path)
	if value == true {
		k.focused++
	}
}

var textFields = map[string]field{
	"text": must(within(0, 1<<30)), "emoji": may(boolean), "verbatim": may(boolean),
}

// textOf is a text object of one of the kinds, of a length.
func textOf(least, most int, kinds ...string) check {
	return func(k *checker, value any, path string) {
		o, ok := value.(object)
		if !ok {
			k.report(path, "must be an object")
			return
		}
		kind, _ := o["type"].(string)
		if !slices.Contains(kinds, kind) {
			k.report(path+"/type", "must be one of %s", strings.Join(kinds, ", "))
			return
		}
		k.object(o, path, textFields)
		if kind == "mrkdwn" && o["emoji"] != nil {
			k.report(path, "invalid additional property: emoji")
		}
		if kind == "plain_text" && o["verbatim"] == true {
			k.report(path, "invalid additional property: verbatim")
		}
		if _, given := o["text"]; given {
			within(least, most)(k, o["text"], path+"/text")
		}
	}
}

func label(most int) check { return textOf(1, most, "plain_text") }

func prose(most int) check { return textOf(1, most, "plain_text", "mrkdwn") }

// each is a list of a length whose items all pass.
func each(least, most int, item check) check {
	return func(k *checker, value any, path string) {
		list, ok := value.([]any)
		if !ok {
			k.report(path, "must be an array")
			return
		}
		if len(list) < least {
			k.report(path, "no fewer than %d items allowed [input:%d]", least, len(list))
		}
		if len(list) > most {
			k.report(path, "no more than %d items allowed [input:%d]", most, len(list))
			return
		}
		for i, one := range list {
			item(k, one, fmt.Sprintf("%s/%d", path, i))
		}
	}
}

// part is an object with these fields.
func part(fields map[string]field) check {
	return func(k *checker, value any, path string) {
		o, ok := value.(object)
		if !ok {
			k.report(path, "must be an object")
			return
		}
		k.object(o, path, fields)
	}
}

var (
	confirm = part(map[string]field{
		"title": must(label(100)), "text": must(prose(300)), "confirm": must(label(30)), "deny": must(label(30)),
		"style": may(oneOf("primary", "danger")),
	})
	optionFields = map[string]field{
		"text": must(prose(75)), "value": must(within(1, 150)), "description": may(prose(75)), "url": may(webAddress),
	}
	optionOf    = part(optionFields)
	optionGroup = part(map[string]field{"label": must(label(75)), "options": must(each(1, 100, optionOf))})
	dispatch    = part(map[string]field{
		"trigger_actions_on": may(each(1, 2, oneOf("on_enter_pressed", "on_character_entered"))),
	})
	memberID = within(1, 30)
)

// slackFile must be a picture that is ready.
func slackFile(k *checker, value any, path string) {
	part(map[string]field{"id": may(within(1, maxID)), "url": may(within(1, 3000))})(k, value, path)
	o, _ := value.(object)
	id, _ := o["id"].(string)
	if address, ok := o["url"].(string); ok && id == "" {
		id = address[strings.LastIndex(address, "/")+1:]
	}
	if !k.server.isPicture(id) {
		k.report(path, "invalid slack file")
	}
}

// oneImage is either an address or an uploaded file.
func oneImage(k *checker, o object, path string) {
	if (o["image_url"] == nil) == (o["slack_file"] == nil) {
		k.report(path, "exactly one of image_url and slack_file is required")
	}
}

// elementOf is an element of one of the kinds.
func elementOf(kinds ...string) check {
	return func(k *checker, value any, path string) {
		o, ok := value.(object)
		if !ok {
			k.report(path, "must be an object")
			return
		}
		kind, _ := o["type"].(string)
		s, known := elementShapes[kind]
		if !known || !slices.Contains(kinds, kind) {
			k.report(path+"/type", "unsupported element type: %s", kind)
			return
		}
		if s.where&k.where == 0 {
			k.report(path+"/type", "%s is not allowed here", kind)
			return
		}
		k.object(o, path, s.fields)
		if s.also != nil {
			s.also(k, o, path)
		}
	}
}
