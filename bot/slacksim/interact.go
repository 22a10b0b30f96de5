package slacksim

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

const (
	hookLife = 30 * time.Minute
	hookUses = 5
	// slackbot is who tells people that the app did not answer.
	slackbot = "USLACKBOT"
)

// newHook makes a response_url. s.mu is held.
func (s *Server) newHook(c *channel, u *user, m *message) string {
	h := &hook{ID: newID("", 24), Channel: c.ID, User: u.ID, Expires: s.clock.now().Add(hookLife)}
	if m != nil {
		h.TS, h.ThreadTS = m.TS, m.ThreadTS
	}
	s.store(kindHook, h)
	s.world.hooks[h.ID] = h
	return s.baseURL + "/response/" + h.ID
}

// ask sends something that Slack never repeats and waits for the ack's payload.
func (s *Server) ask(kind string, accepts bool, payload reply) (json.RawMessage, error) {
	body, err := json.Marshal(payload)
	if err != nil {
		return nil, fmt.Errorf("building the payload: %w", err)
	}
	name, _ := payload["type"].(string)
	return s.deliver(envelope{kind: kind, name: name, payload: body, accepts: accepts})()
}

// dispatchError is what a person sees when the app did not answer.
func dispatchError(err error) error {
	if errors.Is(err, errNoSocket) {
		return refuse("dispatch_failed", "the app has no socket open")
	}
	return refuse("operation_timeout", "the app did not respond within 3 seconds")
}

func (s *Server) person(u *user) reply {
	return reply{"id": u.ID, "username": u.Name, "name": u.Name, "team_id": s.teamOf(u)}
}

// teamOf is the workspace of a person, which differs from ours in shared channels.
func (s *Server) teamOf(u *user) string { return orElse(u.Team, s.world.seed.Workspace.ID) }

// click is what a person does to an element.
type click struct {
	blockID, actionID string
	value             json.RawMessage // of a button: which of several with one action_id; stale: sent as it is
	selected          json.RawMessage
	stale             bool
}

// messageClick builds the payload of a click in a message; it is nil when the app is told nothing of it. What is picked or
// typed in a message stays in the person's own client: it comes along with that person's later clicks there.
func (s *Server) messageClick(u *user, c *channel, m *message, k click) (reply, error) {
	action, e, err := s.action(m.Blocks, k)
	if err != nil {
		return nil, err
	}
	values := s.typedIn(u, m)
	setValue(values, e, action)
	if e != nil && e.Quiet {
		return nil, nil
	}
	payload := s.clickPayload(u, action)
	payload["trigger_id"] = s.newTrigger(u, "")
	payload["channel"] = reply{"id": c.ID, "name": c.Name}
	payload["response_url"] = s.newHook(c, u, m)
	container := reply{"type": "message", "message_ts": m.TS, "channel_id": c.ID, "is_ephemeral": m.EphemeralTo != ""}
	if m.ThreadTS != "" {
		container["thread_ts"] = m.ThreadTS
	}
	payload["container"] = container
	if m.EphemeralTo == "" {
		payload["message"] = s.messageJSON(m, false)
	}
	payload["state"] = reply{"values": cloneValues(values)}
	return payload, nil
}

// typedIn is what a person picked and typed in a message so far, by block_id and action_id.
func (s *Server) typedIn(u *user, m *message) map[string]map[string]json.RawMessage {
	key := u.ID + "/" + m.Channel + "/" + m.TS
	fresh := initialValues(m.Blocks)
	keepTyped(fresh, s.typed[key])
	s.typed[key] = fresh
	return fresh
}

// keepTyped keeps what was typed, where an element of the same type has the same block_id and action_id.
func keepTyped(fresh, old map[string]map[string]json.RawMessage) {
	for block, actions := range fresh {
		for action, initial := range actions {
			if typed, ok := old[block][action]; ok && sameType(typed, initial) {
				actions[action] = typed
			}
		}
	}
}

// viewClick builds the payload of a click in a modal or the Home tab, and keeps what was picked; it is nil when the app is
// told nothing of it.
func (s *Server) viewClick(u *user, v *view, k click) (reply, error) {
	action, e, err := s.action(v.Definition["blocks"], k)
	if err != nil {
		return nil, err
	}
	changed := *v
	changed.Values = cloneValues(v.Values)
	if e != nil && !e.stateless() {
		setValue(changed.Values, e, action)
		s.keepView(&changed)
		if e.Quiet {
			return nil, nil
		}
	}
	payload := s.clickPayload(u, action)
	payload["trigger_id"] = s.newTrigger(u, v.ID)
	payload["container"] = reply{"type": "view", "view_id": v.ID}
	payload["view"] = s.viewJSON(&changed)
	return payload, nil
}

func (s *Server) clickPayload(u *user, action reply) reply {
	return reply{
		"type": "block_actions", "team": reply{"id": s.teamOf(u), "domain": "slacksim"}, "user": s.person(u), "api_app_id": s.world.appID,
		"token": "slacksim", "enterprise": nil, "is_enterprise_install": false, "actions": []reply{action},
	}
}

