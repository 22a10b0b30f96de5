package draftchart

import (
	"errors"
	"fmt"

	"sluice/engine/flow"
)

// Planning is a draft on its way to a runtime graph. The graph is built only after a person has confirmed the draft. The zero value has no draft.
type Planning struct {
	Policy    Policy
	Draft     *Draft     // as it is discussed
	Confirmed bool       // the draft that is discussed may be built
	Building  bool       // building has begun
	Dissolved *Dissolved // of the draft that was confirmed
	original  *Draft     // the draft that was confirmed
}

// Policy has the conditions under which a draft is saved. The zero value has none.
type Policy struct {
	Questions int // rounds of questions to the author
	Nodes     int
}

// The errors of the gate.
var (
	ErrNoDraft      = errors.New("there is no draft")
	ErrNotConfirmed = errors.New("the draft is not confirmed")
	ErrTooEarly     = errors.New("the draft does not have what the policy asks for")
)

// Event is what is told to those who watch a session.
type Event struct {
	Type     string `json:"type"`
	StreamID string `json:"stream_id"`
	Data     any    `json:"data"`
}

// The types of events.
const (
	EventDraft  = "draft_graph_updated"   // Data is the Draft
	EventMap    = "flowchart_map_updated" // Data is the MapAnswer
	EventStatus = "draft_status_updated"  // Data is the StatusAnswer
)

const stream = "queen"

// Save enriches a draft and puts it in the place of the one before, whose confirmation does not count for it. While building it is dissolved
// at once. questions is how many rounds of questions the author has answered.
func (p Planning) Save(d Draft, questions int) (Planning, []Event, error) {
	if questions < p.Policy.Questions || len(d.Nodes) < p.Policy.Nodes {
		return p, nil, fmt.Errorf("%w: %d rounds of questions and %d nodes", ErrTooEarly, p.Policy.Questions, p.Policy.Nodes)
	}
	d, _ = Enrich(d)
	p.Draft = &d
	if !p.Building {
		p.Confirmed = false
		return p, []Event{p.DraftEvent()}, nil
	}
	p = p.dissolve(nil)
	return p, []Event{p.DraftEvent(), p.MapEvent()}, nil
}

// Confirm dissolves the draft, so that it may be built. mapped says which nodes of the draft each runtime node stands for, where that is known
// already; nil = as the draft dissolves.
func (p Planning) Confirm(mapped map[string][]string) (Planning, []Event, error) {
	if p.Draft == nil {
		return p, nil, ErrNoDraft
	}
	p = p.dissolve(mapped)
	p.Confirmed = true
	return p, []Event{p.MapEvent()}, nil
}

func (p Planning) dissolve(mapped map[string][]string) Planning {
	original := p.Draft.clone()
	keep := map[string]bool{}
	for id := range mapped {
		keep[id] = true
	}
	x := Dissolve(original, keep)
	if mapped != nil {
		x.Map = mapped
	}
	p.original, p.Dissolved = &original, &x
	return p
}

// DraftEvent tells of the draft under discussion; there must be one.
func (p Planning) DraftEvent() Event { return Event{EventDraft, stream, *p.Draft} }

// MapEvent tells of the map, or that there is none.
func (p Planning) MapEvent() Event { return Event{EventMap, stream, p.MapAnswer()} }

// Build begins to build, and gives the graph without decisions.
func (p Planning) Build() (Planning, Draft, error) {
	switch {
	case p.Draft == nil:
		return p, Draft{}, ErrNoDraft
	case !p.Confirmed:
		return p, Draft{}, ErrNotConfirmed
	}
	p.Building = true
	return p, p.Dissolved.Draft, nil
}

// DraftAnswer is the answer to the question for the draft.
type DraftAnswer struct {
	Draft *Draft `json:"draft"`
}

// DraftAnswer gives the draft under discussion, or none.
func (p Planning) DraftAnswer() DraftAnswer { return DraftAnswer{p.Draft} }

// MapAnswer is the answer to the question for the map.
type MapAnswer struct {
	Map           map[string][]string `json:"map"`
	OriginalDraft *Draft              `json:"original_draft"`
}

// MapAnswer gives the map and the draft before its decisions were dissolved, or neither.
func (p Planning) MapAnswer() MapAnswer {
	if p.Dissolved == nil {
		return MapAnswer{}
	}
	return MapAnswer{p.Dissolved.Map, p.original}
}

// PlanningOf is the planning of a flow that was approved: its draft is confirmed.
func PlanningOf(f *flow.Flow) (Planning, error) {
	d, mapped := DraftOf(f)
	p, _, err := Planning{}.Save(d, 0)
	if err == nil {
		p, _, err = p.Confirm(mapped)
	}
	return p, err
}
