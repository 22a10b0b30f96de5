package history

import (
	"encoding/json"
	"time"

	"sluice/engine/flow"
)

// Fact is one thing that happened, as stored. Applying a run's facts in order gives its state.
// A fact states outcomes, so that Apply needs neither the flow nor an expression.
type Fact struct {
	Seq     int64     `json:"seq"`
	Kind    FactKind  `json:"kind"`
	Version int       `json:"v"` // of the kind's body; upcasters lift older ones
	At      time.Time `json:"at"`
	Actor   Actor     `json:"actor,omitzero"`
	Token   int       `json:"token,omitempty"`
	Node    string    `json:"node,omitempty"`
	Step    int       `json:"step,omitempty"`
	Body    Body      `json:"-"` // stored separately, see Encode and DecodeFact
}

// FactKind names a kind of fact.
type FactKind string

// Body is the part of a fact that belongs to its kind.
// All bodies are pointers to the types below.
type Body interface {
	apply(s *State, f Fact) error
}

// The bodies, one type per kind of fact.
type (
	// RunStarted is always fact 1.
	RunStarted struct {
		Flow        string         `json:"flow"`
		Revision    int            `json:"revision"`
		Hash        string         `json:"hash"` // of the approved flow and its lock
		Name        string         `json:"name"`
		Entry       string         `json:"entry,omitempty"` // where it began; empty = at the flow's entry
		Title       string         `json:"title,omitempty"`
		Key         string         `json:"key,omitempty"`
		Inputs      map[string]any `json:"inputs,omitempty"`
		Event       map[string]any `json:"event,omitempty"`
		By          string         `json:"by,omitempty"`           // the requester: user id
		DuplicateOf string         `json:"duplicate_of,omitempty"` // run that already held the key
		Reason      string         `json:"reason,omitempty"`       // why it was started all the same
		Parent      string         `json:"parent,omitempty"`       // run whose subflow node started it
		Depth       int            `json:"depth,omitempty"`        // how many runs it lies within
	}
	// TokenMade puts a token before a node (the entry).
	TokenMade struct {
		ID     int    `json:"id"`
		Frame  int    `json:"frame"`
		Branch int    `json:"branch,omitempty"`
		At     string `json:"at"` // node
		Edge   string `json:"edge,omitempty"`
		Prev   int64  `json:"prev,omitempty"`
	}
	// StepStarted is the stored intent of a node's act: written before anything outside happens.
	StepStarted struct {
		Attempt int             `json:"attempt"`
		Epoch   int             `json:"epoch"`
		Gen     int             `json:"gen,omitempty"`
		Effects flow.Effects    `json:"effects,omitempty"`
		Key     string          `json:"key,omitempty"`     // idempotency key of the act
		Params  json.RawMessage `json:"params,omitempty"`  // rendered, secrets redacted
		Resumed bool            `json:"resumed,omitempty"` // repeated after a crash under the same key
		GoesOn  bool            `json:"goes_on,omitempty"` // it drops a refusal: the run was not at its end (Ending)
	}
	// CallIntended is the stored intent of an act inside a step.
	CallIntended struct {
		Number  int             `json:"n"`
		What    string          `json:"what"` // tool name, or "model"
		Key     string          `json:"key,omitempty"`
		Effects flow.Effects    `json:"effects,omitempty"`
		Args    json.RawMessage `json:"args,omitempty"`
		GoesOn  bool            `json:"goes_on,omitempty"` // as of StepStarted
	}
	// CallFinished is the outcome of an act inside a step.
	CallFinished struct {
		Number int             `json:"n"`
		Result json.RawMessage `json:"result,omitempty"`
		Error  *NodeError      `json:"error,omitempty"`
		Usage  *Usage          `json:"usage,omitempty"`
	}
	// StepFinished holds a node's output. Reads of other nodes refer to its sequence number.
	StepFinished struct {
		Output Output `json:"output"`
		JSON   bool   `json:"json,omitempty"` // an agent's answer that is a JSON object
		Usage  *Usage `json:"usage,omitempty"`
		Given  bool   `json:"given,omitempty"`  // a person gave the value
		Reused int64  `json:"reused,omitempty"` // fact that kept the output: nothing was done
		From   int64  `json:"from,omitempty"`   // the output is the one of that fact, not repeated here
		Aside  bool   `json:"aside,omitempty"`  // "previous" stays what it was (decisions)
		// Answers names the node of the agent that asked for the calls whose results the output holds.
		Answers string `json:"answers,omitempty"`
		Speaks  bool   `json:"speaks,omitempty"` // an agent says it to the person of the run
		Items   *Items `json:"items,omitempty"`  // the output is the list of these items' results, gathered when read
	}
	// StepFailed is one failed attempt.
	StepFailed struct {
		Error   NodeError `json:"error"`
		Attempt int       `json:"attempt"`
		Next    string    `json:"next"` // NextRetry, ...
	}
	// RouteTaken moves a token along an edge to a node, or ends its path (To = "end").
	RouteTaken struct {
		Edge string         `json:"edge,omitempty"` // empty when the path ends because no route matched
		To   string         `json:"to"`
		Why  string         `json:"why,omitempty"`  // the condition, for "why this branch"
		Seen map[string]any `json:"seen,omitempty"` // the values that decided
	}
	// FrameOpened opens a frame with one token per branch, placed before the branch's head. Token 0 stands for a branch
	// that a limit did not let start.
	FrameOpened struct {
		Frame  int      `json:"frame"`
		Tokens []int    `json:"tokens"`
		Heads  []string `json:"heads"`
		Edges  []string `json:"edges"`
		// Of routes that are taken at the same time instead of the branches of a parallel node: the node where their ways
		// meet, whether one of them is there already, and the values that decided.
		Spread bool           `json:"spread,omitempty"`
		Meet   string         `json:"meet,omitempty"`
		Met    bool           `json:"met,omitempty"`
		Seen   map[string]any `json:"seen,omitempty"`
	}
	// ItemsListed holds a part of the list of a foreach. The parts follow each other without a gap, then comes ItemsOpened.
	ItemsListed struct {
		Items []json.RawMessage `json:"items"`
	}
	// ItemsOpened opens the frame of a foreach.
	ItemsOpened struct {
		Frame int   `json:"frame"`
		Total int   `json:"total"`
		List  int64 `json:"list"`  // first ItemsListed
		Width int   `json:"width"` // items in each of them but the last
	}
	// ItemStarted puts a token before the head of a foreach's body, for one item. The token's previous output is the item.
	ItemStarted struct {
		Frame int             `json:"frame"`
		Slot  int             `json:"slot"` // branch of the frame, free until now
		Index int             `json:"index"`
		Token int             `json:"token"`
		Head  string          `json:"head"`
		Edge  string          `json:"edge"`
		Item  json.RawMessage `json:"item"`
	}
	// ItemEnded is the result of an item, and frees its slot.
	ItemEnded struct {
		Frame  int        `json:"frame"`
		Index  int        `json:"index"`
		Output int64      `json:"output,omitempty"` // fact that holds the result; 0 = no node on its path gave an output
		Error  *NodeError `json:"error,omitempty"`  // kept in the result's place
	}
	// PathEnded ends a token.
	PathEnded struct {
		Reason  string  `json:"reason"`            // EndRoute, ...
		Met     string  `json:"met,omitempty"`     // node where it meets other ways of its frame
		Outcome Outcome `json:"outcome,omitempty"` // that it declares
	}
	// BranchFailed stops a branch because of an error that no route caught, or because the join timed out. Its tokens stay
	// where they are until the join is closed or tried again.
	BranchFailed struct {
		Frame  int       `json:"frame"`
		Branch int       `json:"branch"`
		Error  NodeError `json:"error"`
	}
	// BranchRetried starts a failed branch again where it stopped.
	BranchRetried struct {
		Frame  int `json:"frame"`
		Branch int `json:"branch"`
	}
	// Joined closes a frame: outputs of the branches are merged into the parent in declared order.
	Joined struct {
		Frame  int     `json:"frame"`
		Reason string  `json:"reason"`           // all, any, count, items, failed, skipped, met
		Ended  []int   `json:"ended,omitempty"`  // tokens that were ended by it
		Output *Output `json:"output,omitempty"` // the outputs of ways that meet, as one: the previous output from there on
	}
	// VarsSet writes variables.
	VarsSet struct {
		Vars  map[string]any `json:"vars"`
		Large []string       `json:"large,omitempty"` // of these the state keeps no value: it refers to this fact
	}
	// WordsKept keeps a person's message for the agent of a conversation that waits for one next.
	WordsKept struct {
		Text string `json:"text"`
	}
	// GateReminded asks again: the same people, or (Escalated) other people who may answer from now on as well, or (Asked) one person of those
	// who may answer, because another one of them has named that person.
	GateReminded struct {
		Gate      int    `json:"gate"`
		Escalated string `json:"escalated,omitempty"`
		Asked     string `json:"asked,omitempty"` // user id
	}
	// CallEdited sets arguments of a call that waits for a person's permission. The question is about them from then on, with a hash of its own.
	CallEdited struct {
		Gate  int             `json:"gate"`
		Edits json.RawMessage `json:"edits"`         // all values that people have set so far, by name; null = the argument is left out
		Was   json.RawMessage `json:"was,omitempty"` // what stood in their places, as it was shown
		Args  json.RawMessage `json:"args"`          // with them, as they are shown
		Hash  string          `json:"hash"`
		Shown string          `json:"shown,omitempty"` // hash of what the person had seen
	}
	// Voted is one valid answer that does not decide yet.
	Voted struct {
		Gate   int    `json:"gate"`
		Choice string `json:"choice"`
		Note   string `json:"note,omitempty"`
		Shown  string `json:"shown,omitempty"`
	}
	// GateDecided closes a gate. Choice may be timeout, superseded or cancelled.
	GateDecided struct {
		Gate   int            `json:"gate"`
		Choice string         `json:"choice"`
		Note   string         `json:"note,omitempty"`
		Text   string         `json:"text,omitempty"` // free answer
		Form   map[string]any `json:"form,omitempty"`
		Shown  string         `json:"shown,omitempty"`
		// The outcome of the run if it ends after this answer, whatever is done until then (Firm), or
		// that an earlier refusal does not count any more (Settles).
		Ends    Outcome `json:"ends,omitempty"`
		Firm    bool    `json:"firm,omitempty"`
		Settles bool    `json:"settles,omitempty"`
	}
	// TimerSet stores a timer.
	TimerSet struct {
		Timer Timer `json:"timer"`
	}
	// TimerGone removes a timer: it fired or is not needed any more.
	TimerGone struct {
		ID    int           `json:"id"`
		Fired bool          `json:"fired,omitempty"`
		Left  time.Duration `json:"left,omitempty"` // the timeout of a join is stopped with so much left, in nanoseconds
	}
	// ChildStarted starts a run of another flow for a subflow node, which waits for its end.
	ChildStarted struct {
		Child   string          `json:"child"` // id of the run, the same however often the decision is made
		Flow    string          `json:"flow"`
		Attempt int             `json:"attempt"`
		Gen     int             `json:"gen,omitempty"`
		Inputs  json.RawMessage `json:"inputs,omitempty"`  // rendered, sensitive ones as dots
		GoesOn  bool            `json:"goes_on,omitempty"` // as of StepStarted
	}
	// ChildEnded is the end of the child that a subflow node waits for. What it gave is in the StepFinished that follows.
	ChildEnded struct {
		Child  string  `json:"child"`
		Name   string  `json:"name,omitempty"` // of the run; empty = it could not be started
		Status Status  `json:"status"`
		Reason string  `json:"reason,omitempty"`
		Ending *Ending `json:"ending,omitempty"` // why it is not done
	}
	// ChildCancelled says that the run does not wait for a child any more: the child is told to end.
	ChildCancelled struct {
		Child string `json:"child"`
	}
	// EventWaited has a token wait for an event.
	EventWaited struct {
		Name    string `json:"name"`
		Attempt int    `json:"attempt,omitempty"`
	}
	// EventReceived ends the wait for an event. What it contains is in the StepFinished that follows.
	EventReceived struct {
		ID     string    `json:"id"`
		Name   string    `json:"name"`
		At     time.Time `json:"at"`               // when it happened
		Forget int       `json:"forget,omitempty"` // of the events heard so far, how many of the earliest need not be remembered one by one
	}
	// TokenHanded raises a token's epoch: the worker that held it is fenced.
	TokenHanded struct {
		Epoch  int    `json:"epoch"`
		Reason string `json:"reason"` // crash, release, retry, again, dispatch
		Gen    int    `json:"gen,omitempty"`
	}
	// LateResult keeps the outcome of an act whose token was ended meanwhile. It moves nothing.
	LateResult struct {
		Call   int        `json:"n,omitempty"` // number of the act inside the step; 0 = the step itself
		Output *Output    `json:"output,omitempty"`
		Error  *NodeError `json:"error,omitempty"`
		Usage  *Usage     `json:"usage,omitempty"`
	}
	// LimitReached names the limit that stopped a path, and its consequence.
	LimitReached struct {
		Limit  string           `json:"limit"` // max_iterations, steps, items, timeout, vars
		Action flow.LimitAction `json:"action"`
		Value  int64            `json:"value"` // visits, items, bytes, or milliseconds of active time
	}
	// LimitLifted grants a limit once more because a person said so: a limit of an agent to the fact's token, others to the run.
	LimitLifted struct {
		Limit string `json:"limit"`
	}
	// RevisionChanged moves the run to another revision.
	RevisionChanged struct {
		Revision int    `json:"revision"`
		Hash     string `json:"hash"`
		Again    []int  `json:"again,omitempty"` // tokens whose step failed and is another one now: its next act has a new key
	}
	// RunEnded is the last fact of a final run; a failed run may go on after it.
	RunEnded struct {
		Status  Status     `json:"status"`
		Outcome Outcome    `json:"outcome,omitempty"` // since version 2
		Ending  *Ending    `json:"ending,omitempty"`  // the decision that made the outcome
		Error   *NodeError `json:"error,omitempty"`
		Reason  string     `json:"reason,omitempty"`
		Output  int64      `json:"output,omitempty"`
	}
	// RunReopened makes a failed run live again because a person said so.
	RunReopened struct {
		Reason string `json:"reason"` // retry, skip, reopen
	}
)

