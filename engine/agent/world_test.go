package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"sluice/engine/agent"
	"sluice/engine/flow"
	"sluice/engine/llm"
	"sluice/engine/llm/llmtest"
	"sluice/engine/tool"
)

// act is one line of a journal.
type act struct {
	What, Key string
	Effects   flow.Effects
	Args      string
	Intents   int
	Done      bool
	Outcome   agent.Outcome
}

// journal keeps acts in memory as the database would, and can stop the worker at any of its writes.
type journal struct {
	mu      sync.Mutex
	acts    map[int]*act
	writes  int // positions passed so far: before and after each write
	crashAt int // 0 = never
}

var errCrash = errors.New("the worker was killed")

func newJournal() *journal { return &journal{acts: map[int]*act{}} }

// position is a place where the worker can be killed.
func (j *journal) position() error {
	j.writes++
	if j.writes == j.crashAt {
		return errCrash
	}
	return nil
}

func (j *journal) Intent(_ context.Context, n int, what, key string, effects flow.Effects, args json.RawMessage) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.position(); err != nil {
		return err
	}
	a := j.acts[n]
	switch {
	case a == nil:
		j.acts[n] = &act{What: what, Key: key, Effects: effects, Args: string(args), Intents: 1}
	case a.Done:
		return fmt.Errorf("act %d has its outcome already", n)
	case a.What != what || a.Key != key || a.Args != string(args):
		return fmt.Errorf("act %d was %s %s %s and is now %s %s %s", n, a.What, a.Key, a.Args, what, key, args)
	default:
		a.Intents++
	}
	return j.position()
}

func (j *journal) Outcome(_ context.Context, n int, o agent.Outcome) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.position(); err != nil {
		return err
	}
	a := j.acts[n]
	if a == nil || a.Done {
		return fmt.Errorf("act %d has no open intent", n)
	}
	a.Done, a.Outcome = true, o
	return j.position()
}

func (j *journal) Done(_ context.Context, n int) (agent.Outcome, bool, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if a := j.acts[n]; a != nil && a.Done {
		return a.Outcome, true, nil
	}
	return agent.Outcome{}, false, nil
}

// summary lists the acts in order: 1 model, 2 shop.get_order run/7/2/0.
func (j *journal) summary() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	var out []string
	for n := range 100 {
		if a := j.acts[n]; a != nil {
			line := strings.TrimSpace(fmt.Sprintf("%d %s %s", n, a.What, a.Key))
			if !a.Done {
				line += " (open)"
			}
			out = append(out, line)
		}
	}
	return out
}

// world is an agent with a scripted model and tools that count.
type world struct {
	server  *llmtest.Server
	tools   *tool.Set
	journal *journal
	deps    agent.Deps
	spec    agent.Spec

	mu    sync.Mutex
	calls []tool.Call
	// fail answers a call of a tool instead of the tool; nil = the tool works
	fail func(tool.Call) error
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{server: llmtest.New(t), journal: newJournal()}
	declare := func(name string, effects flow.Effects, policy tool.Policy) tool.Tool {
		return tool.Tool{
			Name: name, Description: "The tool " + name, Effects: effects, Policy: policy, Call: w.call,
			Params: map[string]any{
				"type": "object", "required": []any{"order_id"}, "properties": map[string]any{"order_id": map[string]any{"type": "string"}},
			},
		}
	}
	var err error
	w.tools, err = tool.New(
		declare("shop.get_order", flow.EffectsRead, ""), declare("shop.label", flow.EffectsIdempotent, ""), declare("shop.refund", flow.EffectsOnce, ""),
		declare("shop.wipe", flow.EffectsOnce, tool.Deny), declare("shop.close", flow.EffectsOnce, tool.Ask),
	)
	if err != nil {
		t.Fatal(err)
	}
	model := llm.NewOpenAI(llm.OpenAIOptions{
		BaseURL: w.server.URL, Model: "small", Backoff: time.Millisecond, Attempts: 2, Prices: map[string]llm.Price{"small": {Input: 1000, Output: 1000}},
	})
	w.deps = agent.Deps{Model: model, Tools: w.tools, Journal: w.journal, Call: tool.Call{Run: "r7", Flow: "refund"}, Pause: time.Millisecond}
	w.spec = agent.Spec{
		Agent:  flow.Agent{ID: "triage", Instructions: "Decide what to do.", Tools: []string{"shop.get_order", "shop.label", "shop.refund", "shop.wipe", "shop.close"}},
		Input:  map[string]any{"order": "A-1"},
		Prefix: "run/7",
	}
	return w
}

func (w *world) call(_ context.Context, c tool.Call) (tool.Result, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls = append(w.calls, c)
	if w.fail != nil {
		if err := w.fail(c); err != nil {
			return tool.Result{}, err
		}
	}
	return tool.Result{Data: map[string]any{"order_id": c.Params["order_id"], "amount": 250}}, nil
}

func (w *world) run(t *testing.T) (agent.Answer, error) {
	t.Helper()
	return agent.Run(t.Context(), w.spec, w.deps)
}

func (w *world) keys() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var keys []string
	for _, c := range w.calls {
		keys = append(keys, c.Tool+" "+c.Key)
	}
	return keys
}

func call(name, order string) llmtest.Call {
	return llmtest.Call{Name: name, Args: map[string]any{"order_id": order}}
}

func failed(t *testing.T, err error) *tool.Error {
	t.Helper()
	e, ok := errors.AsType[*tool.Error](err)
	if !ok {
		t.Fatalf("got %v, want a *tool.Error", err)
	}
	return e
}

var category = map[string]any{
	"type": "object", "required": []any{"category"},
	"properties": map[string]any{"category": map[string]any{"type": "string", "enum": []any{"refund", "tech"}}},
}
