package slacksim

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"strconv"
	"time"
)

// maxWait is the longest that a call waits for a change.
const maxWait = time.Minute

// stateJSON is a message as the control API shows it.
func (s *Server) stateJSON(m *message) reply {
	blocks := m.Blocks
	if len(blocks) == 0 {
		blocks = json.RawMessage("[]")
	}
	reactions := append([]reaction{}, m.Reactions...)
	out := reply{
		"channel": m.Channel, "ts": m.TS, "thread_ts": m.ThreadTS, "user": m.User, "user_name": s.userName(m.User),
		"bot": m.Bot, "text": m.Text, "blocks": blocks, "reactions": reactions, "files": s.filesOf(m),
		"edited": m.EditedTS != "", "deleted": m.Deleted, "ephemeral_to": m.EphemeralTo, "broadcast": m.Broadcast,
		"seq": m.Seq,
	}
	setRaw(out, "attachments", m.Attachments)
	setRaw(out, "metadata", m.Metadata)
	return out
}

func (s *Server) userName(id string) string {
	if id == slackbot {
		return "slackbot"
	}
	if u := s.world.user(id); u != nil {
		return u.Name
	}
	return id
}

// filesOf lists the files of a message: those that hang on it and those that its image blocks show.
func (s *Server) filesOf(m *message) []reply {
	list := []reply{}
	add := func(id, alt string) {
		if f := s.world.files[id]; f != nil && !f.Deleted {
			list = append(list, reply{
				"id": f.ID, "name": f.Name, "mimetype": s.mimetype(f), "alt": orElse(alt, f.Alt), "url": "/shown/" + f.ID,
			})
		}
	}
	for _, id := range m.Files {
		add(id, "")
	}
	for _, image := range findImages(m.Blocks) {
		add(image.file, image.alt)
	}
	return list
}

// following reads `after` and `wait` of a call that waits for a change.
func following(r *http.Request) (after int64, wait time.Duration, err error) {
	query := r.URL.Query()
	if text := query.Get("after"); text != "" {
		if after, err = strconv.ParseInt(text, 10, 64); err != nil {
			return 0, 0, refuse("invalid_arguments", "after must be a seq")
		}
	}
	if text := query.Get("wait"); text != "" {
		if seconds, bad := strconv.Atoi(text); bad == nil {
			wait = time.Duration(seconds) * time.Second
		} else if wait, err = time.ParseDuration(text); err != nil {
			return 0, 0, refuse("invalid_arguments", "wait must be a duration, as in wait=10s")
		}
	}
	return after, min(wait, maxWait), nil
}

// await returns, with s.mu held, when done says so, wait has passed, or the client or the workspace is gone.
func (s *Server) await(ctx context.Context, wait time.Duration, done func() bool) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	s.mu.Lock()
	for !done() {
		changed := s.changed
		s.mu.Unlock()
		select {
		case <-changed:
			s.mu.Lock()
		case <-s.live.Done():
			s.mu.Lock()
			return
		case <-ctx.Done():
			s.mu.Lock()
			return
		}
	}
}

// controlState shows a channel's messages, of one thread if thread_ts is given, after something there changed.
func (s *Server) controlState(r *http.Request, _ []byte) (reply, error) {
	after, wait, err := following(r)
	if err != nil {
		return nil, err
	}
	query := r.URL.Query()
	s.mu.Lock()
	c, err := s.where(text(query.Get("channel")), nil)
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	s.await(r.Context(), wait, func() bool {
		now := s.world.channel(c.ID)
		return now == nil || now.seq > after
	})
	defer s.mu.Unlock()
	if c = s.world.channel(c.ID); c == nil {
		return nil, refuse("channel_not_found", "it went away in a reset")
	}
	list := []reply{}
	for _, m := range c.messages {
		if thread := query.Get("thread_ts"); thread == "" || m.inThread(thread) {
			list = append(list, s.stateJSON(m))
		}
	}
	return reply{"channel": c.ID, "messages": list, "status": s.statuses(c), "seq": s.world.seq}, nil
}

// statuses is what the agent says that it is doing, by thread.
func (s *Server) statuses(c *channel) reply {
	out := reply{}
	for key, shown := range s.world.status {
		if len(key) > len(c.ID) && key[:len(c.ID)+1] == c.ID+"/" && shown != "" {
			out[key[len(c.ID)+1:]] = shown
		}
	}
	return out
}

