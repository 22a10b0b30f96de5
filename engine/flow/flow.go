package flow

import (
	"strconv"
	"time"
)

// End is the reserved target that ends a path.
const End = "end"

// Flow is the document: nodes, routes, agents, triggers. It is immutable once saved.
// Parse makes one from a file; builders such as the planners edit a copy (see Clone).
type Flow struct {
	Name        string         `json:"name"`
	Description string         `json:"description,omitempty"`
	Run         RunSpec        `json:"run,omitzero"`
	Inputs      []Input        `json:"inputs,omitempty"` // in declared order
	Triggers    []Trigger      `json:"triggers,omitempty"`
	Agents      []Agent        `json:"agents,omitempty"`
	Limits      Limits         `json:"limits,omitzero"`
	Budget      Budget         `json:"budget,omitzero"`
	Entry       string         `json:"entry"`
	MaxVisits   int            `json:"max_iterations,omitempty"` // node visits of the whole run; 0 = no cap, only if acyclic
	Timeout     Duration       `json:"timeout,omitzero"`         // active time; waiting for people does not count
	OnLimit     OnLimit        `json:"on_limit,omitzero"`
	Nodes       []Node         `json:"nodes"`
	Profile     Profile        `json:"profile,omitempty"` // which format's rules hold; empty = native
	Rules       Rules          `json:"rules,omitzero"`    // what that format does differently at run time
	Raw         map[string]any `json:"raw,omitempty"`     // source of an imported document, kept for export
}

// Profile names the rules of a source format where they differ at run time.
type Profile string

// ProfileNative is the native flow file.
const ProfileNative Profile = ""

// RunSpec names runs of a flow and says when two runs are the same.
type RunSpec struct {
	Title       string      `json:"title,omitempty"`        // template
	Key         string      `json:"key,omitempty"`          // template; empty = runs are never the same
	Within      Duration    `json:"within,omitzero"`        // how long a key is taken; zero = for ever
	OnDuplicate OnDuplicate `json:"on_duplicate,omitempty"` // default show
}

// OnDuplicate says what a second start with a taken key does.
type OnDuplicate string

// What a second start with a taken key does.
const (
	DuplicateShow  OnDuplicate = "show"
	DuplicateQueue OnDuplicate = "queue"
	DuplicateAllow OnDuplicate = "allow"
)

// Input is one typed input of a run.
type Input struct {
	Name        string `json:"name"`
	Type        string `json:"type"` // string, number, integer, boolean, object, array
	Required    bool   `json:"required,omitempty"`
	Description string `json:"description,omitempty"`
	Example     any    `json:"example,omitempty"`
	Default     any    `json:"default,omitempty"`
	Enum        []any  `json:"enum,omitempty"`
	Sensitive   bool   `json:"sensitive,omitempty"` // shown as dots everywhere
}

// Trigger starts runs; exactly one of its fields is set.
type Trigger struct {
	Schedule *ScheduleTrigger `json:"schedule,omitempty"`
	Message  *MessageTrigger  `json:"message,omitempty"`
	Reaction *ReactionTrigger `json:"reaction,omitempty"`
	Webhook  *WebhookTrigger  `json:"webhook,omitempty"`
}

// ScheduleTrigger starts runs by the clock.
type ScheduleTrigger struct {
	Cron     string         `json:"cron"` // five fields or @daily
	Timezone string         `json:"timezone,omitempty"`
	Inputs   map[string]any `json:"inputs,omitempty"`
	CatchUp  string         `json:"catch_up,omitempty"` // skip, once, all
	Overlap  string         `json:"overlap,omitempty"`  // allow, skip, queue
}

// MessageTrigger starts a run for a matching message; named groups become inputs.
type MessageTrigger struct {
	Channel string `json:"channel"`
	Match   string `json:"match"`
}

// ReactionTrigger starts a run when somebody reacts to a message.
type ReactionTrigger struct {
	Emoji string `json:"emoji"`
}

// WebhookTrigger starts a run for a signed POST to /hooks/PATH.
type WebhookTrigger struct {
	Path string `json:"path"`
}

