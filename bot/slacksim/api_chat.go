package slacksim

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	maxText       = 40_000 // characters of a new message
	maxUpdateText = 4_000  // characters of an edited message
	maxMetadata   = 12_000 // bytes
)

// postable finds the channel that the app may post to; a user's id stands for the direct message with that user.
func (s *Server) postable(ref string) (*channel, error) {
	if strings.HasPrefix(ref, "U") {
		if u := s.world.user(ref); u != nil && u.ID == ref && !u.IsBot {
			return s.openDM(u), nil
		}
	}
	c, err := s.botChannel(ref)
	if err != nil {
		return nil, err
	}
	if c.Archived {
		return nil, refuse("is_archived")
	}
	if !c.has(s.world.bot.ID) {
		return nil, refuse("not_in_channel")
	}
	return c, nil
}

// botChannel finds a channel that the app may know of.
func (s *Server) botChannel(ref string) (*channel, error) {
	c := s.world.channel(ref)
	if c == nil || (c.Private || c.DM) && !c.has(s.world.bot.ID) {
		return nil, refuse("channel_not_found")
	}
	return c, nil
}

// content is what a message shows; a nil field was not given.
type content struct {
	text                          string
	hasText                       bool
	blocks, attachments, metadata json.RawMessage
}

// readContent checks what a message is to show. A message needs text, blocks or attachments.
func (s *Server) readContent(a args, limit int) (content, error) {
	c := content{text: a.str("text"), hasText: a.has("text")}
	if md := a.str("markdown_text"); md != "" {
		if c.text != "" || a.has("blocks") {
			return c, refuse("markdown_text_conflict")
		}
		c.text, c.hasText = md, true
	}
	var err error
	if c.blocks, err = a.json("blocks"); err != nil {
		return c, refuse("invalid_blocks_format", "[ERROR] blocks is not valid JSON")
	}
	if c.attachments, err = a.json("attachments"); err != nil {
		return c, err
	}
	if c.metadata, err = a.json("metadata"); err != nil {
		return c, refuse("invalid_metadata_format")
	}
	if err := checkMetadata(c.metadata); err != nil {
		return c, err
	}
	if c.blocks != nil {
		if c.blocks, err = s.checkBlocks(c.blocks, inMessage); err != nil {
			return c, err
		}
	}
	if utf8.RuneCountInString(c.text) > limit {
		return c, refuse("msg_too_long")
	}
	return c, nil
}

func (c content) empty() bool {
	return strings.TrimSpace(c.text) == "" && isEmptyArray(c.blocks) && isEmptyArray(c.attachments)
}

func isEmptyArray(raw json.RawMessage) bool {
	return len(raw) == 0 || string(bytes.TrimSpace(raw)) == "[]"
}

// checkMetadata wants an event_type and an object as event_payload.
func checkMetadata(raw json.RawMessage) error {
	if raw == nil {
		return nil
	}
	var m struct {
		EventType    string          `json:"event_type"`
		EventPayload json.RawMessage `json:"event_payload"`
	}
	if json.Unmarshal(raw, &m) != nil {
		return refuse("invalid_metadata_format")
	}
	if m.EventType == "" || !bytes.HasPrefix(m.EventPayload, []byte("{")) {
		return refuse("invalid_metadata_schema", "[ERROR] metadata needs event_type and an object as event_payload")
	}
	if len(raw) > maxMetadata {
		return refuse("metadata_too_large")
	}
	return nil
}

func (s *Server) chatPost(a args) (reply, error) {
	c, err := s.postable(a.str("channel"))
	if err != nil {
		return nil, err
	}
	m, err := s.written(c, a)
	if err != nil {
		return nil, err
	}
	m.Broadcast = m.ThreadTS != "" && a.yes("reply_broadcast")
	s.post(c, m)
	return reply{"channel": c.ID, "ts": m.TS, "message": s.messageJSON(m, true)}, nil
}

