package run

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run/scope"
	"sluice/engine/run/talk"
)

// Errors of Decide. The state stays as it is, and none of them is a fault of the machine.
var (
	// ErrFenced means the input comes from a worker whose epoch or step is over: the worker stops, and nothing is stored.
	ErrFenced = errors.New("the token was handed to somebody else")
	// ErrOver means the run is final.
	ErrOver = errors.New("the run is over")
	// ErrNoGate means the gate is not open: it was decided, or never existed.
	ErrNoGate = errors.New("the gate is not open")
	// ErrChoice means the answer is not one of the gate's choices.
	ErrChoice = errors.New("not one of the choices")
	// ErrShown means the gate has changed since the person who answers saw it.
	ErrShown = errors.New("what was shown is not what is asked")
	// ErrNoListener means that no agent of the run can receive a person's words.
	ErrNoListener = errors.New("no agent listens")
	// ErrFull means that no more messages are kept for an agent that is still at work.
	ErrFull = errors.New("enough waits for the agent already")
	// ErrSent means that a call may have been made with the arguments that it has.
	ErrSent = errors.New("the call may have been made with these arguments")
	// ErrNoSuchTimer means the timer is gone; a late fire is a no-op.
	ErrNoSuchTimer = errors.New("no such timer")
	// ErrNoWaiter means that no token waits for this child or event, or that the event was received before.
	ErrNoWaiter = errors.New("nobody waits for it")
)

// FormError says which fields of an answer are missing or wrong, in words for people.
type FormError struct{ Fields map[string]string }

// Error lists the fields.
func (e *FormError) Error() string { return "the answer is not complete: " + e.Words() }

// Words say of each field what is wrong with it.
func (e *FormError) Words() string {
	parts := make([]string, 0, len(e.Fields))
	for _, name := range slices.Sorted(maps.Keys(e.Fields)) {
		parts = append(parts, name+" "+e.Fields[name])
	}
	return strings.Join(parts, "; ")
}

// Context is what Decide knows besides flow and state: values that differ between installations, never the clock.
type Context struct {
	RunID    string
	Origin   string                            // run id that idempotency keys name; differs from RunID in a forked run
	Effects  func(tool string) flow.Effects    // what the catalogue says of a tool; nil or "" = once
	Policy   func(tool string) flow.ToolPolicy // the operator's rule for calls of a tool; nil = all are allowed
	HasModel bool
	People   bool                                            // there is a directory that knows who may answer a gate, see Fired.Unanswerable
	Due      func(from time.Time, d flow.Duration) time.Time // adds clock time or working days by the installation's calendar
	Zone     *time.Location                                  // of times without a zone in wait nodes; nil = UTC
	// Follow says that a worker can go on with another token than the one it holds: with the first branch after a split, with
	// the parent after a join. The engine then writes that token's lease as held by the worker. Without it such tokens
	// are dispatched.
	Follow bool
	// AtHand says that a worker is free to perform a token that a start, an answer or a timer makes ready; it needs Follow. Without
	// it such tokens are dispatched.
	AtHand bool
	// Trial answers for values that are unknown when a flow is tried out; nil = the run is real.
	Trial scope.Trial
}

// Input is something that happened outside and that the machine decides about.
type Input interface{ input() }

