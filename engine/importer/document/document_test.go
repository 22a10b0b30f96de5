package document_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"sluice/engine/flow"
	"sluice/engine/importer/document"
)

func Example() {
	s, err := document.YAML("steps.yaml", []byte("steps:\n  - hello\n  - 12\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	f := &flow.Flow{Name: "steps", Entry: "step-1", Profile: "steps"}
	for i, step := range s.Root.Get("steps").Items {
		s.At(fmt.Sprintf("flow.nodes[%d]", i), step)
		if step.Text != "hello" {
			s.Warn(step.At, "", "unknown-step", "'"+step.Text+"' cannot be run", "")
		}
		f.Nodes = append(f.Nodes, flow.Node{ID: fmt.Sprintf("step-%d", i+1), Spec: &flow.SaySpec{Message: "Hello"}})
	}
	for _, p := range s.Document(f).Check(flow.Checks{}) {
		fmt.Println(p.Error())
	}
	// Output:
	// steps.yaml:3:5: warning: '12' cannot be run
	// steps.yaml:3:5: warning: flow node 'step-2' is not reachable from entry 'step-1'
}

func TestTheSourceIsKeptByteByByte(t *testing.T) {
	t.Parallel()
	for _, src := range [][]byte{[]byte("\ufeffa: b\r\n# end"), {0x50, 0x4b, 0xff, 0}} {
		f := &flow.Flow{Name: "f"}
		document.Keep(f, src)
		stored, err := flow.FromJSON(flow.Canonical(f))
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := document.Original(stored); !ok || !bytes.Equal(got, src) {
			t.Errorf("%q became %q", src, got)
		}
	}
	if src, ok := document.Original(&flow.Flow{}); ok {
		t.Errorf("a flow without a source has %q", src)
	}
}

func TestHostileTextsAreRefusedByName(t *testing.T) {
	t.Parallel()
	var bomb strings.Builder
	bomb.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := range 9 {
		fmt.Fprintf(&bomb, "a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i), 10), ", "))
	}
	for _, c := range []struct {
		name, text, code string
		read             func(string, []byte) (*document.Source, error)
	}{
		{"long", strings.Repeat("x", flow.MaxDocumentBytes+1), "too-large", document.JSON},
		{"deep JSON", strings.Repeat("[", 1000) + strings.Repeat("]", 1000), "too-deep", document.JSON},
		{"deep YAML", strings.Repeat("[", 1000) + strings.Repeat("]", 1000), "too-deep", document.YAML},
		{"aliases", bomb.String(), "too-large", document.YAML},
		{"binary", "a: \xff", "bad-text", document.YAML},
		{"no JSON", "{a", "bad-json", document.JSON},
		{"no YAML", "a: [", "bad-yaml", document.YAML},
	} {
		_, err := c.read("f", []byte(c.text))
		var p flow.Problem
		if !errors.As(err, &p) || p.Code != c.code {
			t.Errorf("%s: %v with code %q, want %q", c.name, err, p.Code, c.code)
		}
	}
}

func TestTooManyNodesAreRefused(t *testing.T) {
	t.Parallel()
	s, err := document.JSON("f", []byte("["+strings.Repeat("1,", 100_000)+"1]"))
	if err != nil {
		t.Fatal(err)
	}
	var p flow.Problem
	if err := s.Count(s.Root); !errors.As(err, &p) || p.Code != "too-many-nodes" {
		t.Errorf("got %v", err)
	}
	if err := s.Count(nil); err != nil {
		t.Error(err)
	}
}

func TestAProblemIsReportedOnce(t *testing.T) {
	t.Parallel()
	s, err := document.JSON("f", []byte(`{"entry": "b", "entry": "c"}`))
	if err != nil {
		t.Fatal(err)
	}
	s.Error(s.Root.Get("entry").At, "flow.entry", "no-entry", "there is no node b", "")
	s.At("flow.entry", s.Root.Get("entry"))
	s.At("flow.nodes", nil)
	doc := s.Document(&flow.Flow{Name: "f", Entry: "b", Nodes: []flow.Node{{ID: "a", Spec: &flow.TerminalSpec{}}}})
	var got []string
	for _, p := range doc.Check(flow.Checks{}) {
		got = append(got, p.Error())
	}
	want := "f:1:11: there is no node b\nf:1:16: key 'entry' is written twice"
	if strings.Join(got, "\n") != want {
		t.Errorf("got %q", got)
	}
}
