package slacksim

import (
	"encoding/base64"
	"slices"
	"strings"
)

// openDM finds or makes the direct message between the app and a person.
func (s *Server) openDM(u *user) *channel {
	if c := s.world.dm(u.ID); c != nil {
		return c
	}
	c := &channel{
		ID: seedID("D", u.Name), Name: "@" + u.Name, DM: true, Changed: true,
		Members: []string{u.ID, s.world.bot.ID},
	}
	s.note(kindChannel, c, change{Channel: c.ID, User: u.ID})
	s.world.keepChannel(c)
	return c
}

func (s *Server) channelJSON(c *channel) reply {
	out := reply{
		"id": c.ID, "created": 0, "is_archived": c.Archived, "is_im": c.DM, "is_member": c.has(s.world.bot.ID),
		"is_channel": !c.DM && !c.Private, "is_group": c.Private, "is_private": c.Private || c.DM, "is_mpim": false,
		"is_shared": false, "is_ext_shared": false, "is_org_shared": false,
		"context_team_id": s.world.seed.Workspace.ID,
	}
	if c.DM {
		i := slices.IndexFunc(c.Members, func(id string) bool { return id != s.world.bot.ID })
		out["user"], out["is_open"] = c.Members[i], true
		return out
	}
	out["name"], out["name_normalized"], out["num_members"] = c.Name, c.Name, len(c.Members)
	if len(c.Members) > 0 {
		out["creator"] = c.Members[0]
	}
	out["topic"] = reply{"value": c.Topic, "creator": "", "last_set": 0}
	out["purpose"] = reply{"value": "", "creator": "", "last_set": 0}
	return out
}

func (s *Server) conversationsInfo(a args) (reply, error) {
	c, err := s.botChannel(a.str("channel"))
	if err != nil {
		return nil, err
	}
	return reply{"channel": s.channelJSON(c)}, nil
}

func (s *Server) conversationsList(a args) (reply, error) {
	return s.listChannels(a, func(c *channel) bool { return !c.Private && !c.DM || c.has(s.world.bot.ID) })
}

func (s *Server) usersConversations(a args) (reply, error) {
	who := s.world.bot
	if id := a.str("user"); id != "" {
		if who = s.world.user(id); who == nil {
			return nil, refuse("user_not_found")
		}
	}
	return s.listChannels(a, func(c *channel) bool { return c.has(who.ID) })
}

func (s *Server) listChannels(a args, visible func(*channel) bool) (reply, error) {
	types := a.list("types")
	if len(types) == 0 {
		types = []string{"public_channel"}
	}
	names := map[string]string{"channel": "public_channel", "group": "private_channel", "im": "im"}
	found := []reply{}
	for _, c := range s.world.channels {
		if visible(c) && slices.Contains(types, names[c.kind()]) && !(a.yes("exclude_archived") && c.Archived) {
			found = append(found, s.channelJSON(c))
		}
	}
	part, next, err := pageOf(found, a, 100)
	return reply{"channels": part, "response_metadata": reply{"next_cursor": next}}, err
}

// pageOf cuts the part of a list that the cursor asks for.
func pageOf[T any](list []T, a args, otherwise int) (part []T, next string, err error) {
	start, err := readCursor(a.str("cursor"), len(list))
	if err != nil {
		return nil, "", err
	}
	end := min(len(list), start+a.count("limit", otherwise, 1000))
	if end < len(list) {
		next = base64.StdEncoding.EncodeToString([]byte("at:" + itoa(end)))
	}
	return list[start:end], next, nil
}

func (s *Server) conversationsMembers(a args) (reply, error) {
	c, err := s.botChannel(a.str("channel"))
	if err != nil {
		return nil, err
	}
	part, next, err := pageOf(c.Members, a, 100)
	return reply{"members": part, "response_metadata": reply{"next_cursor": next}}, err
}

// readable finds a channel whose messages the app may read.
func (s *Server) readable(ref string) (*channel, error) {
	c, err := s.botChannel(ref)
	if err == nil && !c.has(s.world.bot.ID) {
		err = refuse("not_in_channel")
	}
	return c, err
}

// conversationsHistory lists a channel's messages, newest first; replies stay in their threads.
func (s *Server) conversationsHistory(a args) (reply, error) {
	c, err := s.readable(a.str("channel"))
	if err != nil {
		return nil, err
	}
	var found []*message
	for _, m := range slices.Backward(c.messages) {
		if (m.ThreadTS == "" || m.Broadcast) && shownByAPI(m, a) {
			found = append(found, m)
		}
	}
	return s.messagePage(found, a)
}

