package slacksim

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Options says how a workspace is set up. The zero value is an empty workspace with the default seed, in memory.
type Options struct {
	// Dir is the data directory; it is made if missing. Empty keeps everything in memory.
	Dir string
	// Seed is the initial content of the workspace; without users it is [DefaultSeed].
	Seed Seed
	// Fresh forgets what Dir holds.
	Fresh bool
	// Log receives what goes wrong and, at debug level, every call. Nil discards it.
	Log *slog.Logger
	// Shop is served under /shop/ and shown by /control/shop. Nil leaves both out.
	Shop Shop
	// ClockHook is called with the distance each time that the clock is moved, and once by [New] when the stored clock
	// was ahead already, so that the bot's clock in the same process can follow. It must not call back into the Server.
	ClockHook func(d time.Duration)

	// ClockAhead is how far this clock is ahead of the machine's from the start, less than zero when it is behind.
	ClockAhead time.Duration

	// AckTimeout is how long an envelope waits for its ack: Slack's 3 s if zero.
	AckTimeout time.Duration
	// RetryAfter is how long after each failed delivery of an event the next is tried, by the workspace's clock: at once,
	// 1 minute, 5 minutes if nil. After the last the event is given up.
	RetryAfter []time.Duration
	// PingEvery is the time between two pings on a socket: 5 s if zero.
	PingEvery time.Duration
	// FileDelay is how long an uploaded file has no mimetype and cannot be shown: 300 ms if zero, none if negative.
	FileDelay time.Duration
	// Limits is how many times Slack's rate limits a call may use before it is answered 429. 0 = there are no limits.
	Limits float64
	// Faults is what share of all calls and deliveries goes wrong.
	Faults Plan
	// DateSkew is how far the clock that API answers tell (Date) is ahead of the machine's.
	DateSkew time.Duration
}

func (o *Options) fill() {
	if len(o.Seed.Users) == 0 {
		o.Seed = DefaultSeed()
	}
	o.Seed.fill()
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.AckTimeout == 0 {
		o.AckTimeout = 3 * time.Second
	}
	if o.RetryAfter == nil {
		o.RetryAfter = []time.Duration{0, time.Minute, 5 * time.Minute}
	}
	if o.PingEvery == 0 {
		o.PingEvery = 5 * time.Second
	}
	if o.FileDelay == 0 {
		o.FileDelay = 300 * time.Millisecond
	}
}

// Server is one workspace. All its methods may be called concurrently.
type Server struct {
	options Options
	log     *slog.Logger
	clock   *clock
	hub     *hub
	faults  *faults
	rates   *rates

	lifeMu  sync.Mutex      // guards the start of work against Close
	live    context.Context // ends with Close
	stop    context.CancelFunc
	working sync.WaitGroup

	mu       sync.Mutex // guards everything below
	world    *world
	journal  *journal
	changed  chan struct{} // closed and replaced at every change
	triggers map[string]*trigger
	tickets  map[string]bool
	typed    map[string]map[string]map[string]json.RawMessage // user/channel/ts, block_id, action_id: in people's clients
	baseURL  string
	blobs    map[string][]byte // file contents when there is no directory
}

// New opens a workspace: what Options.Dir holds is loaded, and events that the app has not acked are queued again.
func New(options Options) (*Server, error) {
	options.fill()
	if err := options.Seed.check(); err != nil {
		return nil, fmt.Errorf("the seed: %w", err)
	}
	if options.Limits < 0 {
		return nil, fmt.Errorf("limits of %v times Slack's: use 0 for none, 1 for Slack's", options.Limits)
	}
	if err := prepareDir(options.Dir, options.Fresh); err != nil {
		return nil, err
	}
	live, stop := context.WithCancel(context.Background())
	s := &Server{
		options: options, log: options.Log, clock: newClock(options.ClockAhead), hub: newHub(), faults: newFaults(options.Faults), rates: newRates(options.Limits), live: live, stop: stop,
		world: newWorld(options.Seed), changed: make(chan struct{}), triggers: map[string]*trigger{},
		tickets: map[string]bool{}, typed: map[string]map[string]map[string]json.RawMessage{}, blobs: map[string][]byte{}, baseURL: "http://127.0.0.1:8086",
	}
	if err := s.load(); err != nil {
		stop()
		return nil, err
	}
	s.background(s.deliverEvents)
	return s, nil
}

func prepareDir(dir string, fresh bool) error {
	if dir == "" {
		return nil
	}
	if fresh {
		for _, name := range []string{"journal.jsonl", "files"} {
			if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
				return fmt.Errorf("emptying the data directory: %w", err)
			}
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, "files"), 0o700); err != nil {
		return fmt.Errorf("making the data directory: %w", err)
	}
	return nil
}

