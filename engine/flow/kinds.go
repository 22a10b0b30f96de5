package flow

// Spec is the part of a node that belongs to its kind, with all behaviour of the kind. Each kind has a file of its own,
// kind_NAME.go, with its fields, checks, words and chart type. The compiler checks that each kind has every method. Methods that only some kinds
// have (targets, tools, defaults, limits) are in the small interfaces below.
type Spec interface {
	Kind() Kind
	// check reports what is wrong with the part.
	check(v *Checker, a At, n *Node)
	// describe says in a few words what the node does.
	describe(n *Node) string
	// chartType is the node's type in the chart, unless its author chose another.
	chartType(f *Flow, n *Node) FlowchartType
	// does gives the strongest effect that the step can have: doesNothing, tellsOthers or works.
	does() int
}

type (
	// brancher has branches.
	brancher interface{ branches() []Route }
	// looper has a body that is run several times, in which the item or the round has a name.
	looper interface {
		body() *string
		rounds() string
	}
	// namer names tools, models or agents.
	namer interface{ names() Names }
	// defaulter sets the defaults of keys that a file leaves out.
	defaulter interface{ fill(n *Node) }
	// defaultDropper removes the defaults that fill set.
	defaultDropper interface{ drop() }
	// limited has values that an installation may limit.
	limited interface {
		checkCeilings(v *Checker, a At, c Ceilings)
	}
	// timeoutChecker checks the timeout of its node.
	timeoutChecker interface {
		checkTimeout(v *Checker, a At, n *Node)
	}
	// waiter waits for people, a time or an event.
	waiter interface{ waits() bool }
	// asker asks people.
	asker interface{ question() *Question }
	// evaluated has texts and values that are evaluated when a token comes.
	evaluated interface{ parts() []Part }
	// user uses something outside of its run.
	user interface{ uses() []Use }
	// giver gives an output of a known form.
	giver interface{ result() Result }
	// performed is done by a worker. journals reports whether its acts have keys of their own.
	performed interface{ journals() bool }
)

// Tools names the tools that the node names itself, in the order of its file.
func (n *Node) Tools() []string {
	var out []string
	for _, name := range n.Names().Tools {
		out = append(out, *name)
	}
	return out
}

// kinds is the one list of node kinds. A foreign kind is one that only imported flows have: the file and its schema do not know it.
var kinds = []struct {
	kind    Kind
	make    func() Spec
	doc     string
	foreign bool
}{
	{kind: KindAgent, make: func() Spec { return new(AgentSpec) }, doc: "None"},
	{kind: KindTool, make: func() Spec { return new(ToolSpec) }, doc: "None"},
	{kind: KindParallel, make: func() Spec { return new(ParallelSpec) }, doc: "None"},
	{kind: KindApproval, make: func() Spec { return new(ApprovalSpec) }, doc: "None"},
	{kind: KindDecision, make: func() Spec { return new(DecisionSpec) }, doc: "None"},
	{kind: KindTerminal, make: func() Spec { return new(TerminalSpec) }, doc: "None"},
	{kind: KindAsk, make: func() Spec { return new(AskSpec) }, doc: "None"},
	{kind: KindSay, make: func() Spec { return new(SaySpec) }, doc: "None"},
	{kind: KindWait, make: func() Spec { return new(WaitSpec) }, doc: "None"},
	{kind: KindForeach, make: func() Spec { return new(ForeachSpec) }, doc: "None"},
	{kind: KindSubflow, make: func() Spec { return new(SubflowSpec) }, doc: "None"},
	{kind: KindSet, make: func() Spec { return new(SetSpec) }, doc: "None"},
	{kind: KindEmit, make: func() Spec { return new(EmitSpec) }, doc: "None"},
	{kind: KindEntry, make: func() Spec { return new(EntrySpec) }, foreign: true},
	{kind: KindLLM, make: func() Spec { return new(LLMSpec) }, foreign: true},
	{kind: KindToolexec, make: func() Spec { return new(ToolexecSpec) }, foreign: true},
	{kind: KindLoop, make: func() Spec { return new(LoopSpec) }, foreign: true},
	{kind: KindSequence, make: func() Spec { return new(SequenceSpec) }, foreign: true},
	{kind: KindCompute, make: func() Spec { return new(ComputeSpec) }, foreign: true},
	{kind: KindOpaque, make: func() Spec { return new(OpaqueSpec) }, foreign: true},
}

// Kinds lists the node kinds of the native file.
func Kinds() []Kind {
	var out []Kind
	for _, k := range kinds {
		if !k.foreign {
			out = append(out, k.kind)
		}
	}
	return out
}

// NewSpec makes an empty spec of a kind; nil for an unknown one.
func NewSpec(k Kind) Spec {
	for _, entry := range kinds {
		if entry.kind == k {
			return entry.make()
		}
	}
	return nil
}

// KindInfo describes a kind to other packages.
type KindInfo struct {
	Kind    Kind
	Doc     string // for the schema of the file
	Foreign bool   // only imported flows have it
	New     func() Spec
}

// AllKinds lists every kind, those of the native file first.
func AllKinds() []KindInfo {
	out := make([]KindInfo, len(kinds))
	for i, k := range kinds {
		out[i] = KindInfo{k.kind, k.doc, k.foreign, k.make}
	}
	return out
}
