package slacksim

import (
	"encoding/json"
	"maps"
	"slices"
	"time"
)

const (
	triggerLife = 3 * time.Second
	maxViews    = 3       // modals on top of each other
	maxViewSize = 250_000 // bytes
)

// trigger lets the app open one modal for the person who just clicked.
type trigger struct {
	user    string
	viewID  string // of the modal that was clicked in
	expires time.Time
	used    bool
}

// newTrigger is called with s.mu held.
func (s *Server) newTrigger(u *user, viewID string) string {
	now := s.clock.now()
	maps.DeleteFunc(s.triggers, func(_ string, t *trigger) bool { return now.Sub(t.expires) > time.Minute })
	id := newID("", 13) + "." + newID("", 12)
	s.triggers[id] = &trigger{user: u.ID, viewID: viewID, expires: now.Add(triggerLife)}
	return id
}

// exchange uses a trigger up: each opens one modal, within three seconds.
func (s *Server) exchange(id string) (*trigger, error) {
	t := s.triggers[id]
	switch {
	case t == nil:
		return nil, refuse("invalid_trigger_id")
	case t.used:
		return nil, refuse("exchanged_trigger_id")
	case s.clock.now().After(t.expires):
		return nil, refuse("expired_trigger_id")
	}
	t.used = true
	return t, nil
}

// home is what the app published for a person.
func (w *world) home(userID string) *view {
	for _, v := range w.views {
		if v.Type == "home" && v.User == userID {
			return v
		}
	}
	return nil
}

// stack is a person's open modals, the topmost last.
func (w *world) stack(userID string) []*view {
	var list []*view
	for _, v := range w.views {
		if v.Type == "modal" && v.User == userID {
			list = append(list, v)
		}
	}
	depth := func(v *view) (n int) {
		for ; v != nil && v.Previous != ""; v = w.views[v.Previous] {
			n++
		}
		return n
	}
	slices.SortFunc(list, func(a, b *view) int { return depth(a) - depth(b) })
	return list
}

// viewJSON is a view as the Web API, events and interactions show it.
func (s *Server) viewJSON(v *view) reply {
	out := reply{
		"private_metadata": "", "callback_id": "", "external_id": "", "title": nil, "close": nil, "submit": nil,
		"clear_on_close": false, "notify_on_close": false,
	}
	for name, raw := range v.Definition {
		out[name] = raw
	}
	out["id"], out["team_id"], out["type"], out["hash"] = v.ID, s.world.seed.Workspace.ID, v.Type, v.Hash
	out["root_view_id"], out["app_id"], out["bot_id"] = v.Root, s.world.appID, s.world.botID
	out["previous_view_id"] = nil
	if v.Previous != "" {
		out["previous_view_id"] = v.Previous
	}
	out["app_installed_team_id"], out["state"] = s.world.seed.Workspace.ID, reply{"values": v.Values}
	return out
}

// readView checks the view of a call or an ack.
func (s *Server) readView(raw json.RawMessage, kind string) (map[string]json.RawMessage, error) {
	if len(raw) > maxViewSize {
		return nil, refuse("view_too_large")
	}
	var definition map[string]json.RawMessage
	if json.Unmarshal(raw, &definition) != nil || definition == nil {
		return nil, refuse("invalid_arguments", "[ERROR] view must be an object")
	}
	blocks, err := s.checkView(raw, kind)
	if err != nil {
		return nil, err
	}
	definition["blocks"] = blocks
	return definition, nil
}

// newView makes a view; its input elements start with their initial values.
func (s *Server) newView(owner string, kind string, definition map[string]json.RawMessage) *view {
	id := newID("V0", 11)
	return &view{
		ID: id, User: owner, Type: kind, Root: id, Definition: definition, Hash: s.newHash(),
		Values: initialValues(definition["blocks"]),
	}
}

func (s *Server) newHash() string { return itoa(int(s.clock.now().Unix())) + "." + newID("", 8) }

func (s *Server) keepView(v *view) {
	s.note(kindView, v, change{User: v.User, ViewID: v.ID})
	s.world.keepView(v)
}

func (s *Server) viewsOpen(a args) (reply, error) {
	definition, t, err := s.viewAndTrigger(a)
	if err != nil {
		return nil, err
	}
	s.closeStack(t.user)
	v := s.newView(t.user, "modal", definition)
	s.keepView(v)
	return reply{"view": s.viewJSON(v)}, nil
}

func (s *Server) viewAndTrigger(a args) (map[string]json.RawMessage, *trigger, error) {
	raw, err := a.json("view")
	if err != nil {
		return nil, nil, err
	}
	if a.str("trigger_id") == "" {
		return nil, nil, refuse("invalid_arguments", "[ERROR] missing required field: trigger_id")
	}
	definition, err := s.readView(raw, "modal")
	if err != nil {
		return nil, nil, err
	}
	t, err := s.exchange(a.str("trigger_id"))
	return definition, t, err
}

func (s *Server) viewsPush(a args) (reply, error) {
	definition, t, err := s.viewAndTrigger(a)
	if err != nil {
		return nil, err
	}
	v, err := s.pushView(t.user, t.viewID, definition)
	if err != nil {
		return nil, err
	}
	return reply{"view": s.viewJSON(v)}, nil
}

// pushView puts a modal on top of the one that was clicked in.
func (s *Server) pushView(owner, onto string, definition map[string]json.RawMessage) (*view, error) {
	stack := s.world.stack(owner)
	if len(stack) == 0 || stack[len(stack)-1].ID != onto {
		return nil, refuse("view_not_found", "[ERROR] a view can only be pushed from the modal on top")
	}
	if len(stack) >= maxViews {
		return nil, refuse("push_limit_reached")
	}
	v := s.newView(owner, "modal", definition)
	v.Root, v.Previous = stack[0].ID, onto
	s.keepView(v)
	return v, nil
}

func (s *Server) viewsUpdate(a args) (reply, error) {
	raw, err := a.json("view")
	if err != nil {
		return nil, err
	}
	v := s.findView(a.str("view_id"), a.str("external_id"))
	if v == nil {
		return nil, refuse("not_found")
	}
	definition, err := s.readView(raw, v.Type)
	if err != nil {
		return nil, err
	}
	if hash := a.str("hash"); hash != "" && hash != v.Hash {
		return nil, refuse("hash_conflict")
	}
	return reply{"view": s.viewJSON(s.replaceView(v, definition))}, nil
}

func (s *Server) findView(id, externalID string) *view {
	if id != "" {
		return s.world.views[id]
	}
	for _, v := range s.world.views {
		if externalID != "" && plain(v.Definition["external_id"]) == externalID {
			return v
		}
	}
	return nil
}

// replaceView shows something else in a view; what was typed stays where block_id and action_id stay.
func (s *Server) replaceView(old *view, definition map[string]json.RawMessage) *view {
	v := *old
	v.Definition, v.Hash, v.Values = definition, s.newHash(), initialValues(definition["blocks"])
	keepTyped(v.Values, old.Values)
	s.keepView(&v)
	return &v
}

func sameType(a, b json.RawMessage) bool {
	var x, y struct{ Type string }
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && x.Type == y.Type
}

func (s *Server) viewsPublish(a args) (reply, error) {
	u := s.world.user(a.str("user_id"))
	if u == nil || u.ID != a.str("user_id") {
		return nil, refuse("invalid_arguments", "[ERROR] user_id is not a user")
	}
	raw, err := a.json("view")
	if err != nil {
		return nil, err
	}
	definition, err := s.readView(raw, "home")
	if err != nil {
		return nil, err
	}
	old := s.world.home(u.ID)
	if hash := a.str("hash"); hash != "" && (old == nil || hash != old.Hash) {
		return nil, refuse("hash_conflict")
	}
	if old != nil {
		return reply{"view": s.viewJSON(s.replaceView(old, definition))}, nil
	}
	v := s.newView(u.ID, "home", definition)
	s.keepView(v)
	return reply{"view": s.viewJSON(v)}, nil
}

func (s *Server) closeView(v *view) {
	closed := *v
	closed.Closed = true
	s.keepView(&closed)
}

func (s *Server) closeStack(owner string) {
	for _, v := range s.world.stack(owner) {
		s.closeView(v)
	}
}
