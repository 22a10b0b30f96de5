package slacksim

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

var (
	errNoSocket = errors.New("the app has no socket open")
	errNoAck    = errors.New("the app did not acknowledge in time")
)

// envelope is what travels over a socket, apart from its id, which every sending gets anew.
type envelope struct {
	kind    string // events_api, interactive, slash_commands
	name    string // the event's or interaction's type, for faults
	payload json.RawMessage
	accepts bool // an ack may have a payload
	attempt int
	reason  string
}

func (e envelope) body() map[string]any {
	body := map[string]any{
		"type": e.kind, "payload": e.payload, "accepts_response_payload": e.accepts,
	}
	if e.kind == "events_api" {
		body["retry_attempt"], body["retry_reason"] = e.attempt, e.reason
	}
	return body
}

// deliver sends an envelope now (unless a fault delays it) and returns how to wait for its ack.
func (s *Server) deliver(e envelope) (wait func() (json.RawMessage, error)) {
	f := s.faults.takeSocket(e)
	if f != nil && (f.kind == faultDelay || f.kind == faultHold) {
		return func() (json.RawMessage, error) {
			f.wait(s.live)
			return s.deliverNow(e, nil)()
		}
	}
	return s.deliverNow(e, f)
}

func (s *Server) deliverNow(e envelope, f *fault) (wait func() (json.RawMessage, error)) {
	c := s.hub.pick()
	if c == nil {
		return func() (json.RawMessage, error) { return nil, errNoSocket }
	}
	if f != nil && f.kind == faultDrop {
		c.cut()
		return func() (json.RawMessage, error) { return nil, errNoAck }
	}
	ack := c.post(e.body())
	if f != nil && f.kind == faultDuplicate {
		s.postAgain(e)
	}
	if f != nil && f.kind == faultTimeout {
		ack = nil // it arrives, but its ack gets lost
	}
	return func() (json.RawMessage, error) { return s.awaitAck(c, ack) }
}

// postAgain sends an envelope a second time, over another socket if there is one; its ack is not waited for.
func (s *Server) postAgain(e envelope) {
	if c := s.hub.pick(); c != nil {
		c.post(e.body())
	}
}

func (s *Server) awaitAck(c *conn, ack <-chan json.RawMessage) (json.RawMessage, error) {
	timer := time.NewTimer(s.options.AckTimeout)
	defer timer.Stop()
	select {
	case payload := <-ack:
		return payload, nil
	default:
	}
	select {
	case payload := <-ack:
		return payload, nil
	case <-c.closed:
		return nil, errNoAck
	case <-timer.C:
		return nil, errNoAck
	case <-s.live.Done():
		return nil, errNoAck
	}
}

// queueEvent stores an event for the app; it is on its way as soon as s.mu, which is held, is free.
func (s *Server) queueEvent(event map[string]any) {
	id := newID("Ev0", 14)
	body, err := json.Marshal(map[string]any{
		"token": "slacksim", "type": "event_callback", "team_id": s.world.seed.Workspace.ID, "api_app_id": s.world.appID,
		"context_team_id": s.world.seed.Workspace.ID, "event": event, "event_id": id, "event_time": s.clock.now().Unix(),
		"event_context": "4-" + id, "is_ext_shared_channel": false,
		"authorizations": []map[string]any{{
			"enterprise_id": nil, "team_id": s.world.seed.Workspace.ID, "user_id": s.world.bot.ID,
			"is_bot": true, "is_enterprise_install": false,
		}},
	})
	if err != nil {
		s.log.Error("an event has no JSON form", "error", err)
		return
	}
	queued := &queuedEvent{ID: id, Payload: body}
	s.store(kindEvent, queued)
	s.world.keepEvent(queued)
	s.hub.signal()
}

// deliverEvents sends queued events in their order; each waits for its ack, and for its retries, on its own.
func (s *Server) deliverEvents() {
	for {
		for _, e := range s.takeEvents() {
			first := s.attempt(e)
			s.background(func() { s.followEvent(e, first) })
		}
		select {
		case <-s.live.Done():
			return
		case <-s.hub.wake:
		}
	}
}

// takeEvents claims what waits, if there is a socket to send it over.
func (s *Server) takeEvents() []*queuedEvent {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hub.count() == 0 {
		return nil
	}
	var taken []*queuedEvent
	for _, e := range s.world.events {
		if !e.flying {
			e.flying = true
			taken = append(taken, e)
		}
	}
	return taken
}

func (e *queuedEvent) envelope(kind string) envelope {
	var payload struct {
		Event struct{ Type string }
	}
	_ = json.Unmarshal(e.Payload, &payload) // we made it
	out := envelope{kind: kind, name: payload.Event.Type, payload: e.Payload, attempt: e.Attempts}
	if e.Attempts > 0 {
		out.reason = "timeout"
	}
	return out
}

// attempt is one sending of an event.
type attempt struct {
	sent   time.Time
	joined <-chan struct{} // closed when a socket came after the one that was sent over
	wait   func() (json.RawMessage, error)
}

func (s *Server) attempt(e *queuedEvent) attempt {
	joined, sent := s.hub.arrivals(), s.clock.now()
	return attempt{sent, joined, s.deliver(e.envelope("events_api"))}
}

// followEvent retries an event until it is acked, given up, or there is no socket left; then the next socket takes it up.
func (s *Server) followEvent(e *queuedEvent, now attempt) {
	for {
		_, err := now.wait()
		pause, again := s.settleEvent(e, err)
		if !again || !s.pauseRetry(now.sent.Add(pause), now.joined) {
			return
		}
		now = s.attempt(e)
	}
}

// settleEvent records how an attempt went and says how long after it to try again.
func (s *Server) settleEvent(e *queuedEvent, err error) (pause time.Duration, again bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live.Err() != nil {
		return 0, false // the next process takes it up
	}
	if errors.Is(err, errNoSocket) {
		e.flying = false
		s.hub.signal() // a socket may have come meanwhile
		return 0, false
	}
	if err != nil {
		e.Attempts++
	}
	if err == nil || e.Attempts > len(s.options.RetryAfter) {
		if err != nil {
			s.log.Warn("event given up", "event_id", e.ID, "attempts", e.Attempts)
		}
		done := &queuedEvent{ID: e.ID, Done: true}
		s.store(kindEvent, done)
		s.world.keepEvent(done)
		return 0, false
	}
	s.store(kindEvent, e)
	return s.options.RetryAfter[e.Attempts-1], true
}

// pauseRetry waits for the time of the next attempt, or for a new socket; it is false when the workspace closes.
func (s *Server) pauseRetry(until time.Time, joined <-chan struct{}) bool {
	ctx, cancel := context.WithCancel(s.live)
	defer cancel()
	due := make(chan error, 1)
	go func() { due <- s.clock.sleepUntil(ctx, until) }()
	select {
	case err := <-due:
		return err == nil
	case <-joined:
		return true
	}
}
