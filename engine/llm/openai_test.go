package llm_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/engine/llm"
	"sluice/engine/llm/llmtest"
)

const key = "sk-topsecret"

// model is a client of a scripted service that does not wait long.
func model(t *testing.T, s *llmtest.Server, change func(*llm.OpenAIOptions)) *llm.OpenAI {
	t.Helper()
	cfg := llm.OpenAIOptions{BaseURL: s.URL + "/", Key: key, Model: "small", Backoff: time.Millisecond, MaxWait: 50 * time.Millisecond, Attempts: 3}
	if change != nil {
		change(&cfg)
	}
	return llm.NewOpenAI(cfg)
}

func ask(text string) llm.Request {
	return llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Text: text}}}
}

func TestChat(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	s.Reply(llmtest.Reply{Calls: []llmtest.Call{{ID: "c1", Name: "shop__get_order", Args: map[string]any{"order_id": "A-1"}}}, Input: 100, Output: 20}, llmtest.Text("refund it"))
	m := model(t, s, func(c *llm.OpenAIOptions) { c.Prices = map[string]llm.Price{"large": {Input: 2, Output: 10}} })
	zero := 0.0
	r := llm.Request{
		Model: "large", System: "Decide.", Messages: []llm.Message{{Role: llm.RoleUser, Text: "order A-1"}},
		Tools:  []llm.Tool{{Name: "shop__get_order", Description: "Get an order"}},
		Schema: map[string]any{"type": "object"}, MaxTokens: 50, Temperature: &zero,
	}
	got, err := m.Chat(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	want := llm.Response{
		Calls: []llm.ToolCall{{ID: "c1", Name: "shop__get_order", Arguments: `{"order_id":"A-1"}`}},
		Stop:  llm.StopCalls, Usage: llm.Usage{Model: "large", Input: 100, Output: 20, USD: 0.0004, Priced: true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	r.Messages = append(r.Messages, llm.Message{Role: llm.RoleAssistant, Calls: got.Calls}, llm.Message{Role: llm.RoleTool, CallID: "c1"})
	got, err = m.Chat(t.Context(), r)
	if err != nil || got.Text != "refund it" || got.Stop != llm.StopEnd {
		t.Fatalf("got %+v, %v", got, err)
	}
	first := s.Requests()[0]
	if first.Key != key || first.Model != "large" || first.System() != "Decide." || first.MaxTokens != 50 || first.Temperature == nil || *first.Temperature > 1e-30 {
		t.Errorf("sent %+v", first)
	}
	if diff := cmp.Diff([]string{"shop__get_order"}, first.Offered()); diff != "" {
		t.Error(diff)
	}
}

func TestChatRetries(t *testing.T) {
	t.Parallel()
	for name, replies := range map[string][]llmtest.Reply{
		"busy":              {llmtest.Fail(429), llmtest.Fail(429)},
		"busy for a moment": {{Status: 429, RetryAfter: "0.01"}},
		"broken":            {llmtest.Fail(500), llmtest.Fail(503)},
		"dropped":           {llmtest.Drop(), llmtest.Drop()},
		"mixed":             {llmtest.Drop(), llmtest.Fail(502)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := llmtest.New(t)
			s.Reply(append(replies, llmtest.Text("done"))...)
			got, err := model(t, s, nil).Chat(t.Context(), ask("x"))
			if err != nil || got.Text != "done" {
				t.Errorf("got %+v, %v", got, err)
			}
			if n := len(s.Requests()); n != len(replies)+1 {
				t.Errorf("%d requests for %d failures", n, len(replies))
			}
		})
	}
}

func TestChatErrors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		replies   []llmtest.Reply
		kind      string
		says      string
		permanent bool
		after     time.Duration
		requests  int
	}{
		"always busy":    {[]llmtest.Reply{llmtest.Fail(429), llmtest.Fail(429), llmtest.Fail(429)}, "RateLimitError", "429 Too Many Requests", false, 0, 3},
		"busy for long":  {[]llmtest.Reply{{Status: 429, RetryAfter: "3600"}}, "RateLimitError", "429", false, time.Hour, 1},
		"no money":       {[]llmtest.Reply{{Status: 429, Code: "insufficient_quota", Text: "no credit left"}}, "RateLimitError", "no credit left", true, 0, 1},
		"always broken":  {[]llmtest.Reply{llmtest.Fail(500), llmtest.Fail(500), llmtest.Fail(500)}, "ModelError", "500 Internal Server Error", false, 0, 3},
		"no account":     {[]llmtest.Reply{llmtest.Fail(402)}, "RateLimitError", "no credit left", true, 0, 1},
		"no such model":  {[]llmtest.Reply{llmtest.Fail(404)}, "ModelError", "the name of the model", true, 0, 1},
		"always dropped": {[]llmtest.Reply{llmtest.Drop(), llmtest.Drop(), llmtest.Drop()}, "ConnectionError", "connection", false, 0, 3},
		"wrong key":      {[]llmtest.Reply{{Status: 401, Text: "bad key sk-topse***"}}, "AuthenticationError", "check the key", true, 0, 1},
		"bad request":    {[]llmtest.Reply{{Status: 400, Text: "too long for " + key + "\nmore"}}, "ModelError", "too long for (key)", true, 0, 1},
		"not JSON":       {[]llmtest.Reply{{Raw: "<html>"}}, "ModelError", "cannot be used this way", true, 0, 1},
		"no choices":     {[]llmtest.Reply{{Raw: "{}"}}, "ModelError", "gave no answer", false, 0, 1},
		"redirected":     {[]llmtest.Reply{{Status: 307}}, "ModelError", "307 Temporary Redirect", true, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := llmtest.New(t)
			s.Reply(c.replies...)
			_, err := model(t, s, nil).Chat(t.Context(), ask("x"))
			e, ok := errors.AsType[*llm.Error](err)
			if !ok || e.Type != c.kind || !strings.Contains(e.Message, c.says) || e.Permanent != c.permanent || e.RetryAfter != c.after {
				t.Errorf("got %+v (%v)", e, err)
			}
			if e.Away == (c.permanent || name == "no choices") {
				t.Errorf("worth waiting for: %t", e.Away)
			}
			if strings.Contains(err.Error(), "sk-top") {
				t.Errorf("the key is shown: %v", err)
			}
			if n := len(s.Requests()); n != c.requests {
				t.Errorf("%d requests, want %d", n, c.requests)
			}
		})
	}
}

