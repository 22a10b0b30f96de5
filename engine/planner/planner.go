package planner

import (
	"cmp"
	"slices"

	"sluice/engine/flow"
	"sluice/engine/planner/account"
	"sluice/engine/planner/readback"
	"sluice/engine/planner/tree"
	"sluice/engine/tool"
)

// Proposal is the result of planning a tree: a flow, and what has to be answered before people approve it.
type Proposal struct {
	Tree      *tree.Tree          // resolved: what is certain is filled in
	Flow      *flow.Flow          // valid; nil = there is no step yet
	Nodes     map[string][]string // step id -> the nodes that it became
	Numbers   map[string]string   // step id -> its number, "2a"
	Open      map[string]bool     // ids of steps with an open question
	Questions []Question
	Notes     []tree.Note
	Account   []account.Clause
}

// NodeNumbers gives each node the number of its step. A node of several steps has that of the first one.
func (p *Proposal) NodeNumbers() map[string]string {
	out := p.StepOf()
	for node, step := range out {
		out[node] = p.Numbers[step]
	}
	return out
}

// StepOf gives each node its step, the first one of several.
func (p *Proposal) StepOf() map[string]string {
	out := map[string]string{}
	if p.Tree == nil { // the flow came from a file
		return out
	}
	for s := range p.Tree.Walk {
		for _, id := range p.Nodes[s.ID] {
			out[id] = cmp.Or(out[id], s.ID)
		}
	}
	return out
}

// Does says by the number of a step what the flow does there.
func (p *Proposal) Does(tools []tool.Tool) map[string]string {
	out := map[string]string{}
	for _, l := range readback.Lines(p.Flow, tools, p.NodeNumbers()) {
		out[l.Number] = l.Text
	}
	delete(out, "") // what concerns the whole
	return out
}

// Blocked reports whether a question or a note keeps the draft from approval.
func (p *Proposal) Blocked() bool {
	return len(p.Questions) > 0 || slices.ContainsFunc(p.Notes, func(n tree.Note) bool { return n.Blocks })
}

// Question asks a person for what the words do not tell. Its id stays the same while the place that it asks about is open.
type Question struct {
	ID      string   `json:"id"`              // "s3.doer", "s3.param.amount", "clause.0.57"
	Step    string   `json:"step,omitempty"`  // step id; "" = it concerns the whole
	Kind    string   `json:"kind"`            // what it asks for: "doer", "param", "trigger", ...; the callers of question have them
	Text    string   `json:"text"`            // one sentence that ends in a question mark
	Lines   []string `json:"lines,omitempty"` // what the question is about, one thing a line
	Quote   string   `json:"quote,omitempty"`
	Options []Option `json:"options,omitempty"` // at most five buttons
	Free    bool     `json:"free,omitempty"`    // a typed answer is taken, too
	Default string   `json:"default,omitempty"` // id of the option that is most likely meant
}

// Option is one answer to a question.
type Option struct {
	ID    string `json:"id"`
	Label string `json:"label"` // on a button: at most 75 characters
	// Needs is what a person chooses or types after the button: "" = nothing, "tool", "name" (a person, group or channel), "value" (one of
	// Values), "text".
	Needs  string   `json:"needs,omitempty"`
	Values []Choice `json:"values,omitempty"`
}

// LeavesOut begins the ids of options that leave words out.
const LeavesOut = "leave"

// Choice is one entry of a select.
type Choice struct {
	Value string `json:"value"`
	Label string `json:"label"`
}
