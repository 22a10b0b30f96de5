package slacksim

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// The records of a workspace. They are what the journal stores, so their JSON names must stay readable.

type user struct {
	SeedUser
	ID    string
	IsBot bool
	known *standing // what changed since the seed was read
}

// standing is what may change about a person.
type standing struct {
	ID      string `json:"id"`
	Admin   bool   `json:"admin"`
	Deleted bool   `json:"deleted"`

	RealName string `json:"real_name,omitempty"` // empty = that of the seed
	TZ       string `json:"tz,omitempty"`
}

type group struct {
	SeedGroup
	ID      string
	Members []string // user ids
	changed bool     // since the seed was read
}

// membership is what may change about a group.
type membership struct {
	ID      string   `json:"id"`
	Members []string `json:"members"`
}

type channel struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	Topic    string   `json:"topic,omitempty"`
	Private  bool     `json:"private,omitempty"`
	Archived bool     `json:"archived,omitempty"`
	DM       bool     `json:"dm,omitempty"`
	Members  []string `json:"members"`           // user ids
	Changed  bool     `json:"changed,omitempty"` // since the seed was read; only then is it stored

	messages []*message // in the order of their ts
	seq      int64      // of the last change to a message here
}

func (c *channel) has(userID string) bool { return slices.Contains(c.Members, userID) }

// kind is the channel_type of events.
func (c *channel) kind() string {
	switch {
	case c.DM:
		return "im"
	case c.Private:
		return "group"
	}
	return "channel"
}

func (c *channel) find(ts string) *message {
	i, ok := slices.BinarySearchFunc(c.messages, ts, func(m *message, ts string) int { return strings.Compare(m.TS, ts) })
	if !ok {
		return nil
	}
	return c.messages[i]
}

type reaction struct {
	Name  string   `json:"name"`
	Users []string `json:"users"`
}

type message struct {
	Channel     string          `json:"channel"`
	TS          string          `json:"ts"`
	ThreadTS    string          `json:"thread_ts,omitempty"` // of replies only
	User        string          `json:"user"`
	Bot         bool            `json:"bot,omitempty"`
	Subtype     string          `json:"subtype,omitempty"`
	Text        string          `json:"text"`
	Blocks      json.RawMessage `json:"blocks,omitempty"`
	Attachments json.RawMessage `json:"attachments,omitempty"`
	Metadata    json.RawMessage `json:"metadata,omitempty"`
	Reactions   []reaction      `json:"reactions,omitempty"`
	Files       []string        `json:"files,omitempty"`
	Broadcast   bool            `json:"broadcast,omitempty"`
	EditedTS    string          `json:"edited_ts,omitempty"`
	EditedBy    string          `json:"edited_by,omitempty"`
	Deleted     bool            `json:"deleted,omitempty"`
	EphemeralTo string          `json:"ephemeral_to,omitempty"`
	Seq         int64           `json:"seq"`
}

func (m *message) inThread(ts string) bool { return m.TS == ts || m.ThreadTS == ts }

type file struct {
	ID       string    `json:"id"`
	Name     string    `json:"name"`
	Title    string    `json:"title,omitempty"`
	Mimetype string    `json:"mimetype,omitempty"`
	Alt      string    `json:"alt,omitempty"`
	User     string    `json:"user"`
	Size     int       `json:"size"`
	Uploaded bool      `json:"uploaded,omitempty"` // the bytes are here
	ReadyAt  time.Time `json:"ready_at"`           // zero until the upload was completed
	Deleted  bool      `json:"deleted,omitempty"`
	Channels []string  `json:"channels,omitempty"`
	Ask      bool      `json:"ask,omitempty"` // messages show nothing but its id
}

type view struct {
	ID         string                                `json:"id"`
	User       string                                `json:"user"`
	Type       string                                `json:"type"`
	Root       string                                `json:"root"`
	Previous   string                                `json:"previous,omitempty"`
	Definition map[string]json.RawMessage            `json:"definition"` // as the app sent it, block ids filled in
	Values     map[string]map[string]json.RawMessage `json:"values"`
	Hash       string                                `json:"hash"`
	Closed     bool                                  `json:"closed,omitempty"`
	Seq        int64                                 `json:"seq"`
}

// hook is a response_url: it may be used five times within thirty minutes.
type hook struct {
	ID       string    `json:"id"`
	Channel  string    `json:"channel"`
	User     string    `json:"user"`
	TS       string    `json:"ts,omitempty"` // of the message that the click was on
	ThreadTS string    `json:"thread_ts,omitempty"`
	Uses     int       `json:"uses"`
	Expires  time.Time `json:"expires"`
}

