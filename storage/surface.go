package storage

import "time"

// SurfaceDeleted is the hash of a surface whose message was deleted, as long as nothing has been done about it.
const SurfaceDeleted = "deleted"

// Surface is a message that shows state: a projection, never the truth. It is stale while Wanted > Shown.
type Surface struct {
	ID      string // also the client key of its message
	Kind    string
	Ref     string // what it shows: "run:ID", "draft:ID", "gate:ID", ...
	Channel string
	Thread  string // "" = top level
	User    string // for a private line
	TS      string // "" until posted
	Body    []byte // JSON, for surfaces that are not derived from other rows
	Wanted  int64
	Shown   int64
	Hash    string // of what is shown now, or SurfaceDeleted
	File    string // picture shown now
	RetryAt time.Time
	Tries   int
	Created time.Time
	// Blocked is why Slack takes no message for it at present, "" = nothing is known against it; BlockedAt is since when.
	Blocked   string
	BlockedAt time.Time
	Aside     string // the release that has given up showing it in full; "" = none
	Delivery  []byte // JSON: what is noted of its delivery
}

// Blocked says how many surfaces wait for the same cause, and since when.
type Blocked struct {
	Cause    string
	Since    time.Time
	Surfaces int
}