// The consequences of a failed attempt, in StepFailed.Next.
const (
	NextRetry  = "retry"  // a timer runs
	NextRoute  = "route"  // an error route was taken
	NextBranch = "branch" // the branch failed
	NextStop   = "stop"   // the run stopped and asks a person
)

// Why a path ended, in PathEnded.Reason.
const (
	EndRoute     = "end"      // a route led to the end
	EndTerminal  = "terminal" // a terminal node
	EndNoRoute   = "no_route" // no route matched
	EndLimit     = "limit"
	EndMet       = "met" // it meets other ways
	EndCancelled = "cancelled"
)

// Choices that no author can declare: something else than an answer closed the gate.
const (
	ChoiceTimeout    = "timeout"
	ChoiceSuperseded = "superseded" // its branch was not needed any more
	ChoiceCancelled  = "cancelled"
)

// Choices of the gates that the machine opens itself.
const (
	ChoiceAgain = "again" // unknown: do it again, under a new key
	ChoiceDone  = "done"  // unknown: it was done, with this value
	ChoiceRetry = "retry" // failure: try the step again
	ChoiceSkip  = "skip"  // failure: go on with this value
	ChoiceAbort = "abort" // cancel the run
	// Choices at the limit of an agent, see NodeError.grants.
	ChoiceContinue = "continue" // grant as much again
	ChoiceAnswer   = "answer"   // a person answers in the agent's place
	ChoiceYes      = "yes"      // judge: it is so; call: it may be made
	ChoiceNo       = "no"
	// ChoiceReopen is no choice of a gate: it closes the failure gate of a gate that timed out and is opened again.
	ChoiceReopen = "reopen"
)

// Shown is one value that deciders see.
type Shown struct {
	Name  string `json:"name"`
	Value any    `json:"value"`
	Model bool   `json:"model,omitempty"` // a language model wrote it
}

// Usage counts the tokens and the price of a model call.
type Usage struct {
	Model        string  `json:"model,omitempty"`
	InputTokens  int     `json:"input_tokens"`
	OutputTokens int     `json:"output_tokens"`
	USD          float64 `json:"usd,omitempty"`
	Priced       bool    `json:"priced,omitempty"` // the price was known; else the cost is unknown unless there is one
	Unpriced     string  `json:"-"`                // of a sum: a model whose cost is not in it
}
