package slacksim

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// controlCommand runs a slash command and waits for its ack, whose payload is shown as its answer.
func (s *Server) controlCommand(_ *http.Request, body []byte) (reply, error) {
	request, err := parse[struct {
		place
		Command  text `json:"command"`
		Text     text `json:"text"`
		ThreadTS text `json:"thread_ts"`
	}](body)
	if err != nil {
		return nil, err
	}
	command := string(request.Command)
	s.mu.Lock()
	u, c, err := s.resolve(request.place)
	if err == nil {
		err = s.checkCommand(command, string(request.ThreadTS))
	}
	if err != nil {
		s.mu.Unlock()
		return nil, err
	}
	payload := s.commandPayload(u, c, command, s.world.encodeCommand(strings.TrimSpace(string(request.Text))))
	seq := s.world.seq
	s.mu.Unlock()

	ack, err := s.ask("slash_commands", true, payload)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		refused := dispatchError(err)
		note := fmt.Sprintf("%s did not respond (%s). Try again in a moment.", command, refused.(*apiError).code)
		s.tellPrivately(u, c, note)
		return reply{"text": note, "channel": c.ID, "seq": seq}, refused
	}
	answer, err := s.showAck(u, c, ack)
	if err != nil {
		s.lint("slash_commands", err)
	}
	return reply{"response": answer, "channel": c.ID, "seq": seq}, err
}

func (s *Server) checkCommand(command, threadTS string) error {
	known := slices.ContainsFunc(s.world.seed.Commands, func(c SeedCommand) bool { return c.Command == command })
	if !known {
		return refuse("unknown_command", command+" is not a command of this workspace")
	}
	if threadTS != "" {
		return refuse("not_in_thread", command+" is not supported in threads: mention the app instead")
	}
	return nil
}

// tellPrivately posts a message of Slack itself that one person sees.
func (s *Server) tellPrivately(u *user, c *channel, said string) {
	s.keep(&message{
		Channel: c.ID, TS: s.clock.stamp(), User: slackbot, Text: escaper.Replace(said), EphemeralTo: u.ID,
	})
}

// showAck posts the message in a command's ack: to the person alone unless it says in_channel.
func (s *Server) showAck(u *user, c *channel, ack json.RawMessage) (any, error) {
	if len(ack) == 0 || string(ack) == "null" {
		return nil, nil
	}
	fields := args{}
	if json.Unmarshal(ack, &fields) != nil {
		fields = args{"text": ack}
	}
	shown, err := s.readContent(fields, maxText)
	if err != nil {
		return nil, err
	}
	if shown.empty() {
		return nil, nil
	}
	m, err := s.newBotMessage(c, shown, "")
	if err != nil {
		return nil, err
	}
	if fields.str("response_type") != "in_channel" {
		m.EphemeralTo = u.ID
	}
	s.post(c, m)
	return s.stateJSON(m), nil
}

// container is where a click happens.
type container struct {
	Channel   text `json:"channel"`
	MessageTS text `json:"message_ts"`
	ViewID    text `json:"view_id"`
}

type actionRequest struct {
	User      text            `json:"user"`
	Container container       `json:"container"`
	BlockID   text            `json:"block_id"`
	ActionID  text            `json:"action_id"`
	Value     json.RawMessage `json:"value"`
	Selected  json.RawMessage `json:"selected"`
	Stale     flag            `json:"stale"`
}

func (r actionRequest) click() click {
	return click{
		blockID: string(r.BlockID), actionID: string(r.ActionID),
		value: r.Value, selected: r.Selected, stale: bool(r.Stale),
	}
}

// controlAction clicks, picks or types in a message, a modal or the Home tab, and waits for the ack.
func (s *Server) controlAction(_ *http.Request, body []byte) (reply, error) {
	request, err := parse[actionRequest](body)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	payload, err := s.clicked(request)
	answer := reply{"dispatched": payload != nil, "seq": s.world.seq}
	s.mu.Unlock()
	if err != nil || payload == nil {
		return answer, err
	}
	if _, err := s.ask("interactive", false, payload); err != nil {
		return answer, dispatchError(err)
	}
	return answer, nil
}

