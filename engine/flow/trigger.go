package flow

import (
	"cmp"
	"fmt"
	"strings"
)

// Trigger starts runs; exactly one of its fields is set.
type Trigger struct {
	Schedule *ScheduleTrigger `json:"schedule,omitempty"`
	Message  *MessageTrigger  `json:"message,omitempty"`
	Reaction *ReactionTrigger `json:"reaction,omitempty"`
	Webhook  *WebhookTrigger  `json:"webhook,omitempty"`
}

// ScheduleTrigger starts runs by the clock.
type ScheduleTrigger struct {
	Cron     string         `json:"cron"` // five fields or @daily; engine/calendar has more
	Timezone string         `json:"timezone,omitempty"`
	Inputs   map[string]any `json:"inputs,omitempty"`
	CatchUp  string         `json:"catch_up,omitempty"` // skip, once, all
	Overlap  string         `json:"overlap,omitempty"`  // allow, skip, queue
}

// MessageTrigger starts a run for a matching message; named groups become inputs.
type MessageTrigger struct {
	Channel string `json:"channel"`
	Match   string `json:"match"`
}

// ReactionTrigger starts a run when somebody reacts to a message.
type ReactionTrigger struct {
	Emoji   string `json:"emoji"`
	Channel string `json:"channel,omitempty"` // where the message stands; empty = in the flow's home channel
}

// WebhookTrigger starts a run for a signed POST to /hooks/PATH.
type WebhookTrigger struct {
	Path   string `json:"path"`
	Scheme string `json:"scheme,omitempty"` // how deliveries are signed; empty = SchemeStandard
}

// Ways to sign a delivery. A path has one scheme: with two, a delivery signed for one scheme could be replayed under the other.
const (
	SchemeStandard = "standard" // Standard Webhooks: id, time and body are signed
	SchemeGitHub   = "github"   // X-Hub-Signature-256: the body alone is signed
)

// SchemeOrDefault gives the scheme, or the default scheme.
func (w WebhookTrigger) SchemeOrDefault() string { return cmp.Or(w.Scheme, SchemeStandard) }

// ByEvent reports whether something that happens starts runs, and not a person or the time.
func (t Trigger) ByEvent() bool { return t.Message != nil || t.Reaction != nil || t.Webhook != nil }

// Words names the webhook, and its scheme unless it is the usual one.
func (w WebhookTrigger) Words() string {
	if w.SchemeOrDefault() == SchemeGitHub {
		return "the webhook " + w.Path + ", signed as GitHub does"
	}
	return "the webhook " + w.Path
}

// Channel is where a trigger names the channel that it listens to, and what it waits for there; nil = it names none.
func (t Trigger) Channel() (name *string, event string) {
	switch {
	case t.Message != nil:
		return &t.Message.Channel, "message"
	case t.Reaction != nil && t.Reaction.Channel != "":
		return &t.Reaction.Channel, "reaction"
	}
	return nil, ""
}

// Label says in a few words what starts the runs; "" = nothing.
func (t Trigger) Label() string {
	switch {
	case t.Schedule != nil:
		return "by schedule " + t.Schedule.Cron
	case t.Message != nil:
		return "by a message in " + t.Message.Channel
	case t == Trigger{}:
		return ""
	}
	return t.Words()
}

// Words says what starts the runs.
func (t Trigger) Words() string {
	switch {
	case t.Schedule != nil && t.Schedule.Timezone != "":
		return "by schedule " + t.Schedule.Cron + " (" + t.Schedule.Timezone + ")"
	case t.Schedule != nil:
		return "by schedule " + t.Schedule.Cron
	case t.Message != nil && (t.Message.Match == "" || t.Message.Match == `\S`):
		return "by every message in " + t.Message.Channel
	case t.Message != nil:
		return fmt.Sprintf("by a message in %s that matches %s", t.Message.Channel, t.Message.Match)
	case t.Reaction != nil && t.Reaction.Channel != "":
		return "by the reaction :" + t.Reaction.Emoji + ": in " + t.Reaction.Channel
	case t.Reaction != nil:
		return "by the reaction :" + t.Reaction.Emoji + ":"
	case t.Webhook != nil:
		return "by " + t.Webhook.Words()
	}
	return "by nothing"
}

// Sentence says what starts the runs, as a sentence.
func (t Trigger) Sentence() string {
	switch {
	case t.Reaction != nil:
		return "The reaction :" + strings.Trim(t.Reaction.Emoji, ":") + ": to a message in " + cmp.Or(t.Reaction.Channel, "its channel") + " starts it."
	case t.Webhook != nil && t.Webhook.SchemeOrDefault() == SchemeGitHub:
		return "A call of " + t.Webhook.Words() + ", starts it."
	case t.Webhook != nil:
		return "A signed call of " + t.Webhook.Words() + " starts it."
	}
	return "It starts " + t.Words() + "."
}
