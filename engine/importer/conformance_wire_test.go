package importer_test

import (
	"strings"
	"testing"
	"time"

	"sluice/engine/enginetest"
	"sluice/engine/history"
	"sluice/engine/importer"
	"sluice/engine/llm/llmtest"
)

// chosen is a document in which the answer of a model decides, and that has settings of the place where it comes from.
const chosen = `{"id": "doc", "entryNode": "start", "nodes": [
	{"id": "start", "type": "on_flow_start", "data": {"nodeType": "on_flow_start"}},
	{"id": "ask", "type": "llm_call", "data": {"nodeType": "llm_call", "pinDefaults": {"prompt": "Classify.", "base_url": "http://192.0.2.1/v1", "temperature": 0.25,
		"resp_schema": {"type": "object", "properties": {"choice": {"type": "string", "enum": ["approve", "reject", "escalate"]}}, "required": ["choice"]}}}},
	{"id": "parts", "type": "break_object", "data": {"nodeType": "break_object"}},
	{"id": "end", "type": "on_flow_end", "data": {"nodeType": "on_flow_end"}}],
	"edges": [{"source": "start", "sourceHandle": "exec-out", "target": "ask", "targetHandle": "exec-in"},
	{"source": "ask", "sourceHandle": "exec-out", "target": "end", "targetHandle": "exec-in"},
	{"source": "ask", "sourceHandle": "data", "target": "parts", "targetHandle": "object"},
	{"source": "parts", "sourceHandle": "choice", "target": "end", "targetHandle": "v"}]}`

// asked are the statements about what reaches a model, and what its answer may be.
func asked() map[string]func(t *testing.T) {
	return map[string]func(t *testing.T){
		"S4-21": func(t *testing.T) {
			w := newTalk(t, chosen, llmtest.Text(`{"choice": "perhaps"}`), llmtest.Text(`{"choice": "reject"}`))
			w.run()
			if all := w.model.Requests(); len(all) != 2 || !strings.Contains(all[1].Last(), "choice") {
				t.Errorf("an answer that the schema forbids leads to %d requests", len(all))
			}
			w.ended(`result {"v":"reject"}`)
			w = newTalk(t, chosen, llmtest.Text("perhaps"), llmtest.Text(`{"choice": "perhaps"}`))
			w.run()
			if err := w.driver.Script("error SchemaError"); err != nil || w.driver.State.Status == history.Succeeded {
				t.Errorf("two such answers: %v, %v", w.driver.State.Status, err)
			}
		},
		"S4-30": func(t *testing.T) {
			w := newTalk(t, chosen, llmtest.Text(`{"choice": "approve"}`))
			w.run() // the model of the installation is asked, and not the address in the document
			all := w.model.Requests()
			if len(all) != 1 || all[0].Model != "small" || all[0].Temperature == nil || *all[0].Temperature != 0.25 {
				t.Errorf("the installation's model gets %+v", all)
			}
			w.ended(`result {"v":"approve"}`)
			for _, key := range []string{`"api_key": "0123456789abcdef"`, `"headers": {"Authorization": "Bearer 0123456789abcdef0123456789abcdef"}`} {
				if _, _, err := importer.Read("doc", []byte(strings.Replace(chosen, `"temperature"`, key+`, "temperature"`, 1))); err == nil {
					t.Errorf("a document with %s is read", key)
				}
			}
		},
		"S2-27": func(t *testing.T) {
			w := newTalk(t, workflow(false))
			if limit := w.deps.Flow.Rules.NodeTimeout.Clock; limit != 90*time.Second {
				t.Errorf("one call may take %s", limit)
			}
			hangs := make(chan struct{})
			t.Cleanup(func() { close(hangs) })
			w.model.Script(func(llmtest.Request) llmtest.Reply { <-hangs; return llmtest.Text("late") })
			w.deps.Flow.Rules.NodeTimeout.Clock = 20 * time.Millisecond
			w.run()
			if err := w.driver.Script(`fact limit_reached {"limit":"node_timeout","action":"interrupt"}`); err != nil {
				t.Errorf("%v\n%s", err, enginetest.Print(w.driver.Facts))
			}
		},
	}
}
