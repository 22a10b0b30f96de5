package agentgraph

import (
	"encoding/json"
	"slices"
	"time"

	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/importer/document"
)

// Record shows a run in the words of the format.
type Record struct {
	RunID           string          `json:"runId"`
	Workflow        json.RawMessage `json:"workflow"` // the document
	Status          string          `json:"status"`   // pending, running, paused, completed or failed
	WaitingForInput bool            `json:"waitingForInput"`
	CurrentNodeID   string          `json:"currentNodeId,omitempty"`
	State           map[string]any  `json:"state"` // outputs by node; the answer at an approval is NODE_approval
	Logs            []Entry         `json:"logs"`
}

// Entry is one entry of a log.
type Entry struct {
	Timestamp time.Time `json:"timestamp"`
	NodeID    string    `json:"nodeId"` // system for the run itself
	Type      string    `json:"type"`
	Content   string    `json:"content"`
}

// The types of log entries.
const (
	LogStep     = "step_start"
	LogStart    = "start_prompt" // what an agent is told
	LogCheck    = "logic_check"
	LogWait     = "wait_input"
	LogInput    = "input_received"
	LogResponse = "llm_response"
	LogLLMError = "llm_error"
	LogError    = "error"
)

const system = "system"

// Decision is the answer at an approval.
type Decision struct {
	Decision string `json:"decision"` // approve or reject
	Note     string `json:"note"`
}

// NewRecord makes the record of a run of a flow from its facts.
func NewRecord(run string, f *flow.Flow, facts []history.Fact) Record {
	b := builder{flow: f, rec: Record{RunID: run, Status: "pending", State: map[string]any{}, Logs: []Entry{}}}
	if src, kept := document.Original(f); kept && json.Valid(src) {
		b.rec.Workflow = src
	}
	for _, fact := range facts {
		b.add(fact)
	}
	if len(b.open) > 0 && b.rec.Status == "running" {
		b.rec.Status, b.rec.WaitingForInput, b.rec.CurrentNodeID = "paused", true, b.open[0].node
	}
	return b.rec
}

type builder struct {
	flow *flow.Flow
	rec  Record
	open []waiting
	subs map[int]*talk // by step
}

// waiting is an approval that is open.
type waiting struct {
	gate int
	node string
}

func (b *builder) log(f history.Fact, node, kind, content string) {
	b.rec.Logs = append(b.rec.Logs, Entry{f.At, node, kind, content})
}

// step notes that a node begins.
func (b *builder) step(f history.Fact, node string) {
	name := node
	if n := b.flow.Node(node); n != nil {
		name = n.DisplayName()
	}
	b.log(f, node, LogStep, name)
}

func (b *builder) kind(node string) flow.Kind {
	if n := b.flow.Node(node); n != nil && n.Spec != nil {
		return n.Spec.Kind()
	}
	return ""
}

func (b *builder) add(f history.Fact) {
	switch body := f.Body.(type) {
	case *history.RunStarted:
		b.rec.Status = "running"
		input, given := body.Inputs[InputName].(string)
		if n := b.flow.Node(b.flow.Entry); !given && n != nil && len(b.flow.Inputs) > 0 {
			input, _ = b.flow.Inputs[0].Default.(string)
		}
		b.step(f, b.flow.Entry)
		b.rec.State[b.flow.Entry] = input
	case *history.StepStarted:
		if body.Attempt <= 1 && !body.Resumed {
			b.step(f, f.Node)
			var params map[string]any
			if json.Unmarshal(body.Params, &params) == nil {
				said, _ := params[messageParam].(string)
				b.log(f, f.Node, LogStart, said)
			}
		}
	case *history.StepFinished:
		b.closeAll(f, "it ended without an answer")
		b.finished(f, body)
	case *history.StepFailed:
		b.closeAll(f, body.Error.Message)
		if body.Next != history.NextRetry {
			b.log(f, f.Node, LogLLMError, body.Error.Message)
		}
	case *history.CallFinished:
		b.call(f, body)
	case *history.GateOpened:
		if body.Kind == history.GateApproval {
			b.step(f, f.Node)
			b.log(f, f.Node, LogWait, body.Message)
			b.open = append(b.open, waiting{body.Gate, f.Node})
		}
	case *history.GateDecided:
		b.decided(f, body)
	case *history.RunReopened:
		b.rec.Status = "running"
	case *history.RunEnded:
		b.ended(f, body)
	}
}

func (b *builder) finished(f history.Fact, body *history.StepFinished) {
	switch b.kind(f.Node) {
	case flow.KindDecision:
		var value string
		if json.Unmarshal(body.Output.Data, &value) == nil && value != "" {
			b.step(f, f.Node)
			b.log(f, f.Node, LogCheck, value)
		}
	case flow.KindAgent:
		text := body.Output.Text
		if text == "" {
			text = string(body.Output.Data)
		}
		b.rec.State[f.Node] = text
		b.log(f, f.Node, LogResponse, text)
	}
}

func (b *builder) decided(f history.Fact, body *history.GateDecided) {
	i := slices.IndexFunc(b.open, func(w waiting) bool { return w.gate == body.Gate })
	if i < 0 {
		return
	}
	d := Decision{body.Choice, body.Note}
	content, err := json.Marshal(d)
	if err == nil {
		b.log(f, b.open[i].node, LogInput, string(content))
	}
	b.rec.State[b.open[i].node+"_approval"] = d
	b.open = slices.Delete(b.open, i, i+1)
}

func (b *builder) ended(f history.Fact, body *history.RunEnded) {
	switch body.Status {
	case history.Succeeded:
		b.rec.Status = "completed"
	default:
		b.rec.Status = "failed"
		message := body.Reason
		if body.Error != nil {
			message = body.Error.Message
		}
		b.log(f, system, LogError, message)
	}
}
