package bot

import (
	"fmt"
	"strings"
	"testing"

	"sluice/bot/draft"
	"sluice/engine/tool"
)

// Without an actions file a step that no tool does is asked about, and the draft says why.
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
		body, _, err := draft.Decode(d)
		if err != nil || len(body.Questions) == 0 {
			t.Fatalf("questions: %+v, %v", body.Questions, err)
		}
		if got := strings.Contains(fmt.Sprint(body.Notes), "No actions are loaded"); got == declared {
			t.Errorf("with actions %t it is said: %v", declared, body.Notes)
		}
	}
}
