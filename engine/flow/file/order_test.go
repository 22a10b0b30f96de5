package file_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/engine/flow"
	"sluice/engine/flow/file"
	"sluice/engine/flow/flowtest"
)

const hiring = `name: hiring
flow:
  entry: ask
  nodes:
    - id: ask
      type: ask
      message: Who begins?
      form: {name: {required: true}, start_date: {type: date}, reason: {}}
      routes: [{to: end}]
`

func fieldsOf(f *flow.Flow) []string { return flow.InOrder(f.Node("ask").Question().Form) }

// TestFieldsKeepTheirOrder: the fields of a form are in the order of the file, YAML and JSON, through the stored form and through the file that
// is written.
func TestFieldsKeepTheirOrder(t *testing.T) {
	t.Parallel()
	want := []string{"name", "start_date", "reason"}
	json := `{"name": "hiring", "flow": {"entry": "ask", "nodes": [{"id": "ask", "type": "ask", "message": "Who begins?",
		"form": {"name": {"required": true}, "start_date": {"type": "date"}, "reason": {}}, "routes": [{"to": "end"}]}]}}`
	for _, src := range []string{hiring, json} {
		f := flowtest.Parsed(t, []byte(src))
		stored, err := flow.FromJSON(flow.Canonical(f))
		if err != nil {
			t.Fatal(err)
		}
		written := file.Format(stored)
		again := flowtest.Parsed(t, written)
		for name, f := range map[string]*flow.Flow{"read": f, "stored": stored, "written": again} {
			if got := fieldsOf(f); !slices.Equal(got, want) {
				t.Errorf("%s: %v", name, got)
			}
		}
		if diff := cmp.Diff(f, again); diff != "" {
			t.Errorf("the file that is written is another flow (-want +got):\n%s\n%s", diff, written)
		}
		if strings.Contains(string(written), "order") {
			t.Errorf("a number is written:\n%s", written)
		}
	}
}

// TestFieldsWithoutAnOrder: a form whose fields come by their names has the bytes of releases that knew no order, and a stored form of such a
// release comes by its names. A flow with another order is another flow.
func TestFieldsWithoutAnOrder(t *testing.T) {
	t.Parallel()
	sorted := flowtest.Parsed(t, []byte(strings.Replace(hiring, "start_date: {type: date}, reason: {}", "reason: {}, start_date: {type: date}", 1)))
	const stored = `{"name":"hiring","entry":"ask","on_limit":{"action":"end_path"},"nodes":[{"id":"ask","type":"ask","routes":[{"to":"end"}],"message":"Who begins?",` +
		`"form":{"name":{"type":"string","required":true},"reason":{"type":"string"},"start_date":{"type":"date"}}}]}`
	if got := string(flow.Canonical(sorted)); got != stored {
		t.Errorf("stored is %s", got)
	}
	before, err := flow.FromJSON([]byte(stored))
	if err != nil || !slices.Equal(fieldsOf(before), []string{"name", "reason", "start_date"}) {
		t.Errorf("a stored form has %v (%v)", fieldsOf(before), err)
	}
	if other := flowtest.Parsed(t, []byte(hiring)); flow.Hash(other) == flow.Hash(sorted) {
		t.Error("the hash does not tell the order")
	}
}
