package flow

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
	Profile     Profile        `json:"profile,omitempty"` // the format whose rules apply; empty = native
	Rules       Rules          `json:"rules,omitzero"`    // the differences of that format at run time
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
	Within      Duration    `json:"within,omitzero"`        // how long a key is in use; zero = for ever
	OnDuplicate OnDuplicate `json:"on_duplicate,omitempty"` // default show
}

// OnDuplicate is the action of a second start with a key that is in use.
type OnDuplicate string

// The actions on a duplicate.
const (
	DuplicateShow  OnDuplicate = "show"
	DuplicateQueue OnDuplicate = "queue"
	DuplicateAllow OnDuplicate = "allow"
)

// Input is one typed input of a run.
type Input struct {
	Name        string `json:"name"`
	Type        string `json:"type"` // one of ValueTypes; of other formats also TypeAny
	Required    bool   `json:"required,omitempty"`
	Description string `json:"description,omitempty"`
	Example     any    `json:"example,omitempty"`
	Default     any    `json:"default,omitempty"`
	Enum        []any  `json:"enum,omitempty"`
	Sensitive   bool   `json:"sensitive,omitempty"` // shown as dots everywhere
}

// Agent is a language model with instructions, a closed list of tools, and limits.
type Agent struct {
	ID           string         `json:"id"`
	Description  string         `json:"description,omitempty"`
	Provider     string         `json:"provider,omitempty"` // of the model; WithDefaults writes it into Model
	Model        string         `json:"model,omitempty"`    // empty = the default of the installation
	Temperature  *float64       `json:"temperature,omitempty"`
	Instructions string         `json:"instructions,omitempty"` // templates, when Registered
	Tools        []string       `json:"tools,omitempty"`
	Subagents    []string       `json:"subagents,omitempty"`
	Output       map[string]any `json:"output,omitempty"` // JSON Schema of the answer; nil = text
	Limits       AgentLimits    `json:"limits,omitzero"`
	Registered   bool           `json:"registered,omitempty"` // it is a copy of an agent of the installation, see engine/flow/agents
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
// nor an error route handles.
type OnLimit struct {
	Action LimitAction `json:"action,omitempty"` // default end_path
	To     string      `json:"to,omitempty"`     // for handoff
}

// LimitAction is the action at a limit.
type LimitAction string

// The actions at a limit.
const (
	LimitEndPath   LimitAction = "end_path"
	LimitInterrupt LimitAction = "interrupt"
	LimitHandoff   LimitAction = "handoff"
	LimitFail      LimitAction = "fail"
)

// Kind is a node's type in the file.
type Kind string

// Node is one element of the graph: what all kinds share, and the part of its kind in Spec.
type Node struct {
	ID            string
	Kind          Kind
	Name          string
	Description   string
	FlowchartType FlowchartType // empty = classified, see Flow.ChartType
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

// Retry repeats a failed node before its error routes are tried.
type Retry struct {
	MaxAttempts  int     `json:"max_attempts"`
	BackoffMS    int     `json:"backoff_ms,omitempty"`     // default 500
	Multiplier   float64 `json:"multiplier,omitempty"`     // default 2
	MaxBackoffMS int     `json:"max_backoff_ms,omitempty"` // default 30000
	Match        string  `json:"match,omitempty"`
}

// Effects says whether a tool changes data outside, and whether it may be repeated.
type Effects string

// Effects from harmless to not repeatable.
const (
	EffectsRead       Effects = "read"
	EffectsIdempotent Effects = "idempotent"
	EffectsOnce       Effects = "once"
)

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
