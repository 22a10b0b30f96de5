package plan_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/engine/flow"
	"sluice/engine/plan"
	"sluice/engine/tool"
)

// eventCase is a flow in words, and what is said of how it starts.
func eventCase(t *testing.T, text string, exists func(string) bool) (*plan.Proposal, []string, []string) {
	t.Helper()
	o, ok := plan.Read(text)
	if !ok {
		t.Fatalf("%q has no steps", text)
	}
	tools := append(catalogue(t, "shop"), tool.PostMessage(nil))
	p := plan.Build(o, plan.Options{Tools: tools, Exists: exists})
	var codes, words []string
	for _, n := range p.Notes {
		if n.Code != "two_people" {
			codes = append(codes, n.Code)
		}
	}
	if p.Flow != nil {
		for _, line := range p.ReadBack(tools) {
			if strings.Contains(line, "starts it") {
				words = append(words, line)
			}
		}
	}
	return p, codes, words
}

// What happens is said in many ways, in front of the steps, behind a name, and before numbers.
func TestWhatStartsARunInWords(t *testing.T) {
	t.Parallel()
	const (
		moneybag = "The reaction :moneybag: to a message in its channel starts it."
		order    = "A message in #refunds that says “refund <order_id>” starts it, and gives order_id."
	)
	for name, tt := range map[string]struct {
		text  string
		want  []string
		codes []string
	}{
		"a reaction":            {"when somebody reacts with :moneybag:, tell #x hello", []string{moneybag}, nil},
		"to a message":          {"Whenever anyone reacts to a message with the :moneybag: tell #x hello", []string{moneybag}, nil},
		"a message gets it":     {"each time a message gets a :moneybag:: tell #x hello", []string{moneybag}, nil},
		"behind a name":         {"refund: when somebody reacts with :moneybag:, tell #x hello, tell #y", []string{moneybag}, nil},
		"behind new and a name": {"new refund, when somebody reacts with :moneybag:: 1. tell #x hello 2. tell #y", []string{moneybag}, nil},
		"in the first step":     {"refund:\n1. when somebody reacts with :moneybag:, tell #x hello\n2. tell #y", []string{moneybag}, nil},
		"says":                  {`when a message in #refunds says "refund <order_id>", get the order, tell #x`, []string{order}, nil},
		"another quote":         {`when a message in #refunds says “refund {order_id}”, get the order, tell #x`, []string{order}, nil},
		"without quotes":        {`when a message in #refunds says refund <order_id>: 1. get the order 2. tell #x`, []string{order}, nil},
		"a colon inside":        {`when a message in #refunds says "refund: <order_id>": 1. get the order 2. tell #x`, []string{"A message in #refunds that says “refund: <order_id>” starts it, and gives order_id."}, nil},
		"writes":                {`when somebody writes "refund <order_id>" in #refunds, get the order, tell #x`, []string{order}, nil},
		"contains":              {`when a message in #refunds contains 1+1?, tell #x hello`, []string{"A message in #refunds that contains “1+1?” starts it."}, nil},
		"matches":               {`when a message in #refunds matches /^go (?P<order_id>A-\d+)$/, get the order, tell #x`, []string{`A message in #refunds that fits “^go (?P<order_id>A-\d+)$” starts it, and gives order_id.`}, nil},
		"every message":         {"whenever a new message is posted in #refunds, tell #x hello", []string{"Every message in #refunds starts it."}, nil},
		"two things": {
			`when a message in #refunds says "refund <order_id>", or when somebody reacts with :moneybag:, get the order, tell #x`, []string{order, moneybag}, nil,
		},

		"nothing gives the order":   {"when somebody reacts with :moneybag:, get the order, tell #x", []string{moneybag}, []string{"missing_input"}},
		"a value for nobody":        {`when a message in #refunds says "<order_id> for <why>", get the order, tell #x`, []string{"A message in #refunds that says “<order_id> for <why>” starts it, and gives order_id and why."}, []string{"unknown_input"}},
		"a channel that is unknown": {"when a message in #nowhere says go, tell #x hello", []string{"A message in #nowhere that says “go” starts it."}, []string{"unknown_address"}},
		"a pattern that is none":    {"when a message in #refunds matches /a(/, tell #x hello", nil, []string{"bad_pattern"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, codes, words := eventCase(t, tt.text, func(name string) bool { return name != "#nowhere" })
			if diff := cmp.Diff(tt.want, words); diff != "" {
				t.Errorf("%q (-want +got):\n%s", tt.text, diff)
			}
			if !slices.Equal(tt.codes, codes) {
				t.Errorf("the notes are %q, not %q", codes, tt.codes)
			}
		})
	}
}

