package typecheck_test

import (
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"

	"sluice/engine/flow"
	flowfile "sluice/engine/flow/file"
	"sluice/engine/typecheck"
)

// FuzzCheck: no file makes the check panic, every problem has a place in it, and the same file has the same problems.
func FuzzCheck(f *testing.F) {
	names, err := filepath.Glob("testdata/check/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range names {
		ar, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range ar.Files {
			if file.Name == "flow.yaml" {
				f.Add(file.Data)
			}
		}
	}
	w := typecheck.World{
		Tools: builtIns(f),
		Kind: func(name string) string {
			return []string{"", typecheck.User, typecheck.Group, typecheck.Channel, typecheck.Nobody, typecheck.Unasked}[len(name)%6]
		},
		Names: func() []string { return []string{"@ana", "#orders"} },
		Flow: func(name string) ([]flow.Input, bool) {
			return []flow.Input{{Name: "n", Type: "number"}}, len(name)%2 == 0
		},
		Secret: func(name string) bool { return len(name)%2 == 0 },
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		doc, _ := flowfile.Parse("flow.yaml", src)
		typecheck.Unchecked(doc.Flow, w.Tools)
		problems := doc.Validate(flow.Checks{World: w.Report})
		for _, p := range problems {
			if p.Line < 1 || p.Code == "" || p.Message == "" {
				t.Errorf("the problem %+v has no place or says nothing", p)
			}
		}
		if again := doc.Validate(flow.Checks{World: w.Report}); again.Error() != problems.Error() {
			t.Errorf("the second check says\n%s\nand the first\n%s", again, problems)
		}
	})
}
