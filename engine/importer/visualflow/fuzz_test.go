package visualflow_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
	"testing"

	"sluice/engine/flow"
	"sluice/engine/importer/importertest"
	"sluice/engine/importer/visualflow"
)

// FuzzDecode reads anything: what is read comes back as it was, its canonical form is stable, and every expression in it can be compiled.
func FuzzDecode(f *testing.F) {
	f.Add(written(switching, switchWires))
	f.Add(written(ends+say+"l loop\nw while\np parallel\nc code\nn concat\ng get_var", "start>l l:loop>a l:done>w w:loop>p p:then:0>b p:then:1>c p:completed>end l.item=n.a n.result=a.message g.value=w.condition"))
	f.Add(bundle(f, `{"flows":{"doc":"a.json"}}`, map[string]string{"a.json": string(written(ends, "start>end"))}))
	f.Fuzz(func(t *testing.T, src []byte) {
		visualflow.Recognise(src)
		d, err := visualflow.Decode("doc.json", src)
		if err != nil || d.Check(flow.Checks{}).HasErrors() {
			return
		}
		stored, err := flow.FromJSON(flow.Canonical(d.Flow))
		if err != nil {
			t.Fatal(err)
		}
		if back, err := visualflow.Encode(stored); err != nil || !bytes.Equal(back, src) {
			t.Errorf("it came back as %q: %v", back, err)
		}
		s := importertest.NewStage(1, append(d.Others, stored)...)
		s.Most = 5
		if _, err := s.Play(stored, nil); err != nil {
			t.Error(err)
		}
	})
}

func TestHostileDocuments(t *testing.T) {
	t.Parallel()
	hostile := importertest.Hostile()
	many := `{"id":"doc","nodes":[` + strings.Repeat(`{"id":"a"},`, 100_000) + `{"id":"b"}]}`
	hostile["many nodes"] = []byte(many)
	hostile["many nodes in a bundle"] = bundle(t, `{"flows":{"doc":"a.json"}}`, map[string]string{"a.json": many})
	hostile["a ZIP bomb"] = bundle(t, `{"flows":{"doc":"a.json"}}`, map[string]string{"a.json": strings.Repeat(" ", 200<<20)})
	hostile["many files"] = manyFiles(t)
	hostile["a bundle without a manifest"] = bundle(t, `{}`, map[string]string{"a.json": "{}"})
	hostile["a path out of the bundle"] = bundle(t, `{"flows":{"doc":"../../etc/passwd"}}`, map[string]string{})
	hostile["a cut bundle"] = bundle(t, `{"flows":{"doc":"a.json"}}`, map[string]string{"a.json": "{}"})[:60]
	var lines, list strings.Builder
	for i := range 1900 {
		fmt.Fprintf(&lines, "n%d add\n", i)
		fmt.Fprintf(&list, "n%d.result=n%d.a ", i, (i+1)%1900)
	}
	hostile["a long circle of values"] = written(ends+lines.String(), list.String())
	for name, src := range hostile {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			importertest.Bounded(t, visualflow.Decode, name, src)
		})
	}
}

func manyFiles(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := range 1000 {
		if _, err := w.Create(fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A long chain of values is computed in bounded time: each of them is made once.
func TestLongChainsOfValues(t *testing.T) {
	t.Parallel()
	var lines, list strings.Builder
	const length = 400
	for i := range length {
		fmt.Fprintf(&lines, "n%d add {\"pinDefaults\":{\"a\":0}}\n", i)
		if i > 0 {
			fmt.Fprintf(&list, "n%d.result=n%d.a n%d.result=n%d.b ", i-1, i, i-1, i)
		}
	}
	gives(t, ends+lines.String(), "start>end "+list.String()+fmt.Sprintf("n%d.result=end.v", length-1), nil, `{"v":0}`)
}