// The inputs.
type (
	// Start begins the run. The facts of a start begin with run_started.
	Start struct {
		At    time.Time
		Actor history.Actor
		Run   history.RunStarted
		// Behind names the run with the same key that must be over before this one moves; empty = it moves at once.
		Behind string
		// Held are the pauses that it begins with: of its flow, of everything.
		Held []Pause
		// Remembered is what earlier runs have noted, see flow.Remembered.
		Remembered map[string]any
	}
	// Claimed says that a worker has taken a ready token. It starts the step.
	Claimed struct {
		At           time.Time
		Token, Epoch int
	}
	// Finished is a step's outcome from the worker that performed it.
	Finished struct {
		At                 time.Time
		Token, Step, Epoch int
		Output             history.Output
		Error              *history.NodeError // nil = Output counts
		Usage              *history.Usage
		// Questions are those of a Perform that asked some, and Verdicts the answers; Output is ignored.
		Questions []history.Question
		Verdicts  []history.Verdict
		// Asked is a call inside the step that needs a person's permission; Output is ignored, and the step goes on after the answer.
		Asked *history.CallAsked
		// Offer asks people to answer in the step's place (an agent without a model); Output is ignored.
		Offer *Offer
		// Message is delivered before the step is finished; Output is ignored.
		Message *Message
		// Leave says that the worker stops here: the token's next step is dispatched, so that other runs get a worker.
		Leave bool
		// Unknown says that Output is unknown; only with Context.Trial.
		Unknown bool
	}
	// Called journals an act inside a started step: its intent, or its outcome.
	Called struct {
		At                 time.Time
		Token, Step, Epoch int
		Intent             *history.CallIntended
		Outcome            *history.CallFinished
	}
	// Lost says that the worker of a token is gone. Read and idempotent steps are handed on under the same key; an
	// unfinished started step of a once tool becomes a question.
	Lost struct {
		At           time.Time
		Token, Epoch int
		Reason       string // crash or release
	}
	// Answer is a person's valid answer at a gate; who may answer was checked before.
	Answer struct {
		At     time.Time
		Actor  history.Actor
		Gate   int
		Choice string
		Note   string
		Text   string
		Form   map[string]any
		Value  json.RawMessage // for unknown and failure gates answered with "it was done, with this value" or "skip with a value"
		Shown  string          // hash of what the decider saw; without it an answer decides nothing
		// Unknown says that the text and the form are unknown; only with Context.Trial.
		Unknown bool
	}
	// Said is what the person who asked for a run says to its agents; whether it is that person was checked before.
	Said struct {
		At    time.Time
		Actor history.Actor
		Text  string
	}
	// Fired says that a timer is due.
	Fired struct {
		At time.Time
		ID int
		// Unanswerable is the reason why no person may answer the gate, for a timer that checks that. Empty = somebody
		// may. An engine that cannot find out does not fire the timer, and asks again later.
		Unanswerable string
	}
	// ChildOver is the end of a run that a subflow node has started. An error means that it could not be started.
	ChildOver struct {
		At     time.Time
		Child  string // id
		Name   string
		Status history.Status  // Succeeded or Cancelled
		Reason string          // why it was cancelled
		Output history.Output  // of a run that succeeded
		Ending *history.Ending // why it is not done although it succeeded
		Error  *history.NodeError
		// Unknown says that Output is unknown; only with Context.Trial.
		Unknown bool
	}
	// Happened offers events to the tokens that wait for one. The token that has waited longest receives the first event that is waited for.
	Happened struct {
		At     time.Time
		Events []Event // in order
		// Unknown says that what they contain is unknown; only with Context.Trial.
		Unknown bool
	}
	// Cancel ends the run.
	Cancel struct {
		At     time.Time
		Actor  history.Actor
		Reason string
	}
)

// Offer is a question that stands in for an agent's answer.
type Offer struct {
	Message string
	Form    map[string]flow.FormField
}

func (Start) input()    {}
func (Claimed) input()  {}
func (Finished) input() {}
func (Called) input()   {}
func (Lost) input()     {}
func (Answer) input()   {}
func (Said) input()     {}
func (Fired) input()    {}
func (Cancel) input()   {}

func (ChildOver) input() {}
func (Happened) input()  {}

// Effect is an action that the machine requests from its caller, performed after the facts are stored.
type Effect interface{ effect() }

