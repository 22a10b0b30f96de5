package llmtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
)

// Server is the scripted service. Its methods are safe for concurrent use.
type Server struct {
	// URL is the base URL of the service, as in OPENAI_BASE_URL.
	URL string

	t        testing.TB
	mu       sync.Mutex
	queue    []Reply
	script   func(Request) Reply
	requests []Request
	closing  chan struct{}
}

// Reply is what the service does with one request.
type Reply struct {
	Text       string
	Calls      []Call
	Stop       string          // finish_reason; empty = stop or tool_calls
	Refusal    string          // the model declines
	Status     int             // 0 = 200
	Code       string          // error code for a status that is not 200
	RetryAfter string          // header
	Raw        string          // sent instead of a JSON answer
	Drop       bool            // the connection is closed without an answer
	Wait       <-chan struct{} // the answer waits until this is closed
	NoUsage    bool            // the answer reports no usage
	Input      int             // tokens; default 10
	Output     int             // tokens; default 5
	Cached     int             // tokens of the input that the service had in its cache
}

// Call is a tool call of the model.
type Call struct {
	ID   string // empty = one is made up
	Name string // as offered in the request
	Args any    // written as JSON; a string is sent as it is
}

// Text is a reply in words.
func Text(text string) Reply { return Reply{Text: text} }

// JSON is a reply that is a JSON value.
func JSON(v any) Reply {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return Reply{Text: string(b)}
}

// Calls is a reply that calls tools.
func Calls(calls ...Call) Reply { return Reply{Calls: calls} }

// Fail is an error such as 429 or 500.
func Fail(status int) Reply { return Reply{Status: status} }

// Drop is a lost connection.
func Drop() Reply { return Reply{Drop: true} }

// New starts a service that ends with the test.
func New(t testing.TB) *Server {
	t.Helper()
	s := &Server{t: t, closing: make(chan struct{})}
	h := httptest.NewServer(http.HandlerFunc(s.serve))
	s.URL = h.URL + "/v1"
	t.Cleanup(func() { close(s.closing); h.Close() })
	return s
}

// Reply adds answers to the end of the queue. A request that finds the queue empty, and no script, fails the test.
func (s *Server) Reply(replies ...Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = append(s.queue, replies...)
}

// Script lets a function answer when the queue is empty. It may be called by several requests at once.
func (s *Server) Script(answer func(Request) Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script = answer
}

// Requests gives what arrived so far, oldest first.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request{}, s.requests...)
}

// Left says how many queued answers nobody asked for.
func (s *Server) Left() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.queue)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client went away
	}
	req, err := readRequest(r, body)
	if err != nil {
		s.t.Errorf("llmtest: a real service would refuse this: %v", err)
		fail(w, http.StatusBadRequest, "", err.Error())
		return
	}
	number, reply := s.next(req)
	if reply.Wait != nil {
		select {
		case <-reply.Wait:
		case <-r.Context().Done():
			return
		case <-s.closing:
			return
		}
	}
	s.send(w, req, number, reply)
}

// next records a request and finds its answer.
func (s *Server) next(req Request) (int, Reply) {
	s.mu.Lock()
	s.requests = append(s.requests, req)
	number, script := len(s.requests), s.script
	if len(s.queue) > 0 {
		defer s.mu.Unlock()
		reply := s.queue[0]
		s.queue = s.queue[1:]
		return number, reply
	}
	s.mu.Unlock()
	if script == nil {
		s.t.Errorf("llmtest: request %d has no answer; its last message is %q", number, req.Last())
		return number, Fail(http.StatusNotImplemented)
	}
	return number, script(req)
}

func (s *Server) send(w http.ResponseWriter, req Request, number int, reply Reply) {
	if reply.Drop {
		if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
			_ = conn.Close()
		}
		return
	}
	if reply.RetryAfter != "" {
		w.Header().Set("Retry-After", reply.RetryAfter)
	}
	switch {
	case reply.Status != 0 && reply.Status != http.StatusOK:
		message := reply.Text
		if message == "" {
			message = "scripted failure"
		}
		fail(w, reply.Status, reply.Code, message)
	case reply.Raw != "":
		_, _ = io.WriteString(w, reply.Raw)
	default:
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(completion(req, number, reply))
	}
}

func fail(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": message, "type": "scripted", "code": code}})
}

func completion(req Request, number int, reply Reply) map[string]any {
	message := map[string]any{"role": "assistant", "content": reply.Text}
	if reply.Refusal != "" {
		message["refusal"] = reply.Refusal
	}
	stop := "stop"
	if len(reply.Calls) > 0 {
		stop = "tool_calls"
		message["tool_calls"] = wireCalls(number, reply.Calls)
		if reply.Text == "" {
			message["content"] = nil
		}
	}
	if reply.Stop != "" {
		stop = reply.Stop
	}
	out := map[string]any{
		"id": fmt.Sprintf("completion-%d", number), "object": "chat.completion", "created": 1, "model": req.Model,
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": stop}},
	}
	if !reply.NoUsage {
		input, output := reply.Input, reply.Output
		if input == 0 && output == 0 {
			input, output = 10, 5
		}
		out["usage"] = map[string]any{
			"prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output,
			"prompt_tokens_details": map[string]any{"cached_tokens": reply.Cached},
		}
	}
	return out
}

func wireCalls(number int, calls []Call) []any {
	out := make([]any, len(calls))
	for i, c := range calls {
		id := c.ID
		if id == "" {
			id = "call_" + strconv.Itoa(number) + "_" + strconv.Itoa(i+1)
		}
		args, ok := c.Args.(string)
		if c.Args == nil {
			args = "{}"
		} else if !ok {
			b, err := json.Marshal(c.Args)
			if err != nil {
				panic(err)
			}
			args = string(b)
		}
		out[i] = map[string]any{"id": id, "type": "function", "function": map[string]any{"name": c.Name, "arguments": args}}
	}
	return out
}
