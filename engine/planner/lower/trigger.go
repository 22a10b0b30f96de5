package lower

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"sluice/engine/flow"
	"sluice/engine/flow/validate"
	"sluice/engine/planner/english"
	"sluice/engine/planner/tree"
)

// trigger adds a trigger, or notes why it cannot be.
func (b *head) trigger(g tree.Trigger) {
	var out flow.Trigger
	said, wrong := "", ""
	switch {
	case g.Cron != "":
		out.Schedule = &flow.ScheduleTrigger{Cron: g.Cron, Timezone: cmp.Or(g.Zone, b.w.Zone)}
		if _, err := time.LoadLocation(out.Schedule.Timezone); err != nil {
			b.note("cannot", fmt.Sprintf("There is no time zone %s.", english.Quoted(g.Zone)))
			out.Schedule.Timezone = b.w.Zone
		}
	case g.Emoji != "":
		out.Reaction = &flow.ReactionTrigger{Emoji: strings.Trim(g.Emoji, ": "), Channel: g.Channel}
		said, wrong = g.Emoji, "%s is not the name of an emoji."
	case g.Channel != "":
		out.Message = &flow.MessageTrigger{Channel: g.Channel, Match: g.Match}
		said, wrong = g.Match, "%s is no pattern for messages."
	case g.Path != "":
		out.Webhook = &flow.WebhookTrigger{Path: strings.TrimPrefix(g.Path, "/")}
		said, wrong = g.Path, "%s cannot be the path of a webhook."
	default:
		return
	}
	if all := append(slices.Clip(b.flow.Triggers), out); wrong == "" || valid(all) {
		b.flow.Triggers = all
	} else {
		b.note("cannot", fmt.Sprintf(wrong, english.Quoted(said)))
	}
}

// valid reports whether the last of the triggers is as the format wants it.
func valid(triggers []flow.Trigger) bool {
	problems := validate.Flow(&flow.Flow{Triggers: triggers}, flow.Checks{}).Errors()
	last := fmt.Sprintf("triggers[%d]", len(triggers)-1)
	return !slices.ContainsFunc(problems, func(p flow.Problem) bool { return strings.HasPrefix(p.Path, last) })
}

// keepTriggers takes over the triggers of a kind that the words do not name, and what the words cannot say of the others.
func (b *revision) keepTriggers() {
	if b.byHand {
		return
	}
	named := b.flow.Triggers
	b.flow.Triggers = nil
	for _, t := range b.old.Triggers {
		at := slices.IndexFunc(named, func(n flow.Trigger) bool { return reflect.DeepEqual(TriggerOf(n), TriggerOf(t)) }) // the words say them alike
		if at < 0 {
			at = slices.IndexFunc(named, func(n flow.Trigger) bool { return sameTriggerKind(n, t) })
		}
		switch {
		case at < 0:
			b.flow.Triggers = append(b.flow.Triggers, t)
		case t.Schedule != nil:
			s := named[at].Schedule
			s.CatchUp, s.Overlap, s.Inputs = t.Schedule.CatchUp, t.Schedule.Overlap, t.Schedule.Inputs
			s.Timezone = cmp.Or(s.Timezone, t.Schedule.Timezone)
		case t.Webhook != nil && named[at].Webhook.Path == t.Webhook.Path:
			named[at].Webhook.Scheme = t.Webhook.Scheme
		}
	}
	b.flow.Triggers = append(b.flow.Triggers, named...)
	b.fitInputs()
}

// sameTriggerKind reports whether two triggers have the same field set.
func sameTriggerKind(a, b flow.Trigger) bool {
	return a.Schedule != nil && b.Schedule != nil || a.Message != nil && b.Message != nil || a.Reaction != nil && b.Reaction != nil || a.Webhook != nil && b.Webhook != nil
}

// fitInputs leaves out of schedules what the flow is not given any more.
func (b *revision) fitInputs() {
	for _, t := range b.flow.Triggers {
		if t.Schedule != nil {
			maps.DeleteFunc(t.Schedule.Inputs, func(name string, value any) bool {
				in := b.flow.Input(name)
				return in == nil || in.Accepts(value) != ""
			})
		}
	}
}

// TriggerOf is what words say of a trigger.
func TriggerOf(g flow.Trigger) tree.Trigger {
	switch {
	case g.Schedule != nil:
		return tree.Trigger{Cron: g.Schedule.Cron, Zone: g.Schedule.Timezone}
	case g.Message != nil:
		return tree.Trigger{Channel: g.Message.Channel, Match: g.Message.Match}
	case g.Reaction != nil:
		return tree.Trigger{Emoji: g.Reaction.Emoji, Channel: g.Reaction.Channel}
	case g.Webhook != nil:
		return tree.Trigger{Path: g.Webhook.Path}
	}
	return tree.Trigger{}
}

// unscheduled takes schedules away that do not give what every run needs.
func (b *head) unscheduled() {
	f := b.flow
	f.Triggers = slices.DeleteFunc(f.Triggers, func(t flow.Trigger) bool {
		if t.Schedule == nil {
			return false
		}
		var needs []string
		for _, in := range f.Inputs {
			if _, given := t.Schedule.Inputs[in.Name]; in.Required && !given {
				needs = append(needs, strings.ReplaceAll(in.Name, "_", " "))
			}
		}
		if len(needs) > 0 {
			b.note("schedule_without_inputs", fmt.Sprintf("Nobody is there to give %s when this starts by the clock.", english.Join(needs, "and")))
		}
		return len(needs) > 0
	})
	if len(f.Triggers) == 0 {
		f.Triggers = nil
	}
}
