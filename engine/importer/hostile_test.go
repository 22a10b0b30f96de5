package importer_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"sluice/engine/flow"
	"sluice/engine/importer"
)

// many repeats a part with its number, joined by commas.
func many(n int, part string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, strings.ReplaceAll(part, "#", "%[1]d"), i)
	}
	return b.String()
}

// heads are documents of each format with %s in the place of nodes, and a node that another part follows.
var heads = map[string]struct{ document, node string }{
	"agentgraph": {
		`{"nodes":[{"id":"s","type":"start","data":{}},%s],"connections":[{"source":"s","target":"n0"}]}`,
		`{"id":"n#","type":"agent","data":{"systemPrompt":"x"}}`,
	},
	"routing": {
		`{"id":"w","entrypointNodeId":"n0","nodes":[%s],"edges":[]}`, `{"id":"n#","nodeType":"AGENT","nodeName":"n#","agentId":"a"}`,
	},
	"app": {
		"{app: {app_id: a}, agents: [{id: b}], flow: {id: f, entry: n0, nodes: [%s]}}", `{id: n#, type: agent, agent: b}`,
	},
	"draftchart": {`{"agent_name":"a","goal":"g","nodes":[%s]}`, `{"id":"n#"}`},
	"runtime":    {`{"agent":{"id":"a"},"goal":{"description":"g"},"graph":{"entry_node":"n0","nodes":[%s],"edges":[]}}`, `{"id":"n#","node_type":"event_loop"}`},
	"visualflow": {`{"id":"v","entryNode":"n0","nodes":[%s],"edges":[]}`, `{"id":"n#","type":"llm_call","data":{"nodeType":"llm_call","pinDefaults":{"prompt":"x"}}}`},
}

// TestHostileDocuments reads documents of each format that are meant to do harm: each is refused with a place, in bounded time and memory.
func TestHostileDocuments(t *testing.T) {
	for format, head := range heads {
		one := strings.ReplaceAll(head.node, "#", "0")
		deep := strings.Replace(one, "}", `, "x": `+strings.Repeat("[", 5000)+strings.Repeat("]", 5000)+"}", 1)
		for name, c := range map[string]struct{ nodes, code string }{
			"100,000 nodes": {many(100_000, head.node), "too-large"},
			"3,000 nodes":   {many(3_000, head.node), "too-many-nodes"},
			"deep nesting":  {deep, "too-deep"},
			"a secret":      {strings.Replace(one, "}", `, "key": "xoxb-123456789012-abcdefghijklmnop"}`, 1), "literal-secret"},
			"the same id":   {one + "," + one, "duplicate-id"},
		} {
			t.Run(format+" "+name, func(t *testing.T) {
				refused(t, fmt.Appendf(nil, head.document, c.nodes), c.code)
			})
		}
	}
	edges := map[string]string{
		"agentgraph": `{"nodes":[{"id":"s","type":"start","data":{}},%s],"connections":[` + many(9_000, `{"source":"n0","target":"n%[1]d"}`) + `]}`,
		"subagents": `{"nodes":[{"id":"s","type":"start","data":{}},` + many(1900, `{"id":"n#","type":"agent","data":{"tools":{"subagents":true}}}`) +
			`],"connections":[` + many(1899, `{"source":"n#","target":"m#","sourceHandle":"subagent"}`) + `]}`,
		"a data cycle": `{"id":"v","entryNode":"e","nodes":[{"id":"e","type":"on_flow_end","data":{"nodeType":"on_flow_end","inputs":[{"id":"exec-in","type":"execution"},{"id":"v","type":"string"}]}},` +
			many(1500, `{"id":"n#","type":"concat","data":{"nodeType":"concat"}}`) + `],"edges":[{"source":"n0","sourceHandle":"result","target":"e","targetHandle":"v"},` + ring(1500) + `]}`,
	}
	refused(t, fmt.Appendf(nil, edges["agentgraph"], many(2, `{"id":"n#","type":"agent","data":{}}`)), "unknown-node")
	refused(t, []byte(edges["subagents"]), "unknown-node")
	refused(t, []byte(edges["a data cycle"]), "data-cycle")
	refused(t, bomb(t), "bad-archive")
}

// ring is data edges around a circle.
func ring(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(`{"source":"n%d","sourceHandle":"result","target":"n%d","targetHandle":"a"}`, i, (i+1)%n))
	}
	return strings.Join(all, ",")
}

// bomb is a small archive of a large document.
func bomb(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, body := range map[string]string{
		"manifest.json": `{"default_entrypoint":"a","flows":{"a":"a.json"}}`, "a.json": `{"id":"` + strings.Repeat("a", 200<<20) + `"}`,
	} {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(body))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// refused checks that a document is refused by a code, and where, in bounded time and memory.
func refused(t *testing.T, src []byte, code string) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	_, _, problems := importer.Check("hostile", src, flow.Checks{})
	took := time.Since(began)
	runtime.ReadMemStats(&after)
	found := false
	for _, p := range problems.Errors() {
		placed := p.Line > 0 || code == "bad-archive" || code == "too-large" && len(src) > flow.MaxDocumentBytes
		found = found || (p.Code == code || code == "literal-secret" && p.Code == "secret") && placed
	}
	if !found {
		t.Errorf("it is not refused as %s with a place: %.500v", code, problems)
	}
	t.Logf("%s: %s, %d MiB", code, took.Round(time.Millisecond), (after.TotalAlloc-before.TotalAlloc)>>20)
	if took > 20*time.Second || after.TotalAlloc-before.TotalAlloc > 1<<30 {
		t.Errorf("%d bytes took %s and %d MiB", len(src), took, (after.TotalAlloc-before.TotalAlloc)>>20)
	}
}
