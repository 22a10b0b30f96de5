package importer_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"sluice/engine/flow"
	"sluice/engine/importer"
)

func ExampleRead() {
	doc, format, err := importer.Read("hello.yaml", []byte("name: hello\nflow:\n  entry: hi\n  nodes:\n    - {id: hi, type: say, message: Hello}\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s is %s, because %s\n", doc.Flow.Name, format.Name, format.Why)
	// Output: hello is a flow file of Sluice, because it has a flow
}

func TestNoFormatIsGuessed(t *testing.T) {
	t.Parallel()
	_, _, err := importer.Read("flow.yaml", []byte("colour: red\n"))
	var unknown *importer.UnrecognisedError
	if !errors.As(err, &unknown) || len(unknown.Candidates) != 0 {
		t.Fatalf("got %v", err)
	}
	for _, f := range importer.Formats() {
		if !strings.Contains(err.Error(), f.Name) || !strings.Contains(err.Error(), f.Looks) {
			t.Errorf("the error does not name %s: %v", f.Name, err)
		}
	}
}

func TestReadRefusesWhatIsTooLarge(t *testing.T) {
	t.Parallel()
	_, _, err := importer.Read("f", make([]byte, flow.MaxDocumentBytes+1))
	var p flow.Problem
	if !errors.As(err, &p) || p.Code != "too-large" {
		t.Errorf("got %v", err)
	}
}

func TestFormatsAreFoundByProfile(t *testing.T) {
	t.Parallel()
	for _, f := range importer.Formats() {
		if got, ok := importer.ByProfile(f.Profile); !ok || got.Name != f.Name {
			t.Errorf("profile %q is %s, not %s", f.Profile, got.Name, f.Name)
		}
	}
	if f, ok := importer.ByProfile("another"); ok {
		t.Errorf("an unknown profile is %s", f.Name)
	}
}
