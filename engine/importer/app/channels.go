package app

import (
	"fmt"
	"slices"

	"sluice/engine/flow"
	"sluice/engine/flow/source"
	"sluice/engine/naming"
)

// channelsModule is the module whose settings list the channels that start the app.
const channelsModule = "channels"

// clocks are the adapters of channels on which nobody writes anything.
var clocks = []string{"cron", "schedule", "scheduler", "timer", "interval"}

// channels lists the channels that start the app, such as a chat, a mailbox or a webhook.
func (r *reading) channels() []source.Pair {
	config := r.root.Get("tools").Get("modules").Get(channelsModule).Get("config")
	if providers := config.Get("providers"); providers != nil && providers.Kind == source.Map {
		return providers.Pairs
	}
	return nil
}

func adapterOf(channel source.Pair) string {
	if v := channel.Value.Get("adapter"); v != nil {
		return v.Text
	}
	return ""
}

// starts makes a trigger of each channel. Its name is none that a channel of Slack can have, so that somebody has to say which one stands
// for it here.
func (r *reading) starts() (all []flow.Trigger) {
	for _, p := range r.channels() {
		if p.Key != "" && !slices.Contains(clocks, adapterOf(p)) {
			all = append(all, flow.Trigger{Message: &flow.MessageTrigger{Channel: channelsModule + "." + p.Key}})
		}
	}
	return all
}

// messageHas is what the payload of a message in Slack has.
var messageHas = []string{"message", "from", "channel", "thread", "files"}

// channelsUsed says what becomes of the channels here.
func (r *reading) channelsUsed(f *flow.Flow) {
	var empty []string
	for _, name := range read(f, "event.payload") {
		if !slices.Contains(messageHas, name) {
			empty = append(empty, "event.payload."+name)
		}
	}
	for _, p := range r.channels() {
		adapter := adapterOf(p)
		if slices.Contains(clocks, adapter) {
			r.s.Warn(p.At, "", "not-kept", fmt.Sprintf("the channel %s does not start this flow: give it a schedule of its own", p.Key), "")
			continue
		}
		what := fmt.Sprintf("the channel %s starts the app", p.Key)
		if adapter != "" {
			what = fmt.Sprintf("the channel %s (%s) starts the app", p.Key, adapter)
		}
		what += fmt.Sprintf(": here messages of a channel in Slack do, once somebody says which one stands for %s.%s. Its address, keys, filter and words are not used", channelsModule, p.Key)
		if len(empty) > 0 {
			what += ". A message has no " + naming.List(empty, "or") + ": the flow reads nothing there"
		}
		r.s.Warn(p.At, "", "not-kept", what, "")
	}
}
