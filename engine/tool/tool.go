package tool

import (
	"context"
	"fmt"
	"time"

	"sluice/engine/flow"
)

// Tool is something a flow can call: a built-in, a declared action, later a tool of an MCP server. They look the same.
type Tool struct {
	Name        string         // module.action
	Description string         // one sentence
	Words       []string       // how people ask for it: "get order", "look up order"
	Params      map[string]any // JSON Schema of the parameters
	Result      map[string]any // JSON Schema of the result; nil = unknown
	Effects     flow.Effects   // what repeating it does
	Policy      Policy         // allow when empty
	Host        string         // the host it talks to, when that is fixed; for the list of what a revision newly allows
	Request     string         // hash of what a declared action sends: an approval is bound to it; "" = the parameters say it
	Secrets     []string       // secrets that its own declaration names, for "missing secret" before the first call
	// Message says what a call wants to have posted, for a tool that posts a message and does nothing else; nil = it does not. A step
	// with such a tool waits for the delivery without a worker, instead of making the call.
	Message func(c Call) Message
	// Call performs it. It must be safe for concurrent use and must obey ctx. A returned *Error has the type that
	// error routes match; any other error counts as ToolError.
	Call func(ctx context.Context, c Call) (Result, error)
}

// Policy says whether a call needs a person's permission.
type Policy = flow.ToolPolicy

// The policies.
const (
	Allow = flow.ToolAllow
	Ask   = flow.ToolAsk
	Deny  = flow.ToolDeny
)

// Call is one call with everything a tool may know.
type Call struct {
	Tool    string
	Params  map[string]any // rendered, secrets resolved
	Key     string         // idempotency key; reaches the outside where it can
	Run     string         // run id
	RunName string
	Flow    string
	Node    string
	Channel string // the run's home channel
	Thread  string // the run's thread
	By      string // requester: user id
	ByModel bool   // a language model wrote the parameters
}

// Result is what a tool gave.
type Result struct {
	Data any    // JSON-like value, readable as <id>.result
	Text string // short text for people and models; empty = made from Data
}

// Error is a failed call: a type for machines, a sentence for people.
type Error struct {
	Type       string // TimeoutError, HTTPError, RateLimitError, AuthenticationError, ConnectionError, ParameterError, ToolError, ...
	Message    string
	Permanent  bool          // retrying cannot help
	Unknown    bool          // the act may have taken effect
	RetryAfter time.Duration // when the service said so
	Err        error
}

// Error gives "Type: message".
func (e *Error) Error() string { return fmt.Sprintf("%s: %s", e.Type, e.Message) }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Catalogue is the set of tools that can be called now; it may change while the program runs.
type Catalogue interface {
	Lookup(name string) (Tool, bool)
	All() []Tool // by name
}

// Messenger posts messages for tools.
type Messenger interface {
	// Post sends a message once under its key: a second call with the same key gives the same message. A message that cannot be
	// posted within a moment is Queued: that is no error.
	Post(ctx context.Context, m Message) (Posted, error)
}

// Message is what slack.post_message and say nodes send.
type Message struct {
	Key     string
	Channel string   // "#name", "@name" or an id
	Thread  string   // "" = top level
	Text    string   // mrkdwn; inserted literally
	Model   [][2]int // the bytes of the text that a language model wrote, from and to
	Run     string   // id of the run that posts it
	Own     bool     // it belongs into the run's thread, when it goes to the channel where the run lives
}

// Posted says where a message is.
type Posted struct {
	Channel, TS string
	Queued      bool // it is not there yet: it is stored, and will be posted once
}
