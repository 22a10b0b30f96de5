package slack

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	slackgo "github.com/slack-go/slack"

	"sluice/bot/card"
	"sluice/bot/project"
	"sluice/bot/surface"
	"sluice/storage"
)

// Send posts a surface's message or edits it; see project.Sender.
func (a *App) Send(ctx context.Context, s storage.Surface, c card.Card) (storage.Surface, error) {
	s, err := a.send(ctx, s, c)
	return s, a.classify(s.Channel, err)
}

// Held is how long the budget keeps a surface back; see project.Sender.
func (a *App) Held(s storage.Surface) time.Duration {
	if s.Kind == surface.KindMessage && s.TS != "" || !project.IsMessage(s.Kind) {
		return 0 // there is nothing to call
	}
	held := a.budget.held(callOf(s))
	if s.TS == "" && s.Tries > 0 && callOf(s).method == methodPost {
		held = max(held, a.budget.held(findIn(s.Thread)))
	}
	return held
}

// callOf is the call that shows a surface, as Slack counts it.
func callOf(s storage.Surface) call {
	c := call{method: methodPost, channel: s.Channel, urgent: project.Urgent(s.Kind)}
	switch {
	case s.Kind == surface.KindMark, s.Kind == surface.KindDrafted:
		c.method = methodReact
	case s.Kind == surface.KindHome:
		c.method = methodPublish
	case project.Private(s.Kind):
		c.method = methodPrivate
	case project.IsFile(s.Kind):
		c.method = methodShare
	case s.TS != "":
		c.method, c.channel = methodUpdate, "" // counted for the workspace alone
	}
	return c
}

func (a *App) send(ctx context.Context, s storage.Surface, c card.Card) (storage.Surface, error) {
	if c.Message != nil {
		return a.sendMessage(ctx, s, *c.Message)
	}
	if c.Mark != nil {
		return a.mark(ctx, s, *c.Mark)
	}
	if c.Page != nil {
		return a.publish(ctx, s, c)
	}
	if s.Channel == "" {
		dm, err := a.people.open(ctx, s.User)
		if err != nil {
			return s, err
		}
		s.Channel = dm
	}
	if c.File != nil {
		return a.share(ctx, s, c)
	}
	pic := a.shown(c)
	blocks, text := draw(c, pic, false)
	if project.Private(s.Kind) {
		return a.sendPrivate(ctx, s, blocks, text)
	}
	err := a.put(ctx, &s, blocks, text)
	if refusesBlocks(err) && len(c.Tasks) > 0 {
		blocks, text = draw(c, pic, true)
		err = a.put(ctx, &s, blocks, text)
	}
	if err != nil {
		return s, err
	}
	s.File = ""
	if pic != nil {
		s.File = pic.file + " " + c.Picture.Key
	}
	return s, nil
}

// put posts a message that has no ts yet, looking for it first when an earlier try may have arrived, and edits it otherwise.
func (a *App) put(ctx context.Context, s *storage.Surface, blocks []slackgo.Block, text string) error {
	opts := []slackgo.MsgOption{
		slackgo.MsgOptionText(text, false), slackgo.MsgOptionBlocks(blocks...), slackgo.MsgOptionDisableLinkUnfurl(), slackgo.MsgOptionDisableMediaUnfurl(),
		slackgo.MsgOptionMetadata(keyed(s.ID)),
	}
	if s.TS == "" && s.Tries > 0 { // an earlier post may have arrived, although its answer was lost
		ts, err := a.sent.withKey(ctx, s.Channel, s.Thread, s.ID)
		if err != nil {
			return err
		}
		s.TS = ts
	}
	if s.TS != "" {
		if err := a.budget.take(ctx, call{method: methodUpdate, urgent: callOf(*s).urgent}); err != nil {
			return err
		}
		_, _, _, err := a.api.UpdateMessageContext(ctx, s.Channel, s.TS, opts...)
		return called(methodUpdate, err)
	}
	if err := a.budget.take(ctx, callOf(*s)); err != nil {
		return err
	}
	if s.Thread != "" {
		opts = append(opts, slackgo.MsgOptionTS(s.Thread))
	}
	channel, ts, err := a.api.PostMessageContext(ctx, s.Channel, opts...)
	if hasCode(err, "thread_not_found") && s.Thread != "" { // its root was deleted: it stands alone
		s.Thread, opts = "", append(opts, slackgo.MsgOptionTS(""))
		channel, ts, err = a.api.PostMessageContext(ctx, s.Channel, opts...)
	}
	if err != nil {
		return called(methodPost, err)
	}
	s.Channel, s.TS = channel, ts
	return nil
}

// replyAge is how long an answer address works.
const replyAge = 25 * time.Minute

// sendPrivate shows a line to one person: at the address that came with their command or click, else as an ephemeral message,
// else in a DM.
func (a *App) sendPrivate(ctx context.Context, s storage.Surface, blocks []slackgo.Block, text string) (storage.Surface, error) {
	body, err := privateBody(s)
	if err != nil {
		return s, err
	}
	opts := []slackgo.MsgOption{slackgo.MsgOptionText(text, false), slackgo.MsgOptionBlocks(blocks...)}
	if body.Reply != "" && time.Since(s.Created) < replyAge {
		err := a.respond(ctx, body.Reply, response{Type: slackgo.ResponseTypeEphemeral, Text: text, Thread: s.Thread, Blocks: blocks})
		if err == nil {
			s.TS = "sent"
			return s, nil
		}
		a.log.Info("an answer address did not work; sending another way", "error", err)
	}
	if err := a.budget.take(ctx, callOf(s)); err != nil {
		return s, err
	}
	if s.Thread != "" {
		opts = append(opts, slackgo.MsgOptionTS(s.Thread))
	}
	ts, err := a.api.PostEphemeralContext(ctx, s.Channel, s.User, opts...)
	if hasCode(err, "not_in_channel", "channel_not_found", "user_not_in_channel") { // the bot or the person is not in it
		var dm string
		if dm, err = a.people.open(ctx, s.User); err == nil {
			_, ts, err = a.api.PostMessageContext(ctx, dm, slackgo.MsgOptionText(text, false), slackgo.MsgOptionBlocks(blocks...))
		}
	}
	if err != nil {
		return s, called(methodPrivate, err)
	}
	s.TS = ts
	return s, nil
}

// response is an answer to a command or a click, at the address that came with it.
type response struct {
	Type   string          `json:"response_type"`
	Text   string          `json:"text"`
	Thread string          `json:"thread_ts,omitempty"`
	Blocks []slackgo.Block `json:"blocks,omitempty"`
}

// respond posts to an answer address. The client library would send empty metadata with it.
func (a *App) respond(ctx context.Context, address string, r response) error {
	body, err := json.Marshal(r)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := a.web.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		answer, _ := io.ReadAll(io.LimitReader(res.Body, 200))
		return fmt.Errorf("%s: %s", res.Status, answer)
	}
	return nil
}
