package planner_test

import (
	"strings"
	"testing"

	"sluice/engine/planner"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/plannertest"
)

// TestAnHourInTheNightIsAskedAbout: "at 4" is rarely meant as four in the night.
func TestAnHourInTheNightIsAskedAbout(t *testing.T) {
	t.Parallel()
	w := plannertest.World()
	for words, want := range map[string]string{
		"every friday at 4":         "0 4 * * 5|0 16 * * 5",
		"every friday at 4:30":      "30 4 * * 5|30 16 * * 5",
		"daily at 6":                "0 6 * * *|0 18 * * *",
		"every friday at 4am":       "0 4 * * 5",
		"every friday at 04:00":     "0 4 * * 5",
		"every friday at 4pm":       "0 16 * * 5",
		"every morning at 6":        "0 6 * * *",
		"every night at 2":          "0 2 * * *",
		"every evening at 6":        "0 18 * * *",
		"every friday at 9":         "0 9 * * 5",
		"every friday at 5 o'clock": "0 5 * * 5|0 17 * * 5",
	} {
		tr, ok := outline.Read(words+` tell #team "hello"`, "U1")
		if !ok {
			t.Fatalf("%q is not read", words)
		}
		p := planner.Plan(tr, w)
		am, pm, either := strings.Cut(want, "|")
		if got := p.Tree.Triggers[0].Cron; got != am || len(p.Questions) > 0 != either {
			t.Errorf("%q starts at %s, want %s; %+v", words, got, am, p.Questions)
		}
		for option, cron := range map[string]string{"am": am, "pm": pm} {
			if !either || len(p.Questions) == 0 {
				continue
			}
			next, err := planner.Answer(p.Tree, w, p.Questions[0].ID, option, "", "U1")
			if err != nil {
				t.Fatal(err)
			}
			if after := planner.Plan(next, w); after.Tree.Triggers[0].Cron != cron || after.Blocked() {
				t.Errorf("%q, %s: %s, %+v", words, option, after.Tree.Triggers[0].Cron, after.Questions)
			}
		}
	}
}
