package app_test

import (
	"fmt"
	"strings"
	"testing"

	"sluice/engine/flow"
	"sluice/engine/importer/app"
	"sluice/engine/importer/importertest"
)

// FuzzDecode reads anything: what is read comes back as it was, and its canonical form is stable.
func FuzzDecode(f *testing.F) {
	for _, s := range files {
		f.Add([]byte(s.src))
	}
	for _, s := range runs {
		f.Add([]byte(s.src))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		app.Recognise(src)
		doc, err := app.Decode("app.yaml", src)
		if err != nil || doc.Check(flow.Checks{}).HasErrors() {
			return
		}
		stored, err := flow.FromJSON(flow.Canonical(doc.Flow))
		if err != nil {
			t.Fatal(err)
		}
		if flow.Hash(stored) != flow.Hash(doc.Flow) {
			t.Error("the stored form has another hash")
		}
		if back, err := app.Encode(stored); err != nil || string(back) != string(src) {
			t.Errorf("it came back as %q: %v", back, err)
		}
	})
}

func TestHostileApps(t *testing.T) {
	t.Parallel()
	hostile := importertest.Hostile()
	hostile["many nodes"] = []byte(head + strings.Repeat("    - {id: x}\n", 60_000))
	hostile["a secret"] = fmt.Appendf(nil, "app: {app_id: a, key: xoxb-%s}\n%s", strings.Repeat("1", 20), only("type: terminal"))
	for name, src := range hostile {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			importertest.Bounded(t, app.Decode, name, src)
		})
	}
}