// queuedEvent is an event on its way to the app; Done once it was acked or given up.
type queuedEvent struct {
	ID       string          `json:"id"`
	Payload  json.RawMessage `json:"payload,omitempty"`
	Attempts int             `json:"attempts,omitempty"`
	Done     bool            `json:"done,omitempty"`

	flying bool // an attempt or a wait for the next one is under way
}

type seen struct {
	User    string `json:"user"`
	Channel string `json:"channel"`
	TS      string `json:"ts"`
}

// change is one line of what the page follows.
type change struct {
	Seq  int64  `json:"seq"`
	Kind string `json:"kind"`

	Channel string `json:"channel,omitempty"`
	TS      string `json:"ts,omitempty"`
	User    string `json:"user,omitempty"`
	ViewID  string `json:"view_id,omitempty"`
}

// world is everything in the workspace. Server.mu guards it.
type world struct {
	seed     Seed
	bot      *user
	botID    string
	appID    string
	users    []*user
	groups   []*group
	channels []*channel
	files    map[string]*file
	views    map[string]*view
	hooks    map[string]*hook
	events   []*queuedEvent
	seen     map[string]map[string]string // user, channel: ts
	status   map[string]string            // channel/thread: what the agent says it is doing
	seq      int64
	log      []change // the latest changes, oldest first
	logStart int64    // changes up to this seq are no longer in log
}

// logLength is how many changes a page may lag behind before it must read everything again.
const logLength = 10_000

func newWorld(seed Seed) *world {
	w := &world{seed: seed, botID: seedID("B", seed.Bot.User), appID: seedID("A", seed.Bot.User)}
	w.empty()
	return w
}

// people makes users and groups as the seed has them.
func (w *world) people() {
	seed := w.seed
	w.users, w.groups = nil, nil
	for _, u := range seed.Users {
		w.users = append(w.users, &user{SeedUser: u, ID: seedID("U", u.Name)})
	}
	w.bot = &user{
		SeedUser: SeedUser{Name: seed.Bot.User, RealName: seed.Bot.Name, TZ: "UTC"},
		ID:       seedID("U", seed.Bot.User), IsBot: true,
	}
	w.users = append(w.users, w.bot)
	for _, g := range seed.Groups {
		w.groups = append(w.groups, &group{SeedGroup: g, ID: seedID("S", g.Handle), Members: w.userIDs(g.Members)})
	}
}

func (w *world) seedChannels() []*channel {
	var channels []*channel
	for _, c := range w.seed.Channels {
		channels = append(channels, &channel{
			ID: seedID("C", c.Name), Name: c.Name, Topic: c.Topic,
			Private: c.Private, Archived: c.Archived, Members: w.userIDs(c.Members),
		})
	}
	return channels
}

// empty forgets what people and the app did since the seed was read.
func (w *world) empty() {
	w.people()
	w.channels = w.seedChannels()
	w.files, w.views, w.hooks = map[string]*file{}, map[string]*view{}, map[string]*hook{}
	w.events, w.seen, w.status = nil, map[string]map[string]string{}, map[string]string{}
}

func (w *world) userIDs(names []string) []string {
	ids := []string{}
	for _, name := range names {
		if u := w.user(name); u != nil {
			ids = append(ids, u.ID)
		}
	}
	return ids
}

// user finds a person or the bot by id or name, with or without @.
func (w *world) user(ref string) *user {
	ref = strings.TrimPrefix(ref, "@")
	for _, u := range w.users {
		if u.ID == ref || strings.EqualFold(u.Name, ref) {
			return u
		}
	}
	return nil
}

func (w *world) group(ref string) *group {
	ref = strings.TrimPrefix(ref, "@")
	for _, g := range w.groups {
		if g.ID == ref || strings.EqualFold(g.Handle, ref) {
			return g
		}
	}
	return nil
}

// channel finds a channel by id or by name, with or without #.
func (w *world) channel(ref string) *channel {
	ref = strings.TrimPrefix(ref, "#")
	for _, c := range w.channels {
		if c.ID == ref || !c.DM && strings.EqualFold(c.Name, ref) {
			return c
		}
	}
	return nil
}

func (w *world) dm(userID string) *channel {
	for _, c := range w.channels {
		if c.DM && c.has(userID) {
			return c
		}
	}
	return nil
}

