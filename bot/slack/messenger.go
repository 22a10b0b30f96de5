package slack

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	slackgo "github.com/slack-go/slack"

	"sluice/bot/card"
	"sluice/bot/project"
	"sluice/engine/tool"
	"sluice/storage"
)

// searchBack is how far back a keyed message is looked for: a post is repeated by a retry or after a crash, not days later.
const searchBack = 24 * time.Hour

// Post sends a message once under its key; see tool.Messenger. It always looks first, because the process that tried before may
// have been killed between the post and its record.
func (a *App) Post(ctx context.Context, m tool.Message) (tool.Posted, error) {
	channel, err := a.place(ctx, m.Channel)
	if err != nil {
		return tool.Posted{}, &tool.Error{Type: "ParameterError", Message: err.Error(), Permanent: true, Err: err}
	}
	thread := m.Thread
	if thread == "" && m.Run != "" {
		if thread, err = a.threadIn(ctx, m.Run, channel); err != nil {
			return tool.Posted{}, err
		}
	}
	key := "post:" + m.Key
	ts, err := a.search(ctx, channel, thread, key, time.Now().Add(-searchBack))
	if err != nil {
		return tool.Posted{}, a.postError(err)
	}
	if ts != "" {
		return tool.Posted{Channel: channel, TS: ts}, nil
	}
	if err := a.budget.wait(ctx, channel, false); err != nil {
		return tool.Posted{}, err
	}
	opts := []slackgo.MsgOption{
		slackgo.MsgOptionText(cut(card.Escape(m.Text), maxText*4), false),
		slackgo.MsgOptionMetadata(slackgo.SlackMetadata{EventType: eventType, EventPayload: map[string]any{"key": key}}),
	}
	if thread != "" {
		opts = append(opts, slackgo.MsgOptionTS(thread))
	}
	channel, ts, err = a.api.PostMessageContext(ctx, channel, opts...)
	if err != nil {
		return tool.Posted{}, a.postError(err)
	}
	return tool.Posted{Channel: channel, TS: ts}, nil
}

// place finds the conversation for "#name", "@name" or an id.
func (a *App) place(ctx context.Context, name string) (string, error) {
	if name == "" {
		return "", errors.New("no channel was given")
	}
	if strings.HasPrefix(name, "D") && name == strings.ToUpper(name) {
		return name, nil
	}
	p, err := a.people.Resolve(ctx, name)
	if err != nil {
		return "", err
	}
	switch p.Kind {
	case "user":
		dm, _, _, err := a.api.OpenConversationContext(ctx, &slackgo.OpenConversationParameters{Users: []string{p.ID}})
		if err != nil {
			return "", fmt.Errorf("open a direct message to %s: %w", p.Name, err)
		}
		return dm.ID, nil
	case "group":
		return "", fmt.Errorf("%s is a group; a message goes to a channel or a person", p.Name)
	}
	return p.ID, nil
}

const (
	threadLook = 100 * time.Millisecond // between two looks for a run's thread
	threadWait = time.Minute            // for it; what goes wrong with the status message goes wrong with others, too
)

// threadIn gives the thread of a run when the message goes to the channel where the run lives, else "". The thread is that of the run's
// status message, which is waited for: a message that was posted beside the thread would not be found in it when it is tried again.
func (a *App) threadIn(ctx context.Context, run, channel string) (string, error) {
	root, err := project.Root(ctx, a.cfg.Store, run)
	if err != nil {
		return "", fmt.Errorf("find the thread of run %s: %w", run, err)
	}
	ctx, cancel := context.WithTimeout(ctx, threadWait)
	defer cancel()
	look := time.NewTicker(threadLook)
	defer look.Stop()
	for {
		s, err := a.cfg.Store.Surface(ctx, "status-"+root.ID)
		switch {
		case errors.Is(err, storage.ErrNotFound) || err == nil && s.Channel != channel:
			return "", nil
		case err != nil:
			return "", fmt.Errorf("find the thread of run %s: %w", root.Name, err)
		case s.Thread != "":
			return s.Thread, nil
		case s.TS != "" || s.Shown >= s.Wanted: // or it cannot be posted at all
			return s.TS, nil
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return "", &tool.Error{Type: "SlackError", Message: "the status message of " + root.Name + ", whose thread this belongs into, could not be posted yet", Err: ctx.Err()}
		}
	}
}

// postError is a failed post in a tool's words.
func (a *App) postError(err error) error {
	te := &tool.Error{Type: "SlackError", Message: "Slack answered: " + err.Error(), Err: err}
	var limited *slackgo.RateLimitedError
	var perm *project.PermanentError
	switch c := a.classify(err); {
	case errors.As(err, &limited):
		te.Type, te.RetryAfter = "RateLimitError", limited.RetryAfter
	case errors.As(c, &perm):
		te.Permanent = true
	}
	return te
}

var (
	_ tool.Messenger = (*App)(nil)
	_ project.Sender = (*App)(nil)
)
