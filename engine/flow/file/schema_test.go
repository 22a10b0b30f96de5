package file_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/tools/txtar"

	"sluice/engine/flow"
	"sluice/engine/flow/file"
	"sluice/engine/flow/flowtest"
)

func compiledSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(file.Schema()))
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

// TestSchemaAcceptsWhatParseAccepts checks every flow of the tests against the schema.
func TestSchemaAcceptsWhatParseAccepts(t *testing.T) {
	t.Parallel()
	schema := compiledSchema(t)
	files, err := filepath.Glob("testdata/*/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no test data: %v", err)
	}
	accepted, refused := 0, 0
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Ext(name) == ".txtar" {
			src = txtar.Parse(src).Files[0].Data
		}
		_, problems := file.Parse(name, src)
		if problems.HasErrors() {
			refused++
			continue // a schema cannot find most of these mistakes
		}
		accepted++
		if err := schema.Validate(instance(t, src)); err != nil {
			t.Errorf("%s: %v", name, err)
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
		if _, problems := file.Parse("x", []byte(src)); !problems.HasErrors() {
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
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		_, problems := file.Check(name, src, flowtest.Checks())
		if problems.HasErrors() {
			t.Errorf("%s:\n%s", name, problems.Error())
			continue
		}
		f := flowtest.Parsed(t, src)
		written := file.Format(f)
		if flow.Hash(flowtest.Parsed(t, written)) != flow.Hash(f) {
			t.Errorf("%s: formatting changes the meaning:\n%s", name, written)
		}
		if err := schema.Validate(instance(t, written)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
