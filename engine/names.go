package engine

import (
	"sluice/engine/dryrun"
	"sluice/engine/gate"
	"sluice/engine/people"
	"sluice/engine/trigger"
	"sluice/engine/usererror"
	"sluice/engine/view"
	"sluice/storage"
)

// What the operations of the engine speak of, under the names that their callers use. Each is declared by the package that deals with it.
type (
	// UserError is what a person asked that cannot be done.
	UserError = usererror.Error
	// NotAllowedError means that somebody may not do something at a gate.
	NotAllowedError = people.NotAllowedError
	// Directory answers who people are.
	Directory = people.Directory
	// Lister is what a Directory is besides when it can list what there is.
	Lister = people.Lister
	// Principal is a person, group or channel that a flow can name.
	Principal = people.Principal
	// Person is a user.
	Person = people.Person
	// Elsewhere are the people of a question who do not see where it is asked.
	Elsewhere = people.Elsewhere
	// About is what an action is about.
	About = people.About
	// View is a run as people look at it.
	View = view.View
	// TryRequest says with what a flow is tried.
	TryRequest = dryrun.Request
	// GateBody is what a gate's row holds beside its columns.
	GateBody = gate.Body
)

// Kinds of triggers that answer to something that happens.
const (
	TriggerMessage  = trigger.Message
	TriggerReaction = trigger.Reaction
	TriggerWebhook  = trigger.Webhook
)

// Errors of a Directory.
var (
	ErrUnknownName = people.ErrUnknownName
	ErrLookup      = people.ErrLookup
)

// AboutFlow is a flow.
func AboutFlow(f storage.Flow) About { return people.AboutFlow(f) }

// AboutRun is a run of a flow.
func AboutRun(f storage.Flow, r storage.Run) About { return people.AboutRun(f, r) }

// DecodeGate reads a gate row's body.
func DecodeGate(g storage.Gate) (GateBody, error) { return gate.Decode(g) }

// GateID is the id of a run's n-th gate.
func GateID(runID string, n int) string { return gate.ID(runID, n) }