// replay applies one journal entry.
func (w *world) replay(e entry) error {
	w.seq = max(w.seq, e.Seq)
	switch e.Kind {
	case kindMessage:
		return replayInto(e, func(m *message) { w.keepMessage(m, e.Seq) })
	case kindChannel:
		return replayInto(e, w.keepChannel)
	case kindUser:
		return replayInto(e, w.keepStanding)
	case kindGroup:
		return replayInto(e, w.keepMembership)
	case kindFile:
		return replayInto(e, func(f *file) { w.files[f.ID] = f })
	case kindView:
		return replayInto(e, func(v *view) { w.keepView(v) })
	case kindHook:
		return replayInto(e, func(h *hook) { w.hooks[h.ID] = h })
	case kindEvent:
		return replayInto(e, w.keepEvent)
	case kindSeen:
		return replayInto(e, func(s *seen) { w.keepSeen(*s) })
	}
	return nil
}

func replayInto[T any](e entry, keep func(*T)) error {
	value := new(T)
	if err := json.Unmarshal(e.Value, value); err != nil {
		return fmt.Errorf("a stored %s: %w", e.Kind, err)
	}
	keep(value)
	return nil
}

func (w *world) keepMessage(m *message, seq int64) {
	c := w.channel(m.Channel)
	if c == nil {
		return // of a seed that had this channel
	}
	i, found := slices.BinarySearchFunc(c.messages, m.TS, func(m *message, ts string) int { return strings.Compare(m.TS, ts) })
	if found {
		c.messages[i] = m
	} else {
		c.messages = slices.Insert(c.messages, i, m)
	}
	c.seq = max(c.seq, seq)
}

func (w *world) keepChannel(c *channel) {
	if old := w.channel(c.ID); old != nil {
		c.messages, c.seq = old.messages, old.seq
		*old = *c
		return
	}
	w.channels = append(w.channels, c)
}

func (w *world) keepStanding(now *standing) {
	if u := w.user(now.ID); u != nil {
		u.Admin, u.Deleted, u.known = now.Admin, now.Deleted, now
		u.RealName, u.TZ = orElse(now.RealName, u.RealName), orElse(now.TZ, u.TZ)
	}
}

func (w *world) keepMembership(now *membership) {
	if g := w.group(now.ID); g != nil {
		g.Members, g.changed = now.Members, true
	}
}

func (w *world) keepView(v *view) {
	if v.Closed {
		delete(w.views, v.ID)
		return
	}
	w.views[v.ID] = v
}

func (w *world) keepEvent(e *queuedEvent) {
	i := slices.IndexFunc(w.events, func(old *queuedEvent) bool { return old.ID == e.ID })
	switch {
	case e.Done && i >= 0:
		w.events = slices.Delete(w.events, i, i+1)
	case !e.Done && i < 0:
		w.events = append(w.events, e)
	case !e.Done:
		w.events[i].Attempts = e.Attempts
	}
}

func (w *world) keepSeen(s seen) {
	if w.seen[s.User] == nil {
		w.seen[s.User] = map[string]string{}
	}
	w.seen[s.User][s.Channel] = s.TS
}

// snapshot is the shortest journal that rebuilds this world.
func (w *world) snapshot(offset time.Duration) []entry {
	entries := []entry{w.entry(kindClock, offset)}
	for _, c := range w.channels {
		if c.Changed {
			entries = append(entries, w.entry(kindChannel, c))
		}
		for _, m := range c.messages {
			e := w.entry(kindMessage, m)
			e.Seq = m.Seq
			entries = append(entries, e)
		}
	}
	for _, u := range w.users {
		if u.known != nil {
			entries = append(entries, w.entry(kindUser, u.known))
		}
	}
	for _, g := range w.groups {
		if g.changed {
			entries = append(entries, w.entry(kindGroup, membership{g.ID, g.Members}))
		}
	}
	for _, f := range w.files {
		entries = append(entries, w.entry(kindFile, f))
	}
	for _, v := range w.views {
		entries = append(entries, w.entry(kindView, v))
	}
	for _, h := range w.hooks {
		entries = append(entries, w.entry(kindHook, h))
	}
	for _, e := range w.events {
		entries = append(entries, w.entry(kindEvent, e))
	}
	for u, channels := range w.seen {
		for c, ts := range channels {
			entries = append(entries, w.entry(kindSeen, seen{u, c, ts}))
		}
	}
	return entries
}

func (w *world) entry(kind string, value any) entry {
	body, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("slacksim: a %s has no JSON form: %v", kind, err)) // records hold nothing but plain values
	}
	return entry{Seq: w.seq, Kind: kind, Value: body}
}
