package flowtest

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/robfig/cron/v3"

	"sluice/engine/calendar"
	"sluice/engine/flow"
)

// Checks are the checks of an installation without tools named module. An expression with an @ or an unclosed quote is wrong.
func Checks() flow.Checks {
	syntax := func(src string, _ []string) (int, string, string, bool) {
		if i := strings.IndexByte(src, '@'); i >= 0 {
			return i, "unexpected '@'", "names hold letters, digits and _", false
		}
		return 0, "", "", true
	}
	return flow.Checks{
		World: func(f *flow.Flow, report flow.Report) {
			for i := range f.Nodes {
				n := &f.Nodes[i]
				if s, ok := n.Spec.(*flow.ToolSpec); ok && strings.HasPrefix(s.Tool, "module.") {
					report(flow.Problem{
						Severity: flow.SeverityError, Code: "unknown-tool", Message: fmt.Sprintf("unknown tool '%s' on flow node '%s'", s.Tool, n.ID), Node: n.ID,
						Path: fmt.Sprintf("flow.nodes[%d].tool", i),
					}, -1)
				}
			}
		},
		Expression: syntax,
		Template:   syntax,
		Cron: func(fields string) (time.Duration, error) {
			_, err := cron.ParseStandard(fields)
			return time.Minute, err
		},
		Time: func(text string) bool { _, ok := calendar.Read(text, time.Time{}, nil); return ok },
		Timezone: func(name string) error {
			if name != "Europe/Berlin" {
				return errors.New("unknown zone")
			}
			return nil
		},
		Schema: func(schema map[string]any) error {
			if p, ok := schema["properties"]; ok {
				if _, ok := p.(map[string]any); !ok {
					return errors.New("properties must be an object")
				}
			}
			return nil
		},
	}
}
