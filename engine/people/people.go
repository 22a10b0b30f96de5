// Package people says who may do what at this moment: it looks up in the directory who people are and which groups and channels they are
// in, and asks engine/authority.
//
//	actor, about -> Principal, relations (directory, store) -> authority.May -> nil, *authority.Denied, or a fault
//
// Everything that decides a right asks May, or MayDecide for a question. The package decides nothing by itself, moves no run, and knows
// neither Slack nor SQL: Directory is filled in by another package.
//
// Where to look next: may.go (rights), deciders.go (for whom a question is), gates.go (rights at a question), waiting.go (what waits for
// somebody), and engine/authority, which has the table of rules.
package people

import (
	"context"
	"errors"
	"log/slog"

	"sluice/engine/gate"
	"sluice/storage"
)

// Store is the part of the store that is read.
type Store interface {
	gate.Store
	Flow(ctx context.Context, name string) (storage.Flow, error)
	Run(ctx context.Context, id string) (storage.Run, error)
	Gates(ctx context.Context, q storage.GateQuery) ([]storage.Gate, error)
	OpenAsked(ctx context.Context) ([]storage.AskedCount, error)
}

// People answers who may do what. Its methods are safe for concurrent use.
type People struct {
	store     Store
	directory Directory
	admins    []string
	log       *slog.Logger
}

// New looks people up in a directory; nil = there are none: anybody may decide (the terminal). admins are user ids.
func New(store Store, directory Directory, admins []string, log *slog.Logger) *People {
	return &People{store: store, directory: directory, admins: admins, log: log}
}

// ErrUnknownName is what a Directory answers when no person, group or channel has a name. Any other error means that it could not ask.
var ErrUnknownName = errors.New("unknown name")

// Directory answers who people are. bot/slack fills it in; answers may be cached for seconds.
type Directory interface {
	// Resolve finds a group, user or channel by "@name", "#name" or id. ErrUnknownName: there is none.
	Resolve(ctx context.Context, name string) (Principal, error)
	// Members lists the user ids of a group or channel; of a user, that user.
	Members(ctx context.Context, p Principal) ([]string, error)
	// Person describes a user. ErrUnknownName: no user has this id.
	Person(ctx context.Context, id string) (Person, error)
}

// Lister is what a Directory is besides when it can list what there is.
type Lister interface {
	// Names lists groups, people and public channels with their sigils.
	Names(ctx context.Context) ([]string, error)
}

// Principal is a person, group or channel that a flow can name.
type Principal struct {
	Kind string // user, group or channel; unknown for a name that does not exist
	ID   string
	Name string // with its sigil: @finance
}

// Person is a user.
type Person struct {
	ID, Name, Team, Zone string
	Active, Guest, Bot   bool
	Admin                bool
	Foreign              bool     // of another workspace
	Teams                []string // workspaces of the same organisation that they are in, besides Team
}