// Agent is a language model with instructions, a closed list of tools, and limits.
type Agent struct {
	ID           string         `json:"id"`
	Description  string         `json:"description,omitempty"`
	Model        string         `json:"model,omitempty"` // empty = the default of the installation
	Instructions string         `json:"instructions,omitempty"`
	Tools        []string       `json:"tools,omitempty"`
	Subagents    []string       `json:"subagents,omitempty"`
	Output       map[string]any `json:"output,omitempty"` // JSON Schema of the answer; nil = text
	Limits       AgentLimits    `json:"limits,omitzero"`
}

// AgentLimits bound one answer of an agent. Zero means the default.
type AgentLimits struct {
	Turns   int      `json:"turns,omitempty"`
	Tokens  int      `json:"tokens,omitempty"`
	USD     float64  `json:"usd,omitempty"`
	Timeout Duration `json:"timeout,omitzero"`
}

// Limits bound a run. Zero means the default.
type Limits struct {
	Steps int `json:"steps,omitempty"` // default 100,000
	Items int `json:"items,omitempty"` // default 10,000
	Depth int `json:"depth,omitempty"` // of runs within each other, default 10
}

// Budget bounds what a flow may spend.
type Budget struct {
	USDPerMonth float64 `json:"usd_per_month,omitempty"`
}

// OnLimit says what happens when max_iterations, the step limit or the timeout is reached, or a limit of one node that neither a retry
// nor an error route answers.
type OnLimit struct {
	Action LimitAction `json:"action,omitempty"` // default end_path
	To     string      `json:"to,omitempty"`     // for handoff
}

// LimitAction is what happens at a limit.
type LimitAction string

// What happens at a limit.
const (
	LimitEndPath   LimitAction = "end_path"
	LimitInterrupt LimitAction = "interrupt"
	LimitHandoff   LimitAction = "handoff"
	LimitFail      LimitAction = "fail"
)

// Kind is a node's type in the file.
type Kind string

// The node kinds of the native file.
const (
	KindAgent    Kind = "agent"
	KindTool     Kind = "tool"
	KindParallel Kind = "parallel"
	KindApproval Kind = "approval"
	KindDecision Kind = "decision"
	KindTerminal Kind = "terminal"
	KindAsk      Kind = "ask"
	KindSay      Kind = "say"
	KindWait     Kind = "wait"
	KindForeach  Kind = "foreach"
	KindSubflow  Kind = "subflow"
	KindSet      Kind = "set"
	KindEmit     Kind = "emit"
)

// Node is one element of the graph: what all kinds share, and the part of its kind in Spec.
type Node struct {
	ID            string
	Kind          Kind
	Name          string
	Description   string
	FlowchartType FlowchartType // empty = classified, see Flow.Plan
	Routes        []Route
	OnError       []ErrorRoute
	Retry         *Retry
	Timeout       Duration
	Policy        Policy
	NoMatch       NoMatch
	Criteria      []Clause                  // what the result is judged by, besides the routes
	Subagents     []string                  // nodes whose agents the node's agent may call as tools
	Aside         bool                      // "previous" stays what it was before the node, such as before a person's answer
	Arrivals      map[string]map[string]any // parameters that differ by the edge by which a token comes
	Spec          Spec
}

// Spec is the part of a node that belongs to its kind: one of *AgentSpec, *ToolSpec, ...
type Spec interface{ Kind() Kind }

// Route is an outgoing edge; routes are tried in order and the first match wins, unless the node's policy says otherwise.
type Route struct {
	If       Condition `json:"if,omitempty"`
	When     string    `json:"when,omitempty"` // empty or "default" = always
	To       string    `json:"to"`
	Label    string    `json:"label,omitempty"`
	Priority int       `json:"priority,omitempty"`
}

// Default reports whether the route has no condition of its own.
func (r Route) Default() bool { return r.If == IfExpr && (r.When == "" || r.When == "default") }

// ErrorRoute is an edge that is taken on a technical error, after retries.
type ErrorRoute struct {
	Match   string `json:"match,omitempty"` // regular expression over error type or message
	Default bool   `json:"default,omitempty"`
	To      string `json:"to"`
}