// written makes the message of the app that a call asks for.
func (s *Server) written(c *channel, a args) (*message, error) {
	shown, err := s.readContent(a, maxText)
	if err != nil {
		return nil, err
	}
	if shown.empty() {
		return nil, refuse("no_text")
	}
	return s.newBotMessage(c, shown, a.str("thread_ts"))
}

// newBotMessage makes a message of the app. A thread_ts must be that of a message; a reply's ts stands for its thread.
func (s *Server) newBotMessage(c *channel, shown content, threadTS string) (*message, error) {
	if threadTS != "" {
		root := c.find(threadTS)
		if root == nil || root.EphemeralTo != "" {
			return nil, refuse("thread_not_found")
		}
		if root.ThreadTS != "" {
			threadTS = root.ThreadTS
		}
	}
	return &message{
		Channel: c.ID, TS: s.clock.stamp(), ThreadTS: threadTS, User: s.world.bot.ID, Bot: true,
		Text: shown.text, Blocks: shown.blocks, Attachments: shown.attachments, Metadata: shown.metadata,
	}, nil
}

// post stores a new message and tells the app of it, as Slack tells apps of their own messages too.
func (s *Server) post(c *channel, m *message) {
	s.keep(m)
	delete(s.world.status, c.ID+"/"+m.ThreadTS)
	if m.EphemeralTo == "" {
		s.emitMessage(c, m)
	}
}

func (s *Server) chatPostEphemeral(a args) (reply, error) {
	c, err := s.postable(a.str("channel"))
	if err != nil {
		return nil, err
	}
	u := s.world.user(a.str("user"))
	if u == nil || u.ID != a.str("user") {
		return nil, refuse("user_not_found")
	}
	if !c.has(u.ID) {
		return nil, refuse("user_not_in_channel")
	}
	m, err := s.written(c, a)
	if err != nil {
		return nil, err
	}
	m.EphemeralTo = u.ID
	s.post(c, m)
	return reply{"message_ts": m.TS}, nil
}

// ownMessage finds a message that the app may change.
func (s *Server) ownMessage(a args, notMine string) (*channel, *message, error) {
	c, err := s.botChannel(a.str("channel"))
	if err != nil {
		return nil, nil, err
	}
	m := c.find(a.str("ts"))
	if m == nil || m.Deleted || m.EphemeralTo != "" {
		return nil, nil, refuse("message_not_found")
	}
	if !m.Bot {
		return nil, nil, refuse(notMine)
	}
	return c, m, nil
}

// chatUpdate edits a message. What is not given stays: text alone does not remove blocks.
func (s *Server) chatUpdate(a args) (reply, error) {
	c, m, err := s.ownMessage(a, "cant_update_message")
	if err != nil {
		return nil, err
	}
	if c.Archived {
		return nil, refuse("is_inactive")
	}
	shown, err := s.readContent(a, maxUpdateText)
	if err != nil {
		return nil, err
	}
	edited := *m
	applyContent(&edited, shown)
	if isBlank(&edited) {
		return nil, refuse("no_text")
	}
	s.edit(c, m, &edited)
	return reply{"channel": c.ID, "ts": m.TS, "text": edited.Text, "message": s.messageJSON(&edited, true)}, nil
}

func applyContent(m *message, shown content) {
	if shown.hasText {
		m.Text = shown.text
	}
	if shown.blocks != nil {
		m.Blocks = keepCachedImages(m.Blocks, shown.blocks)
	}
	if shown.attachments != nil {
		m.Attachments = shown.attachments
	}
	if shown.metadata != nil {
		m.Metadata = shown.metadata
	}
}

func isBlank(m *message) bool {
	return strings.TrimSpace(m.Text) == "" && isEmptyArray(m.Blocks) && isEmptyArray(m.Attachments) && len(m.Files) == 0
}

// edit stores a changed message and tells the app.
func (s *Server) edit(c *channel, old, edited *message) {
	before := s.messageJSON(old, false)
	edited.EditedTS, edited.EditedBy = s.clock.stamp(), edited.User
	s.keep(edited)
	if edited.EphemeralTo == "" {
		s.emitChanged(c, edited, before)
	}
}

