package bot

import "testing"

func TestHelpNamesEveryCommand(t *testing.T) {
	t.Parallel()
	if len(helpOrder) != len(verbs()) {
		t.Errorf("help lists %d commands of %d", len(helpOrder), len(verbs()))
	}
	for _, name := range helpOrder {
		if _, ok := verbs()[name]; !ok {
			t.Errorf("help lists %q, which is no command", name)
		}
	}
}
