package main

import (
	"strings"

	"sluice/engine/flow"
	"sluice/engine/usererror"
)

// hints say what to do in the terminal about a refusal of the engine or a problem of a file, by its code. What the engine itself says to do
// comes first for a refusal.
var hints = map[string]string{
	"bad_answer":   "Give the fields as name=value.",
	"unknown-tool": "no actions are loaded: name the file that declares them with --tools FILE (or SLUICE_TOOLS)",
}

// refusal is the sentence for a refused request: the reason, and what to do.
func refusal(ue *usererror.Error) string {
	hint := ue.Hint
	if hint == "" {
		hint = hints[ue.Code]
	}
	return strings.TrimSpace(ue.Text + " " + hint)
}

// hint says of unknown tools that no actions are loaded, where that is the likely reason: a near name from a module that the file
// does not name is none.
func (t *toolbox) hint(problems flow.Problems) {
	if t.declared {
		return
	}
	for i, p := range problems {
		module, _, _ := strings.Cut(p.About, ".")
		if p.Code == "unknown-tool" && strings.Contains(p.Message, "'files.") {
			problems[i].Hint = "no folder is given whose files it may use: name one with --workspace DIR (or SLUICE_WORKSPACE)"
			continue
		}
		if p.Code == "unknown-tool" && !strings.Contains(p.Hint, "'"+module+".") {
			problems[i].Hint = hints[p.Code]
		}
	}
}