// The effects.
type (
	// Perform asks the worker that holds the token to perform the started step.
	// At most one Perform comes with a decision. Its token is the input's, unless Context.Follow allows another.
	Perform struct {
		Token, Step, Epoch int
		Attempt            int
		Resumed            bool // the attempt had begun before, with another worker
		Node               *flow.Node
		Key                string // idempotency key of the step's act
		Prefix             string // origin-run/step: keys of acts inside the step append /call/generation
		Gen                int
		Params             map[string]any     // rendered; secrets are expr.SecretRef or expr.Sealed, resolved at call time only
		Written            []scope.Written    // which of them a language model wrote
		Input              string             // previous output as text, for agents
		Calls              []history.Call     // journalled acts to resume after
		Talk               []talk.Turn        // of an agent: the conversation in earlier steps
		Since              string             // messages to the agent after that
		Permit             *history.Permit    // a person's permission for one of its calls
		Granted            int                // how often its agent's limits were granted once more
		ByHand             bool               // a person answers in the agent's place
		Asked              []history.ToolCall // of a toolexec: the calls to perform
		Caller             string             // and the declared agent that asked for them; empty = none
		Effects            flow.Effects
		// Questions are about the step, which has finished with Output: they are to be answered, and nothing else is done.
		Questions []history.Question
		Output    history.Output
	}
	// Dispatch asks for a worker to claim the token.
	Dispatch struct{ Token, Epoch int }
	// Revoke tells the worker of an ended or handed token to stop.
	Revoke struct{ Token, Epoch int }
	// Unlease says that the token waits and that no worker holds it.
	Unlease struct{ Token int }
	// StartChild asks for a run of another flow, under an id that is the same however often it is asked for.
	StartChild struct {
		Child  string
		Flow   string
		Inputs map[string]any
		Depth  int // of the child: how many runs it lies within
	}
	// CancelChild asks for the end of a run that was asked for, whether it has started or not.
	CancelChild struct {
		Child string
		By    history.Actor
	}
	// TellParent says to the run that this one is a subflow of that it is over.
	TellParent struct {
		Parent string
		Status history.Status
		Reason string
	}
	// LookForEvent asks for a look at the events that have happened since the run started: a token waits for one.
	LookForEvent struct {
		Token, Step int
		Name        string
	}
)

func (Perform) effect()  {}
func (Dispatch) effect() {}
func (Revoke) effect()   {}
func (Unlease) effect()  {}

func (StartChild) effect()   {}
func (CancelChild) effect()  {}
func (TellParent) effect()   {}
func (LookForEvent) effect() {}

// Decision is the result of Decide: facts to store and effects to perform after that.
type Decision struct {
	Facts   []history.Fact
	Effects []Effect
	State   *history.State // the state after the facts
	Unknown []int64        // only with Context.Trial: facts that hold what was made from unknown values
}

// Event is something that happened in the workspace.
type Event struct {
	ID      string          `json:"id"` // the same event is received once, however often it is told
	Name    string          `json:"name"`
	At      time.Time       `json:"at"`
	By      history.Actor   `json:"by,omitzero"`
	Payload json.RawMessage `json:"payload,omitempty"`
}

// Message is a chat message of a step. It is delivered while no worker holds the step's token.
type Message struct {
	Channel string   // "#name", "@name" or an id
	Thread  string   // timestamp of the message to answer; empty = see Own
	Text    string   // with sensitive values; only the effect contains it, no fact does
	Model   [][2]int // its bytes that a language model wrote, from and to
	Key     string   // idempotency key of the act
	Own     bool     // it goes into the thread of the run, if its channel is that of the run
	Seek    bool     // an earlier attempt, or the run that this one was forked from, may have posted it: look before posting
	Result  bool     // the step gives where the message is, instead of its text
}

// Delivered is the end of a message's delivery: it was posted, refused for good, or withdrawn in time.
type Delivered struct {
	At                 time.Time
	Message            string // id
	Token, Step, Epoch int
	Channel, TS        string             // where it is
	Output             history.Output     // of the step, when the message was posted
	Error              *history.NodeError // nil = it was posted
}

func (Delivered) input() {}

type (
	// PostMessage asks for a message to be delivered, once, however long that takes.
	PostMessage struct {
		ID                 string
		Token, Step, Epoch int
		Message            Message
	}
	// WithdrawMessage withdraws a message whose step does not wait for it any more, see MessageWithdrawn.
	WithdrawMessage struct{ ID string }
)

func (PostMessage) effect()     {}
func (WithdrawMessage) effect() {}

type (
	// Pause holds the run: steps in flight come to their end, no other starts, and timers wait.
	Pause struct {
		At     time.Time
		Actor  history.Actor
		Scope  history.HoldScope
		Reason string
	}
	// Resume takes a hold away. When it was the last one the run goes on.
	Resume struct {
		At     time.Time
		Actor  history.Actor
		Scope  history.HoldScope
		Reason string
	}
)

func (Pause) input()  {}
func (Resume) input() {}
