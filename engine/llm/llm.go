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
	Strict      bool           // the schema is one that a service can hold every answer to
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

// Tool is something a model may call. Its name has at most 64 signals, digits, _ and -.
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
	Model     string // as terms name it, see [TermsOf]
	Input     int    // tokens, cached ones among them
	Cached    int    // tokens of Input that the service had in its cache
	Output    int    // tokens
	USD       float64
	Priced    bool // the price is known; else USD is 0 and the cost is unknown
	Estimated bool // the service reported nothing
}

// Add sums two usages; the model is the first one named. The sum has a known price when both have.
func (u Usage) Add(v Usage) Usage {
	switch {
	case u == Usage{}:
		return v
	case v == Usage{}:
		return u
	}
	if u.Model == "" || u.Priced && !v.Priced { // the model whose price is missing is the one to name
		u.Model = v.Model
	}
	u.Input, u.Cached, u.Output, u.USD = u.Input+v.Input, u.Cached+v.Cached, u.Output+v.Output, u.USD+v.USD
	u.Priced, u.Estimated = u.Priced && v.Priced, u.Estimated || v.Estimated
	return u
}

// Tokens is input and output together.
func (u Usage) Tokens() int { return u.Input + u.Output }

// Error is a failed turn: a type for machines, a sentence for people.
type Error struct {
	Type       string // RateLimitError, AuthenticationError, TimeoutError, ConnectionError or ModelError
	Message    string
	Permanent  bool          // retrying cannot help
	Away       bool          // the service is away, broken or busy: it is worth waiting for
	Status     int           // what the service answered, if it did
	RetryAfter time.Duration // when the service said so
	Err        error
}

// Types of errors that are not the service's: a limit of the installation does not allow the turn.
const (
	QuotaError = "QuotaError" // a person has used what a person may in this day
	PriceError = "PriceError" // a limit in USD is on a model without a price
)

// Error gives "Type: message".
func (e *Error) Error() string { return fmt.Sprintf("%s: %s", e.Type, e.Message) }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }
