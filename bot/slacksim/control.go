package slacksim

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// control is one call of the control API. It runs without s.mu, because many wait for the app.
type control func(s *Server, r *http.Request, body []byte) (reply, error)

// locked is a call whose body is a T and that runs under s.mu.
func locked[T any](run func(*Server, T) (reply, error)) control {
	return func(s *Server, _ *http.Request, body []byte) (reply, error) {
		request, err := parse[T](body)
		if err != nil {
			return nil, err
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		return run(s, request)
	}
}

// controls are the calls of the control API; doc.go describes them.
var controls = map[string]control{
	"POST message":     locked((*Server).controlMessage),
	"POST edit":        locked((*Server).controlEdit),
	"POST delete":      locked((*Server).controlDelete),
	"POST delete_file": locked((*Server).controlDeleteFile),
	"POST reaction":    locked((*Server).controlReaction),
	"POST command":     (*Server).controlCommand,
	"POST action":      (*Server).controlAction,
	"POST submit":      (*Server).controlSubmit,
	"POST close_view":  (*Server).controlCloseView,
	"POST shortcut":    (*Server).controlShortcut,
	"POST open_dm":     locked((*Server).controlOpenDM),
	"POST open_home":   locked((*Server).controlOpenHome),
	"POST seen":        locked((*Server).controlSeen),
	"POST join":        locked((*Server).controlJoin),
	"POST leave":       locked((*Server).controlLeave),
	"POST archive":     locked((*Server).controlArchive),
	"POST user":        locked((*Server).controlUser),
	"POST group":       locked((*Server).controlGroup),
	"GET state":        (*Server).controlState,
	"GET events":       (*Server).controlEvents,
	"GET info":         (*Server).controlInfo,
	"GET views":        (*Server).controlViews,
	"GET home":         (*Server).controlHome,
	"GET ready":        (*Server).controlReady,
	"GET shop":         (*Server).controlShop,
	"GET clock":        (*Server).controlClock,
	"POST clock":       (*Server).controlAdvance,
	"POST fault":       (*Server).controlFault,
	"POST plan":        (*Server).controlPlan,
	"GET plan":         (*Server).controlStruck,
	"POST release":     (*Server).controlRelease,
	"POST limits":      (*Server).controlLimits,
	"GET calls":        (*Server).controlCalls,
	"POST heal":        (*Server).controlHeal,
	"POST disconnect":  (*Server).controlDisconnect,
	"POST reset":       (*Server).controlReset,
}

func (s *Server) routeControl(mux *http.ServeMux) {
	for name, run := range controls {
		verb, path, _ := strings.Cut(name, " ")
		mux.HandleFunc(verb+" /control/"+path, func(w http.ResponseWriter, r *http.Request) { s.serveControl(w, r, run) })
	}
	mux.HandleFunc("/control/", func(w http.ResponseWriter, r *http.Request) {
		writeJSON(w, http.StatusNotFound, s.controlAnswer(nil, refuse("unknown_control", r.Method+" "+r.URL.Path)))
	})
}

func (s *Server) serveControl(w http.ResponseWriter, r *http.Request, run control) {
	fields, err := readBody(r)
	if err != nil {
		writeJSON(w, http.StatusOK, s.controlAnswer(nil, err))
		return
	}
	body, _ := json.Marshal(fields) // raw messages that were parsed
	answer, err := run(s, r, body)
	writeJSON(w, http.StatusOK, s.controlAnswer(answer, err))
}

// controlAnswer adds ok, error, detail and seq.
func (s *Server) controlAnswer(answer reply, err error) reply {
	if answer == nil {
		answer = reply{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		err = s.journal.err
	}
	answer["ok"] = err == nil
	if err != nil {
		answer["error"], answer["detail"] = "invalid_arguments", err.Error()
		if refused, ok := errors.AsType[*apiError](err); ok {
			answer["error"], answer["detail"] = refused.code, strings.Join(refused.messages, "; ")
		}
	}
	if _, known := answer["seq"]; !known {
		answer["seq"] = s.world.seq
	}
	return answer
}

// place is where a person does something: every control call names its user, most a channel. Fields that a call does
// not know are ignored.
type place struct {
	User    text `json:"user"`
	Channel text `json:"channel"`
}

// who finds the person; the bot acts only through the Web API.
func (s *Server) who(ref text) (*user, error) {
	u := s.world.user(string(ref))
	if u == nil || u.IsBot || u.Deleted {
		return nil, refuse("user_not_found", fmt.Sprintf("there is no person %q", ref))
	}
	return u, nil
}

// resolve finds a person and a channel that the person sees. `@ana` is the direct message between ana and the app; the
// app's own name is the same for the person who asks.
func (s *Server) resolve(p place) (*user, *channel, error) {
	u, err := s.who(p.User)
	if err != nil {
		return nil, nil, err
	}
	c, err := s.where(p.Channel, u)
	if err != nil {
		return nil, nil, err
	}
	if !c.has(u.ID) {
		return nil, nil, refuse("not_in_channel", u.Name+" is not in "+c.Name)
	}
	return u, c, nil
}

func (s *Server) where(ref text, asking *user) (*channel, error) {
	name := string(ref)
	if strings.HasPrefix(name, "@") || strings.HasPrefix(name, "U") && s.world.channel(name) == nil {
		if u := s.world.user(name); u != nil && u.IsBot && asking != nil {
			return s.openDM(asking), nil
		} else if u != nil && !u.IsBot {
			return s.openDM(u), nil
		}
	}
	if c := s.world.channel(name); c != nil {
		return c, nil
	}
	return nil, refuse("channel_not_found", fmt.Sprintf("there is no channel %q", name))
}

func parse[T any](body []byte) (T, error) {
	var request T
	if err := json.Unmarshal(body, &request); err != nil {
		return request, fmt.Errorf("the body does not fit: %w", err)
	}
	return request, nil
}

type messageRequest struct {
	place
	ThreadTS text         `json:"thread_ts"`
	Text     text         `json:"text"`
	Files    []attachment `json:"files"`
}

func (s *Server) controlMessage(request messageRequest) (reply, error) {
	u, c, err := s.resolve(request.place)
	if err != nil {
		return nil, err
	}
	if c.Archived {
		return nil, refuse("is_archived")
	}
	m := &message{Channel: c.ID, User: u.ID, Text: s.world.encode(string(request.Text))}
	if m.Text == "" && len(request.Files) == 0 {
		return nil, refuse("no_text")
	}
	if m.ThreadTS, err = threadOf(c, string(request.ThreadTS)); err != nil {
		return nil, err
	}
	for _, f := range request.Files {
		id, err := s.attach(u, []string{c.ID}, f)
		if err != nil {
			return nil, err
		}
		m.Subtype, m.Files = "file_share", append(m.Files, id)
	}
	m.TS = s.clock.stamp()
	s.post(c, m)
	return reply{"ts": m.TS, "channel": c.ID, "text": m.Text, "seq": m.Seq}, nil
}

// threadOf checks a thread_ts and gives the one of the thread's parent.
func threadOf(c *channel, ts string) (string, error) {
	if ts == "" {
		return "", nil
	}
	root := c.find(ts)
	if root == nil || root.EphemeralTo != "" {
		return "", refuse("thread_not_found", "no message "+ts+" in "+c.Name)
	}
	return orElse(root.ThreadTS, ts), nil
}

// ownControl finds a person's own message, or with mayAny anybody's for an admin.
func (s *Server) ownControl(p place, ts text, mayAny bool) (*channel, *message, error) {
	u, c, err := s.resolve(p)
	if err != nil {
		return nil, nil, err
	}
	m := c.find(string(ts))
	if m == nil || m.Deleted {
		return nil, nil, refuse("message_not_found")
	}
	if m.User != u.ID && !(mayAny && u.Admin) {
		return nil, nil, refuse("cant_update_message", "somebody else wrote it")
	}
	return c, m, nil
}

type editRequest struct {
	place
	TS   text `json:"ts"`
	Text text `json:"text"`
}

func (s *Server) controlEdit(request editRequest) (reply, error) {
	c, m, err := s.ownControl(request.place, request.TS, false)
	if err != nil {
		return nil, err
	}
	edited := *m
	if edited.Text = s.world.encode(string(request.Text)); isBlank(&edited) {
		return nil, refuse("no_text")
	}
	s.edit(c, m, &edited)
	return reply{"ts": m.TS}, nil
}

type deleteRequest struct {
	place
	TS text `json:"ts"`
}

func (s *Server) controlDelete(request deleteRequest) (reply, error) {
	c, m, err := s.ownControl(request.place, request.TS, true)
	if err != nil {
		return nil, err
	}
	s.remove(c, m)
	return reply{"ts": m.TS}, nil
}

type reactionRequest struct {
	place
	TS     text `json:"ts"`
	Name   text `json:"name"`
	Remove flag `json:"remove"`
}

func (s *Server) controlReaction(request reactionRequest) (reply, error) {
	u, c, err := s.resolve(request.place)
	if err != nil {
		return nil, err
	}
	m := c.find(string(request.TS))
	if m == nil || m.Deleted || m.EphemeralTo != "" {
		return nil, refuse("message_not_found")
	}
	return reply{}, s.react(c, m, u, string(request.Name), !bool(request.Remove))
}

func (s *Server) controlOpenDM(request place) (reply, error) { return s.openHome(request, "messages") }

func (s *Server) controlOpenHome(request place) (reply, error) { return s.openHome(request, "home") }

func (s *Server) openHome(request place, tab string) (reply, error) {
	u, err := s.who(request.User)
	if err != nil {
		return nil, err
	}
	s.emitHomeOpened(u, tab)
	return reply{"channel": s.openDM(u).ID}, nil
}

type seenRequest struct {
	place
	TS text `json:"ts"`
}

func (s *Server) controlSeen(request seenRequest) (reply, error) {
	u, c, err := s.resolve(request.place)
	if err != nil {
		return nil, err
	}
	mark := seen{User: u.ID, Channel: c.ID, TS: string(request.TS)}
	if mark.TS > s.world.seen[u.ID][c.ID] {
		s.store(kindSeen, mark)
		s.world.keepSeen(mark)
	}
	return reply{}, nil
}
