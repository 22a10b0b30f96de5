package slacksim

import (
	"encoding/json"
	"slices"
	"strings"
)

// messageJSON is a message as the Web API and events show it.
func (s *Server) messageJSON(m *message, metadata bool) reply {
	out := reply{"type": "message", "user": m.User, "ts": m.TS, "text": m.Text, "team": s.world.seed.Workspace.ID}
	if u := s.world.user(m.User); u != nil && u.Team != "" {
		out["team"], out["user_team"], out["source_team"] = u.Team, u.Team, u.Team
	}
	if m.Bot {
		out["bot_id"], out["app_id"] = s.world.botID, s.world.appID
		out["bot_profile"] = reply{
			"id": s.world.botID, "app_id": s.world.appID, "name": s.world.bot.RealName,
			"deleted": false, "updated": 0, "team_id": s.world.seed.Workspace.ID,
		}
	}
	switch {
	case m.Subtype != "":
		out["subtype"] = m.Subtype
	case m.Broadcast:
		out["subtype"] = "thread_broadcast"
	}
	setRaw(out, "blocks", m.Blocks)
	setRaw(out, "attachments", m.Attachments)
	if metadata {
		setRaw(out, "metadata", m.Metadata)
	}
	if m.EditedTS != "" {
		out["edited"] = reply{"user": m.EditedBy, "ts": m.EditedTS}
	}
	s.addThread(out, m)
	s.addAttached(out, m)
	return out
}

// addAttached adds what hangs on a message: reactions and files.
func (s *Server) addAttached(out reply, m *message) {
	reactions, files := []reply{}, []reply{}
	for _, r := range m.Reactions {
		reactions = append(reactions, reply{"name": r.Name, "users": r.Users, "count": len(r.Users)})
	}
	for _, id := range m.Files {
		if f := s.world.files[id]; f != nil {
			files = append(files, s.attachedJSON(f))
		}
	}
	if len(reactions) > 0 {
		out["reactions"] = reactions
	}
	if len(files) > 0 {
		out["files"], out["upload"] = files, false
	}
}

func setRaw(out reply, name string, raw json.RawMessage) {
	if len(raw) > 0 {
		out[name] = raw
	}
}

// addThread tells replies their parent, and parents their replies.
func (s *Server) addThread(out reply, m *message) {
	c := s.world.channel(m.Channel)
	if m.ThreadTS != "" {
		out["thread_ts"] = m.ThreadTS
		if root := c.find(m.ThreadTS); root != nil {
			out["parent_user_id"] = root.User
		}
		return
	}
	count, latest, users := 0, "", []string{}
	for _, r := range c.messages {
		if r.ThreadTS == m.TS && !r.Deleted && r.EphemeralTo == "" {
			count, latest = count+1, r.TS
			users = appendNew(users, r.User)
		}
	}
	if count > 0 {
		out["thread_ts"], out["reply_count"], out["latest_reply"] = m.TS, count, latest
		out["reply_users"], out["reply_users_count"] = users, len(users)
	}
}

func appendNew(list []string, item string) []string {
	if slices.Contains(list, item) {
		return list
	}
	return append(list, item)
}

// hears is whether the app gets the events of a channel.
func (s *Server) hears(c *channel) bool { return c.has(s.world.bot.ID) }

// emitMessage sends the message event, and for a mention of the app app_mention beside it, as Slack does.
func (s *Server) emitMessage(c *channel, m *message) {
	if !s.hears(c) {
		return
	}
	event := s.messageJSON(m, false)
	event["channel"], event["channel_type"], event["event_ts"] = c.ID, c.kind(), m.TS
	if !m.Bot {
		event["client_msg_id"] = strings.ToLower(newID("", 32))
	}
	s.queueEvent(event)
	if !m.Bot && !c.DM && strings.Contains(m.Text, "<@"+s.world.bot.ID) {
		mention := s.messageJSON(m, false)
		mention["type"], mention["channel"], mention["event_ts"] = "app_mention", c.ID, m.TS
		for _, left := range []string{"subtype", "files", "upload"} {
			delete(mention, left)
		}
		s.queueEvent(mention)
	}
}

func (s *Server) emitChanged(c *channel, m *message, before reply) {
	if !s.hears(c) {
		return
	}
	s.queueEvent(reply{
		"type": "message", "subtype": "message_changed", "hidden": true, "channel": c.ID, "channel_type": c.kind(),
		"ts": m.EditedTS, "event_ts": m.EditedTS, "message": s.messageJSON(m, false), "previous_message": before,
	})
}

