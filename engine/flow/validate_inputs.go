package flow

import (
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"sluice/engine/naming"
)

// ofType reports whether a plain value has one of the types of inputs and form fields.
func ofType(typ string, value any) bool {
	switch value := value.(type) {
	case string:
		return typ == "string"
	case bool:
		return typ == "boolean"
	case float64:
		return typ == "number" || typ == "integer" && value == math.Trunc(value)
	case int, int64:
		return typ == "number" || typ == "integer"
	case map[string]any:
		return typ == "object"
	case []any:
		return typ == "array"
	default:
		return false
	}
}

// Accepts says what is wrong with a value for the input, or "".
func (in Input) Accepts(value any) string {
	typ := in.Type
	if typ == "" {
		typ = "string"
	}
	if !ofType(typ, value) {
		return fmt.Sprintf("input '%s' must be %s, not %v", in.Name, withArticle(typ), show(value))
	}
	if len(in.Enum) > 0 && !slices.ContainsFunc(in.Enum, func(e any) bool { return reflect.DeepEqual(e, value) }) {
		words := make([]string, len(in.Enum))
		for i, e := range in.Enum {
			words[i] = fmt.Sprint(e)
		}
		return fmt.Sprintf("input '%s' must be one of %s, not %v", in.Name, strings.Join(words, ", "), show(value))
	}
	return ""
}

func show(value any) string {
	if s, ok := value.(string); ok {
		return fmt.Sprintf("'%s'", s)
	}
	return OneLine(value)
}

func withArticle(word string) string {
	if strings.ContainsRune("aeiou", rune(word[0])) {
		return "an " + word
	}
	return "a " + word
}

func (v *validator) inputs() {
	for i := range v.f.Inputs {
		in := &v.f.Inputs[i]
		a := at{path: "inputs." + in.Name, on: fmt.Sprintf(" on input '%s'", in.Name)}
		if !identifier.MatchString(in.Name) {
			v.error(a, "bad-name", fmt.Sprintf("'%s' is not a name of an input", in.Name), "use letters, digits and _, such as order_id")
		}
		if slices.IndexFunc(v.f.Inputs, func(other Input) bool { return other.Name == in.Name }) < i {
			v.error(a, "duplicate-id", fmt.Sprintf("input '%s' is declared twice", in.Name), "")
		}
		for j, value := range in.Enum {
			if !ofType(in.Type, value) {
				v.error(a.item("enum", j), "wrong-type", fmt.Sprintf("'enum' of input '%s' holds %s, which is no %s", in.Name, show(value), in.Type), "")
			}
		}
		if in.Default != nil {
			if wrong := in.Accepts(in.Default); wrong != "" {
				v.error(a.in("default"), "wrong-default", "the default does not fit: "+wrong, "")
			}
			if in.Required {
				v.warn(a.in("default"), "default-of-required", fmt.Sprintf("input '%s' is required, so its default is never used", in.Name), "")
			}
		}
		if in.Example != nil {
			if wrong := in.Accepts(in.Example); wrong != "" {
				v.error(a.in("example"), "wrong-example", "the example does not fit: "+wrong, "")
			}
		}
	}
}

func (v *validator) inputNamed(name string) *Input {
	for i := range v.f.Inputs {
		if v.f.Inputs[i].Name == name {
			return &v.f.Inputs[i]
		}
	}
	return nil
}

func (v *validator) inputNames() []string {
	names := make([]string, len(v.f.Inputs))
	for i := range v.f.Inputs {
		names[i] = v.f.Inputs[i].Name
	}
	return names
}

func (v *validator) triggers() {
	for i, t := range v.f.Triggers {
		a := at{path: fmt.Sprintf("triggers[%d]", i), on: fmt.Sprintf(" in triggers[%d]", i)}
		set := 0
		if t.Schedule != nil {
			set++
			v.schedule(a.in("schedule"), t.Schedule)
		}
		if t.Message != nil {
			set++
			v.message(a.in("message"), t.Message)
		}
		if t.Reaction != nil {
			set++
			if e := t.Reaction.Emoji; strings.Trim(e, ":") == "" || strings.ContainsAny(e, ": ") {
				v.error(a.in("reaction.emoji"), "bad-name", fmt.Sprintf("'%s' is not the name of an emoji%s", e, a.on), "write it without colons, such as moneybag")
			}
			v.startsWith(a, v.groups(), "a reaction")
		}
		if t.Webhook != nil {
			set++
			v.webhook(a.in("webhook.path"), t.Webhook.Path, i)
		}
		if set != 1 && v.intact(a) {
			v.error(a, "trigger-of-what", "a trigger needs exactly one of schedule, message, reaction and webhook"+a.on, "")
		}
	}
}

