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
		{packing, "#b not #a", "tell #b done", "#a"},
		{packing, "#b, not #z", cannot, ""},
		{packing, "@dan not @bob", "ask @dan", "@bob"},
		{packing, "good not bad", none, ""},
		{packing, "the deadline for carla is 2 days", "do @carla after 2d", ""},
		{packing, "make the timeout of the approval 20 min", "ask @bob after 20m", ""},
		{packing, "set carla's deadline to 3 hours", "do @carla after 3h", ""},
		{packing, "the deadline of step 2 is 3 hours", "do @carla after 3h", ""},
		{packing, "the deadline for step 4 is 3 hours", cannot, ""},
		{packing, "the deadline for the cake is 3 hours", cannot, ""},
		{packing, "give each of them 3 days", "ask @bob after 3d; 2 do @carla after 3d", ""},
		{packing, "drop the slack message at the end", "3 wait", "tell"},
		{packing, "remove the approval at the beginning", "1 do @carla", "ask"},
		{packing, "drop the question at the end", cannot, ""},
		{packing, "delete the branch at the end", "5 do delete the branch", ""},
		{packing, "30 min is enough", none, ""},
		{packing, "no not bob, carla", "ask @carla", "@bob"},
		{packing, "dont post it in #a, use #b", "tell #b", "#a"},
		{packing, "post to #b as well as #a", "tell #a #b done", ""},
		{packing, "the done message should also go to #b", "tell #a #b done", ""},
		{packing, "swap bob with carla pls", "ask @carla after 24h; 2 do @bob", ""},
		{packing, "bob and carla swap", "ask @carla after 24h; 2 do @bob", ""},
		{packing, "swap the packing and the wait", "2 wait for 2d; 3 do @carla", ""},
		{packing, "carla must pack it within 3 hours", "do @carla after 3h", ""},
		{packing, "max 3 hours for the packing", "do @carla after 3h", ""},
		{packing, "post it in #b not in #a", "tell #b", "#a"},
		{packing, "remind everyone after 2h", "ask @bob after 24h remind 2h; 2 do @carla remind 2h", ""},
		{packing, "add a 10 min wait after the packing", "3 wait", ""},
		{packing, "we dont need the packing", "2 wait", "do @carla"},
		{packing, "drop step 4 and give them 3 days", cannot, ""},
		{"ask @bob and @carla to approve, tell #a \"done\"", "only one of them has to approve", "ask @bob @carla; 2 tell", ""},
		{"if the amount is over 100 ask @bob to approve", "not over 100, over 250", "over 250", "100"},
		{build, "also tell #b once it's imported", "1 do run the import; 2 tell #b", ""},
		{packing, "bob should do the packing, not carla", "2 do @bob", "do @carla"},
		{packing, "carla does not need to pack it any more", "2 wait", "do @carla"},
		{packing, "dave doesn't need to pack it", none, ""},
		{packing, "remove the thing with the packing", "2 wait", "do @carla"},
		{packing, "also tell #b we stop for now", "5 tell #b we stop for now", ""},
		{packing, "drop the last message for now, please", "3 wait", "tell"},
		{packing, "also tell #b thanks", "5 tell #b thanks", ""},
		{packing, "also tell #b hello, thanks", "5 tell #b hello", "thanks"},
		{packing, "drop the last message", "3 wait", "tell"},
		{build, "if the import fails stop and tell #b", "1a tell #b; 1b stop", ""},
		{"every Monday at 9: " + build, "tuesday not monday", "when 0 9 * * 2", ""},
		{timed, "the wait is 45 minutes", "2 wait for 45m", ""},
		{timed, "step 2 takes 45 minutes", "2 wait for 45m", ""},
		{timed, "wait 45 minutes instead of 30", "2 wait for 45m", ""},
		{timed, "the wait is 45 minutes, then bananas", none, ""},
		{timed, "step 1 is 45 minutes", none, ""},
		{timed, "the limit is 300, not 200", "over 300", "200"},
		{timed, "the limit is 300, not 250", cannot, ""},
		{timed, "the limit is now 300", "over 300", "200"},
		{timed, "no, 300 is the limit", "over 300", "200"},
		{timed, "the approval goes to @carla", "ask @carla", "@bob"},
		{timed, "the message goes to #b", "tell #b", "#a"},
		{timed + `, tell #b "x"`, `the message to #b should be "y"`, "4 tell #b y", ""},
		{timed, "step 3 only if approved", "1a ask @bob on approve tell #a; 1a1 tell #a done; 2 wait", ""},
		{timed, "don't do step 3 before @bob approves", "1a ask @bob on approve tell #a; 1a1 tell #a done; 2 wait", ""},
		{timed, "yes goes to 3", cannot, ""},
		{timed, "the approval goes to 3", cannot, ""},
		{build, "retry the import 3 times", "1 do tries 4 run the import", ""},
		{build, "try the build up to 5 times", "2 do tries 5 build the image", ""},
		{build, "retry step 2 twice", "2 do tries 3 build the image", ""},
		{build, "retry the approval 3 times", cannot, ""},
		{build, "retry the cake 3 times", cannot, ""},
		{build, "retry the import 3 times and bananas", cannot, ""},
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
