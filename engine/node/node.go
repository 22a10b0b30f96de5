package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"

	"sluice/engine/agent"
	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/llm"
	"sluice/engine/run"
	"sluice/engine/secret"
	"sluice/engine/tool"
)

// Deps is what performers may use. Model may be nil: an agent step is then offered to a person.
type Deps struct {
	Tools     tool.Catalogue
	Model     llm.Model
	Secrets   secret.Source
	Redactor  *secret.Redactor
	Messenger tool.Messenger
	Journal   agent.Journal
	Flow      *flow.Flow
	Run       Run
	Queue     bool // messages are delivered by another package, and the step waits for that without a worker
	// Emit tells of an event under a key: telling it twice is telling it once. Nil: no event can be told.
	Emit func(ctx context.Context, name string, payload map[string]any, key string) error
}

// Run is what a performer may know about the run.
type Run struct {
	ID, Name, Title, Channel, Thread, By string
}

// Outcome is how a step ended: an output, an error, an offer to people, or a message that is to be delivered first.
type Outcome struct {
	Output history.Output
	Error  *history.NodeError
	Usage  *history.Usage
	Offer  *run.Offer
	// Asked is a call that needs a person's permission before the step can go on.
	Asked *history.CallAsked
	// Message is to be delivered; the step is finished after that.
	Message *run.Message
	// Verdicts answer the questions of a step that is judged.
	Verdicts []history.Verdict
}

type performer func(ctx context.Context, p run.Perform, d Deps) Outcome

// performers lists the kinds that act on the outside.
var performers = map[flow.Kind]performer{
	flow.KindAgent:    performAgent,
	flow.KindEmit:     performEmit,
	flow.KindLLM:      performLLM,
	flow.KindSay:      performSay,
	flow.KindTool:     performTool,
	flow.KindToolexec: performCalls,
}

// Perform does the act of a started step. It obeys ctx and never panics.
func Perform(ctx context.Context, p run.Perform, d Deps) (o Outcome) {
	defer func() {
		if o.Error != nil {
			o.Error.Message = d.Redactor.Redact(o.Error.Message)
		}
	}()
	defer func() {
		if r := recover(); r != nil {
			o = Outcome{Error: &history.NodeError{
				Node: p.Node.ID, Type: "PanicError", Permanent: true,
				Message: fmt.Sprintf("the %s node broke: %v", p.Node.Kind, r),
			}}
			debug.PrintStack()
		}
	}()
	do, ok := performers[p.Node.Kind]
	if len(p.Questions) > 0 {
		do, ok = judge, true
	}
	if !ok {
		return failed(p, "UnsupportedError", fmt.Sprintf("this version does not run nodes of type %s", p.Node.Kind), true)
	}
	t := p.Node.Timeout.Clock
	if t == 0 && d.Flow != nil {
		t = d.Flow.Rules.NodeTimeout.Clock
	}
	if t > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, t, errNodeTimeout)
		defer cancel()
	}
	o = do(ctx, p, d)
	if o.Error != nil && errors.Is(context.Cause(ctx), errNodeTimeout) {
		o.Error.Limit = history.LimitNodeTime
		o.Error.Type, o.Error.Message = "TimeoutError", fmt.Sprintf("the node took longer than its timeout of %s", t)
	}
	return o
}

var errNodeTimeout = errors.New("node timeout")

func failed(p run.Perform, kind, message string, permanent bool) Outcome {
	return Outcome{Error: &history.NodeError{Node: p.Node.ID, Type: kind, Message: message, Permanent: permanent}}
}

// failure turns a tool's error into the machine's, with secrets removed.
func failure(p run.Perform, d Deps, err error) Outcome {
	var te *tool.Error
	e := &history.NodeError{Node: p.Node.ID, Type: "ToolError", Message: err.Error()}
	if errors.As(err, &te) {
		e.Type, e.Message, e.Permanent, e.Unknown = te.Type, te.Message, te.Permanent, te.Unknown
	}
	e.Message = d.Redactor.Redact(e.Message)
	return Outcome{Error: e}
}

// unseal opens the secrets in rendered parameters for one tool.
func unseal(ctx context.Context, params map[string]any, d Deps, use secret.Use) (map[string]any, error) {
	v, err := expr.Unseal(params, func(name string) (string, error) { return d.Secrets.Resolve(ctx, name, use) })
	if err != nil {
		return nil, err
	}
	m, _ := v.(map[string]any)
	return m, nil
}

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

func output(text string, data any) (history.Output, error) {
	o := history.Output{Text: text}
	if data != nil {
		b, err := json.Marshal(data)
		if err != nil {
			return o, fmt.Errorf("store the result as JSON: %w", err)
		}
		o.Data = b
	}
	return o, nil
}
