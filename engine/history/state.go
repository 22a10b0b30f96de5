package history

import (
	"encoding/json"
	"time"

	"sluice/engine/authority"
	"sluice/engine/flow"
)

// stateFormat is the version of State's stored form.
const stateFormat = 1

// Status is where a run stands as a whole.
type Status string

// The states of a run. Running and Waiting are live, Paused holds, the others are final.
const (
	Running   Status = "running" // at least one token is held by a worker or about to be
	Waiting   Status = "waiting" // every live token waits for a person, a timer or a join
	Paused    Status = "paused"  // it has holds (State.Holds): steps in flight finish, no other starts
	Succeeded Status = "succeeded"
	Failed    Status = "failed" // stopped at a node with an error; a person may retry, skip or abort
	Cancelled Status = "cancelled"
)

// Final reports whether no token can move any more. A failed run is not final: Retry, Skip and Abort move it.
func (s Status) Final() bool { return s == Succeeded || s == Cancelled }

// State is the current state of a run: small, JSON, and exactly the fold of its facts.
// Outputs are not in it; they live in the facts and are referred to by sequence number.
type State struct {
	Format    int                 `json:"format"`
	Status    Status              `json:"status"`
	Seq       int64               `json:"seq"`   // sequence number of the last fact applied; facts are gapless from 1
	Steps     int                 `json:"steps"` // node visits of the whole run, the count that max_iterations caps
	Visits    map[string]int      `json:"visits,omitempty"`
	Tokens    []Token             `json:"tokens,omitempty"`     // live tokens, by id
	Frames    []Frame             `json:"frames"`               // open frames; Frames[0] is the root
	Gates     []Gate              `json:"gates,omitempty"`      // open gates
	Timers    []Timer             `json:"timers,omitempty"`     // pending timers
	Vars      map[string]any      `json:"vars,omitempty"`       // small ones: those of all scopes take at most 64 KiB as JSON
	Large     map[string]int64    `json:"large,omitempty"`      // variable -> fact that holds its value (VarsSet.Large)
	Approvals map[string]Approval `json:"approvals,omitempty"`  // latest answer per gate node
	Outcome   Outcome             `json:"outcome,omitempty"`    // once it has ended; of a failed run as long as it stands still
	Ending    *Ending             `json:"ending,omitempty"`     // what the paths that have ended came to, when they are not done
	LastError *NodeError          `json:"last_error,omitempty"` // the latest error that was routed or that stopped the run, for surfaces
	Output    int64               `json:"output,omitempty"`     // fact that holds the run's result (terminal or last output)
	Started   time.Time           `json:"started"`
	Ended     time.Time           `json:"ended,omitzero"`
	NextToken int                 `json:"next_token"`
	NextStep  int                 `json:"next_step"`
	NextGate  int                 `json:"next_gate"`
	NextTimer int                 `json:"next_timer"`
	NextFrame int                 `json:"next_frame"`
	Revision  int                 `json:"revision"`
	Active    time.Duration       `json:"active,omitempty"`    // time spent running, in nanoseconds; waiting does not count
	Latest    time.Time           `json:"latest,omitzero"`     // time of the last fact applied
	Lifted    map[string]int      `json:"lifted,omitempty"`    // limit -> how often it was granted once more (handoff, a person's retry)
	Unsettled []Unsettled         `json:"unsettled,omitempty"` // acts in flight when their token was ended, at most maxUnsettled
	Heard     *Heard              `json:"heard,omitempty"`     // events that were received: none is received twice
	Inside    int                 `json:"inside,omitempty"`    // of Steps, the visits inside items of a foreach: each item counts its own
	Deferred  []int               `json:"deferred,omitempty"`  // tokens that wait their turn (PhaseDeferred), in order of arrival
	// A forked run names the keys of its acts after the run whose history it has, and does not repeat what is kept of that.
	Origin     string             `json:"origin,omitempty"`     // run id in its keys; "" = its own
	Generation int                `json:"generation,omitempty"` // of the acts of steps from here on
	Reuse      map[string][]int64 `json:"reuse,omitempty"`      // facts that hold outputs for the next visits to a node
	Holds      []Hold             `json:"holds,omitempty"`      // what pauses the run, in the order in which it came
	Unheard    []Words            `json:"unheard,omitempty"`    // messages of people that came while no agent waited: the next agent reads them
}

// Words is a fact with a person's words.
type Words struct {
	Fact int64 `json:"fact"`
	By   Actor `json:"by"`
}

// Unsettled is an act that was in flight when its token was ended by a join, a timeout or a cancel. Its outcome, should it
// still arrive, is kept as a late result; until then a once act may or may not have happened.
type Unsettled struct {
	Token   int          `json:"token"`
	Step    int          `json:"step"`
	Epoch   int          `json:"epoch"`
	Node    string       `json:"node"`
	Effects flow.Effects `json:"effects,omitempty"` // the riskiest act that may have happened
}

