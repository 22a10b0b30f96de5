package gate

import (
	"encoding/json"
	"slices"

	"sluice/engine/history"
	"sluice/storage"
)

// Asked names the people that a question is for, as the flow says it. The directory says at the time of an answer who they are. It is
// stored with the gate, so that the questions that wait for somebody are found without looking at those of others.
type Asked struct {
	Names     []string `json:"names,omitempty"`     // groups and people as the flow names them
	Channel   string   `json:"channel,omitempty"`   // its members
	Requester string   `json:"requester,omitempty"` // the requester of the run
	Flow      string   `json:"flow,omitempty"`      // its owner, and admins: something went wrong
	Not       string   `json:"not,omitempty"`       // the requester of the run, when they may not answer
}

// AskedOf says whom a gate of a run is for.
func AskedOf(row storage.Run, body Body) Asked {
	var a Asked
	who := body.Opened.Who
	switch {
	case body.Opened.Kind == history.GateFailure || body.Opened.Kind == history.GateUnknown:
		a.Requester, a.Flow = row.By, row.Flow
	case body.Opened.Kind == history.GateTurn:
		a.Requester = row.By
	case who != nil && len(who.Groups)+len(who.Users) > 0:
		a.Names = slices.Concat(who.Groups, who.Users)
	case row.Channel == "":
		a.Requester = row.By
	default:
		a.Channel = row.Channel
	}
	a.Names = append(a.Names, body.Escalated...)
	if who.NotRequester() {
		a.Not = row.By
	}
	return a
}

// Key is the form in which a gate's row has it.
func (a Asked) Key() (string, error) {
	b, err := json.Marshal(a)
	return string(b), err
}
