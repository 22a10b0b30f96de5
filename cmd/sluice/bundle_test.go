package main

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
)

// visual is a VisualFlow document: a start, one node, and an end.
func visual(id, kind, data string) string {
	exec := `{"id":"exec-in","type":"execution"}`
	return fmt.Sprintf(`{"id":%[1]q,"name":%[1]q,"entryNode":"start","nodes":[
		{"id":"start","type":"on_flow_start","data":{"nodeType":"on_flow_start","label":"Start","inputs":[],"outputs":[{"id":"exec-out","type":"execution"}]}},
		{"id":"x","type":%[2]q,"data":{"nodeType":%[2]q,"label":"The step of %[1]s","inputs":[%[4]s],"outputs":[{"id":"exec-out","type":"execution"}]%[3]s}},
		{"id":"end","type":"on_flow_end","data":{"nodeType":"on_flow_end","label":"End","inputs":[%[4]s],"outputs":[]}}],
		"edges":[{"id":"1","source":"start","sourceHandle":"exec-out","target":"x","targetHandle":"exec-in"},
		{"id":"2","source":"x","sourceHandle":"exec-out","target":"end","targetHandle":"exec-in"}]}`, id, kind, data, exec)
}

// bundle is an archive of documents by their ids; a run begins with the first.
func bundle(t *testing.T, docs ...[2]string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	var flows []string
	put := func(name, text string) {
		f, err := z.Create(name)
		if err == nil {
			_, err = f.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, d := range docs {
		flows = append(flows, fmt.Sprintf(`%q: "flows/%s.json"`, d[0], d[0]))
	}
	put("manifest.json", fmt.Sprintf(`{"bundle_id":"b","default_entrypoint":%q,"flows":{%s}}`, docs[0][0], strings.Join(flows, ",")))
	for _, d := range docs {
		put("flows/"+d[0]+".json", d[1])
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestABundle drops an archive of two flows, of which one runs the other: each is a draft, they are approved and run, and export gives the
// archive back.
func TestABundle(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{})
	archive := bundle(t, [2]string{"weekly", visual("weekly", "subflow", `,"subflowId":"ready"`)}, [2]string{"ready", visual("ready", "ask_user", `,"pinDefaults":{"prompt":"Is the week over?"}`)})
	drop := func(name string, content []byte) answer {
		return w.post("message", fields{"user": "ana", "channel": "#support", "text": "@Sluice", "files": []fields{{"name": name, "content_base64": base64.StdEncoding.EncodeToString(content)}}})
	}
	a := drop("week.flow", archive)
	card := func(title string) message {
		return w.untilMessage("#support", title, func(m message) bool {
			return m.Thread == a.TS && strings.Contains(m.shown(), title) && strings.Contains(strings.Join(m.buttons(), " "), "Edit as file")
		})
	}
	asked := w.click("ana", card("Weekly, draft"), "Edit as file")
	if _, text := w.given("#support", a.TS, "weekly.flow", asked.Seq); text != string(archive) {
		t.Errorf("the archive is given back as %d bytes of %d", len(text), len(archive))
	}
	for _, title := range []string{"Ready, draft", "Weekly, draft"} {
		c := card(title)
		w.checkPicture(c)
		w.click("ana", c, "Approve")
		w.untilShown(c, "Approved as version 1")
	}
	w.flow("ana", "#support", "run weekly")
	w.untilMessage("#support", "the question of the flow that is run", func(m message) bool { return strings.Contains(m.shown(), "Is the week over?") && m.Thread != a.TS })

	drop("cut.flow", archive[:len(archive)/2])
	w.untilMessage("#support", "the refusal of half an archive", func(m message) bool {
		return m.EphemeralTo == w.id("ana") && strings.Contains(m.shown(), "cut.flow is no flow that I can read")
	})
}