func (v *validator) schedule(a at, s *ScheduleTrigger) {
	if v.required(a.in("cron"), "cron", s.Cron) && v.checks.Cron != nil {
		shortest, err := v.checks.Cron(s.Cron)
		v.tooOften(at{path: a.in("cron").path, on: a.on}, shortest)
		if err != nil {
			v.error(a.in("cron"), "bad-cron", fmt.Sprintf("'%s' is no schedule%s: %v", s.Cron, a.on, err),
				`write minute, hour, day of the month, month, day of the week: "0 9 * * 1-5" is 9:00 on working days`)
		}
	}
	if s.Timezone != "" && v.checks.Timezone != nil {
		if err := v.checks.Timezone(s.Timezone); err != nil {
			v.error(a.in("timezone"), "bad-timezone", fmt.Sprintf("unknown timezone '%s'%s", s.Timezone, a.on), "write for example Europe/Berlin")
		}
	}
	for _, name := range sortedKeys(s.Inputs) {
		place := a.in("inputs." + name)
		in := v.inputNamed(name)
		if in == nil {
			v.error(place, "unknown-input", fmt.Sprintf("unknown input '%s'%s", name, a.on), naming.Suggest(name, v.inputNames()))
		} else if wrong := in.Accepts(s.Inputs[name]); wrong != "" {
			v.error(place, "wrong-type", wrong+a.on, "")
		}
	}
	for i := range v.f.Inputs {
		if in := &v.f.Inputs[i]; in.Required {
			if _, given := s.Inputs[in.Name]; !given {
				v.error(a, "missing-input", fmt.Sprintf("the schedule gives no '%s', which every run needs%s", in.Name, a.on),
					fmt.Sprintf("add inputs: {%s: ...} to the schedule, or give the input a default instead of required", in.Name))
			}
		}
	}
}

func (v *validator) message(a at, m *MessageTrigger) {
	v.required(a.in("channel"), "channel", m.Channel)
	v.regexp(a.in("match"), m.Match)
	given, ok := m.groups()
	if !ok {
		return
	}
	for _, name := range given {
		if v.inputNamed(name) == nil {
			v.warn(a.in("match"), "unknown-input", fmt.Sprintf("the group '%s' fills no input%s", name, a.on), naming.Suggest(name, v.inputNames()))
		}
	}
	v.startsWith(a, given, "a message")
}

// groups names the groups of a message's pattern; false when it cannot be read.
func (m *MessageTrigger) groups() ([]string, bool) {
	re, err := regexp.Compile(m.Match)
	if err != nil {
		return nil, false
	}
	return slices.DeleteFunc(re.SubexpNames(), func(name string) bool { return name == "" }), true
}

// groups names the groups of the message pattern. A reaction uses the pattern on its message.
func (v *validator) groups() []string {
	var all []string
	for _, t := range v.f.Triggers {
		if t.Message != nil {
			names, _ := t.Message.groups()
			all = append(all, names...)
		}
	}
	return all
}

// startsWith warns when a trigger gives no value for a required input: people are then asked for it.
func (v *validator) startsWith(a at, given []string, what string) {
	for i := range v.f.Inputs {
		if in := &v.f.Inputs[i]; in.Required && !slices.Contains(given, in.Name) {
			v.warn(a, "missing-input", fmt.Sprintf("%s gives no '%s', which every run needs%s", what, in.Name, a.on), "")
		}
	}
}

var webhookPath = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*(/[A-Za-z0-9_-]+)*$`)

const webhookPathMost = 100 // characters

func (v *validator) webhook(a at, path string, index int) {
	if len(path) > webhookPathMost || !webhookPath.MatchString(path) {
		v.error(a, "bad-name", fmt.Sprintf("'%s' is not the path of a webhook%s", path, a.on), fmt.Sprintf("use letters, digits, - and _, with / between, such as shop/refunds; up to %d of them", webhookPathMost))
	}
	for _, t := range v.f.Triggers[:index] {
		if t.Webhook != nil && t.Webhook.Path == path {
			v.error(a, "duplicate-id", fmt.Sprintf("the webhook '%s' is there twice", path), "")
		}
	}
}
