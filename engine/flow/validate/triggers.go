package validate

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"sluice/engine/flow"
	"sluice/engine/naming"
)

func (v *validator) triggers() {
	for i, t := range v.Flow.Triggers {
		a := flow.At{Path: fmt.Sprintf("triggers[%d]", i), On: fmt.Sprintf(" in triggers[%d]", i)}
		set := 0
		if t.Schedule != nil {
			set++
			v.schedule(a.In("schedule"), t.Schedule)
		}
		if t.Message != nil {
			set++
			v.message(a.In("message"), t.Message)
		}
		if t.Reaction != nil {
			set++
			if e := t.Reaction.Emoji; strings.Trim(e, ":") == "" || strings.ContainsAny(e, ": ") {
				v.Error(a.In("reaction.emoji"), "bad-name", fmt.Sprintf("'%s' is not the name of an emoji%s", e, a.On), "write it without colons, such as moneybag")
			}
			v.startsWith(a, v.groups(), "a reaction")
		}
		if t.Webhook != nil {
			set++
			v.webhook(a.In("webhook.path"), t.Webhook.Path, i)
		}
		if set != 1 && v.Intact(a) {
			v.Error(a, "trigger-of-what", "a trigger needs exactly one of schedule, message, reaction and webhook"+a.On, "")
		}
	}
}

func (v *validator) schedule(a flow.At, s *flow.ScheduleTrigger) {
	if v.Required(a.In("cron"), "cron", s.Cron) && v.Checks.Cron != nil {
		shortest, err := v.Checks.Cron(s.Cron)
		v.tooOften(flow.At{Path: a.In("cron").Path, On: a.On}, shortest)
		if err != nil {
			v.Error(a.In("cron"), "bad-cron", fmt.Sprintf("'%s' is no schedule%s: %v", s.Cron, a.On, err),
				`write minute, hour, day of the month, month, day of the week: "0 9 * * 1-5" is 9:00 on working days`)
		}
	}
	if s.Timezone != "" && v.Checks.Timezone != nil {
		if err := v.Checks.Timezone(s.Timezone); err != nil {
			v.Error(a.In("timezone"), "bad-timezone", fmt.Sprintf("unknown timezone '%s'%s", s.Timezone, a.On), "write for example Europe/Berlin")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Inputs)) {
		place := a.In("inputs." + name)
		in := v.Flow.Input(name)
		if in == nil {
			v.Error(place, "unknown-input", fmt.Sprintf("unknown input '%s'%s", name, a.On), naming.Suggest(name, inputNames(v.Flow)))
		} else if wrong := in.Accepts(s.Inputs[name]); wrong != "" {
			v.Error(place, "wrong-type", wrong+a.On, "")
		}
	}
	for i := range v.Flow.Inputs {
		if in := &v.Flow.Inputs[i]; in.Required {
			if _, given := s.Inputs[in.Name]; !given {
				v.Error(a, "missing-input", fmt.Sprintf("the schedule gives no '%s', which every run needs%s", in.Name, a.On),
					fmt.Sprintf("add inputs: {%s: ...} to the schedule, or give the input a default instead of required", in.Name))
			}
		}
	}
}

func (v *validator) message(a flow.At, m *flow.MessageTrigger) {
	v.Required(a.In("channel"), "channel", m.Channel)
	v.Regexp(a.In("match"), m.Match)
	given, ok := groupsOf(m)
	if !ok {
		return
	}
	for _, name := range given {
		if v.Flow.Input(name) == nil {
			v.Warn(a.In("match"), "unknown-input", fmt.Sprintf("the group '%s' fills no input%s", name, a.On), naming.Suggest(name, inputNames(v.Flow)))
		}
	}
	v.startsWith(a, given, "a message")
}

// groupsOf names the groups of a message's pattern; false when it cannot be read.
func groupsOf(m *flow.MessageTrigger) ([]string, bool) {
	re, err := regexp.Compile(m.Match)
	if err != nil {
		return nil, false
	}
	return slices.DeleteFunc(re.SubexpNames(), func(name string) bool { return name == "" }), true
}

// groups names the groups of the message pattern. A reaction uses the pattern on its message.
func (v *validator) groups() []string {
	var all []string
	for _, t := range v.Flow.Triggers {
		if t.Message != nil {
			names, _ := groupsOf(t.Message)
			all = append(all, names...)
		}
	}
	return all
}

// startsWith warns when a trigger gives no value for a required input: people are then asked for it.
func (v *validator) startsWith(a flow.At, given []string, what string) {
	for i := range v.Flow.Inputs {
		if in := &v.Flow.Inputs[i]; in.Required && !slices.Contains(given, in.Name) {
			v.Warn(a, "missing-input", fmt.Sprintf("%s gives no '%s', which every run needs%s", what, in.Name, a.On), "")
		}
	}
}

var webhookPath = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*(/[A-Za-z0-9_-]+)*$`)

const webhookPathMost = 100 // characters

func (v *validator) webhook(a flow.At, path string, index int) {
	if len(path) > webhookPathMost || !webhookPath.MatchString(path) {
		v.Error(a, "bad-name", fmt.Sprintf("'%s' is not the path of a webhook%s", path, a.On), fmt.Sprintf("use letters, digits, - and _, with / between, such as shop/refunds; up to %d of them", webhookPathMost))
	}
	for _, t := range v.Flow.Triggers[:index] {
		if t.Webhook != nil && t.Webhook.Path == path {
			v.Error(a, "duplicate-id", fmt.Sprintf("the webhook '%s' is there twice", path), "")
		}
	}
}

// tooOften reports a schedule that fires more often than the installation allows.
func (v *validator) tooOften(a flow.At, every time.Duration) {
	if least := v.Checks.Ceilings.Interval; every > 0 && every < least {
		v.Error(a, "over-ceiling", fmt.Sprintf("the schedule fires every %s%s, and this installation allows every %s", every, a.On, least),
			"make it rarer; an operator can lower SLUICE_MIN_SCHEDULE_INTERVAL")
	}
}

func inputNames(f *flow.Flow) []string {
	names := make([]string, len(f.Inputs))
	for i := range f.Inputs {
		names[i] = f.Inputs[i].Name
	}
	return names
}
