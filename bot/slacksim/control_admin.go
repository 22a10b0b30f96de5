package slacksim

import (
	"net/http"
	"strings"
	"time"
)

func (s *Server) controlJoin(request place) (reply, error) { return s.enter(request, s.join) }

func (s *Server) controlLeave(request place) (reply, error) { return s.enter(request, s.leave) }

// enter takes the bot too: `/invite @Sluice` is a person's act.
func (s *Server) enter(request place, change func(*channel, *user)) (reply, error) {
	u, c := s.world.user(string(request.User)), s.world.channel(string(request.Channel))
	if u == nil {
		return nil, refuse("user_not_found")
	}
	if c == nil || c.DM {
		return nil, refuse("channel_not_found")
	}
	change(c, u)
	return reply{"channel": c.ID}, nil
}

type archiveRequest struct {
	place
	Undo flag `json:"undo"`
}

// controlArchive archives a channel, or opens it again.
func (s *Server) controlArchive(request archiveRequest) (reply, error) {
	u, c, err := s.resolve(request.place)
	if err != nil {
		return nil, err
	}
	if c.DM {
		return nil, refuse("channel_not_found")
	}
	now := *c
	now.Archived, now.Changed = !bool(request.Undo), true
	s.note(kindChannel, &now, change{Channel: c.ID, User: u.ID})
	s.world.keepChannel(&now)
	s.emitArchived(c, u)
	return reply{"channel": c.ID}, nil
}

type userRequest struct {
	User    text  `json:"user"`
	Deleted *flag `json:"deleted"`
	Admin   *flag `json:"admin"`

	RealName text `json:"real_name"`
	TZ       text `json:"tz"`
}

// controlUser deactivates or reactivates an account, makes somebody an admin or not, or changes their name or time zone; what is not given
// stays.
func (s *Server) controlUser(request userRequest) (reply, error) {
	u := s.world.user(string(request.User))
	if u == nil || u.IsBot {
		return nil, refuse("user_not_found")
	}
	if _, err := time.LoadLocation(string(request.TZ)); err != nil {
		return nil, refuse("invalid_tz", err.Error())
	}
	now := &standing{ID: u.ID, Admin: u.Admin, Deleted: u.Deleted, RealName: orElse(string(request.RealName), u.RealName), TZ: orElse(string(request.TZ), u.TZ)}
	if request.Deleted != nil {
		now.Deleted = bool(*request.Deleted)
	}
	if request.Admin != nil {
		now.Admin = bool(*request.Admin)
	}
	s.note(kindUser, now, change{User: u.ID})
	s.world.keepStanding(now)
	s.emitUser(u)
	return reply{}, nil
}

type groupRequest struct {
	Group   text   `json:"group"`
	Members []text `json:"members"`
}

// controlGroup says who is in a user group.
func (s *Server) controlGroup(request groupRequest) (reply, error) {
	g := s.world.group(string(request.Group))
	if g == nil {
		return nil, refuse("group_not_found")
	}
	now := &membership{ID: g.ID, Members: []string{}}
	for _, ref := range request.Members {
		u, err := s.who(ref)
		if err != nil {
			return nil, err
		}
		now.Members = append(now.Members, u.ID)
	}
	before := g.Members
	s.note(kindGroup, now, change{})
	s.world.keepMembership(now)
	s.emitMembers(g, before)
	return reply{"members": now.Members}, nil
}

func (s *Server) controlFault(_ *http.Request, body []byte) (reply, error) {
	request, err := parse[faultRequest](body)
	if err != nil {
		return nil, err
	}
	if request.Target == targetShop && s.options.Shop != nil {
		path := strings.TrimPrefix(request.Path, "/shop")
		after, times := string(request.After), max(1, int(request.Times))
		if err := s.options.Shop.SetFault(request.Kind, request.Method, path, after, times); err != nil {
			return nil, refuse("invalid_fault", err.Error())
		}
		return reply{}, nil
	}
	f, err := request.fault()
	if err != nil {
		return nil, refuse("invalid_fault", err.Error())
	}
	s.faults.set(f)
	return reply{}, nil
}

func (s *Server) controlRelease(*http.Request, []byte) (reply, error) {
	s.faults.release()
	if s.options.Shop != nil {
		s.options.Shop.Release()
	}
	return reply{}, nil
}

// controlHeal removes the faults that have not happened yet and the plan, and releases the calls that other faults delay.
func (s *Server) controlHeal(*http.Request, []byte) (reply, error) {
	s.faults.clear()
	return reply{}, nil
}

// controlDisconnect ends every socket: with a disconnect message, or like a lost network when hard is set.
func (s *Server) controlDisconnect(_ *http.Request, body []byte) (reply, error) {
	request, err := parse[struct {
		Reason text `json:"reason"`
		Hard   flag `json:"hard"`
	}](body)
	if err != nil {
		return nil, err
	}
	open := s.hub.open()
	for _, c := range open {
		if request.Hard {
			c.cut()
		} else {
			s.background(func() { s.sayGoodbye(c, orElse(string(request.Reason), "refresh_requested")) })
		}
	}
	return reply{"connections": len(open)}, nil
}

func (s *Server) controlAdvance(_ *http.Request, body []byte) (reply, error) {
	request, err := parse[struct {
		Advance text `json:"advance"`
	}](body)
	if err != nil {
		return nil, err
	}
	d, err := time.ParseDuration(string(request.Advance))
	if err != nil || d <= 0 {
		return nil, refuse("invalid_advance", `advance must be a positive duration, as in {"advance": "90s"}`)
	}
	s.mu.Lock()
	offset := s.clock.advance(d)
	s.note(kindClock, offset, change{})
	s.mu.Unlock()
	s.tellClock(d)
	return reply{"offset_ms": offset.Milliseconds()}, nil
}

func (s *Server) controlClock(*http.Request, []byte) (reply, error) {
	return reply{"offset_ms": s.clock.current().Milliseconds(), "now": s.clock.now().UTC().Format(time.RFC3339Nano)}, nil
}

// controlReset empties the workspace and the shop; sockets, clock and seq stay.
func (s *Server) controlReset(*http.Request, []byte) (reply, error) {
	s.faults.clear()
	if s.options.Shop != nil {
		if err := s.options.Shop.Reset(); err != nil {
			return nil, refuse("shop_failed", err.Error())
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.world.empty()
	clear(s.triggers)
	clear(s.typed)
	clear(s.blobs)
	s.note("reset", nil, change{})
	if err := s.journal.rewrite(s.world.snapshot(s.clock.current())); err != nil {
		return nil, err
	}
	return reply{}, emptyFiles(s.options.Dir)
}