// Retry repeats a failed node before its error routes are asked.
type Retry struct {
	MaxAttempts  int     `json:"max_attempts"`
	BackoffMS    int     `json:"backoff_ms,omitempty"`     // default 500
	Multiplier   float64 `json:"multiplier,omitempty"`     // default 2
	MaxBackoffMS int     `json:"max_backoff_ms,omitempty"` // default 30000
	Match        string  `json:"match,omitempty"`
}

// Effects says what repeating a tool does to the world.
type Effects string

// Effects from harmless to not repeatable.
const (
	EffectsRead       Effects = "read"
	EffectsIdempotent Effects = "idempotent"
	EffectsOnce       Effects = "once"
)

// AgentSpec runs a declared agent.
type AgentSpec struct {
	Agent    string         `json:"agent"`
	Input    map[string]any `json:"input,omitempty"`
	ToolMode ToolMode       `json:"tool_mode,omitempty"`
}

// ToolMode says who performs the tool calls of an agent.
type ToolMode string

// Who performs the tool calls of an agent.
const (
	ToolsInternal ToolMode = ""         // the step itself, until the agent answers
	ToolsExternal ToolMode = "external" // a toolexec node: the calls are the step's output
)

// ToolSpec calls a tool without a model.
type ToolSpec struct {
	Tool    string         `json:"tool"`
	Params  map[string]any `json:"params,omitempty"`
	Effects Effects        `json:"effects,omitempty"` // empty = the tool's own
}

// ParallelSpec starts every branch and joins them.
type ParallelSpec struct {
	Branches []Route `json:"branches"` // only To and Label
	Join     Join    `json:"join,omitzero"`
}

// Join says when a parallel node goes on.
type Join struct {
	Type       string   `json:"type,omitempty"` // all (default), any, first, count
	Count      int      `json:"count,omitempty"`
	Timeout    Duration `json:"timeout,omitzero"`
	TimeoutSet bool     `json:"timeout_set,omitempty"` // written out in the file, see engine.md on the clock under a join
}

// ApprovalSpec asks people to choose.
type ApprovalSpec struct {
	Message  string               `json:"message"`
	Choices  []string             `json:"choices,omitempty"` // default approve, reject
	Veto     []string             `json:"veto,omitempty"`    // choices that decide alone under a quorum; nil = all but the first
	Who      *Who                 `json:"who,omitempty"`
	Show     []string             `json:"show,omitempty"` // expressions: what the deciders see
	Form     map[string]FormField `json:"form,omitempty"`
	Deadline *Deadline            `json:"deadline,omitempty"`
}

// Who may answer a gate. A name is "@group", "@user" or an id.
type Who struct {
	Groups       []string `json:"groups,omitempty"`
	Users        []string `json:"users,omitempty"`
	Quorum       int      `json:"quorum,omitempty"`        // default 1
	SelfApproval *bool    `json:"self_approval,omitempty"` // may the requester decide; default true
}

// FormField is one field asked with a gate.
type FormField struct {
	Type        string   `json:"type,omitempty"` // default string
	Description string   `json:"description,omitempty"`
	Enum        []any    `json:"enum,omitempty"`
	Required    bool     `json:"required,omitempty"`
	RequiredFor []string `json:"required_for,omitempty"` // choices that need it
}

// Deadline bounds how long a gate waits.
type Deadline struct {
	After    Duration  `json:"after,omitzero"`
	Remind   Duration  `json:"remind,omitzero"`
	Escalate *Escalate `json:"escalate,omitempty"`
}

// Escalate asks somebody else after a while.
type Escalate struct {
	After Duration `json:"after,omitzero"`
	To    string   `json:"to"`
}

// DecisionSpec routes by a value; no model, no tool.
type DecisionSpec struct {
	Expr  string `json:"expr"`
	Cases []Case `json:"cases,omitempty"` // only of other formats: they come before Expr
}

// TerminalSpec ends a path with an output.
type TerminalSpec struct {
	Output  any  `json:"output,omitempty"`
	EndsRun bool `json:"ends_run,omitempty"` // ends all other paths of the run too; its output is the run's
}

