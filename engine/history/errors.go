package history

// Names of the limits, in LimitReached.
const (
	LimitVisits = "max_iterations"
	LimitSteps  = "steps"
	LimitActive = "timeout"
	LimitVars   = "vars"
	LimitItems  = "items"
	LimitOutput = "output"
	LimitNode   = "node_visits/" // before the node's id
	// Limits of a node itself: an error of the node first, see nodeLimit.
	LimitNodeTime = "node_timeout"
	LimitAgent    = "agent_limits" // turns, tokens, money and time of an agent
)

// Types of the errors that the machine itself makes. Error routes match them like any other.
const (
	ErrorExpression = "ExpressionError"  // a broken or too costly expression
	ErrorJoin       = "JoinError"        // branches failed, or too few reached their end
	ErrorGate       = "GateTimeout"      // the gate expired without an answer
	ErrorPeople     = "GateUnanswerable" // no person may answer the gate
	ErrorTooLarge   = "GateTooLarge"     // the gate does not fit into any message
	ErrorLimit      = "LimitError"       // a limit was reached and its action is fail
	ErrorUnknown    = "UnknownOutcome"   // a worker was lost during an act that must not be repeated
	ErrorBranch     = "BranchTimeout"    // a branch did not end within the join's timeout
	ErrorItem       = "ItemError"        // items of a foreach failed
	ErrorSubflow    = "SubflowError"     // the run of a subflow node was cancelled, or could not be started
	ErrorOpaque     = "UnsupportedError" // this version cannot run the node
	ErrorPolicy     = "PolicyError"      // the operator forbids every call of the tool
	ErrorRefused    = "CallRefused"      // a person said no to a call
	ErrorTimeout    = "TimeoutError"     // the node took longer than its timeout
	ErrorWithdrawn  = "Withdrawn"        // a message was taken back before it was posted; only in late results
)
