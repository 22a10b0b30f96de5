package visualflow_test

import (
	"archive/zip"
	"bytes"
	"io"
	"testing"

	"sluice/engine/flow"
	"sluice/engine/importer/visualflow"
)

// A bundle is given back with what changed in the flow by which it begins. Its other files stay as they are.
func TestABundleIsChanged(t *testing.T) {
	t.Parallel()
	first := string(written(ends+`say answer_user {"label":"Greet","pinDefaults":{"message":"Hi"}}`, "start>say say>end"))
	files := map[string]string{"flows/a.json": first, "flows/b.json": string(written(ends, "start>end")), "notes.txt": "Größe \r\n"}
	src := bundle(t, `{"default_entrypoint":"doc","flows":{"doc":"flows/a.json","other":"flows/b.json"}}`, files)
	f := read(t, src).Flow
	last := f.Node("say").Routes[0].To
	f.Node("say").Spec = &flow.SaySpec{Message: "Hello"}
	f.Nodes = append(f.Nodes,
		flow.Node{ID: "more", Name: "More", Kind: flow.KindSay, Spec: &flow.SaySpec{Message: "Well {met}"}, Routes: []flow.Route{{To: "ask"}}},
		flow.Node{ID: "ask", Name: "Ask", Kind: flow.KindAsk, Spec: &flow.AskSpec{Message: "Who?"}, Routes: []flow.Route{{To: last}}})
	f.Node("say").Routes[0].To = "more"
	out, err := visualflow.Encode(f)
	if err != nil {
		t.Fatal(err)
	}
	again := read(t, out)
	for id, want := range map[string]string{"say": "Hello", "more": "Well {met}"} {
		if s, ok := again.Flow.Node(id).Spec.(*flow.SaySpec); !ok || s.Message != want {
			t.Errorf("%s became %+v", id, again.Flow.Node(id))
		}
	}
	if s, ok := again.Flow.Node("ask").Spec.(*flow.AskSpec); !ok || s.Message != "Who?" || len(again.Others) != 1 {
		t.Errorf("the question became %+v, beside %d flows", again.Flow.Node("ask"), len(again.Others))
	}
	if back, err := visualflow.Encode(again.Flow); err != nil || !bytes.Equal(back, out) {
		t.Errorf("it does not come back: %v", err)
	}
	r, err := zip.NewReader(bytes.NewReader(out), int64(len(out)))
	if err != nil || len(r.File) != 4 {
		t.Fatal(len(r.File), err)
	}
	for _, name := range []string{"flows/b.json", "notes.txt"} {
		file, err := r.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if body, err := io.ReadAll(file); err != nil || string(body) != files[name] {
			t.Errorf("%s became %q: %v", name, body, err)
		}
	}
}