// What only looks like it starts nothing, and stays a step to be asked about.
func TestWordsThatStartNothing(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"when a message in #refunds asks for money, get the order, tell #x hello",
		"when somebody reacts with joy, tell #x hello, tell #y",
		"1. when the amount is over 100 ask @finance to approve 2. tell #x hello",
		"1. tell #x hello 2. when somebody reacts with :moneybag:, tell #x hello",
	} {
		if p, _, words := eventCase(t, text, nil); p.Flow != nil && (len(words) > 0 || len(p.Flow.Triggers) > 0) {
			t.Errorf("%q starts by %q", text, words)
		}
	}
}

// The patterns of words hold what the words say: whole words, any case, a value without the signs beside it.
func TestPatternsOfWords(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		words, text, want string // want: order_id, or "-" where nothing matches
	}{
		{`says "refund <order_id>"`, "please Refund  A-17, now", "A-17"},
		{`says "refund <order_id>"`, "(refund A-17)", "A-17"},
		{`says "refund <order_id>"`, "prefund A-17", "-"},
		{`says "<order_id> back"`, "A-17 back!", "A-17"},
		{`says "<order_id> back"`, "A-17 backs", "-"},
		{`contains "<order_id> back"`, "A-17 backs", "A-17"},
		{`says "refund <order_id>"`, "refund", "-"},
		{`says "refund <order_id>"`, "refund Ü-1", "Ü-1"},
	} {
		p, _, _ := eventCase(t, "when a message in #refunds "+tt.words+", get the order, tell #x", nil)
		i := slices.IndexFunc(p.Flow.Triggers, func(t flow.Trigger) bool { return t.Message != nil })
		re := regexp.MustCompile(p.Flow.Triggers[i].Message.Match)
		got := "-"
		if m := re.FindStringSubmatch(tt.text); m != nil {
			got = m[re.SubexpIndex("order_id")]
		}
		if got != tt.want {
			t.Errorf("%s in %q gives %q, not %q", tt.words, tt.text, got, tt.want)
		}
	}
}

// A revision in words keeps how runs start, unless its words say so anew.
func TestWhatStartsARunIsKept(t *testing.T) {
	t.Parallel()
	base, _, _ := eventCase(t, `when a message in #refunds says "refund <order_id>" or somebody reacts with :eyes:, get the order, tell #x`, nil)
	tools := append(catalogue(t, "shop"), tool.PostMessage(nil))
	for text, want := range map[string][]string{
		"1. get the order 2. tell #y":                                                {"message", "reaction eyes"},
		"1. when somebody reacts with :moneybag:, get the order 2. tell #y":          {"message", "reaction moneybag"},
		"1. when a message in #refunds says go <order_id>, get the order 2. tell #y": {"reaction eyes", "message"},
	} {
		o, _ := plan.Read(text)
		p := plan.Build(o, plan.Options{Tools: tools, Base: base.Flow})
		var got []string
		for _, t := range p.Flow.Triggers {
			if t.Message != nil {
				got = append(got, "message")
			} else {
				got = append(got, "reaction "+t.Reaction.Emoji)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q starts by %q, not %q", text, got, want)
		}
	}
}
