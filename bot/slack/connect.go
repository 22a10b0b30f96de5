package slack

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/gorilla/websocket"
	slackgo "github.com/slack-go/slack"
	"github.com/slack-go/slack/socketmode"
)

// pace has the limits for opening sockets. Together the two are the longest time between Slack's return and the next socket.
type pace struct {
	attempt time.Duration // one attempt to open a socket may take so long
	pause   time.Duration // between two attempts
	refused time.Duration // between two attempts while Slack refuses the token: a person must act
}

// defaultPace has a socket open again within ten seconds after an outage, however long that was.
var defaultPace = pace{attempt: 5 * time.Second, pause: 2 * time.Second, refused: 5 * time.Second}

// silence bounds how long a broken connection stays unnoticed: the operating system probes it after Idle.
var silence = net.KeepAliveConfig{Enable: true, Idle: 5 * time.Second, Interval: 2 * time.Second, Count: 3}

// connection says how the sockets to Slack stand. It is safe for concurrent use.
type connection struct {
	log *slog.Logger

	mu   sync.Mutex
	open int
	lost time.Time // when the last open socket was lost, or the first attempt failed
	err  error     // why there is none
}

// opened notes that a socket is open, and says whether there was none for a while.
func (c *connection) opened() (back bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open++
	if back = !c.lost.IsZero(); back {
		c.log.Info("the connection to Slack is back", "after", time.Since(c.lost).Round(time.Millisecond))
	}
	c.lost, c.err = time.Time{}, nil
	return back
}

func (c *connection) closed() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open--
}

// failed notes that a socket ended, or could not be opened. It is said once, however often opening is tried.
func (c *connection) failed(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open > 0 {
		c.log.Debug("a socket to Slack ended; opening another", "error", err)
		return
	}
	if c.lost.IsZero() {
		c.lost = time.Now()
	}
	if c.err == nil || c.err.Error() != err.Error() {
		c.log.Warn("there is no connection to Slack; trying again until there is", "error", err)
	}
	c.err = err
}

// Disconnected says why no delivery of Slack arrives, and since when; nil while a socket is open.
func (a *App) Disconnected() (since time.Time, err error) {
	c := &a.connection
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open > 0 {
		return time.Time{}, nil
	}
	if c.err == nil {
		return time.Time{}, errConnecting
	}
	return c.lost, c.err
}

var errConnecting = errors.New("the connection to Slack is not open yet")

// listen keeps one socket open until ctx ends. The client library would wait up to five minutes between two attempts to open one; here
// every attempt is a client of its own, so that the pauses are ours.
func (a *App) listen(ctx context.Context) error {
	for ctx.Err() == nil {
		err := a.connect(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if fatal(err) && !a.wasReady() {
			return fmt.Errorf("open a socket to Slack: %w", err)
		}
		a.connection.failed(err)
		select {
		case <-ctx.Done():
		case <-time.After(a.pace.after(err)):
		}
	}
	return nil
}

// after is how long to wait before the next attempt: what Slack asks for, if it asks.
func (p pace) after(err error) time.Duration {
	var limited *slackgo.RateLimitedError
	switch {
	case errors.As(err, &limited):
		return max(limited.RetryAfter, p.pause)
	case fatal(err):
		return p.refused
	case errors.Is(err, errSocketEnded): // Slack ends a socket every few hours and expects another one at once
		return p.pause / 8
	}
	return p.pause
}

// wasReady says whether a socket has been open since the start: the tokens are right, or were.
func (a *App) wasReady() bool { return isClosed(a.ready) }

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// fatal reports whether Slack refuses the app-level token.
func fatal(err error) bool {
	return err != nil && slices.Contains([]string{"invalid_auth", "not_authed", "account_inactive", "token_revoked"}, err.Error())
}

// connect opens a socket and takes its deliveries until it ends; the error says why it did.
func (a *App) connect(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var beside sync.WaitGroup
	defer func() {
		cancel()
		beside.Wait()
	}()
	dial := &net.Dialer{Timeout: a.pace.attempt, KeepAliveConfig: silence}
	c := socketmode.New(
		a.api, socketmode.OptionLog(log.New(slogWriter{a.log}, "", 0)),
		socketmode.OptionDialer(&websocket.Dialer{Proxy: http.ProxyFromEnvironment, NetDialContext: dial.DialContext, HandshakeTimeout: a.pace.attempt}),
	)
	done := make(chan error, 1)
	go func() { done <- c.RunContext(ctx) }()
	late := time.NewTimer(a.pace.attempt)
	defer late.Stop()
	end := func(err error) error {
		cancel()
		<-done
		return err
	}
	open := false
	for {
		select {
		case <-ctx.Done():
			return end(ctx.Err())
		case err := <-done:
			return err
		case <-late.C:
			return end(fmt.Errorf("opening a socket took longer than %v", a.pace.attempt))
		case ev := <-c.Events:
			switch ev.Type {
			case socketmode.EventTypeHello:
				late.Stop()
				if !open {
					open = true
					if a.connection.opened() {
						beside.Go(func() { a.reconnected(ctx) })
					}
					defer a.connection.closed()
				}
				a.readyOnce.Do(func() { close(a.ready) })
			case socketmode.EventTypeConnecting:
				if open { // the socket ended, and the client opens another one
					return end(errSocketEnded)
				}
			case socketmode.EventTypeConnectionError:
				return end(connectionError(ev))
			default:
				a.event(ctx, c, ev)
			}
		}
	}
}

var errSocketEnded = errors.New("the socket ended")

// connectionError is why the client could not open a socket.
func connectionError(ev socketmode.Event) error {
	if e, ok := ev.Data.(*slackgo.ConnectionErrorEvent); ok && e.ErrorObj != nil {
		return e.ErrorObj
	}
	return errors.New("a socket could not be opened")
}

// slogWriter passes the client library's own lines on at debug level.
type slogWriter struct{ log *slog.Logger }

func (w slogWriter) Write(p []byte) (int, error) {
	w.log.Debug("slack client", "line", string(p))
	return len(p), nil
}
