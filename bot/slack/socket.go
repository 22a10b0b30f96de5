package slack

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"strings"
	"time"

	"github.com/slack-go/slack/socketmode"

	"sluice/storage"
)

// reconnectPause keeps a broken socket from being reopened in a tight loop.
const reconnectPause = time.Second

// listen keeps one socket open until ctx ends.
func (a *App) listen(ctx context.Context) error {
	quiet := log.New(slogWriter{a.log}, "", 0)
	for ctx.Err() == nil {
		c := socketmode.New(a.api, socketmode.OptionLog(quiet))
		done := make(chan error, 1)
		go func() { done <- c.RunContext(ctx) }()
		err := a.drain(ctx, c, done)
		if ctx.Err() != nil {
			return nil
		}
		if fatal(err) {
			return fmt.Errorf("open a socket to Slack: %w", err)
		}
		a.log.Warn("the socket to Slack ended; opening another", "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(reconnectPause):
		}
	}
	return nil
}

// fatal reports whether opening another socket cannot help: the tokens are wrong.
func fatal(err error) bool {
	if err == nil {
		return false
	}
	switch err.Error() {
	case "invalid_auth", "not_authed", "account_inactive", "token_revoked":
		return true
	}
	return false
}

func (a *App) drain(ctx context.Context, c *socketmode.Client, done <-chan error) error {
	for {
		select {
		case <-ctx.Done():
			<-done
			return nil
		case err := <-done:
			return err
		case ev := <-c.Events:
			a.event(ctx, c, ev)
		}
	}
}

// event stores a delivery and acknowledges it after that. What cannot be stored is not acknowledged: Slack sends events again.
func (a *App) event(ctx context.Context, c *socketmode.Client, ev socketmode.Event) {
	switch ev.Type {
	case socketmode.EventTypeHello:
		a.readyOnce.Do(func() { close(a.ready) })
		return
	case socketmode.EventTypeErrorBadMessage:
		a.ackUnread(ctx, c, ev)
		return
	}
	if ev.Request == nil || ev.Request.EnvelopeID == "" {
		return
	}
	if err := a.store(ctx, ev.Request.Type, ev.Request.Payload); err != nil {
		a.log.Error("a delivery was not stored", "type", ev.Request.Type, "error", err)
		return
	}
	if err := c.AckCtx(ctx, ev.Request.EnvelopeID, nil); err != nil {
		a.log.Warn("a delivery was not acknowledged; it is stored", "error", err)
	}
}

// ackUnread acknowledges an envelope that the client library could not read, so that Slack does not send it for ever.
func (a *App) ackUnread(ctx context.Context, c *socketmode.Client, ev socketmode.Event) {
	bad, ok := ev.Data.(*socketmode.ErrorBadMessage)
	if !ok {
		return
	}
	var env struct {
		EnvelopeID string          `json:"envelope_id"`
		Type       string          `json:"type"`
		Payload    json.RawMessage `json:"payload"`
	}
	if json.Unmarshal(bad.Message, &env) != nil || env.EnvelopeID == "" {
		return
	}
	a.log.Warn("an envelope of an unknown shape", "type", env.Type, "error", bad.Cause)
	if err := a.store(ctx, env.Type, env.Payload); err == nil {
		_ = c.AckCtx(ctx, env.EnvelopeID, nil)
	}
}

// store puts a delivery into the inbox, once.
func (a *App) store(ctx context.Context, kind string, payload json.RawMessage) error {
	key, thread, wanted := a.address(kind, payload)
	if !wanted {
		return nil
	}
	fresh, err := a.cfg.Store.PutInbox(ctx, storage.Inbox{Key: key, Thread: thread, Kind: kind, Payload: payload, Received: time.Now().UTC()})
	if err == nil && fresh {
		a.Arrived()
	}
	return err
}

// Arrived says that there is a new row in the inbox.
func (a *App) Arrived() {
	select {
	case a.arrived <- struct{}{}:
	default:
	}
}

// address gives a delivery's dedupe key and the thread that it belongs to; false for what nobody would read.
func (a *App) address(kind string, payload json.RawMessage) (key, thread string, wanted bool) {
	switch kind {
	case "events_api":
		var e envelope
		if json.Unmarshal(payload, &e) != nil {
			return "", "", false
		}
		m := e.Event
		if a.sees(m) {
			return "reaction:" + strings.Join([]string{m.Item.Channel, m.Item.TS, m.Reaction, m.User, m.EventTS}, ":"), m.Item.Channel + ":" + m.Item.TS, true
		}
		if !a.hears(m) {
			return "", "", false
		}
		root := m.ThreadTS
		if root == "" {
			root = m.TS
		}
		return "msg:" + m.Channel + ":" + m.TS, m.Channel + ":" + root, true
	case "slash_commands", "interactive":
		var p struct {
			TriggerID string `json:"trigger_id"`
			ChannelID string `json:"channel_id"`
			Channel   struct {
				ID string `json:"id"`
			} `json:"channel"`
			Message struct {
				TS       string `json:"ts"`
				ThreadTS string `json:"thread_ts"`
			} `json:"message"`
		}
		if json.Unmarshal(payload, &p) != nil {
			return "", "", false
		}
		root := p.Message.ThreadTS
		if root == "" {
			root = p.Message.TS
		}
		sum := sha256.Sum256(payload)
		return kind + ":" + p.TriggerID + ":" + hex.EncodeToString(sum[:8]), p.ChannelID + p.Channel.ID + ":" + root, true
	}
	return "", "", false
}

// slogWriter passes the client library's own lines on at debug level.
type slogWriter struct{ log *slog.Logger }

func (w slogWriter) Write(p []byte) (int, error) {
	w.log.Debug("slack client", "line", string(p))
	return len(p), nil
}

var errUnknownDelivery = errors.New("a delivery of an unknown kind")
