package llm

import (
	"context"
	"fmt"
	"time"
)

// Model answers one turn of a conversation. Implementations are safe for concurrent use and obey ctx. Their errors are
// of type [*Error], or wrap the error of ctx.
type Model interface {
	Chat(ctx context.Context, r Request) (Response, error)
}

// Request is one turn.
type Request struct {
	Model       string         // empty = the default of the installation
	System      string         // instructions, with more authority than any message
	Messages    []Message      // oldest first
	Tools       []Tool         // what the model may call
	Schema      map[string]any // JSON Schema of the answer; nil = text
	MaxTokens   int            // of the answer; 0 = the service's own limit
	Temperature *float64       // nil = the service's default
}

// Role says who speaks.
type Role string

// The roles.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool" // the result of one call
)

// Message is one contribution to the conversation.
type Message struct {
	Role   Role
	Text   string
	Calls  []ToolCall // of an assistant's message
	CallID string     // of a tool's message: the call it answers; each call is answered exactly once
}

// Tool is something a model may call. Its name has at most 64 letters, digits, _ and -.
type Tool struct {
	Name        string
	Description string
	Params      map[string]any // JSON Schema of an object
}

// ToolCall is a wish of the model.
type ToolCall struct {
	ID        string
	Name      string
	Arguments string // meant to be a JSON object; models make mistakes
}

// Response is the model's contribution.
type Response struct {
	Text  string
	Calls []ToolCall
	Stop  Stop
	Usage Usage
}

// Stop says why the model stopped.
type Stop string

// Why a model stops.
const (
	StopEnd     Stop = "stop"
	StopCalls   Stop = "tool_calls"
	StopLength  Stop = "length"  // the answer is cut off
	StopFilter  Stop = "filter"  // the service withheld the answer
	StopRefusal Stop = "refusal" // the model declined; Text says why
)

// Usage is what a turn used.
type Usage struct {
	Model     string // as priced
	Input     int    // tokens
	Output    int    // tokens
	USD       float64
	Estimated bool // the service reported nothing
}

// Add sums two usages; the model is the first one named.
func (u Usage) Add(v Usage) Usage {
	if u.Model == "" {
		u.Model = v.Model
	}
	u.Input, u.Output, u.USD = u.Input+v.Input, u.Output+v.Output, u.USD+v.USD
	u.Estimated = u.Estimated || v.Estimated
	return u
}

// Tokens is input and output together.
func (u Usage) Tokens() int { return u.Input + u.Output }

// Error is a failed turn: a type for machines, a sentence for people.
type Error struct {
	Type       string // RateLimitError, AuthenticationError, TimeoutError, ConnectionError or ModelError
	Message    string
	Permanent  bool          // retrying cannot help
	RetryAfter time.Duration // when the service said so
	Err        error
}

// Error gives "Type: message".
func (e *Error) Error() string { return fmt.Sprintf("%s: %s", e.Type, e.Message) }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Price is what a model costs, in USD for a million tokens.
type Price struct {
	Input, Output float64
}

// Cost gives the price of a usage in USD.
func (p Price) Cost(u Usage) float64 {
	return (p.Input*float64(u.Input) + p.Output*float64(u.Output)) / 1e6
}