// AskSpec asks a question that is answered with free text or a form.
type AskSpec struct {
	Message  string               `json:"message"`
	Who      *Who                 `json:"who,omitempty"`
	Choices  []string             `json:"choices,omitempty"`
	Form     map[string]FormField `json:"form,omitempty"`
	Deadline *Deadline            `json:"deadline,omitempty"`
}

// SaySpec posts a message into the run's thread.
type SaySpec struct {
	Message string `json:"message"`
}

// WaitSpec waits for a time or an event; exactly one field is set.
type WaitSpec struct {
	For   Duration `json:"for,omitzero"`
	Until string   `json:"until,omitempty"` // template giving an RFC 3339 time or a local one
	Event string   `json:"event,omitempty"`
}

// ForeachSpec runs a sub-path once per item.
type ForeachSpec struct {
	Items       string `json:"items"`
	As          string `json:"as,omitempty"` // default item
	Body        string `json:"body"`
	MaxParallel int    `json:"max_parallel,omitempty"`
	OnItemError string `json:"on_item_error,omitempty"` // stop (default), keep
}

// SubflowSpec runs another flow as a child run.
type SubflowSpec struct {
	Flow   string         `json:"flow"`
	Inputs map[string]any `json:"inputs,omitempty"`
}

// SetSpec writes variables.
type SetSpec struct {
	Vars map[string]any `json:"vars"`
}

// EmitSpec sends an event to waiting runs.
type EmitSpec struct {
	Event   string         `json:"event"`
	Payload map[string]any `json:"payload,omitempty"`
}

// Kind names the kind that the spec belongs to.
func (*AgentSpec) Kind() Kind    { return KindAgent }
func (*ToolSpec) Kind() Kind     { return KindTool }
func (*ParallelSpec) Kind() Kind { return KindParallel }
func (*ApprovalSpec) Kind() Kind { return KindApproval }
func (*DecisionSpec) Kind() Kind { return KindDecision }
func (*TerminalSpec) Kind() Kind { return KindTerminal }
func (*AskSpec) Kind() Kind      { return KindAsk }
func (*SaySpec) Kind() Kind      { return KindSay }
func (*WaitSpec) Kind() Kind     { return KindWait }
func (*ForeachSpec) Kind() Kind  { return KindForeach }
func (*SubflowSpec) Kind() Kind  { return KindSubflow }
func (*SetSpec) Kind() Kind      { return KindSet }
func (*EmitSpec) Kind() Kind     { return KindEmit }

// Duration is a length of time as written in a file: clock time ("90s", "2h", "90d") or working days.
// Exactly one part is set; the zero value means none.
type Duration struct {
	Clock       time.Duration
	WorkingDays int // by the installation's calendar
}

// IsZero reports whether no duration was given.
func (d Duration) IsZero() bool { return d == Duration{} }

// Node returns the node with the id, or nil.
func (f *Flow) Node(id string) *Node {
	for i := range f.Nodes {
		if f.Nodes[i].ID == id {
			return &f.Nodes[i]
		}
	}
	return nil
}

// AgentByID returns the declared agent with the id, or nil.
func (f *Flow) AgentByID(id string) *Agent {
	for i := range f.Agents {
		if f.Agents[i].ID == id {
			return &f.Agents[i]
		}
	}
	return nil
}

// RouteEdge is the id of a node's i-th route, as facts and plan edges name it.
func RouteEdge(node string, i int) string { return node + "/" + strconv.Itoa(i) }

// ErrorEdge is the id of a node's i-th error route.
func ErrorEdge(node string, i int) string { return node + "/error/" + strconv.Itoa(i) }

// BranchEdge is the id of a parallel node's i-th branch.
func BranchEdge(node string, i int) string { return node + "/branch/" + strconv.Itoa(i) }

// SubagentEdge is the id of the plan edge from a node to the i-th node that it may ask.
func SubagentEdge(node string, i int) string { return node + "/subagent/" + strconv.Itoa(i) }

// CallerEdge is the id of the edge back to the node that called a node, see NoMatchCaller.
func CallerEdge(node string) string { return node + "/caller" }

// LimitEdge is the id of the edge to the handoff node of a limit.
func LimitEdge(node string) string { return node + "/limit" }