// Heard are the events that a run has received.
type Heard struct {
	Until  time.Time    `json:"until,omitzero"`   // events up to this time count as heard, whether they were or not
	Events []HeardEvent `json:"events,omitempty"` // later ones, by time; at most heardMost
}

// HeardEvent is an event that was received.
type HeardEvent struct {
	ID string    `json:"id"`
	At time.Time `json:"at"` // when it happened
}

// Phase is the current activity of a live token.
type Phase string

// The phases of a live token.
const (
	PhaseReady    Phase = "ready"    // at a node whose step has not started; a worker may claim it
	PhaseHeld     Phase = "held"     // ready, but the run is paused
	PhaseStarted  Phase = "started"  // its step has started; only a started step can be unfinished after a crash
	PhaseGate     Phase = "gate"     // waits for people
	PhaseTimer    Phase = "timer"    // waits for a timer (retry backoff, wait node)
	PhaseChild    Phase = "child"    // waits for the end of another run
	PhaseEvent    Phase = "event"    // waits for an event
	PhaseMessage  Phase = "message"  // its step's message waits to be delivered
	PhaseJoin     Phase = "join"     // a fork's parent, waits for its branches
	PhaseDeferred Phase = "deferred" // waits until no gate is open, where the flow's rules ask for that
	PhaseFailed   Phase = "failed"   // its step failed and nothing caught it: the run, or its branch, has stopped
)

// Token is a cursor moving through the graph.
type Token struct {
	ID     int    `json:"id"`
	Frame  int    `json:"frame"`            // the frame it moves in; 0 = root
	Branch int    `json:"branch,omitempty"` // which branch of that frame it is
	Node   string `json:"node"`
	Edge   string `json:"edge,omitempty"` // the edge it arrived by
	Prev   int64  `json:"prev,omitempty"` // fact that holds the previous output on its way
	// PrevNode is the node that gave Prev, LastJSON the fact of the latest agent answer on its way that was a JSON object
	// (bare names read it), Error the latest error that was routed on its way (error.* reads it). They travel with the token,
	// so that a branch never sees a running sibling.
	PrevNode string          `json:"prev_node,omitempty"`
	LastJSON int64           `json:"last_json,omitempty"`
	Error    *NodeError      `json:"error,omitempty"`
	Phase    Phase           `json:"phase"`
	Step     int             `json:"step"`               // number of this visit in the run
	Attempt  int             `json:"attempt,omitempty"`  // 1 for the first try of the step
	Epoch    int             `json:"epoch"`              // raised whenever the token goes to another worker
	Gen      int             `json:"gen,omitempty"`      // generation of the step's acts, raised by "run it again"
	Calls    []Call          `json:"calls,omitempty"`    // the acts inside the started step, in order
	Gate     int             `json:"gate,omitempty"`     // the open gate it waits for
	Timer    int             `json:"timer,omitempty"`    // the timer it waits for
	Effects  flow.Effects    `json:"effects,omitempty"`  // of the started step
	Started  time.Time       `json:"started,omitzero"`   // when the step first started; now() in its parameters, so that a repeat renders the same
	Done     int64           `json:"done,omitempty"`     // fact with the step's output, once it has one; only the choice of a route remains
	Failed   bool            `json:"failed,omitempty"`   // the finished step did not meet what was asked of it
	Verdicts map[string]bool `json:"verdicts,omitempty"` // judgements of the finished step, by criterion or by the edge of a route
	Handle   string          `json:"handle,omitempty"`   // the way out that the finished step chose
	Next     string          `json:"next,omitempty"`     // state.next and state.tool: what the latest step on its way said
	Tool     string          `json:"tool,omitempty"`
	Talks    []Talk          `json:"talks,omitempty"` // conversations that go on over several steps
	// Conversation is what agents and the person of the run have said to each other on its way.
	Conversation Talk    `json:"conversation,omitzero"`
	Caller       string  `json:"caller,omitempty"`  // node of the agent that asked last for calls
	Blocks       []Block `json:"blocks,omitempty"`  // loops and sequences that it is inside of, innermost last
	Child        string  `json:"child,omitempty"`   // id of the run that it waits for
	Event        string  `json:"event,omitempty"`   // name of the event that it waits for
	Message      string  `json:"message,omitempty"` // id of the message whose delivery it waits for
	Permit       *Permit `json:"permit,omitempty"`  // a person's permission for the next call
	// Edited is the call of the step in which people have set arguments, without Args: the edits hold for the next question about it, too.
	Edited  *CallAsked `json:"edited,omitempty"`
	Granted int        `json:"granted,omitempty"` // how often people have granted the step's agent its limits once more
	ByHand  bool       `json:"by_hand,omitempty"` // a person answers in the agent's place
	Ending  *Ending    `json:"ending,omitempty"`  // what the latest decision on its way means for the run
	Resume  bool       `json:"resume,omitempty"`  // the step had started when its worker was lost: it goes on under the same attempt
}