// conversationsReplies lists a thread, oldest first, its parent on top of every page.
func (s *Server) conversationsReplies(a args) (reply, error) {
	c, err := s.readable(a.str("channel"))
	if err != nil {
		return nil, err
	}
	root := c.find(a.str("ts"))
	if root == nil || root.EphemeralTo != "" || root.Deleted && !s.hasReplies(c, root) {
		return nil, refuse("thread_not_found")
	}
	if root.ThreadTS != "" {
		root = c.find(root.ThreadTS)
	}
	var found []*message
	for _, m := range c.messages {
		if m != root && m.inThread(root.TS) && shownByAPI(m, a) {
			found = append(found, m)
		}
	}
	out, err := s.messagePage(found, a)
	if err != nil {
		return nil, err
	}
	out["messages"] = append([]reply{s.messageJSON(root, a.yes("include_all_metadata"))}, out["messages"].([]reply)...)
	return out, nil
}

func (s *Server) hasReplies(c *channel, root *message) bool {
	return slices.ContainsFunc(c.messages, func(m *message) bool { return m.ThreadTS == root.TS })
}

func shownByAPI(m *message, a args) bool {
	if m.Deleted || m.EphemeralTo != "" {
		return false
	}
	if oldest := a.str("oldest"); oldest != "" && oldest != "0" {
		if order := strings.Compare(m.TS, oldest); order < 0 || order == 0 && !a.yes("inclusive") {
			return false
		}
	}
	if latest := a.str("latest"); latest != "" {
		if order := strings.Compare(m.TS, latest); order > 0 || order == 0 && !a.yes("inclusive") {
			return false
		}
	}
	return true
}

func (s *Server) messagePage(found []*message, a args) (reply, error) {
	part, next, err := pageOf(found, a, 100)
	if err != nil {
		return nil, err
	}
	list := []reply{}
	for _, m := range part {
		list = append(list, s.messageJSON(m, a.yes("include_all_metadata")))
	}
	return reply{"messages": list, "has_more": next != "", "response_metadata": reply{"next_cursor": next}}, nil
}

// conversationsOpen opens the direct message with one person.
func (s *Server) conversationsOpen(a args) (reply, error) {
	if ref := a.str("channel"); ref != "" {
		c, err := s.botChannel(ref)
		if err != nil {
			return nil, err
		}
		return reply{"channel": s.channelJSON(c), "no_op": true, "already_open": true}, nil
	}
	users := a.list("users")
	if len(users) != 1 {
		return nil, refuse("users_list_not_supplied", "[ERROR] the small Slack opens direct messages with one person only")
	}
	u := s.world.user(users[0])
	if u == nil || u.ID != users[0] || u.IsBot {
		return nil, refuse("user_not_found")
	}
	if u.Deleted {
		return nil, refuse("user_disabled")
	}
	known := s.world.dm(u.ID) != nil
	c := s.openDM(u)
	body := reply{"id": c.ID}
	if a.yes("return_im") {
		body = s.channelJSON(c)
	}
	return reply{"channel": body, "no_op": known, "already_open": known}, nil
}

func (s *Server) conversationsJoin(a args) (reply, error) {
	c, err := s.botChannel(a.str("channel"))
	if err != nil {
		return nil, err
	}
	if c.Private || c.DM {
		return nil, refuse("method_not_supported_for_channel_type")
	}
	if c.Archived {
		return nil, refuse("is_archived")
	}
	out := reply{}
	if c.has(s.world.bot.ID) {
		out["warning"], out["response_metadata"] = "already_in_channel", reply{"warnings": []string{"already_in_channel"}}
	}
	s.join(c, s.world.bot)
	out["channel"] = s.channelJSON(c)
	return out, nil
}

func (s *Server) join(c *channel, u *user) {
	if c.has(u.ID) {
		return
	}
	c.Members, c.Changed = append(slices.Clone(c.Members), u.ID), true
	s.note(kindChannel, c, change{Channel: c.ID, User: u.ID})
	s.emitJoined(c, u)
}

func (s *Server) conversationsLeave(a args) (reply, error) {
	c, err := s.botChannel(a.str("channel"))
	if err != nil {
		return nil, err
	}
	if !c.has(s.world.bot.ID) {
		return reply{"not_in_channel": true}, nil
	}
	s.leave(c, s.world.bot)
	return reply{}, nil
}

func (s *Server) leave(c *channel, u *user) {
	if !c.has(u.ID) {
		return
	}
	c.Members = slices.DeleteFunc(slices.Clone(c.Members), func(id string) bool { return id == u.ID })
	c.Changed = true
	s.note(kindChannel, c, change{Channel: c.ID, User: u.ID})
	s.emitLeft(c, u)
}
