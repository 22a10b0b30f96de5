package flow

// Rules are the differences of other formats at run time. The zero value is the native format. Its file cannot hold
// rules: an importer sets them, and only the canonical form contains them.
type Rules struct {
	PauseAll       bool     `json:"pause_all,omitempty"`      // while a person is asked, nodes that are reached wait
	Visits         int      `json:"visits,omitempty"`         // most visits of one node; 0 = no cap. on_limit says what happens then
	ToolTurns      int      `json:"tool_turns,omitempty"`     // most answers of a model in one step, for agents without limits.turns
	Memory         bool     `json:"memory,omitempty"`         // fields of agents' answers become variables, and expressions read variables by their bare names
	Remembers      bool     `json:"remembers,omitempty"`      // a run begins with what earlier runs of the flow have noted, see Remembered
	InputAlone     bool     `json:"input_alone,omitempty"`    // agents are told what their input says, and not what the step before said
	Conversational bool     `json:"conversational,omitempty"` // agents can say that the conversation is over
	NodeTimeout    Duration `json:"node_timeout,omitzero"`    // active time of one attempt, for nodes without a timeout
	LateChoice     bool     `json:"late_choice,omitempty"`    // an approval that nobody answers in time has its second choice
}

// A flow that remembers notes things in lists: variables whose names begin with NotesPrefix. A run begins with those of earlier runs as the
// members of its variable Remembered, which names the people who asked for those runs as RememberedBy.
const (
	NotesPrefix  = "memory_"
	Remembered   = "remembered"
	RememberedBy = "by"
)

// NextEnd is what an agent names as the next step when it says that all is over.
const NextEnd = "END"

// Condition is the kind of a route's condition; Route.When is its operand.
type Condition string

// The kinds of conditions. Only the first is one of the native file.
const (
	IfExpr    Condition = ""        // an expression, or the default; in a decision also a literal
	IfAlways  Condition = "always"  // holds always, and beside others under a policy that takes several routes
	IfOutcome Condition = "outcome" // the step met what was asked of it: success or failure
	IfNext    Condition = "next"    // the name that the step gave as the next one (state.next)
	IfTool    Condition = "tool"    // the tool that was called last (state.tool)
	IfHandle  Condition = "handle"  // the way out that the step chose: a person's choice, a decision's value
	IfEquals  Condition = "equals"  // the literal that the step's value is compared with
	IfLLM     Condition = "llm"     // a question that a model answers with yes or no
)

// Conditions lists the kinds of conditions that other formats have.
func Conditions() []Condition {
	return []Condition{IfAlways, IfOutcome, IfNext, IfTool, IfHandle, IfEquals, IfLLM}
}

// The operands of an outcome.
const (
	OutcomeSuccess = "success"
	OutcomeFailure = "failure"
)

// Policy says which of the routes that match are taken.
type Policy string

// The policies.
const (
	// PolicyFirst takes the first route that matches.
	PolicyFirst Policy = ""
	// PolicyAll takes every route that matches, at the same time. Their paths are not joined: a node runs once for
	// every token that arrives at it. A default is taken if nothing else matches.
	PolicyAll Policy = "all"
	// PolicyPriority takes routes by their priority, the highest first. Of several expressions that hold, only those of
	// the highest priority count; if several routes remain they are taken at the same time, and the node where their paths
	// meet runs once, after all of them.
	PolicyPriority Policy = "priority"
)

// NoMatch says what happens when a node has routes, or none, and none is taken.
type NoMatch string

// The values of NoMatch.
const (
	NoMatchEnd    NoMatch = ""       // the path ends
	NoMatchCaller NoMatch = "caller" // the path returns to the node that called this one
	NoMatchBlock  NoMatch = "block"  // the path of the innermost block (branch, item, loop) ends
)

// Clause is one criterion by which a step's result is judged; each gets an answer of its own.
type Clause struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// Case gives a decision its value, which routes can take as a handle. Of several cases the first that holds counts; if none does,
// the value is that of the decision's expression, or nothing.
type Case struct {
	When  string `json:"when"` // expression
	Value string `json:"value"`
}

// foreignParts are the parts of a node that only other formats have, in its canonical form.
type foreignParts struct {
	Policy    Policy                    `json:"policy,omitempty"`
	NoMatch   NoMatch                   `json:"no_match,omitempty"`
	Criteria  []Clause                  `json:"criteria,omitempty"`
	Subagents []string                  `json:"subagent_nodes,omitempty"`
	Aside     bool                      `json:"aside,omitempty"`
	Arrivals  map[string]map[string]any `json:"arrivals,omitempty"`
}

// storedNode is a node in its canonical form.
type storedNode struct {
	NodeFields
	foreignParts
}

// stored gives the fields that all kinds share.
func (n *Node) stored() storedNode {
	return storedNode{
		NodeFields{
			ID: n.ID, Type: n.Kind, Name: n.Name, Description: n.Description, FlowchartType: n.FlowchartType,
			Routes: n.Routes, OnError: n.OnError, Retry: n.Retry, Timeout: n.Timeout,
		},
		n.foreign(),
	}
}

func (n *Node) foreign() foreignParts {
	return foreignParts{n.Policy, n.NoMatch, n.Criteria, n.Subagents, n.Aside, n.Arrivals}
}

// SubagentNodes names the nodes that another node may call.
func (f *Flow) SubagentNodes() map[string]bool {
	called := map[string]bool{}
	for i := range f.Nodes {
		for _, id := range f.Nodes[i].Subagents {
			called[id] = true
		}
	}
	return called
}

// settlePolicies replaces other spellings of the native rules by the shortest one.
func (n *Node) settlePolicies() {
	if n.Policy == "first" {
		n.Policy = PolicyFirst
	}
	if n.NoMatch == "end" {
		n.NoMatch = NoMatchEnd
	}
}
