package slacksim

import (
	"encoding/json"
	"net/http"
)

// Shop is the outside service that the workspace serves beside itself, so that one address is enough. It records what
// reached it and can be made to misbehave. All methods may be called concurrently.
type Shop interface {
	// Handler is the service.
	Handler() http.Handler
	// ArrivalsJSON and BookingsJSON are arrays: what arrived (method, path, key, body) and what was booked, oldest first.
	ArrivalsJSON() json.RawMessage
	BookingsJSON() json.RawMessage
	// SetFault makes the next `times` requests that match misbehave; the kinds are those of POST /control/fault.
	SetFault(kind, method, path, after string, times int) error
	// Release frees every request that a fault holds.
	Release()
	// Reset forgets arrivals, bookings and faults.
	Reset() error
}