func (s *Server) load() error {
	var offset time.Duration
	stored, err := openJournal(s.options.Dir, func(e entry) error {
		if e.Kind == kindClock {
			if err := json.Unmarshal(e.Value, &offset); err != nil {
				return err
			}
		}
		return s.world.replay(e)
	})
	if err != nil {
		return err
	}
	s.journal = stored
	s.world.logStart = s.world.seq
	for _, c := range s.world.channels {
		if n := len(c.messages); n > 0 {
			s.clock.atLeast(c.messages[n-1].TS)
		}
	}
	if offset > 0 {
		s.clock.advance(offset)
		s.tellClock(offset)
	}
	if err := stored.rewrite(s.world.snapshot(offset)); err != nil {
		return errors.Join(err, stored.close())
	}
	return nil
}

func (s *Server) tellClock(d time.Duration) {
	if s.options.ClockHook != nil {
		s.options.ClockHook(d)
	}
}

// SetBaseURL says where the workspace is reached, e.g. `http://127.0.0.1:8086`: socket, upload, file and response
// addresses are built from it. Call it before serving.
func (s *Server) SetBaseURL(base string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.baseURL = strings.TrimRight(base, "/")
}

// ClockOffset is how far the workspace's clock is ahead of real time.
func (s *Server) ClockOffset() time.Duration { return s.clock.current() }

// Close cuts all sockets, frees everything that a fault holds and closes the journal.
func (s *Server) Close() error {
	s.lifeMu.Lock()
	s.stop()
	s.lifeMu.Unlock()
	s.faults.release()
	s.hub.closeAll()
	s.working.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.journal.close()
}

// background does work that Close waits for; it starts nothing any more once Close has begun.
func (s *Server) background(work func()) {
	s.lifeMu.Lock()
	defer s.lifeMu.Unlock()
	if s.live.Err() == nil {
		s.working.Go(work)
	}
}

// Handler serves the whole workspace: /api/ (Web API), /socket (Socket Mode), /upload/, /files/, /shown/, /response/,
// /control/, /shop/ and the page.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/api/{method}", s.serveAPI)
	mux.HandleFunc("GET /socket", s.serveSocket)
	mux.HandleFunc("POST /upload/{id}", s.serveUpload)
	mux.HandleFunc("GET /files/{id}", s.serveDownload)
	mux.HandleFunc("GET /shown/{id}", s.serveFile)
	mux.HandleFunc("POST /response/{id}", s.serveResponseURL)
	s.routeControl(mux)
	if s.options.Shop != nil {
		mux.Handle("/shop/", http.StripPrefix("/shop", s.options.Shop.Handler()))
	}
	routePage(mux)
	return ownPageOnly(mux)
}

// ownPageOnly keeps other pages in the developer's browser from driving the workspace. Programs send no Origin, but for
// the socket, where clients send Slack's own; there the ticket is what admits them.
func ownPageOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		from, err := url.Parse(r.Header.Get("Origin"))
		foreign := r.Header.Get("Origin") != "" && (err != nil || from.Host != r.Host)
		if foreign && r.URL.Path != "/socket" {
			writeJSON(w, http.StatusForbidden, reply{"ok": false, "error": "cross_origin"})
			return
		}
		next.ServeHTTP(w, r)
	})
}

// note records a change: stored first, then seen by everybody who waits. s.mu is held.
func (s *Server) note(kind string, value any, c change) int64 {
	s.world.seq++
	c.Seq = s.world.seq
	if m, ok := value.(*message); ok {
		m.Seq = c.Seq
	}
	if v, ok := value.(*view); ok {
		v.Seq = c.Seq
	}
	s.journal.append(s.world.entry(kind, value)) // without a value too: seq must not go back
	c.Kind = kind
	s.world.log = append(s.world.log, c)
	if over := len(s.world.log) - logLength; over > 0 {
		s.world.logStart = s.world.log[over-1].Seq
		s.world.log = append([]change(nil), s.world.log[over:]...)
	}
	close(s.changed)
	s.changed = make(chan struct{})
	return c.Seq
}

// store is note for what the page does not follow.
func (s *Server) store(kind string, value any) {
	s.journal.append(s.world.entry(kind, value))
}

// keep stores a message, new or changed. s.mu is held.
func (s *Server) keep(m *message) {
	seq := s.note(kindMessage, m, change{Channel: m.Channel, TS: m.TS, User: m.EphemeralTo})
	s.world.keepMessage(m, seq)
}

// emptyFiles removes every stored file's bytes.
func emptyFiles(dir string) error {
	if dir == "" {
		return nil
	}
	if err := os.RemoveAll(filepath.Join(dir, "files")); err != nil {
		return fmt.Errorf("removing files: %w", err)
	}
	return prepareDir(dir, false)
}
