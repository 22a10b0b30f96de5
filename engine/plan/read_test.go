package plan_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/engine/plan"
)

func outline(name string, steps ...string) plan.Outline {
	o := plan.Outline{Name: name}
	for i, s := range steps {
		o.Lines = append(o.Lines, plan.Line{Number: i + 1, Text: s})
	}
	return o
}

func TestRead(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text string
		want plan.Outline // no lines = no steps are found
	}{
		"numbers on one line":      {"new refund: 1. get it  2. pay it", outline("refund", "get it", "pay it")},
		"numbers on lines":         {"refund\n1. get it\n2) pay it\n  3. tell #x", outline("refund", "get it", "pay it", "tell #x")},
		"a line goes on":           {"1. get it\n   from there\n2. pay it", outline("", "get it from there", "pay it")},
		"first step beside name":   {"refund: 1. get it\n2. pay it", outline("refund", "get it", "pay it")},
		"every number is a 1":      {"1. get it\n1. pay it", outline("", "get it", "pay it")},
		"a number inside a step":   {"1. pay it\n2. wait for 2. then go", outline("", "pay it", "wait for 2. then go")},
		"amounts are no numbers":   {"1. if it is over 2.50 stop 2. pay it", outline("", "if it is over 2.50 stop", "pay it")},
		"bullets":                  {"Refund flow:\n- get it\n• pay it\n* tell #x", outline("refund", "get it", "pay it", "tell #x")},
		"bullets on one line":      {"refund: - get it - pay it", outline("refund", "get it", "pay it")},
		"arrows":                   {"refund: get it -> pay it → tell #x", outline("refund", "get it", "pay it", "tell #x")},
		"lines behind a name":      {"My refund:\nget it\n\npay it", outline("my-refund", "get it", "pay it")},
		"one step behind a name":   {"refund: pay it", outline("refund", "pay it")},
		"prose":                    {"get it, ask @x to approve, and then pay it", outline("", "get it", "ask @x to approve", "pay it")},
		"prose with a time":        {"every Monday at 9 get it, then tell #x", outline("", "every Monday at 9, get it", "tell #x")},
		"a time before the number": {"digest, every day at 9: 1. get it 2. tell #x", outline("digest", "every day at 9, get it", "tell #x")},
		"otherwise stays":          {"get it, if it is late ask @x, otherwise pay it", outline("", "get it", "if it is late ask @x, otherwise pay it")},
		"a clock is no name":       {"1. wait until 2026-12-01 09:30 2. pay it", outline("", "wait until 2026-12-01 09:30", "pay it")},
		"accents":                  {"Rückzahlung für Ærø: 1. a 2. b", outline("ruckzahlung-fur-aero", "a", "b")},
		"windows lines":            {"1. a\r\n2. b\r\n", outline("", "a", "b")},

		"nothing":           {"", plan.Outline{}},
		"talk":              {"how are you today", plan.Outline{}},
		"talk with a comma": {"well, that was nice", plan.Outline{}},
		"a number in talk":  {"3 people liked it", plan.Outline{}},
		"numbers, no steps": {"1. 2.", plan.Outline{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, ok := plan.Read(tt.text)
			if ok != (len(tt.want.Lines) > 0) {
				t.Errorf("found steps: %v, in %+v", ok, got)
			}
			if ok {
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
			}
		})
	}
}

// What is shown to be copied and changed must read as the same outline.
func TestOutlineReadsAsWritten(t *testing.T) {
	t.Parallel()
	for _, o := range []plan.Outline{
		outline("refund", "get the order", "pay it", "tell #x"),
		outline("", "wait for 2. then go", "and 3. so on", "end"),
		outline("one", "only this"),
		outline("", "every Monday at 9, get it", "tell #x: done, really"),
	} {
		got, ok := plan.Read(o.String())
		if diff := cmp.Diff(o, got); !ok || diff != "" {
			t.Errorf("%q reads as something else (-want +got):\n%s", o.String(), diff)
		}
	}
}

func TestFlowName(t *testing.T) {
	t.Parallel()
	for want, o := range map[string]plan.Outline{
		"refund":          outline("refund", "get the order"),
		"get-order-shop":  outline("", "get the order from the shop", "pay it"),
		"pay":             outline("", "if the total is over 5 ask @x to approve", "pay it"),
		"total-over-ask":  outline("", "if the total is over 5 ask @x to approve"),
		"collect-reports": outline("", "every Monday at 9, collect the reports"),
		"flow":            outline("", "注文を取得する"),
	} {
		if got := plan.FlowName(o); got != want {
			t.Errorf("%v is called %q, want %q", o.Lines, got, want)
		}
	}
	long := plan.FlowName(outline("", strings.Repeat("extraordinarily ", 20)))
	if len(long) > 40 || long == "" {
		t.Errorf("name %q", long)
	}
}

func TestSaid(t *testing.T) {
	t.Parallel()
	o := outline("x", "ask me to approve", "ask @fin or me to approve", "tell me", "tell @bob to call me", `tell me "ask me"`)
	want := outline("x", "ask @ana to approve", "ask @fin or @ana to approve", "tell @ana", "tell @bob to call me", `tell @ana "ask me"`)
	if diff := cmp.Diff(want, o.Said("@ana")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if o.Lines[0].Text != "ask me to approve" {
		t.Error("the outline itself was changed")
	}
}