// controlEvents follows everything: what changed after a seq, in order, with each message as it is now. A client that
// lagged too far behind gets resync and reads all again.
func (s *Server) controlEvents(r *http.Request, _ []byte) (reply, error) {
	after, wait, err := following(r)
	if err != nil {
		return nil, err
	}
	s.await(r.Context(), wait, func() bool { return s.world.seq > after })
	defer s.mu.Unlock()
	list := []reply{}
	for _, c := range s.world.log {
		if c.Seq <= after {
			continue
		}
		one := reply{"seq": c.Seq, "kind": c.Kind, "channel": c.Channel, "ts": c.TS, "user": c.User, "view_id": c.ViewID}
		if in := s.world.channel(c.Channel); in != nil && c.Kind == kindMessage {
			if m := in.find(c.TS); m != nil {
				one["message"] = s.stateJSON(m)
			}
		}
		if in := s.world.channel(c.Channel); in != nil && c.Kind == "status" {
			one["status"] = s.world.status[c.Channel+"/"+c.TS]
		}
		list = append(list, one)
	}
	resync := after < s.world.logStart || after > s.world.seq
	return reply{"events": list, "resync": resync, "seq": s.world.seq}, nil
}

// controlInfo lists the people and objects of the workspace.
func (s *Server) controlInfo(r *http.Request, _ []byte) (reply, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	users, groups, channels := []reply{}, []reply{}, []reply{}
	for _, u := range s.world.users {
		users = append(users, reply{
			"id": u.ID, "name": u.Name, "real_name": u.RealName, "tz": u.TZ, "admin": u.Admin, "guest": u.Guest || u.MultiGuest,
			"deleted": u.Deleted, "bot": u.IsBot,
		})
	}
	for _, g := range s.world.groups {
		groups = append(groups, reply{"id": g.ID, "handle": g.Handle, "name": g.Name, "members": g.Members})
	}
	for _, c := range s.world.channels {
		channels = append(channels, reply{
			"id": c.ID, "name": c.Name, "topic": c.Topic, "members": c.Members, "dm": c.DM, "private": c.Private,
			"archived": c.Archived, "seq": c.seq, "last_ts": c.lastTS(),
		})
	}
	commands, shortcuts := []reply{}, []reply{}
	for _, c := range s.world.seed.Commands {
		commands = append(commands, reply{"command": c.Command, "description": c.Description, "usage_hint": c.UsageHint})
	}
	for _, c := range s.world.seed.Shortcuts {
		shortcuts = append(shortcuts, reply{"name": c.Name, "type": c.Type, "callback_id": c.CallbackID})
	}
	out := reply{
		"workspace": reply{"id": s.world.seed.Workspace.ID, "name": s.world.seed.Workspace.Name},
		"bot":       reply{"user": s.world.bot.ID, "name": s.world.bot.RealName, "bot_id": s.world.botID, "app_id": s.world.appID},
		"users":     users, "groups": groups, "channels": channels, "commands": commands, "shortcuts": shortcuts,
		"ready": s.hub.count() > 0, "offset_ms": s.clock.current().Milliseconds(), "seq": s.world.seq, "seen": reply{},
	}
	if u := s.world.user(r.URL.Query().Get("user")); u != nil {
		out["seen"] = maps.Clone(s.world.seen[u.ID])
	}
	return out, nil
}

// lastTS is that of the newest message that everybody sees.
func (c *channel) lastTS() string {
	for i := len(c.messages) - 1; i >= 0; i-- {
		if m := c.messages[i]; !m.Deleted && m.EphemeralTo == "" {
			return m.TS
		}
	}
	return ""
}

func (s *Server) asking(r *http.Request) (*user, error) {
	return s.who(text(r.URL.Query().Get("user")))
}

// controlViews shows a person's open modals, the topmost last.
func (s *Server) controlViews(r *http.Request, _ []byte) (reply, error) {
	after, wait, err := following(r)
	if err != nil {
		return nil, err
	}
	s.await(r.Context(), wait, func() bool { return s.world.seq > after })
	defer s.mu.Unlock()
	u, err := s.asking(r)
	if err != nil {
		return nil, err
	}
	list := []reply{}
	for _, v := range s.world.stack(u.ID) {
		list = append(list, s.viewJSON(v))
	}
	return reply{"views": list, "seq": s.world.seq}, nil
}

// controlHome shows what the app published on a person's Home tab; null if nothing.
func (s *Server) controlHome(r *http.Request, _ []byte) (reply, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u, err := s.asking(r)
	if err != nil {
		return nil, err
	}
	if v := s.world.home(u.ID); v != nil {
		return reply{"view": s.viewJSON(v)}, nil
	}
	return reply{"view": nil}, nil
}

// controlReady is whether the app has a socket that was greeted; with wait it waits for one.
func (s *Server) controlReady(r *http.Request, _ []byte) (reply, error) {
	_, wait, err := following(r)
	if err != nil {
		return nil, err
	}
	s.await(r.Context(), wait, func() bool { return s.hub.count() > 0 })
	defer s.mu.Unlock()
	return reply{"ready": s.hub.count() > 0, "connections": s.hub.count()}, nil
}

func (s *Server) controlShop(*http.Request, []byte) (reply, error) {
	if s.options.Shop == nil {
		return nil, refuse("no_shop", "this workspace has no shop beside it")
	}
	return reply{"arrivals": s.options.Shop.ArrivalsJSON(), "bookings": s.options.Shop.BookingsJSON()}, nil
}
