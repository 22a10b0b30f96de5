package slack

import (
	"context"
	"errors"
	"fmt"
	"strings"

	slackgo "github.com/slack-go/slack"

	"sluice/bot/card"
	"sluice/bot/project"
	"sluice/bot/surface"
	"sluice/engine/people"
	"sluice/storage"
)

// sendMessage posts what a step or a tool says, once under its key. Where the surface has a name, its channel is found out first.
func (a *App) sendMessage(ctx context.Context, s storage.Surface, m card.Message) (storage.Surface, error) {
	channel, err := a.place(ctx, s.Channel)
	if err != nil {
		return s, err
	}
	s.Channel = channel
	if m.Seek || s.Tries > 0 {
		if s.TS, err = a.sent.withKey(ctx, channel, s.Thread, m.Key); err != nil {
			return s, unknownChannel(err, m)
		}
	}
	if s.TS != "" || m.Only {
		return s, nil
	}
	if err := a.budget.take(ctx, callOf(s)); err != nil {
		return s, err
	}
	opts := append(spoken(m), slackgo.MsgOptionMetadata(keyed(m.Key)))
	if s.Thread != "" {
		opts = append(opts, slackgo.MsgOptionTS(s.Thread))
	}
	_, s.TS, err = a.api.PostMessageContext(ctx, channel, opts...)
	return s, unknownChannel(called(methodPost, err), m)
}

// messageMost is how many characters of a message's text are sent.
const messageMost = 4 * maxText

// spoken is what a message says: mrkdwn, or blocks where words of it would be read as marks that are none.
func spoken(m card.Message) []slackgo.MsgOption {
	if !m.Marks {
		return []slackgo.MsgOption{slackgo.MsgOptionText(cut(m.Text.String(), messageMost), false)}
	}
	words, ok := m.Text.Mrkdwn()
	if ok && len([]rune(words)) <= messageMost {
		return []slackgo.MsgOption{slackgo.MsgOptionText(words, false)}
	}
	c := card.Card{Text: m.Text}
	return []slackgo.MsgOption{slackgo.MsgOptionText(fallback(c), false), slackgo.MsgOptionBlocks(drawAll(c, nil, true, maxTotal).blocks...)}
}

// unknownChannel refuses a message to a channel that Slack does not know: it never was, or the bot was never there. Where its run lives
// the bot was, so that it waits there.
func unknownChannel(err error, m card.Message) error {
	if hasCode(err, "channel_not_found") && !m.Own {
		return &surface.RefusedError{Code: "channel_not_found", Err: err}
	}
	return err
}

// place finds the conversation for "#name", "@name" or an id.
func (a *App) place(ctx context.Context, name string) (string, error) {
	if name == "" {
		return "", project.Nowhere(errors.New("no channel was given"))
	}
	if id := strings.TrimLeft(name, "#@"); id == name && len(name) > 1 && strings.ContainsRune("CGD", rune(name[0])) && name == strings.ToUpper(name) {
		return name, nil
	}
	p, err := a.people.Resolve(ctx, name)
	if errors.Is(err, people.ErrUnknownName) {
		return "", project.Nowhere(err)
	}
	if err != nil {
		return "", err
	}
	switch p.Kind {
	case "user":
		return a.people.open(ctx, p.ID)
	case "group":
		return "", project.Nowhere(fmt.Errorf("%s is a group; a message goes to a channel or a person", p.Name))
	}
	return p.ID, nil
}
