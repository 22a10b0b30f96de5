package change

import (
	"strings"
	"testing"

	"sluice/engine/planner/outline"
)

// TestBoundBetweenRanges: the value at the two sides of a bound is one, and values of different things are not.
func TestBoundBetweenRanges(t *testing.T) {
	t.Parallel()
	const tiers = "1. get the order\n2. if the amount is under 50 tell #team \"ok\", 50-500 ask @ana to approve, over 500 ask @finance to approve\n3. refund the order"
	const upTo = "1. get the order\n2. Up to 500 ask @ana to approve; above 500 and up to 5,000 ask @finance to approve; over 5,000 ask @cfo to approve"
	const chain = "get the order. if the amount is over 500 ask @ana to approve, otherwise if it is over 100 ask @bob to approve. refund the order"
	const two = "1. get the order\n2. if the amount is over 500 ask @ana to approve, if the order_id is 500 ask @bob to approve"
	const reject = "in step 2c, if rejected, tell #support \"no\""
	for _, c := range []struct{ draft, before, words, has, hasNot string }{
		{tiers, "", "make it 600 instead of 500", "over 600", "500"},
		{tiers, "", "raise the limit from 500 to 800", "over 800", "500"},
		{tiers, "", "60 instead of 50", "under 60", "under 50"},
		{upTo, "", "make it 1000 instead of 500", "[Up to 1000]", "[above 500"},
		{upTo, "", "make it 6000 instead of 5000", "over 6000", "5,000"},
		{chain, "", "make it 600 instead of 500", "over 600", "over 500"},
		{tiers, reject, "make it 600 instead of 500", "over 600", "500"},
		{tiers, reject, "change 50 to 70", "under 70", "under 50"},
		{two, "", "make it 600 instead of 500", "say which one is meant", ""},
	} {
		base, ok := outline.Read(c.draft, "U1")
		if !ok {
			t.Fatalf("%q is not read", c.draft)
		}
		if c.before != "" {
			base, _, _ = Apply(base, c.before, "U1")
		}
		got := reads(Apply(base, c.words, "U1"))
		if !strings.Contains(got, c.has) || c.hasNot != "" && strings.Contains(got, c.hasNot) || c.before != "" && !strings.Contains(got, "2c1 tell #support no") {
			t.Errorf("%q: %s", c.words, got)
		}
	}
}

// TestTogether: several changes in one reply are all made, or the part that was not read is named and nothing changes.
func TestTogether(t *testing.T) {
	t.Parallel()
	const claim = "1. get the order\n2. if the amount is over 500 ask @ana to approve\n3. refund the order\n4. send an e-mail to the customer\n5. tell #ops \"done\""
	const picks = "1. get the order\n2. ask @ana to approve\n3. ask @bob to pick: accept, decline or recount\n4. refund the order\n5. tell #ops \"done\""
	for _, c := range []struct{ draft, words, has string }{
		{claim, "make it 600 instead of 500, and also tell #general when the e-mail is sent", "over 600]; 2a ask @ana; 3 do refund the order; 4 do send an e-mail to the customer; 5 tell #general; 6 tell #ops done"},
		{claim, "make it 600 instead of 500, and also tell #general when the claim is sent", "over 600]; 2a ask @ana; 3 do refund the order; 4 do send an e-mail to the customer; 5 tell #ops done; 6 decide"},
		{claim, "make it 600 instead of 500 and tell #general at the end", "over 600]; 2a ask @ana; 3 do refund the order; 4 do send an e-mail to the customer; 5 tell #ops done; 6 tell #general"},
		{claim, "change 500 to 600, also in step 2a, if rejected, tell #support \"no\"", "2a1 tell #support no"},
		{claim, "make it 600 instead of 500, and the customer should get a voucher", "not “the customer should get a voucher”"},
		{claim, "use #team instead of #ops and paint it blue", "not “paint it blue”"},
		{claim, "600 instead of 500, if rejected tell #support \"no\"", "2a1 tell #support no"},
		{claim, "tell #general when the order is refunded", "3 do refund the order; 4 tell #general"},
		{picks, "when @ana accepts go on to step 3, when recount go back to 1", "1 repeat; 1a do get the order; 1b ask @ana; 1c ask @bob"},
		{picks, "4 and 5 only if @bob accepts, if @ana rejects tell #ops \"no\"", "2a tell #ops no; 3 ask @bob on accept do; 3a do refund the order; 3b tell #ops done"},
		{picks, "if @ana rejects tell #ops \"no\", if @bob says recount go back to 2", "2 repeat; 2a ask @ana on reject tell #ops; 2a1 tell #ops no; 2b ask @bob"},
	} {
		base, ok := outline.Read(c.draft, "U1")
		if !ok {
			t.Fatalf("%q is not read", c.draft)
		}
		if got := reads(Apply(base, c.words, "U1")); !strings.Contains(got, c.has) {
			t.Errorf("%q: %s", c.words, got)
		}
	}
}

// TestAddAtAPlace: several steps with what follows a failure are added before or after a step that is named by its place or its words.
func TestAddAtAPlace(t *testing.T) {
	t.Parallel()
	const draft = "1. get the order\n2. ask @ana to approve\n3. tell #ops \"done\""
	for words, want := range map[string]string{
		"add before the last step: refund the order, try 3 times, if it fails tell #support \"oh\"":             "3 do tries 3 refund the order; 3a tell #support oh; 4 tell #ops done",
		"add after the first step: tell #team \"x\", then wait 1 day":                                           "2 tell #team x; 3 wait for 1d; 4 ask @ana",
		"add before the last one: tell #team \"x\"":                                                             "3 tell #team x; 4 tell #ops",
		"insert before the approval: tell #team \"x\"":                                                          "2 tell #team x; 3 ask @ana",
		"put after the second step: refund the order, retry 2 times, if it fails tell #support \"oh\" and stop": "3 do tries 3 refund the order; 3a tell #support oh; 3b stop; 4 tell #ops done",
		"add at the end: refund the order, if it fails tell #ops \"no\"":                                        "3 tell #ops done; 4 do refund the order; 4a tell #ops no",
		"add before the weather: tell #team \"x\"":                                                              ErrNone.Error(),
	} {
		base, _ := outline.Read(draft, "U1")
		if got := reads(Apply(base, words, "U1")); !strings.Contains(got, want) {
			t.Errorf("%q: %s", words, got)
		}
	}
}
