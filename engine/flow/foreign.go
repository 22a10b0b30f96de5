package flow

// The kinds of nodes that only imported flows have. The native file does not accept them, and its schema does not name
// them: they stand in the canonical form, where the machine reads them.
const (
	KindEntry    Kind = "entry"
	KindLLM      Kind = "llm"
	KindToolexec Kind = "toolexec"
	KindLoop     Kind = "loop"
	KindSequence Kind = "sequence"
	KindCompute  Kind = "compute"
	KindOpaque   Kind = "opaque"
)

// StartKind says what begins a run at an entry.
type StartKind string

// What begins a run at an entry.
const (
	StartManual   StartKind = "manual"
	StartRequest  StartKind = "request" // a person's message
	StartEvent    StartKind = "event"
	StartSchedule StartKind = "schedule"
)

// EntrySpec is a place where runs begin. A flow may have several: the start says which, else it is the flow's entry.
type EntrySpec struct {
	Start   StartKind      `json:"start,omitempty"`   // default manual
	Event   string         `json:"event,omitempty"`   // name of the event, for start event
	Outputs map[string]any `json:"outputs,omitempty"` // output by output, a template over inputs and event; nil = the inputs as they are
	Vars    []string       `json:"vars,omitempty"`    // outputs that become variables besides
}

// LLMSpec asks a model once; its wish to call tools is part of the output, and nothing is called. The output has the fields
// response (text), data (what the schema asked for), tool_calls, success and meta.
type LLMSpec struct {
	Model       string         `json:"model,omitempty"`  // template; empty = the default of the installation
	System      string         `json:"system,omitempty"` // template
	Prompt      string         `json:"prompt"`           // template
	Schema      map[string]any `json:"schema,omitempty"` // JSON Schema of the answer
	Tools       []string       `json:"tools,omitempty"`  // what the model may ask for
	MaxTokens   int            `json:"max_tokens,omitempty"`
	Temperature *float64       `json:"temperature,omitempty"`
}

// ToolexecSpec performs the tool calls that are pending on a token's way, one after the other.
type ToolexecSpec struct {
	// Calls is an expression that gives the calls: a list of {name, arguments}. Without it they are those of the agent that
	// the token comes from, and Tools only narrows what that agent may call.
	Calls string   `json:"calls,omitempty"`
	Tools []string `json:"tools,omitempty"` // what may be called; closed for Calls
}

// LoopType says what keeps a loop going.
type LoopType string

// What keeps a loop going.
const (
	LoopFor   LoopType = "for"
	LoopWhile LoopType = "while"
	LoopEach  LoopType = "each"
)

// LoopSpec repeats a sub-path on the same token: its rounds follow each other and share the variables of the scope around the
// loop, unlike the items of a foreach. A path of the body that ends returns to the loop; then the routes are taken.
type LoopSpec struct {
	Type  LoopType `json:"loop"`
	From  string   `json:"from,omitempty"`  // for: expression; default 0
	To    string   `json:"to,omitempty"`    // for: expression; the end, which is not a round
	Step  string   `json:"step,omitempty"`  // for: expression; default 1
	While string   `json:"while,omitempty"` // while: condition, looked at before each round
	Items string   `json:"items,omitempty"` // each: expression that gives a list
	As    string   `json:"as,omitempty"`    // name of the current value; default i, for each item
	Body  string   `json:"body"`
}

// SequenceSpec takes its branches one after the other, on the same token and in the same scope; then the routes are taken.
type SequenceSpec struct {
	Branches []Route `json:"branches"` // only To and Label
}

// ComputeSpec gives a value and touches nothing outside.
type ComputeSpec struct {
	Value any `json:"value,omitempty"` // strings are templates
	// Pull says that the value is made whenever an expression reads the node, and that no token passes it.
	Pull bool `json:"pull,omitempty"`
}

// OpaqueSpec keeps a node of another program that this one cannot run. It is drawn, and a run that reaches it fails there.
type OpaqueSpec struct {
	Type   string         `json:"kind,omitempty"`   // what the other program calls it
	Reason string         `json:"reason,omitempty"` // why it cannot be run, in words for people
	Source map[string]any `json:"source,omitempty"`
}

// Kind names the kind that the spec belongs to.
func (*EntrySpec) Kind() Kind    { return KindEntry }
func (*LLMSpec) Kind() Kind      { return KindLLM }
func (*ToolexecSpec) Kind() Kind { return KindToolexec }
func (*LoopSpec) Kind() Kind     { return KindLoop }
func (*SequenceSpec) Kind() Kind { return KindSequence }
func (*ComputeSpec) Kind() Kind  { return KindCompute }
func (*OpaqueSpec) Kind() Kind   { return KindOpaque }

// DefaultIndexName is what a loop calls its current number when it names none.
const DefaultIndexName = "i"

// fillForeign fills in what a foreign kind leaves out.
func fillForeign(s Spec) {
	switch s := s.(type) {
	case *EntrySpec:
		if s.Start == "" {
			s.Start = StartManual
		}
	case *SequenceSpec:
		settleRoutes(s.Branches)
	case *LoopSpec:
		fillLoop(s)
	}
}

func fillLoop(s *LoopSpec) {
	if s.As == "" {
		s.As = DefaultIndexName
		if s.Type == LoopEach {
			s.As = DefaultItemName
		}
	}
	if s.Type != LoopFor {
		return
	}
	if s.From == "" {
		s.From = "0"
	}
	if s.Step == "" {
		s.Step = "1"
	}
}

// foreignNumbers settles the numbers in the free values of a foreign kind.
func foreignNumbers(s Spec) {
	switch s := s.(type) {
	case *EntrySpec:
		s.Outputs = plainNumbers(s.Outputs).(map[string]any)
	case *LLMSpec:
		s.Schema = plainNumbers(s.Schema).(map[string]any)
	case *ComputeSpec:
		s.Value = plainNumbers(s.Value)
	case *OpaqueSpec:
		s.Source = plainNumbers(s.Source).(map[string]any)
	}
}

// pulled reports whether the node is a value that no token passes.
func (n *Node) pulled() bool {
	s, ok := n.Spec.(*ComputeSpec)
	return ok && s.Pull
}

// Foreign names the nodes whose kind the native file does not have.
func (f *Flow) Foreign() []string {
	var ids []string
	for i := range f.Nodes {
		if foreign(f.Nodes[i].Spec) {
			ids = append(ids, f.Nodes[i].ID)
		}
	}
	return ids
}

func foreign(s Spec) bool {
	if s == nil {
		return false
	}
	for _, k := range kinds {
		if k.kind == s.Kind() {
			return k.foreign
		}
	}
	return false
}

// Opaque names the nodes that no version runs: a run that reaches one fails there.
func (f *Flow) Opaque() []string {
	var ids []string
	for i := range f.Nodes {
		if f.Nodes[i].Kind == KindOpaque {
			ids = append(ids, f.Nodes[i].ID)
		}
	}
	return ids
}
