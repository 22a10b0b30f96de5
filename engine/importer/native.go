package importer

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/flow/file"
)

// Native writes a flow as a native file, and says what the file cannot hold.
func Native(f *flow.Flow) (src []byte, lost []string) { return file.Format(f), lossesOf(f) }

// unwritten are the keys of the canonical form that a native file does not have, with words for what is lost.
var unwritten = map[string]string{
	"policy":         "which of the routes that match are taken",
	"no_match":       "where it goes on when no route matches",
	"criteria":       "what its result is judged by",
	"subagent_nodes": "the steps that it may ask",
	"aside":          "that the step before it stays the previous one",
	"arrivals":       "parameters that depend on the step before",
	"cases":          "the cases of the decision",
	"tool_mode":      "that another step performs its tool calls",
	"ends_run":       "that it ends all other paths",
	"if":             "conditions that are no expressions",
	"priority":       "the priority of its routes",
}

// lossesOf lists what a native file of the flow would lack.
func lossesOf(f *flow.Flow) (lost []string) {
	if f.Rules != (flow.Rules{}) {
		lost = append(lost, "rules of its format for whole runs")
	}
	for i := range f.Nodes {
		n := &f.Nodes[i]
		if flow.IsForeign(n.Spec) {
			lost = append(lost, fmt.Sprintf("step '%s': %s steps are only for imported flows", n.ID, n.Kind))
			continue
		}
		var body map[string]any
		if b, err := json.Marshal(n); err != nil || json.Unmarshal(b, &body) != nil {
			continue
		}
		found := map[string]bool{}
		for key := range body {
			found[key] = true
		}
		for _, r := range n.Routes {
			found["if"] = found["if"] || r.If != flow.IfExpr
			found["priority"] = found["priority"] || r.Priority != 0
		}
		for _, key := range slices.Sorted(maps.Keys(unwritten)) {
			if found[key] {
				lost = append(lost, fmt.Sprintf("step '%s': %s", n.ID, unwritten[key]))
			}
		}
	}
	if f.Profile != flow.ProfileNative && len(lost) == 0 {
		lost = append(lost, "the file that it came from, with all that the steps do not use")
	}
	return lost
}

// CodeUnknownFormat is the code of the problem of a file that no format recognises, or several.
const CodeUnknownFormat = "unknown-format"

// Problem gives the error as a problem of a file.
func (e *UnrecognisedError) Problem(name string) flow.Problem {
	message, hint, _ := strings.Cut(e.Error(), "\n")
	return flow.Problem{File: name, Severity: flow.SeverityError, Code: CodeUnknownFormat, Message: strings.TrimSuffix(message, ":"), Hint: strings.TrimSpace(hint)}
}