func (s *Server) clicked(request actionRequest) (reply, error) {
	u, err := s.who(request.User)
	if err != nil {
		return nil, err
	}
	if request.ActionID == "" {
		return nil, refuse("no_such_action", "action_id is missing")
	}
	if id := string(request.Container.ViewID); id != "" {
		v := s.world.views[id]
		if v == nil || v.User != u.ID {
			return nil, refuse("view_not_found", u.Name+" has no view "+id)
		}
		return s.viewClick(u, v, request.click())
	}
	_, c, err := s.resolve(place{request.User, request.Container.Channel})
	if err != nil {
		return nil, err
	}
	m := c.find(string(request.Container.MessageTS))
	if m == nil || m.Deleted && !bool(request.Stale) || m.EphemeralTo != "" && m.EphemeralTo != u.ID {
		return nil, refuse("message_not_found", u.Name+" sees no message "+string(request.Container.MessageTS))
	}
	return s.messageClick(u, c, m, request.click())
}

// controlSubmit presses the submit button of the topmost modal. What the person left out or typed wrong is refused at
// once, as Slack does; otherwise the app's ack decides what happens to the modal.
func (s *Server) controlSubmit(_ *http.Request, body []byte) (reply, error) {
	request, err := parse[struct {
		User   text                                  `json:"user"`
		ViewID text                                  `json:"view_id"`
		Values map[string]map[string]json.RawMessage `json:"values"`
	}](body)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	u, v, err := s.topModal(request.User, string(request.ViewID))
	if err != nil {
		s.mu.Unlock()
		return nil, err
	}
	filled, problems, err := s.fill(u, v, request.Values)
	if err != nil || len(problems) > 0 {
		s.mu.Unlock()
		if err == nil {
			err = refuse("invalid_input", "the form is not complete")
		}
		return reply{"response_action": "errors", "errors": problems}, err
	}
	s.keepView(filled)
	payload := s.clickPayload(u, nil)
	delete(payload, "actions")
	payload["type"], payload["view"], payload["trigger_id"] = "view_submission", s.viewJSON(filled), s.newTrigger(u, v.ID)
	payload["response_urls"] = []any{}
	seq := s.world.seq
	s.mu.Unlock()

	ack, err := s.ask("interactive", true, payload)
	if err != nil {
		return reply{"seq": seq}, dispatchError(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	answer, err := s.settleSubmission(filled, ack)
	if err != nil {
		s.lint("view_submission", err)
	}
	if answer != nil {
		answer["seq"] = seq
	}
	return answer, err
}

func (s *Server) topModal(who text, id string) (*user, *view, error) {
	u, err := s.who(who)
	if err != nil {
		return nil, nil, err
	}
	stack := s.world.stack(u.ID)
	if len(stack) == 0 || stack[len(stack)-1].ID != id {
		return nil, nil, refuse("view_not_found", u.Name+" has no modal "+id+" on top")
	}
	return u, stack[len(stack)-1], nil
}

// settleSubmission does what the ack of a view_submission asks for.
func (s *Server) settleSubmission(v *view, ack json.RawMessage) (reply, error) {
	var asked struct {
		Action string            `json:"response_action"`
		Errors map[string]string `json:"errors"`
		View   json.RawMessage   `json:"view"`
	}
	if len(ack) > 0 {
		if err := json.Unmarshal(ack, &asked); err != nil {
			return nil, refuse("invalid_ack", err.Error())
		}
	}
	if now := s.world.views[v.ID]; now != nil {
		v = now // the app may have updated it meanwhile
	}
	answer := reply{"response_action": asked.Action}
	switch asked.Action {
	case "":
		answer["response_action"] = "close"
		s.closeView(v)
	case "clear":
		s.closeStack(v.User)
	case "errors":
		answer["errors"] = asked.Errors
		return answer, s.checkErrors(v, asked.Errors)
	case "update", "push":
		definition, err := s.readView(asked.View, "modal")
		if err != nil {
			return nil, err
		}
		shown := v
		if asked.Action == "push" {
			shown, err = s.pushView(v.User, v.ID, definition)
		} else {
			shown = s.replaceView(v, definition)
		}
		if err != nil {
			return nil, err
		}
		answer["view"] = s.viewJSON(shown)
	default:
		return nil, refuse("invalid_ack", fmt.Sprintf("response_action %q: use clear, errors, update or push", asked.Action))
	}
	return answer, nil
}

// checkErrors wants every error at an input block of the view, else Slack shows none of them.
func (s *Server) checkErrors(v *view, errs map[string]string) error {
	elements := findElements(v.Definition["blocks"])
	for block := range errs {
		if !slices.ContainsFunc(elements, func(e element) bool { return e.BlockID == block && e.Input }) {
			return refuse("invalid_ack", "errors name the block "+block+", which is no input of the view")
		}
	}
	if len(errs) == 0 {
		return refuse("invalid_ack", "response_action errors without errors")
	}
	return nil
}

// controlCloseView closes the topmost modal without submitting it.
func (s *Server) controlCloseView(_ *http.Request, body []byte) (reply, error) {
	request, err := parse[struct {
		User   text `json:"user"`
		ViewID text `json:"view_id"`
	}](body)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	u, v, err := s.topModal(request.User, string(request.ViewID))
	if err != nil {
		s.mu.Unlock()
		return nil, err
	}
	whole := plain(v.Definition["clear_on_close"]) == "true"
	if whole {
		s.closeStack(u.ID)
	} else {
		s.closeView(v)
	}
	payload := s.clickPayload(u, nil)
	delete(payload, "actions")
	payload["type"], payload["view"], payload["is_cleared"] = "view_closed", s.viewJSON(v), whole
	told := plain(v.Definition["notify_on_close"]) == "true"
	s.mu.Unlock()
	if told {
		if _, err := s.ask("interactive", false, payload); err != nil {
			return nil, dispatchError(err)
		}
	}
	return reply{}, nil
}

// controlShortcut uses a global shortcut, or a message shortcut when a message is named.
func (s *Server) controlShortcut(_ *http.Request, body []byte) (reply, error) {
	request, err := parse[struct {
		place
		CallbackID text `json:"callback_id"`
		MessageTS  text `json:"message_ts"`
	}](body)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	payload, err := s.shortcutPayload(request.place, string(request.CallbackID), string(request.MessageTS))
	answer := reply{"seq": s.world.seq}
	s.mu.Unlock()
	if err != nil {
		return answer, err
	}
	if _, err := s.ask("interactive", false, payload); err != nil {
		return answer, dispatchError(err)
	}
	return answer, nil
}

func (s *Server) shortcutPayload(p place, callbackID, messageTS string) (reply, error) {
	u, err := s.who(p.User)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(s.world.seed.Shortcuts, func(c SeedShortcut) bool { return c.CallbackID == callbackID })
	if i < 0 {
		return nil, refuse("unknown_shortcut", "the app has no shortcut "+callbackID)
	}
	payload := s.clickPayload(u, nil)
	delete(payload, "actions")
	payload["callback_id"], payload["action_ts"] = callbackID, s.clock.stamp()
	payload["trigger_id"] = s.newTrigger(u, "")
	if s.world.seed.Shortcuts[i].Type == "global" {
		payload["type"] = "shortcut"
		return payload, nil
	}
	_, c, err := s.resolve(p)
	if err != nil {
		return nil, err
	}
	m := c.find(messageTS)
	if m == nil || m.Deleted {
		return nil, refuse("message_not_found")
	}
	payload["type"], payload["message_ts"], payload["message"] = "message_action", m.TS, s.messageJSON(m, false)
	payload["channel"] = reply{"id": c.ID, "name": c.Name}
	payload["response_url"] = s.newHook(c, u, m)
	return payload, nil
}