func TestChatUnreachable(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	m := model(t, s, func(c *llm.OpenAIOptions) { c.BaseURL = "http://127.0.0.1:1/" + key })
	_, err := m.Chat(t.Context(), ask("x"))
	if e, ok := errors.AsType[*llm.Error](err); !ok || e.Type != "ConnectionError" || e.Permanent || strings.Contains(err.Error(), key) {
		t.Errorf("got %v", err)
	}
}

func TestChatTimeoutAndCancel(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	hold := make(chan struct{})
	defer close(hold)
	s.Script(func(llmtest.Request) llmtest.Reply { return llmtest.Reply{Wait: hold} })
	m := model(t, s, func(c *llm.OpenAIOptions) { c.Timeout, c.Attempts = 30*time.Millisecond, 2 })
	_, err := m.Chat(t.Context(), ask("x"))
	if e, ok := errors.AsType[*llm.Error](err); !ok || e.Type != "TimeoutError" || e.Permanent {
		t.Errorf("got %v", err)
	}
	if n := len(s.Requests()); n != 2 {
		t.Errorf("%d attempts, want 2", n)
	}

	ctx, cancel := context.WithCancel(t.Context())
	s.Script(func(llmtest.Request) llmtest.Reply { cancel(); return llmtest.Reply{Wait: hold} })
	if _, err := model(t, s, nil).Chat(ctx, ask("x")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}

	// A cancelled wait between two attempts ends at once.
	ctx, cancel = context.WithCancel(t.Context())
	s.Script(func(llmtest.Request) llmtest.Reply { cancel(); return llmtest.Fail(http.StatusServiceUnavailable) })
	m = model(t, s, func(c *llm.OpenAIOptions) { c.Backoff, c.MaxWait = time.Hour, time.Hour })
	if _, err := m.Chat(ctx, ask("x")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestChatWithoutResponseFormat(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	s.Script(func(r llmtest.Request) llmtest.Reply {
		if r.ResponseFormat != nil {
			return llmtest.Reply{Status: 400, Text: "unknown parameter: 'response_format'"}
		}
		return llmtest.Text("{}")
	})
	m := model(t, s, nil)
	r := ask("x")
	r.Schema = map[string]any{"type": "object"}
	for range 2 {
		if got, err := m.Chat(t.Context(), r); err != nil || got.Text != "{}" {
			t.Fatalf("got %+v, %v", got, err)
		}
	}
	if n := len(s.Requests()); n != 3 {
		t.Errorf("%d requests, want 3: the second turn knows better", n)
	}
}

func TestChatStops(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		reply llmtest.Reply
		stop  llm.Stop
	}{
		{llmtest.Reply{Text: "cut o", Stop: "length"}, llm.StopLength},
		{llmtest.Reply{Text: "", Stop: "content_filter"}, llm.StopFilter},
		{llmtest.Reply{Refusal: "I will not"}, llm.StopRefusal},
		{llmtest.Reply{Text: "x", Stop: "something_new"}, llm.StopEnd},
	} {
		s := llmtest.New(t)
		s.Reply(c.reply)
		got, err := model(t, s, nil).Chat(t.Context(), ask("x"))
		if err != nil || got.Stop != c.stop || c.stop == llm.StopRefusal && got.Text != "I will not" {
			t.Errorf("%+v: got %+v, %v", c.reply, got, err)
		}
	}
}

func TestUsageIsEstimatedWhenAbsent(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	s.Reply(llmtest.Reply{Text: strings.Repeat("y", 40), NoUsage: true})
	got, err := model(t, s, nil).Chat(t.Context(), ask(strings.Repeat("x", 400)))
	want := llm.Usage{Model: "small", Input: 101, Output: 11, Estimated: true}
	if err != nil || got.Usage != want {
		t.Errorf("got %+v, %v, want %+v", got.Usage, err, want)
	}
}

// Reasoning models refuse max_tokens and a temperature of one's own.
func TestReasoningModels(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	s.Reply(llmtest.Text("x"))
	r, warm := ask("x"), 0.5
	r.Model, r.MaxTokens, r.Temperature = "o3-mini", 7, &warm
	if _, err := model(t, s, nil).Chat(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if got := s.Requests()[0]; got.MaxTokens != 0 || got.MaxCompletion != 7 || got.Temperature != nil {
		t.Errorf("sent %+v", got)
	}
}

func TestOptionsCheck(t *testing.T) {
	t.Parallel()
	for _, o := range []llm.OpenAIOptions{{}, {Model: "m", BaseURL: "localhost:80"}, {Model: "m", BaseURL: "http://"}, {Model: "m", BaseURL: "ftp://x"}} {
		if o.Check() == nil {
			t.Errorf("%+v was accepted", o)
		}
	}
	if err := (llm.OpenAIOptions{Model: "m", BaseURL: "http://127.0.0.1:1/v1"}).Check(); err != nil {
		t.Error(err)
	}
}
