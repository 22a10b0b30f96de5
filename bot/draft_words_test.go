package bot

import (
	"strings"
	"testing"

	"sluice/bot/project"
	"sluice/engine/tool"
)

// Without an actions file a step that no tool does says so: the nearest names are no help then.
func TestNothingIsDeclared(t *testing.T) {
	t.Parallel()
	for _, declared := range []bool{false, true} {
		w := newWorld(t, func(c *Config) {
			if declared {
				return
			}
			all, err := tool.HTTP(tool.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if c.Tools, err = tool.New(all...); err != nil {
				t.Fatal(err)
			}
		})
		_, d := w.draft("ana", "new parcels: 1. weigh the parcel 2. ask @finance to approve")
		body, _, err := project.DecodeDraft(d)
		if err != nil || len(body.Notes) == 0 {
			t.Fatalf("notes: %+v, %v", body.Notes, err)
		}
		if got := strings.Contains(body.Notes[0].Text, "No actions are loaded"); got == declared {
			t.Errorf("with actions %t it is said: %s", declared, body.Notes[0].Text)
		}
	}
}
