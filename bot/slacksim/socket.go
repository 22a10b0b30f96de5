package slacksim

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/coder/websocket"
)

const (
	// maxSockets is how many connections an app may have.
	maxSockets = 10
	// maxAckPayload is the size from which Slack refuses an ack's payload.
	maxAckPayload = 20_000
	// debugLife is how long a socket lives whose client asked for debug_reconnects.
	debugLife = 6 * time.Minute
)

// hub holds the app's sockets. Each payload goes to one of them.
type hub struct {
	wake chan struct{} // there may be something to deliver

	mu     sync.Mutex
	conns  []*conn
	next   int
	joined chan struct{} // closed and replaced when a socket has said hello
}

func newHub() *hub {
	return &hub{wake: make(chan struct{}, 1), joined: make(chan struct{})}
}

// conn is one socket.
type conn struct {
	ws     *websocket.Conn
	out    chan []byte
	closed chan struct{}
	once   sync.Once

	mu      sync.Mutex
	pending map[string]chan json.RawMessage
}

func (h *hub) signal() {
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

// add takes a socket in unless there are too many; its hello is queued before anything else can be.
func (h *hub) add(c *conn, hello func(count int) []byte) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.conns) >= maxSockets {
		return false
	}
	h.conns = append(h.conns, c)
	c.out <- hello(len(h.conns))
	return true
}

func (h *hub) remove(c *conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.conns = slices.DeleteFunc(h.conns, func(other *conn) bool { return other == c })
}

func (h *hub) announce() {
	h.mu.Lock()
	close(h.joined)
	h.joined = make(chan struct{})
	h.mu.Unlock()
	h.signal()
}

func (h *hub) arrivals() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.joined
}

func (h *hub) count() int { return len(h.open()) }

// pick takes the next socket in turn, nil if there is none.
func (h *hub) pick() *conn {
	list := h.open()
	if len(list) == 0 {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.next++
	return list[h.next%len(list)]
}

// open are the sockets that were not cut.
func (h *hub) open() []*conn {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(h.conns), (*conn).isClosed)
}

func (h *hub) closeAll() {
	for _, c := range h.open() {
		c.cut()
	}
}

func (c *conn) isClosed() bool {
	select {
	case <-c.closed:
		return true
	default:
		return false
	}
}

// cut ends the socket without a word, as a lost network does.
func (c *conn) cut() {
	c.once.Do(func() {
		close(c.closed)
		_ = c.ws.CloseNow() // the other side may be gone already
	})
}

// post queues an envelope and returns the channel of its ack; nil if the socket is closed.
func (c *conn) post(envelope map[string]any) <-chan json.RawMessage {
	id := newID("", 24)
	envelope["envelope_id"] = id
	body, err := json.Marshal(envelope)
	if err != nil {
		return nil
	}
	ack := make(chan json.RawMessage, 1)
	c.mu.Lock()
	c.pending[id] = ack
	c.mu.Unlock()
	select {
	case c.out <- body:
		return ack
	case <-c.closed:
		return nil
	}
}

func (c *conn) acked(id string, payload json.RawMessage) {
	c.mu.Lock()
	ack := c.pending[id]
	delete(c.pending, id)
	c.mu.Unlock()
	if ack != nil {
		ack <- payload
	}
}

// serveSocket is the websocket address that apps.connections.open handed out; a ticket opens one socket.
func (s *Server) serveSocket(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	ticket := r.URL.Query().Get("ticket")
	known := s.tickets[ticket]
	delete(s.tickets, ticket)
	s.mu.Unlock()
	if !known {
		http.Error(w, "unknown or used ticket: call apps.connections.open for a new one", http.StatusForbidden)
		return
	}
	// Clients send Slack's own origin, pages of browsers theirs; the ticket is what admits them.
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{OriginPatterns: []string{"https://api.slack.com", "https://slack.com"}})
	if err != nil {
		s.log.Warn("socket refused", "error", err)
		return
	}
	ws.SetReadLimit(1 << 20)
	c := &conn{ws: ws, out: make(chan []byte, 256), closed: make(chan struct{}), pending: map[string]chan json.RawMessage{}}
	defer c.cut()
	until := s.clock.now().Add(debugLife)
	if !s.hub.add(c, s.hello) {
		s.sayGoodbye(c, "too_many_websockets")
		return
	}
	defer s.forget(c)
	s.background(func() { s.writeSocket(c) })
	if r.URL.Query().Get("debug_reconnects") == "true" {
		s.background(func() { s.endLater(c, until) })
	}
	s.noteSocket()
	s.hub.announce()
	s.readSocket(c)
}

// forget takes a socket out of the hub; a caller that waits for its acks learns it from c.closed.
func (s *Server) forget(c *conn) {
	s.hub.remove(c)
	c.cut()
	s.noteSocket()
}

func (s *Server) noteSocket() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.note("socket", nil, change{})
}

func (s *Server) hello(count int) []byte {
	body, _ := json.Marshal(map[string]any{ // plain values always have a JSON form
		"type": "hello", "num_connections": count,
		"connection_info": map[string]any{"app_id": s.world.appID},
		"debug_info":      map[string]any{"host": "slacksim", "build_number": 1, "approximate_connection_time": 18060},
	})
	return body
}

func (s *Server) readSocket(c *conn) {
	for {
		_, body, err := c.ws.Read(s.live)
		if err != nil {
			return
		}
		var ack struct {
			EnvelopeID string          `json:"envelope_id"`
			Payload    json.RawMessage `json:"payload"`
		}
		switch err := json.Unmarshal(body, &ack); {
		case err != nil:
			s.log.Warn("the app sent something that is not an ack", "error", err)
		case len(ack.Payload) >= maxAckPayload:
			s.log.Warn("ack refused: its payload is too large", "bytes", len(ack.Payload), "limit", maxAckPayload)
		default:
			c.acked(ack.EnvelopeID, ack.Payload)
		}
	}
}

// writeSocket sends what is queued and pings in between: clients reconnect when they hear no ping for 30 s.
func (s *Server) writeSocket(c *conn) {
	ping := time.NewTicker(s.options.PingEvery)
	defer ping.Stop()
	defer c.cut()
	for {
		var err error
		ctx, cancel := context.WithTimeout(s.live, 10*time.Second)
		select {
		case <-c.closed:
			cancel()
			return
		case body := <-c.out:
			err = c.ws.Write(ctx, websocket.MessageText, body)
		case <-ping.C:
			err = c.ws.Ping(ctx)
		}
		cancel()
		if err != nil {
			return
		}
	}
}

func (s *Server) endLater(c *conn, until time.Time) {
	ctx, cancel := context.WithCancel(s.live)
	defer cancel()
	go func() {
		select {
		case <-c.closed:
			cancel()
		case <-ctx.Done():
		}
	}()
	if s.clock.sleepUntil(ctx, until) == nil {
		s.sayGoodbye(c, "refresh_requested")
	}
}

// sayGoodbye tells the client why, then closes.
func (s *Server) sayGoodbye(c *conn, reason string) {
	ctx, cancel := context.WithTimeout(s.live, 5*time.Second)
	defer cancel()
	body := fmt.Appendf(nil, `{"type":"disconnect","reason":%q,"debug_info":{"host":"slacksim"}}`, reason)
	if err := c.ws.Write(ctx, websocket.MessageText, body); err == nil {
		_ = c.ws.Close(websocket.StatusNormalClosure, reason) // the client often closes first
	}
	c.cut()
}

// newID is prefix and random capitals and digits, n characters in all.
func newID(prefix string, n int) string {
	return (prefix + rand.Text() + rand.Text())[:n]
}