func (s *Server) emitDeleted(c *channel, m *message, before reply) {
	if !s.hears(c) {
		return
	}
	ts := s.clock.stamp()
	if left := s.messageJSON(m, false); left["reply_count"] != nil { // a message with replies leaves a tombstone
		left["subtype"], left["user"], left["text"], left["hidden"] = "tombstone", "USLACKBOT", "This message was deleted.", true
		s.queueEvent(reply{
			"type": "message", "subtype": "message_changed", "hidden": true, "channel": c.ID, "channel_type": c.kind(),
			"ts": ts, "event_ts": ts, "message": left, "previous_message": before,
		})
		return
	}
	s.queueEvent(reply{
		"type": "message", "subtype": "message_deleted", "hidden": true, "channel": c.ID, "channel_type": c.kind(),
		"ts": ts, "event_ts": ts, "deleted_ts": m.TS, "previous_message": before,
	})
}

func (s *Server) emitReaction(c *channel, m *message, who *user, name string) {
	if !s.hears(c) {
		return
	}
	s.queueEvent(reply{
		"type": "reaction_added", "user": who.ID, "reaction": name, "item_user": m.User, "event_ts": s.clock.stamp(),
		"item": reply{"type": "message", "channel": c.ID, "ts": m.TS},
	})
}

func (s *Server) emitJoined(c *channel, who *user) {
	if !s.hears(c) {
		return
	}
	s.queueEvent(reply{
		"type": "member_joined_channel", "user": who.ID, "channel": c.ID, "channel_type": c.ID[:1],
		"team": s.world.seed.Workspace.ID, "event_ts": s.clock.stamp(),
	})
}

// emitLeft tells the app that somebody left a channel that it hears, or that it was removed from one itself.
func (s *Server) emitLeft(c *channel, who *user) {
	switch {
	case who.IsBot && c.Private:
		s.queueEvent(reply{"type": "group_left", "channel": c.ID, "event_ts": s.clock.stamp()})
	case who.IsBot:
		s.queueEvent(reply{"type": "channel_left", "channel": c.ID, "event_ts": s.clock.stamp()})
	case s.hears(c):
		s.queueEvent(reply{
			"type": "member_left_channel", "user": who.ID, "channel": c.ID, "channel_type": c.ID[:1],
			"team": s.world.seed.Workspace.ID, "event_ts": s.clock.stamp(),
		})
	}
}

// emitUser tells the app that something about a person changed, such as that the account was deactivated.
func (s *Server) emitUser(u *user) {
	s.queueEvent(reply{"type": "user_change", "user": s.userJSON(u), "cache_ts": s.clock.now().Unix(), "event_ts": s.clock.stamp()})
}

// emitMembers tells the app which people joined a group and which left it.
func (s *Server) emitMembers(g *group, before []string) {
	without := func(list, others []string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(id string) bool { return slices.Contains(others, id) })
	}
	added, removed := without(g.Members, before), without(before, g.Members)
	s.queueEvent(reply{
		"type": "subteam_members_changed", "subteam_id": g.ID, "team_id": s.world.seed.Workspace.ID, "date_previous_update": 0,
		"date_update": s.clock.now().Unix(), "added_users": added, "added_users_count": len(added), "removed_users": removed,
		"removed_users_count": len(removed), "event_ts": s.clock.stamp(),
	})
}

func (s *Server) emitArchived(c *channel, who *user) {
	if !s.hears(c) {
		return
	}
	kind := "channel_unarchive"
	switch {
	case c.Archived && c.Private:
		kind = "group_archive"
	case c.Archived:
		kind = "channel_archive"
	case c.Private:
		kind = "group_unarchive"
	}
	s.queueEvent(reply{"type": kind, "channel": c.ID, "user": who.ID, "event_ts": s.clock.stamp()})
}

// emitHomeOpened is sent when somebody opens the app's Home (tab home) or its direct message (tab messages).
func (s *Server) emitHomeOpened(who *user, tab string) {
	event := reply{
		"type": "app_home_opened", "user": who.ID, "channel": s.openDM(who).ID, "tab": tab, "event_ts": s.clock.stamp(),
	}
	if home := s.world.home(who.ID); home != nil && tab == "home" {
		event["view"] = s.viewJSON(home)
	}
	s.queueEvent(event)
}
