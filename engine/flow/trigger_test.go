package flow_test

import (
	"strings"
	"testing"

	"sluice/engine/flow"
)

// TestReactionInAChannel: the channel of a reaction is said, and a reaction without one is stored and said as it was before there were channels.
func TestReactionInAChannel(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ channel, stored, words, sentence string }{
		{"", `{"reaction":{"emoji":"bug"}}`, "by the reaction :bug:", "The reaction :bug: to a message in its channel starts it."},
		{"#support", `{"reaction":{"emoji":"bug","channel":"#support"}}`, "by the reaction :bug: in #support", "The reaction :bug: to a message in #support starts it."},
	} {
		g := flow.Trigger{Reaction: &flow.ReactionTrigger{Emoji: "bug", Channel: c.channel}}
		stored := string(flow.Canonical(&flow.Flow{Name: "a", Triggers: []flow.Trigger{g}}))
		if !strings.Contains(stored, `"triggers":[`+c.stored+`]`) || g.Words() != c.words || g.Sentence() != c.sentence {
			t.Errorf("%s, %q, %q", stored, g.Words(), g.Sentence())
		}
		if in, event := g.Channel(); (in == nil) != (c.channel == "") || in != nil && (*in != c.channel || event != "reaction") {
			t.Errorf("%q: it listens to %v for a %s", c.channel, in, event)
		}
	}
}
