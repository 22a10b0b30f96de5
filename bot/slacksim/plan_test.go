package slacksim_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/slack-go/slack"

	"sluice/bot/slacksim"
)

// outcomes calls a method so many times and gives one letter for the outcome of each call.
func (w *workspace) outcomes(times int) string {
	var out strings.Builder
	for range times {
		_, err := w.api.AuthTest()
		status, isStatus := errors.AsType[slack.StatusCodeError](err)
		_, isLimited := errors.AsType[*slack.RateLimitedError](err)
		switch {
		case err == nil:
			out.WriteString(".")
		case isLimited:
			out.WriteString("r")
		case isStatus:
			fmt.Fprintf(&out, "%d", status.Code%10)
		default:
			out.WriteString("d")
		}
	}
	return out.String()
}

// TestAPlanCanBeReplayed: the same plan strikes the same calls, another seed others, and the shares are about those asked for.
func TestAPlanCanBeReplayed(t *testing.T) {
	t.Parallel()
	w := open(t)
	const calls, plan = 400, "429=10,5xx=5,drop=3,seed="
	begin := func(plan string) string {
		w.post("plan", map[string]any{"plan": plan})
		return w.outcomes(calls)
	}
	one, other, again := begin(plan+"1"), begin(plan+"2"), begin(plan+"1")
	if one != again {
		t.Errorf("the same plan:\n%s\n%s", one, again)
	}
	if one == other {
		t.Error("another seed strikes the same calls")
	}
	limited, failed, dropped := strings.Count(one, "r"), strings.Count(one, "0")+strings.Count(one, "2")+strings.Count(one, "3"), strings.Count(one, "d")
	if limited < 20 || limited > 60 || failed < 8 || failed > 35 || dropped < 3 || dropped > 25 {
		t.Errorf("of %d calls %d were limited, %d failed, %d were dropped: %s", calls, limited, failed, dropped, one)
	}
	if a := w.get("plan", ""); a.Struck["429"] != limited || a.Struck["5xx"] != failed || a.Struck["drop"] != dropped {
		t.Errorf("counted: %v", a.Struck)
	}
	w.post("heal", nil)
	if healed := w.outcomes(calls / 4); strings.Trim(healed, ".") != "" {
		t.Errorf("after heal: %s", healed)
	}
}

// TestAPlanStrikesDeliveries: with every delivery duplicated each message is heard twice.
func TestAPlanStrikesDeliveries(t *testing.T) {
	t.Parallel()
	w := open(t, func(o *slacksim.Options) { o.Faults = plan(t, "duplicate=100") })
	a := w.connect(nil)
	w.post("message", map[string]any{"user": "ana", "channel": "support", "text": "twice"})
	for range 2 {
		if m := a.nextMessage(t); m.Text != "twice" {
			t.Errorf("heard %q", m.Text)
		}
	}
	if a := w.get("plan", ""); a.Struck["duplicate"] != 1 {
		t.Errorf("struck: %v", a.Struck)
	}
}

func plan(t *testing.T, text string) slacksim.Plan {
	t.Helper()
	p, err := slacksim.ParsePlan(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPlansThatAreRefused(t *testing.T) {
	t.Parallel()
	for text, says := range map[string]string{
		"429": `"" is no percentage`, "429=x": "is no percentage", "429=NaN": "is no percentage", "drop=101": "is no percentage",
		"5xx=60,drop=50": "the shares of api are 110 % together", "gone=1": `there is no share "gone"`, "seed=-1": "invalid syntax",
		"delay=soon": "use milliseconds", "=": "there is no share",
	} {
		if p, err := slacksim.ParsePlan(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s is read as %q, %v", text, p, err)
		}
	}
}

// FuzzPlan: a plan that can be read is written so that it is read as the same one.
func FuzzPlan(f *testing.F) {
	for _, text := range []string{"", "429=10, 5xx=5%", "cut=0.5 lost=2 late=1 seed=7 delay=300ms pause=2000", "timeout=100"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := slacksim.ParsePlan(text)
		if err != nil {
			return
		}
		again, err := slacksim.ParsePlan(p.String())
		if err != nil || again.String() != p.String() {
			t.Errorf("%q is %q and %q, %v", text, p, again, err)
		}
	})
}