// action finds the element that was clicked and says what was done to it. The block tells apart elements of one action_id and nothing more: an
// edit makes up other ids for blocks that have none, and what was picked from a menu that is open meanwhile names the earlier one. A stale click
// was under way before the blocks changed, so nothing is looked up.
func (s *Server) action(blocks json.RawMessage, k click) (reply, *element, error) {
	if k.stale {
		return reply{
			"type": "button", "block_id": orElse(k.blockID, "stale"), "action_id": k.actionID,
			"value": plain(k.value), "action_ts": s.clock.stamp(), "text": reply{"type": "plain_text", "text": "stale"},
		}, nil, nil
	}
	var found []element
	for _, e := range findElements(blocks) {
		if e.ActionID == k.actionID && (e.Type != "button" || len(k.value) == 0 || plain(k.value) == e.Value) {
			found = append(found, e)
		}
	}
	if len(found) > 1 && k.blockID != "" {
		found = slices.DeleteFunc(found, func(e element) bool { return e.BlockID != k.blockID })
	}
	switch len(found) {
	case 0:
		return nil, nil, refuse("no_such_action", "nothing here has the action_id "+k.actionID+": "+describe(blocks))
	case 1:
	default:
		return nil, nil, refuse("ambiguous_action", "several elements have this action_id: add block_id or value")
	}
	e := &found[0]
	action := reply{"type": e.Type, "block_id": e.BlockID, "action_id": e.ActionID, "action_ts": s.clock.stamp()}
	if e.Type == "button" || e.Type == "icon_button" {
		action["text"], action["value"] = orNull(e.Text), e.Value
		return action, e, nil
	}
	picked := k.selected
	if len(picked) == 0 {
		picked = k.value
	}
	value, err := s.world.choose(e, picked)
	if err != nil {
		return nil, nil, refuse("invalid_selection", err.Error())
	}
	action[e.field()] = value
	return action, e, nil
}

func describe(blocks json.RawMessage) string {
	var names []string
	for _, e := range findElements(blocks) {
		names = append(names, e.ActionID)
	}
	if names == nil {
		return "there is nothing to click"
	}
	return "there is " + strings.Join(names, ", ")
}

func orElse(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

func setValue(values map[string]map[string]json.RawMessage, e *element, action reply) {
	if e == nil || e.stateless() {
		return
	}
	if values[e.BlockID] == nil {
		values[e.BlockID] = map[string]json.RawMessage{}
	}
	values[e.BlockID][e.ActionID], _ = json.Marshal(reply{"type": e.Type, e.field(): action[e.field()]})
}

func cloneValues(values map[string]map[string]json.RawMessage) map[string]map[string]json.RawMessage {
	out := map[string]map[string]json.RawMessage{}
	for block, actions := range values {
		out[block] = map[string]json.RawMessage{}
		maps.Copy(out[block], actions)
	}
	return out
}

// fill puts what a person typed into a modal's values; the errors are those that Slack shows without asking the app.
func (s *Server) fill(u *user, v *view, typed map[string]map[string]json.RawMessage) (*view, map[string]string, error) {
	filled := *v
	filled.Values = cloneValues(v.Values)
	elements := findElements(v.Definition["blocks"])
	problems := map[string]string{}
	for block, actions := range typed {
		for action, picked := range actions {
			i := slices.IndexFunc(elements, func(e element) bool {
				return e.BlockID == block && e.ActionID == action && !e.stateless()
			})
			if i < 0 {
				return nil, nil, refuse("no_such_input", "the view has no input "+block+" / "+action)
			}
			value, err := s.choose(u, &elements[i], picked)
			if err != nil {
				problems[block] = err.Error()
				continue
			}
			setValue(filled.Values, &elements[i], reply{elements[i].field(): value})
		}
	}
	for _, e := range elements {
		if e.Required && !e.stateless() && isUnset(filled.Values[e.BlockID][e.ActionID], e.field()) {
			problems[e.BlockID] = orElse(problems[e.BlockID], "Please complete this required field.")
		}
	}
	return &filled, problems, nil
}

// choose is world.choose, and takes files.
func (s *Server) choose(u *user, e *element, picked json.RawMessage) (any, error) {
	if e.Type == "file_input" {
		return s.chooseFiles(u, e, picked)
	}
	return s.world.choose(e, picked)
}

func isUnset(state json.RawMessage, field string) bool {
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(state, &fields) // we made it
	value := string(fields[field])
	return value == "" || value == "null" || value == "[]" || value == `""`
}

// commandPayload is what a slash command sends.
func (s *Server) commandPayload(u *user, c *channel, command, typed string) reply {
	name := c.Name
	if c.DM {
		name = "directmessage"
	}
	return reply{
		"token": "slacksim", "team_id": s.teamOf(u), "team_domain": "slacksim", "channel_id": c.ID,
		"channel_name": name, "user_id": u.ID, "user_name": u.Name, "command": command, "text": typed,
		"api_app_id": s.world.appID, "is_enterprise_install": "false", "trigger_id": s.newTrigger(u, ""),
		"response_url": s.newHook(c, u, nil),
	}
}
