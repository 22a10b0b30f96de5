package agentgraph

import (
	"encoding/json"
	"fmt"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/history"
)

// Event is what happens with a subagent, as the content of a log entry.
type Event struct {
	Type           string `json:"type"`
	ParentNodeID   string `json:"parentNodeId"`
	SubagentNodeID string `json:"subagentNodeId"`
	SubagentName   string `json:"subagentName"`
	CallID         string `json:"callId"`
	ParentCallID   string `json:"parentCallId,omitempty"`
	Depth          int    `json:"depth"` // 1 for an agent that the node itself calls
	Message        string `json:"message,omitempty"`
}

// The types of events.
const (
	EventStart = "subagent_call_start"
	EventEnd   = "subagent_call_end"
	EventError = "subagent_call_error"
)

// talk follows the turns of the model in one step: an agent that is called takes its turns before the one that called it goes on.
type talk struct {
	queue [][]asked // calls that are still to be made, of each agent from the node's own down
	open  []Event   // calls that are under way, the innermost last
}

// asked is a call that a turn asks for.
type asked struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// agentOf gives the agent that a tool asks. Its tool has the name of the agent; earlier releases put agent__ before it.
func (b *builder) agentOf(tool string) (id string, ok bool) {
	id = strings.TrimPrefix(tool, "agent__")
	return id, b.flow.AgentByID(id) != nil
}

// call follows one turn of the model, or the result of a tool.
func (b *builder) call(f history.Fact, body *history.CallFinished) {
	if b.subs == nil {
		b.subs = map[int]*talk{}
	}
	t := b.subs[f.Step]
	if t == nil {
		t = &talk{queue: [][]asked{nil}}
		b.subs[f.Step] = t
	}
	var turn struct {
		Text  string            `json:"text"`
		Calls []json.RawMessage `json:"calls"`
	}
	if body.Error != nil || json.Unmarshal(body.Result, &turn) != nil || turn.Text == "" && len(turn.Calls) == 0 {
		return
	}
	var calls []asked
	for _, raw := range turn.Calls {
		var c asked
		if json.Unmarshal(raw, &c) == nil {
			calls = append(calls, c)
		}
	}
	switch {
	case len(calls) > 0:
		t.queue[len(t.queue)-1] = b.agentCalls(calls)
	case len(t.open) > 0:
		b.close(f, t, EventEnd, turn.Text)
	}
	b.begin(f, t)
}

// close ends the innermost call.
func (b *builder) close(f history.Fact, t *talk, kind, message string) {
	last := len(t.open) - 1
	b.event(f, t.open[last], kind, message)
	t.open, t.queue = t.open[:last], t.queue[:last+1]
}

// closeAll ends the calls that are under way when a step is over.
func (b *builder) closeAll(f history.Fact, message string) {
	for t := b.subs[f.Step]; t != nil && len(t.open) > 0; {
		b.close(f, t, EventError, message)
	}
	delete(b.subs, f.Step)
}

// begin starts the next call of the innermost agent.
func (b *builder) begin(f history.Fact, t *talk) {
	at := len(t.queue) - 1
	if len(t.queue[at]) == 0 {
		return
	}
	c := t.queue[at][0]
	t.queue[at] = t.queue[at][1:]
	id, _ := b.agentOf(c.Name)
	e := Event{ParentNodeID: f.Node, CallID: c.ID, Depth: len(t.open) + 1, SubagentNodeID: b.nodeOf(id), SubagentName: id}
	if n := b.flow.Node(e.SubagentNodeID); n != nil {
		e.SubagentName = n.DisplayName()
	}
	if len(t.open) > 0 {
		parent := t.open[len(t.open)-1]
		e.ParentCallID, e.ParentNodeID = parent.CallID, parent.SubagentNodeID
	}
	var task struct {
		Task string `json:"task"`
	}
	if json.Unmarshal([]byte(c.Arguments), &task) != nil || task.Task == "" {
		b.event(f, e, EventError, "the call has no task")
		b.begin(f, t)
		return
	}
	b.event(f, e, EventStart, task.Task)
	t.open, t.queue = append(t.open, e), append(t.queue, nil)
}

func (b *builder) agentCalls(calls []asked) (out []asked) {
	for _, c := range calls {
		if _, ok := b.agentOf(c.Name); ok {
			out = append(out, c)
		}
	}
	return out
}

func (b *builder) event(f history.Fact, e Event, kind, message string) {
	e.Type, e.Message = kind, message
	content, err := json.Marshal(e)
	if err != nil {
		content = fmt.Append(nil, err)
	}
	b.log(f, e.ParentNodeID, kind, string(content))
}

// nodeOf gives the node whose agent has an id.
func (b *builder) nodeOf(agent string) string {
	for i := range b.flow.Nodes {
		if s, ok := b.flow.Nodes[i].Spec.(*flow.AgentSpec); ok && s.Agent == agent {
			return b.flow.Nodes[i].ID
		}
	}
	return agent
}
