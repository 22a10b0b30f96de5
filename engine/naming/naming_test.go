package naming_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"sluice/engine/growth"
	"sluice/engine/naming"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	names := []string{"triage", "triage_retry", "refund", "refunds", "gate", "end", "a", "b"}
	for name, want := range map[string][]string{
		"refnd": {"refund", "refunds"}, "refundss": {"refunds", "refund"}, "Gate": {"gate"}, "ned": {"end"}, "triag": {"triage", "triage_retry"},
		"c": nil, "": nil, "something-else": nil, "A": {"a"},
	} {
		if got := naming.Nearest(name, names); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
	if got := naming.Nearest("ünı", []string{"üni", "uni", "ünïcode"}); !slices.Equal(got, []string{"üni"}) {
		t.Errorf("names are compared by characters: %v", got)
	}
}

func TestRelated(t *testing.T) {
	t.Parallel()
	names := []string{"shop.get_order", "shop.refund", "mail.send", "http.get", "http.post", "slack.post_message"}
	for name, want := range map[string][]string{
		"shop.get_ordr": {"shop.get_order", "shop.refund"},
		"shop.cancel":   {"shop.refund", "shop.get_order"},
		"send":          {"mail.send"},
		"SHOP.REFUND":   {"shop.refund", "shop.get_order"},
		"http.gte":      {"http.get", "http.post"},
		"weather":       nil,
		"":              nil,
	} {
		if got := naming.Related(name, names, 2); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
	if got := naming.Misspelled("shop.refnd", names, 2); !slices.Equal(got, []string{"shop.refund"}) {
		t.Errorf("a name that shares a word stands beside a misspelling: %v", got)
	}
	if got := naming.Misspelled("shop.cancel", names, 2); !slices.Equal(got, []string{"shop.refund", "shop.get_order"}) {
		t.Errorf("without a misspelling, names that share a word are missing: %v", got)
	}
}

// The time of what is done with a name grows with the name and no faster.
func TestGrowth(t *testing.T) {
	for _, c := range []struct {
		name string
		work func(string)
	}{
		{"Related", func(s string) { naming.Related(s, []string{"shop.refund", "http.get"}, 3) }},
		{"Related of long names", func(s string) { naming.Related("shop.refnd", []string{s, s + "a"}, 3) }},
		{"Nearest of long names", func(s string) { naming.Nearest(s, []string{s, s + "a"}) }},
	} {
		t.Run(c.name, func(t *testing.T) { growth.Texts(t, 1<<20, c.work) })
	}
}

func ExampleList() {
	fmt.Println(naming.List([]string{"approve", "reject", "ask"}, "or"))
	fmt.Println(naming.Quoted([]string{"mail.send", "http.post"}, "and"))
	// Output:
	// approve, reject or ask
	// 'mail.send' and 'http.post'
}

func ExampleSuggest() {
	fmt.Println(naming.Suggest("refnd", strings.Fields("refund refunds gate")))
	// Output: did you mean 'refund' or 'refunds'?
}