// Call is one journalled act inside a step: a tool call of an agent, a model turn.
type Call struct {
	Number  int          `json:"n"`
	Intent  int64        `json:"intent"`         // fact with the arguments
	Done    int64        `json:"done,omitempty"` // fact with the outcome; 0 while unknown
	What    string       `json:"what,omitempty"` // tool name, or "model"
	Effects flow.Effects `json:"effects,omitempty"`
}

// Frame is an open scope: the root, one fork, or one foreach.
type Frame struct {
	ID       int              `json:"id"`
	Parent   int              `json:"parent"`
	Token    int              `json:"token,omitempty"` // the fork's parent token, waiting in PhaseJoin
	Node     string           `json:"node,omitempty"`
	Outputs  map[string]int64 `json:"outputs,omitempty"` // node id -> fact of its latest output in this frame
	Branches []Branch         `json:"branches,omitempty"`
	Timer    int              `json:"timer,omitempty"`  // the join timeout
	Left     time.Duration    `json:"left,omitempty"`   // the rest of a join timeout that is paused, in nanoseconds
	Spread   bool             `json:"spread,omitempty"` // of routes that are taken at the same time, not of a parallel node
	Meet     string           `json:"meet,omitempty"`   // node where their ways meet, and where each of them ends
	Met      string           `json:"met,omitempty"`    // node where one of them has met others
	Each     *Each            `json:"each,omitempty"`   // of a foreach; its branches are the slots of the items that are open
}

// Branch is one arm of a fork, or one open item of a foreach: it keeps its own outputs, variables and answers until the frame
// closes, or the item ends.
type Branch struct {
	Head      string              `json:"head"` // node it starts with
	Edge      string              `json:"edge,omitempty"`
	Outputs   map[string]int64    `json:"outputs,omitempty"`
	Vars      map[string]any      `json:"vars,omitempty"`
	Large     map[string]int64    `json:"large,omitempty"` // as State.Large
	Approvals map[string]Approval `json:"approvals,omitempty"`
	Live      int                 `json:"live"` // tokens still moving in it
	Done      bool                `json:"done,omitempty"`
	Ending    *Ending             `json:"ending,omitempty"` // what its paths came to, as Token.Ending
	Failed    bool                `json:"failed,omitempty"`
	Error     *NodeError          `json:"error,omitempty"`
	Last      int64               `json:"last,omitempty"`      // fact of its last output
	LastJSON  int64               `json:"last_json,omitempty"` // of its last token
	Item      int64               `json:"item,omitempty"`      // fact that holds the item; 0 = a fork's branch, or a free slot
	Index     int                 `json:"index,omitempty"`     // of the item, from 0
	Visits    int                 `json:"visits,omitempty"`    // node visits of the item, the count that max_iterations caps
}

// Each is the state of a foreach's frame besides its open items. It does not grow with the items: results are facts.
type Each struct {
	List  int64 `json:"list"`  // first of the facts that hold the list
	Width int   `json:"width"` // items in one of them
	Total int   `json:"total"`
	Next  int   `json:"next"`            // index of the next item to start
	Ended int   `json:"ended,omitempty"` // items that are over
	Kept  int   `json:"kept,omitempty"`  // of those, the ones with an error that was kept
	// The values that the items leave when the frame closes: for each name that of the item with the highest index, in whatever order they ended.
	Outputs   map[string]Latest[int64]    `json:"outputs,omitempty"`
	Vars      map[string]Latest[any]      `json:"vars,omitempty"`
	Large     map[string]Latest[int64]    `json:"large,omitempty"` // as State.Large
	Approvals map[string]Latest[Approval] `json:"approvals,omitempty"`
	LastJSON  Latest[int64]               `json:"last_json,omitzero"`
	Refused   int                         `json:"refused,omitempty"` // items that a decision ended
	Ending    *Ending                     `json:"ending,omitempty"`  // of the latest of those
}

// Latest is a value with the index of the item that it comes from.
type Latest[T any] struct {
	Item  int `json:"item"`
	Value T   `json:"value"`
}

// GateKind is the subject of an open question.
type GateKind string

// The kinds of gates.
const (
	GateApproval GateKind = "approval" // an approval node
	GateAsk      GateKind = "ask"      // an ask node
	GateAgent    GateKind = "agent"    // an agent step offered to a person, because there is no model
	GateUnknown  GateKind = "unknown"  // a once act whose outcome is unknown: again / done / abort
	GateJudge    GateKind = "judge"    // a question about a finished step, because no model answers it
	GateCall     GateKind = "call"     // a call of a tool that asks before each call
	GateTurn     GateKind = "turn"     // an agent of a conversation has said something, and waits for the person who asked for the run
	GateFailure  GateKind = "failure"  // a failed step: retry / skip / abort
)

