package main

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// ofReactions finds the code about the triggers of one kind, reactions, and about rows of triggers for messages. Those of another kind are in the
// same files.
var ofReactions = regexp.MustCompile(`\btrigger\.Message\b|\b[a-z]+\.Reaction\b|\bReactionTrigger\b|\bKindReaction\b|\bReactionAddedEvent\b`)

// TestNewTriggerTouchesListedFiles: the package comment of engine/trigger names the files that a new kind of trigger needs (TestErrands), and no
// other file knows one.
func TestNewTriggerTouchesListedFiles(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, "engine/trigger/trigger.go"))
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(text), "A new kind of trigger needs:")
	list, code, _ := strings.Cut(list, "package trigger")
	if !ofReactions.MatchString(code) {
		t.Error("engine/trigger/trigger.go knows no reactions: this test looks for something else than the code says")
	}
	for _, s := range goFiles(t) {
		if s.test || s.folder() == "engine/trigger" || strings.HasPrefix(s.name, "bot/slacksim/") || !ofReactions.MatchString(s.text) {
			continue
		}
		if !strings.Contains(list, s.name) && !strings.Contains(list, " "+path.Base(s.name)+" ") {
			t.Errorf("%s knows a kind of trigger: ask flow.Trigger, or list the file in engine/trigger/trigger.go", s.name)
		}
	}
}