func (s *Server) chatDelete(a args) (reply, error) {
	c, m, err := s.ownMessage(a, "cant_delete_message")
	if err != nil {
		return nil, err
	}
	s.remove(c, m)
	return reply{"channel": c.ID, "ts": m.TS}, nil
}

// remove leaves a deleted message in the record, without its content.
func (s *Server) remove(c *channel, m *message) {
	before := s.messageJSON(m, false)
	gone := *m
	gone.Deleted, gone.Text, gone.Blocks, gone.Attachments, gone.Reactions, gone.Files = true, "", nil, nil, nil, nil
	s.keep(&gone)
	if m.EphemeralTo == "" {
		s.emitDeleted(c, &gone, before)
	}
}

func (s *Server) chatPermalink(a args) (reply, error) {
	c, err := s.botChannel(a.str("channel"))
	if err != nil {
		return nil, err
	}
	m := c.find(a.str("message_ts"))
	if m == nil || m.Deleted {
		return nil, refuse("message_not_found")
	}
	link := s.baseURL + "/archives/" + c.ID + "/p" + strings.ReplaceAll(m.TS, ".", "")
	if m.ThreadTS != "" {
		link += "?thread_ts=" + m.ThreadTS + "&cid=" + c.ID
	}
	return reply{"channel": c.ID, "permalink": link}, nil
}

func (s *Server) reactionsAdd(a args) (reply, error) {
	return s.botReaction(a, true)
}

func (s *Server) reactionsRemove(a args) (reply, error) {
	return s.botReaction(a, false)
}

func (s *Server) botReaction(a args, add bool) (reply, error) {
	c, err := s.postable(a.str("channel"))
	if err != nil {
		return nil, err
	}
	m := c.find(a.str("timestamp"))
	if m == nil || m.Deleted || m.EphemeralTo != "" {
		return nil, refuse("message_not_found")
	}
	return reply{}, s.react(c, m, s.world.bot, a.str("name"), add)
}

// react adds or takes away one person's reaction.
func (s *Server) react(c *channel, m *message, who *user, name string, add bool) error {
	name = strings.Trim(name, ":")
	if name == "" || strings.ContainsFunc(name, func(r rune) bool { return !strings.ContainsRune(reactionRunes, r) }) {
		return refuse("invalid_name")
	}
	changed := *m
	changed.Reactions = cloneReactions(m.Reactions)
	i := slices.IndexFunc(changed.Reactions, func(r reaction) bool { return r.Name == name })
	there := i >= 0 && slices.Contains(changed.Reactions[i].Users, who.ID)
	switch {
	case add && there:
		return refuse("already_reacted")
	case !add && !there:
		return refuse("no_reaction")
	case add && i < 0:
		changed.Reactions = append(changed.Reactions, reaction{name, []string{who.ID}})
	case add:
		changed.Reactions[i].Users = append(changed.Reactions[i].Users, who.ID)
	default:
		left := slices.DeleteFunc(changed.Reactions[i].Users, func(id string) bool { return id == who.ID })
		changed.Reactions[i].Users = left
		if len(left) == 0 {
			changed.Reactions = slices.Delete(changed.Reactions, i, i+1)
		}
	}
	s.keep(&changed)
	if add {
		s.emitReaction(c, m, who, name)
	}
	return nil
}

const reactionRunes = "abcdefghijklmnopqrstuvwxyz0123456789_+-':"

func cloneReactions(list []reaction) []reaction {
	out := make([]reaction, len(list))
	for i, r := range list {
		out[i] = reaction{r.Name, slices.Clone(r.Users)}
	}
	return out
}

func (s *Server) reactionsGet(a args) (reply, error) {
	c, err := s.botChannel(a.str("channel"))
	if err != nil {
		return nil, err
	}
	m := c.find(a.str("timestamp"))
	if m == nil || m.Deleted {
		return nil, refuse("message_not_found")
	}
	return reply{"type": "message", "channel": c.ID, "message": s.messageJSON(m, false)}, nil
}
