package llmtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
)

// Request is one request for a completion, as it arrived.
type Request struct {
	Key            string         `json:"-"` // the bearer token
	Model          string         `json:"model"`
	Messages       []Message      `json:"messages"`
	Tools          []Tool         `json:"tools"`
	ResponseFormat map[string]any `json:"response_format"`
	MaxTokens      int            `json:"max_tokens"`
	MaxCompletion  int            `json:"max_completion_tokens"`
	Temperature    *float64       `json:"temperature"`
	Stream         bool           `json:"stream"`
}

// Message is one message of a request.
type Message struct {
	Role       string     `json:"role"`
	Content    *string    `json:"content"`
	ToolCalls  []WireCall `json:"tool_calls"`
	ToolCallID string     `json:"tool_call_id"`
}

// WireCall is a tool call as it is sent.
type WireCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// Tool is a tool that is offered.
type Tool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string         `json:"name"`
		Description string         `json:"description"`
		Parameters  map[string]any `json:"parameters"`
	} `json:"function"`
}

// Text is the content of a message, or nothing.
func (m Message) Text() string {
	if m.Content == nil {
		return ""
	}
	return *m.Content
}

// Last is the content of the last message.
func (r Request) Last() string {
	if len(r.Messages) == 0 {
		return ""
	}
	return r.Messages[len(r.Messages)-1].Text()
}

// System is the content of the system message, or nothing.
func (r Request) System() string {
	if len(r.Messages) == 0 || r.Messages[0].Role != "system" {
		return ""
	}
	return r.Messages[0].Text()
}

// Offered lists the names of the tools.
func (r Request) Offered() []string {
	var names []string
	for _, t := range r.Tools {
		names = append(names, t.Function.Name)
	}
	return names
}

// readRequest decodes a request and refuses what a real service would.
func readRequest(r *http.Request, body []byte) (Request, error) {
	var req Request
	switch {
	case r.Method != http.MethodPost || r.URL.Path != "/v1/chat/completions":
		return req, fmt.Errorf("%s %s is not POST /v1/chat/completions", r.Method, r.URL.Path)
	case !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json"):
		return req, fmt.Errorf("the content type is %q", r.Header.Get("Content-Type"))
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(&req); err != nil {
		return req, fmt.Errorf("the body: %w", err)
	}
	req.Key, _ = strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if req.Model == "" || len(req.Messages) == 0 {
		return req, errors.New("model or messages are missing")
	}
	return req, errors.Join(checkMessages(req.Messages), checkTools(req.Tools), checkFormat(req.ResponseFormat))
}

// checkMessages holds the rules of a conversation: who speaks when, and that each call is answered once, at once.
func checkMessages(messages []Message) error {
	open := map[string]bool{}
	for i, m := range messages {
		if m.Role != "tool" && len(open) > 0 {
			return fmt.Errorf("message %d: %d tool calls before it are not answered", i, len(open))
		}
		switch m.Role {
		case "system", "user":
			if m.Role == "system" && i > 0 {
				return fmt.Errorf("message %d: the system message is not the first one", i)
			}
			if m.Text() == "" || m.ToolCallID != "" || len(m.ToolCalls) > 0 {
				return fmt.Errorf("message %d: a %s message is a text and nothing else", i, m.Role)
			}
		case "assistant":
			if m.Text() == "" && len(m.ToolCalls) == 0 {
				return fmt.Errorf("message %d: the assistant says nothing", i)
			}
			for _, c := range m.ToolCalls {
				if c.ID == "" || open[c.ID] || c.Type != "function" || c.Function.Name == "" {
					return fmt.Errorf("message %d: the tool call %q has no id of its own, no type or no name", i, c.ID)
				}
				open[c.ID] = true
			}
		case "tool":
			if !open[m.ToolCallID] {
				return fmt.Errorf("message %d answers the call %q, which is not open", i, m.ToolCallID)
			}
			if m.Text() == "" {
				return fmt.Errorf("message %d: a tool's answer has no content", i)
			}
			delete(open, m.ToolCallID)
		default:
			return fmt.Errorf("message %d has the role %q", i, m.Role)
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("%d tool calls are not answered", len(open))
	}
	if messages[len(messages)-1].Role == "assistant" {
		return errors.New("the last message is the assistant's own")
	}
	return nil
}

var nameForm = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func checkTools(tools []Tool) error {
	seen := map[string]bool{}
	for _, t := range tools {
		name := t.Function.Name
		switch {
		case t.Type != "function" || !nameForm.MatchString(name):
			return fmt.Errorf("the tool %q has no proper type or name", name)
		case seen[name]:
			return fmt.Errorf("the tool %q is offered twice", name)
		case t.Function.Parameters["type"] != "object":
			return fmt.Errorf("the parameters of %q are not the schema of an object", name)
		}
		seen[name] = true
	}
	return nil
}

func checkFormat(format map[string]any) error {
	if format == nil {
		return nil
	}
	schema, _ := format["json_schema"].(map[string]any)
	name, _ := schema["name"].(string)
	if format["type"] != "json_schema" || !nameForm.MatchString(name) || schema["schema"] == nil {
		return errors.New("the response format is not a named JSON Schema")
	}
	return nil
}
