package change

import (
	"errors"
	"strings"
	"testing"

	"sluice/engine/planner/outline"
)

const (
	packing = `ask @bob to approve within 24 hours, then ask @carla to pack it, wait 2 days, tell #a "done"`
	timed   = `if the amount is over 200 ask @bob to approve, then wait 30 minutes, tell #a "done"`
	build   = `run the import, build the image, ask @bob to approve, tell #a "done"`
)

// TestTerms changes durations, names, the first and the last step, and how often a step is tried, in a few words.
func TestTerms(t *testing.T) {
	t.Parallel()
	const cannot, none = "cannot", "none"
	for _, c := range []struct{ draft, words, has, hasNot string }{
		{packing, "12h not 24h", "ask @bob after 12h", ""},
		{packing, "3 days, not 2 days", "3 wait", ""},
		{packing, "12h not 36h", cannot, ""},
		{packing + ", wait 2 days", "3 days, not 2 days", cannot, ""},
		{packing, "good not bad", none, ""},
		{packing, "#b not #a", "tell #b done", "#a"},
		{packing, "no not bob, carla", none, ""},
		{packing, "dont post it in #a, use #b", none, ""},
		{packing, "the deadline for carla is 2 days", none, ""},
		{packing, "drop the slack message at the end", none, ""},
		{packing, "add a 10 min wait after the packing", none, ""},
		{packing, "remind everyone after 2h", none, ""},
		{packing, "the done message should also go to #b", none, ""},
		{packing, "drop the last message", none, ""},
		{build, "retry the import 3 times", none, ""},
		{build, "in step 1, retry it 3 times", "1 do tries 4 run the import", ""},
		{timed, "the wait is 45 minutes", none, ""},
		{timed, "yes goes to 3", none, ""},
		{packing, "give each of them 3 days", cannot, ""},
		{packing, "30 min is enough", none, ""},
		{packing, "swap bob with carla pls", "ask @carla after 24h; 2 do @bob", ""},
		{packing, "swap the packing and the wait", "2 wait for 2d; 3 do @carla", ""},
		{packing, "drop step 4 and give them 3 days", cannot, ""},
		{"ask @bob and @carla to approve, tell #a \"done\"", "only one of them has to approve", "ask @bob @carla; 2 tell", ""},
		{build, "also tell #b once it's imported", cannot, ""},
		{packing, "bob should do the packing, not carla", "2 do @bob", "do @carla"},
		{packing, "carla does not need to pack it any more", "2 wait", "do @carla"},
		{packing, "dave doesn't need to pack it", none, ""},
		{packing, "also tell #b we stop for now", "5 tell #b we stop for now", ""},
		{packing, "also tell #b thanks", "5 tell #b thanks", ""},
		{packing, "also tell #b hello, thanks", "5 tell #b hello", "thanks"},
		{build, "if the import fails stop and tell #b", "1a tell #b; 1b stop", ""},
		{timed, "wait 45 minutes instead of 30", "2 wait for 45m", ""},
		{timed, "the wait is 45 minutes, then bananas", none, ""},
		{timed, "step 1 is 45 minutes", none, ""},
		{timed, "the approval goes to @carla", "ask @carla", "@bob"},
		{timed, "the message goes to #b", "tell #b", "#a"},
		{timed, "step 3 only if approved", "1a ask @bob on approve tell #a; 1a1 tell #a done; 2 wait", ""},
		{timed, "don't do step 3 before @bob approves", "1a ask @bob on approve tell #a; 1a1 tell #a done; 2 wait", ""},
	} {
		base, ok := outline.Read(c.draft, "U1", "bob", "carla")
		if !ok {
			t.Fatalf("%q is not read", c.draft)
		}
		next, said, err := Apply(base, c.words, "U1", "bob", "carla")
		var why *Error
		if c.has == cannot && errors.As(err, &why) || c.has == none && errors.Is(err, ErrNone) {
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", c.words, err)
			continue
		}
		if got := sketch(next); !strings.Contains(got, c.has) || c.hasNot != "" && strings.Contains(got, c.hasNot) {
			t.Errorf("%q gives %s (%s)", c.words, got, said)
		}
	}
}
