package engine_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sluice/engine"
	"sluice/engine/history"
	"sluice/engine/importer"
	"sluice/engine/llm/llmtest"
	"sluice/engine/view"
	"sluice/storage"
	"sluice/storage/sqlite"
)

// graph is an imported graph of agents: one asks another, which asks a third.
const graph = `{"name": "office",
 "nodes": [
  {"id": "s", "type": "start", "data": {"initialInput": "a letter"}},
  {"id": "p", "type": "agent", "data": {"agentName": "Boss", "systemPrompt": "You are the boss.", "tools": {"subagents": true}}},
  {"id": "c", "type": "agent", "data": {"agentName": "The Clerk", "systemPrompt": "You are the clerk.", "tools": {"subagents": true}}},
  {"id": "d", "type": "agent", "data": {"agentName": "Deep", "systemPrompt": "You are deep."}}],
 "connections": [
  {"source": "s", "target": "p"}, {"source": "p", "target": "c", "sourceHandle": "subagent"},
  {"source": "c", "target": "d", "sourceHandle": "subagent", "targetHandle": "input"}]}`

// agentOffice serves the graph. Its process dies when the model is asked for the n-th time; 0 = never.
type agentOffice struct {
	*world
	server  *llmtest.Server
	process atomic.Pointer[mortal]
	asked   atomic.Int64
}

func newAgentOffice(t *testing.T, dies int64) *agentOffice {
	w := &agentOffice{world: newWorld(t)}
	w.grace = time.Millisecond
	w.database = func(ctx context.Context) (storage.Store, error) {
		s, err := sqlite.Open(ctx, w.path)
		m := &mortal{Store: s, final: true}
		w.process.Store(m)
		return m, err
	}
	w.server, w.model = modelOf(t)
	w.server.Script(func(r llmtest.Request) llmtest.Reply {
		if w.asked.Add(1) == dies {
			w.process.Load().dead.Store(true)
			w.Wake()
		}
		ask := func(who string) llmtest.Reply {
			if len(r.Messages) > 2 { // it has been answered
				return llmtest.Text("answer of " + strings.Fields(r.System())[0])
			}
			if !slices.Equal(r.Offered(), []string{who}) {
				return llmtest.Text(fmt.Sprintf("it is offered %v", r.Offered()))
			}
			return llmtest.Calls(llmtest.Call{Name: who, Args: map[string]any{"task": "go on"}})
		}
		switch system := r.System(); {
		case strings.Contains(system, "You are the boss."):
			return ask("subagent_the_clerk_c")
		case strings.Contains(system, "You are the clerk."):
			return ask("subagent_deep_d")
		default:
			return llmtest.Text("deep")
		}
	})
	return w
}

// Agents of subagent nodes are tools of the agent that is connected with them. A kill at any turn repeats that turn alone, and what all
// of them use counts on the run.
func TestSubagentNodesAreTools(t *testing.T) {
	t.Parallel()
	const turns = 5
	for dies := range int64(turns + 1) {
		t.Run(fmt.Sprint(dies), func(t *testing.T) {
			t.Parallel()
			w := newAgentOffice(t, dies)
			stop := w.serve()
			doc, _, problems := importer.Check("office.json", []byte(graph), engine.Checks(w.tools))
			if problems.HasErrors() {
				t.Fatal(problems)
			}
			w.saveFlow(doc.Flow)
			r := w.start("office", nil)
			if first := w.process.Load(); dies > 0 {
				w.until(r.ID, "death", func(*view.View) bool { return first.dead.Load() })
				stop()
				w.clock.Advance(31 * time.Second) // what the dead had claimed is handed out again
				w.serve()
			}
			v := w.ended(r.ID, history.Succeeded)
			want := int64(turns)
			if dies > 0 {
				want++
			}
			if got := w.asked.Load(); got != want {
				t.Errorf("the model was asked %d times, and not %d", got, want)
			}
			if got := v.Usage.InputTokens; got != 10*turns {
				t.Errorf("%d tokens count on the run", got)
			}
			w.folds(r.ID)
		})
	}
}
