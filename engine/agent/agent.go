package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"sluice/engine/flow"
	"sluice/engine/llm"
	"sluice/engine/secret"
	"sluice/engine/tool"
)

// Spec says what an agent shall do.
type Spec struct {
	Agent    flow.Agent
	All      []flow.Agent   // the flow's agents, among them the sub-agents
	Input    map[string]any // rendered; "task" or "user_message" is the request itself if it is given
	Previous string         // what the step before said
	Goal     string         // what the flow is for, in a sentence
	Prefix   string         // keys are PREFIX/NUMBER/GEN
	Gen      int
	Granted  int  // how often people have granted the agent its limits once more
	Hints    bool // the agents' tools are hints of an imported flow: those that are not installed are left out
	External
}

// Deps are the parts that a run of an agent works with. Model, Tools and Journal are needed.
type Deps struct {
	Model    llm.Model
	Tools    tool.Catalogue
	Journal  Journal
	Call     tool.Call                                // what all calls of this step have in common; Tool, Params and Key are filled in
	Redactor *secret.Redactor                         // applied to everything that reaches the model or the journal; may be nil
	Permit   Permit                                   // a person's permission for one call
	Edited   func(args map[string]any) map[string]any // sets what the person has set in the arguments of that call; nil = nothing
	Pause    time.Duration                            // before a call with an unknown outcome is repeated; default 1 s, doubled once
}

// Permit is a person's permission for a call of a tool that asks before each call: the number of the act, and the digest of its arguments. The
// zero value is none.
type Permit struct {
	Number int
	Digest string
}

// AskError means that a call needs a person's permission. The same step goes on after the answer, with a Permit or with a refusal in its journal.
type AskError struct {
	Permit
	Tool string
	Args json.RawMessage // without secrets
}

// Error says what is asked.
func (e *AskError) Error() string { return "a person is asked about the call of " + e.Tool }

// Journal keeps the acts of a step. Numbers begin at 1 and have no order in time but their own.
type Journal interface {
	// Intent stores what is about to be done. It is called again for a number whose outcome is not stored, when a later
	// try does the act again. An error means: do not do it.
	Intent(ctx context.Context, n int, what, key string, effects flow.Effects, args json.RawMessage) error
	// Outcome stores how it went, once per number.
	Outcome(ctx context.Context, n int, o Outcome) error
	// Done gives the outcome of an act that an earlier try finished; ok is false if there is none.
	Done(ctx context.Context, n int) (o Outcome, ok bool, err error)
}

// Outcome is how an act went: a result, or an error.
type Outcome struct {
	Result     json.RawMessage
	ErrType    string // empty = no error
	ErrMessage string
	Usage      llm.Usage
}

// Answer is what an agent said.
type Answer struct {
	Text  string
	Data  any       // the structured answer when the agent declares an output, else nil
	Usage llm.Usage // of the whole step, turns of earlier tries included

	Calls []llm.ToolCall // calls that another node performs, see External; then there is no Data
	Next  string         // the node that the agent named as the next one
}

// ModelAct is the name of a turn of the model in the journal.
const ModelAct = "model"

// Run runs an agent until it has its answer. Errors are *tool.Error, with the usage so far in the answer, unless the journal or
// ctx failed: those are returned as they are.
func Run(ctx context.Context, s Spec, d Deps) (Answer, error) {
	return newRunner(s, d).answer(ctx)
}

func newRunner(s Spec, d Deps) *runner {
	if d.Pause <= 0 {
		d.Pause = time.Second
	}
	return &runner{spec: s, deps: d}
}

func (r *runner) answer(ctx context.Context) (Answer, error) {
	a, err := r.agent(ctx, r.spec.Agent, r.firstMessage(), nil)
	if own, ok := errors.AsType[*ownLimit](err); ok {
		err = own.err
	}
	a.Usage = r.usage
	return a, err
}

// runner is one call of Run: the counter of acts is shared by the agent and its sub-agents.
type runner struct {
	spec  Spec
	deps  Deps
	acts  int
	usage llm.Usage

	request func(*llm.Request) // of a single question: what it asks instead
}

// next numbers an act.
func (r *runner) next() int {
	r.acts++
	return r.acts
}

func (r *runner) key(n int) string { return fmt.Sprintf("%s/%d/%d", r.spec.Prefix, n, r.spec.Gen) }

func fail(kind, format string, args ...any) *tool.Error {
	return &tool.Error{Type: kind, Message: fmt.Sprintf(format, args...), Permanent: true}
}
