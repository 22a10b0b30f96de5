package flow_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/tools/txtar"

	. "sluice/engine/flow"
)

func compiledSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("flow.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("flow.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// instance reads a file as a JSON Schema sees it.
func instance(t *testing.T, src []byte) any {
	t.Helper()
	asJSON, err := yaml.YAMLToJSON(src)
	if err != nil {
		t.Fatalf("%v in\n%s", err, src)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(asJSON))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestSchemaAcceptsWhatParseAccepts holds the schema against every flow of the tests.
func TestSchemaAcceptsWhatParseAccepts(t *testing.T) {
	t.Parallel()
	schema := compiledSchema(t)
	files, err := filepath.Glob("testdata/*/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no test data: %v", err)
	}
	accepted, refused := 0, 0
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Ext(file) == ".txtar" {
			src = txtar.Parse(src).Files[0].Data
		}
		_, problems := Parse(file, src)
		if problems.HasErrors() {
			refused++
			continue // what is wrong there is often more than a schema can see
		}
		accepted++
		if err := schema.Validate(instance(t, src)); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	if accepted < 10 || refused < 10 {
		t.Errorf("only %d accepted and %d refused files", accepted, refused)
	}
}

func TestSchemaRefuses(t *testing.T) {
	t.Parallel()
	schema := compiledSchema(t)
	const head = "name: a\nflow:\n  entry: x\n  nodes:\n"
	for name, src := range map[string]string{
		"unknown key":         "name: a\ncolour: red\nflow: {entry: x, nodes: [{id: x, type: say, message: hi}]}\n",
		"unknown type":        head + "    - {id: x, type: dance}\n",
		"key of another kind": head + "    - {id: x, type: say, message: hi, tool: http.get}\n",
		"missing key":         head + "    - {id: x, type: say}\n",
		"wrong type":          head + "    - {id: x, type: say, message: [hi]}\n",
		"wrong enum":          head + "    - {id: x, type: tool, tool: a.b, effects: twice}\n",
		"wrong duration":      head + "    - {id: x, type: wait, for: soon}\n",
		"number as duration":  head + "    - {id: x, type: wait, for: 5}\n",
	} {
		if schema.Validate(instance(t, []byte(src))) == nil {
			t.Errorf("%s: the schema accepts\n%s", name, src)
		}
		if _, problems := Parse("x", []byte(src)); !problems.HasErrors() {
			t.Errorf("%s: Parse accepts\n%s", name, src)
		}
	}
}

// TestFormatOfTestData reads, writes and reads again every good flow of the tests.
func TestFormatOfTestData(t *testing.T) {
	t.Parallel()
	schema := compiledSchema(t)
	files, err := filepath.Glob("testdata/valid/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no test data: %v", err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, problems := Check(file, src, checks())
		if problems.HasErrors() {
			t.Errorf("%s:\n%s", file, problems.Error())
			continue
		}
		f := parsed(t, src)
		written := Format(f)
		if Hash(parsed(t, written)) != Hash(f) {
			t.Errorf("%s: formatting changes the meaning:\n%s", file, written)
		}
		if err := schema.Validate(instance(t, written)); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}
