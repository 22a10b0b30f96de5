package llmtest_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"sluice/engine/llm/llmtest"
)

// witness is a test that only writes down how it fails.
type witness struct {
	testing.TB
	mu       sync.Mutex
	failures []string
}

func (w *witness) Helper() {}

func (w *witness) Errorf(format string, _ ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failures = append(w.failures, format)
}

func TestServerIsStrict(t *testing.T) {
	t.Parallel()
	const user = `{"role":"user","content":"x"}`
	const call = `{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}`
	for name, body := range map[string]string{
		"not JSON":               `{`,
		"unknown field":          `{"model":"m","messages":[` + user + `],"temprature":1}`,
		"no model":               `{"messages":[` + user + `]}`,
		"no messages":            `{"model":"m","messages":[]}`,
		"unknown role":           `{"model":"m","messages":[{"role":"wizard","content":"x"}]}`,
		"late system":            `{"model":"m","messages":[` + user + `,{"role":"system","content":"x"},` + user + `]}`,
		"empty user":             `{"model":"m","messages":[{"role":"user","content":""}]}`,
		"silent assistant":       `{"model":"m","messages":[` + user + `,{"role":"assistant"},` + user + `]}`,
		"assistant last":         `{"model":"m","messages":[` + user + `,{"role":"assistant","content":"x"}]}`,
		"unanswered call":        `{"model":"m","messages":[` + user + `,` + call + `]}`,
		"call answered late":     `{"model":"m","messages":[` + user + `,` + call + `,` + user + `]}`,
		"answer without a call":  `{"model":"m","messages":[` + user + `,{"role":"tool","tool_call_id":"a","content":"x"}]}`,
		"answered twice":         `{"model":"m","messages":[` + user + `,` + call + `,{"role":"tool","tool_call_id":"a","content":"x"},{"role":"tool","tool_call_id":"a","content":"x"}]}`,
		"answer without content": `{"model":"m","messages":[` + user + `,` + call + `,{"role":"tool","tool_call_id":"a"}]}`,
		"tool name":              `{"model":"m","messages":[` + user + `],"tools":[{"type":"function","function":{"name":"a.b","parameters":{"type":"object"}}}]}`,
		"tool twice": `{"model":"m","messages":[` + user + `],"tools":[{"type":"function","function":{"name":"a","parameters":{"type":"object"}}},` +
			`{"type":"function","function":{"name":"a","parameters":{"type":"object"}}}]}`,
		"tool parameters": `{"model":"m","messages":[` + user + `],"tools":[{"type":"function","function":{"name":"a"}}]}`,
		"format":          `{"model":"m","messages":[` + user + `],"response_format":{"type":"json_schema"}}`,
	} {
		w := &witness{TB: t}
		s := llmtest.New(w)
		s.Script(func(llmtest.Request) llmtest.Reply { return llmtest.Text("never") })
		res, err := http.Post(s.URL+"/chat/completions", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != http.StatusBadRequest || len(w.failures) != 1 {
			t.Errorf("%s: got %s and %d failures", name, res.Status, len(w.failures))
		}
	}
}

func TestServerWithoutAnswersFails(t *testing.T) {
	t.Parallel()
	w := &witness{TB: t}
	s := llmtest.New(w)
	s.Reply(llmtest.Text("one"))
	for i, want := range []int{http.StatusOK, http.StatusNotImplemented} {
		res, err := http.Post(s.URL+"/chat/completions", "application/json", strings.NewReader(`{"model":"m","messages":[{"role":"user","content":"x"}]}`))
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != want || len(w.failures) != i {
			t.Errorf("request %d: got %s and %d failures", i, res.Status, len(w.failures))
		}
	}
	if s.Left() != 0 || len(s.Requests()) != 2 {
		t.Errorf("%d left, %d arrived", s.Left(), len(s.Requests()))
	}
}