// Vote is one person's answer at a gate.
type Vote struct {
	By     Actor     `json:"by"`
	Choice string    `json:"choice"`
	Note   string    `json:"note,omitempty"`
	At     time.Time `json:"at"`
}

// Approval is the latest answer of a gate node, as approvals.X reads it.
type Approval struct {
	Choice string         `json:"choice"` // or timeout, superseded, cancelled
	Note   string         `json:"note,omitempty"`
	By     string         `json:"by,omitempty"` // user id
	At     time.Time      `json:"at"`
	Form   map[string]any `json:"form,omitempty"`
}

// TimerKind is the purpose of a timer.
type TimerKind string

// Kinds of timers.
const (
	TimerRetry    TimerKind = "retry"
	TimerDeadline TimerKind = "deadline"
	TimerRemind   TimerKind = "remind"
	TimerEscalate TimerKind = "escalate"
	TimerJoin     TimerKind = "join"
	TimerWait     TimerKind = "wait"
	TimerPeople   TimerKind = "people"  // due at once: may anybody answer the gate?
	TimerTimeout  TimerKind = "timeout" // of a node that waits for another run or an event
)

// Timer is a pending due row. Decide never compares times: it hears that the timer fired.
type Timer struct {
	ID    int       `json:"id"`
	Kind  TimerKind `json:"kind"`
	Token int       `json:"token,omitempty"`
	Gate  int       `json:"gate,omitempty"`
	Frame int       `json:"frame,omitempty"`
	Due   time.Time `json:"due"`
	Kept  bool      `json:"kept,omitempty"` // it fired while the run was paused: its row is gone until the run goes on
}

// Actor is the person or part of the system that did something, and the way they did it.
type Actor struct {
	User string `json:"user,omitempty"` // empty = Sluice itself
	Team string `json:"team,omitempty"`
	Name string `json:"name,omitempty"` // as shown when it happened
	Via  Via    `json:"via,omitempty"`
}

// Same reports whether two actors are one person.
func (a Actor) Same(b Actor) bool { return authority.Same(a.User, b.User) }

// Via is the way an actor used.
type Via string

// The ways to act.
const (
	ViaButton   Via = "button"
	ViaModal    Via = "modal"
	ViaCommand  Via = "command"
	ViaMessage  Via = "message"
	ViaReaction Via = "reaction"
	ViaHome     Via = "home"
	ViaCLI      Via = "cli"
	ViaHTTP     Via = "http"
	ViaTimer    Via = "timer"
	ViaWorker   Via = "worker"
	ViaRun      Via = "run" // another run: its subflow, its event
)

// NodeError is a technical error of a node: a type for machines, a sentence for people.
type NodeError struct {
	Node      string `json:"node,omitempty"`
	Type      string `json:"type"` // such as TimeoutError, HTTPError, ToolError, JoinError, LimitError
	Message   string `json:"message"`
	Permanent bool   `json:"permanent,omitempty"` // retrying cannot help
	Unknown   bool   `json:"unknown,omitempty"`   // the act may have taken effect all the same
	Limit     string `json:"limit,omitempty"`     // of the node, which it came to: LimitNodeTime, LimitAgent, LimitTurns
	// Away says that the service behind the node is away or busy, After how long it asks to be left alone.
	Away  bool          `json:"away,omitempty"`
	After time.Duration `json:"after,omitempty"`
}

// Error gives "Type: message".
func (e *NodeError) Error() string { return e.Type + ": " + e.Message }

// Output is the output of a step, as stored in its step_finished fact.
type Output struct {
	Text string `json:"text,omitempty"` // as shown to people and models
	// Model says that a language model wrote the output, and not a person in its place. Releases before did not tell.
	Model bool            `json:"model,omitempty"`
	Data  json.RawMessage `json:"data,omitempty"` // structured; for a tool its result, for an agent its JSON answer
	// Values that routes of other formats ask for: whether the step met what was asked of it (a business "no" is no error), the way
	// out that it chose, the name of the next node that it gave (state.next), and the tool that it called last (state.tool).
	Failed bool   `json:"failed,omitempty"`
	Handle string `json:"handle,omitempty"`
	Next   string `json:"next,omitempty"`
	Tool   string `json:"tool,omitempty"`
	// Calls are the calls that a model asked for and that another node performs; Pending says that the step's agent waits for the results.
	Calls   []ToolCall     `json:"calls,omitempty"`
	Pending bool           `json:"pending,omitempty"`
	Outcome Outcome        `json:"outcome,omitempty"` // of the run of a subflow; empty = done
	Meta    map[string]any `json:"meta,omitempty"`    // about a model's answer: which model, why it stopped
}
