package slack

import (
	"context"
	"testing"
	"time"
)

// listening opens one socket of the App, with short pauses, and gives what the end of it says.
func (w *world) listening(p pace) <-chan error {
	w.t.Helper()
	w.app.pace = p
	ctx, cancel := context.WithCancel(w.t.Context())
	end, over := make(chan error, 1), make(chan struct{})
	go func() {
		defer close(over)
		end <- w.app.listen(ctx)
	}()
	w.t.Cleanup(func() {
		cancel()
		<-over
	})
	return end
}

// connected waits until a socket is open, or until none is.
func (w *world) connected(want bool) {
	w.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
		if _, err := w.app.Disconnected(); (err == nil) == want {
			return
		}
		<-time.After(time.Millisecond)
	}
	_, err := w.app.Disconnected()
	w.t.Fatalf("a socket is open: %v, want %v (%v)", err == nil, want, err)
}

var quick = pace{attempt: 2 * time.Second, pause: time.Millisecond, refused: time.Millisecond}

// TestTheSocketComesBackSoonAfterALongOutage: pauses between attempts do not grow with the number of attempts. The client library would
// pause for hours before the last of these.
func TestTheSocketComesBackSoonAfterALongOutage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.listening(quick)
	w.connected(true)
	w.control("fault", map[string]any{"target": "api", "method": "apps.connections.open", "kind": "500", "times": 25})
	w.control("fault", map[string]any{"target": "api", "method": "apps.connections.open", "kind": "drop", "times": 10})
	w.control("disconnect", map[string]any{"hard": true})
	w.connected(false)
	w.connected(true)
}

// TestASilentNetworkDoesNotHoldUpTheSocket: an attempt that gets no answer at all is given up, and the next one finds Slack.
func TestASilentNetworkDoesNotHoldUpTheSocket(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.control("fault", map[string]any{"target": "api", "method": "apps.connections.open", "kind": "timeout", "times": 3})
	w.listening(pace{attempt: 100 * time.Millisecond, pause: time.Millisecond})
	w.connected(true)
}

// TestARevokedTokenDoesNotEndTheBot: once it has been connected it waits for the token to work again.
func TestARevokedTokenDoesNotEndTheBot(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	end := w.listening(quick)
	w.connected(true)
	w.control("fault", map[string]any{"target": "api", "method": "apps.connections.open", "kind": "refuse", "error": "token_revoked", "times": 1_000_000})
	w.control("disconnect", map[string]any{"hard": true})
	w.connected(false)
	for deadline := time.Now().Add(20 * time.Second); ; {
		if _, err := w.app.Disconnected(); fatal(err) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("nobody noticed that the token is refused")
		}
		<-time.After(time.Millisecond)
	}
	w.control("heal", map[string]any{})
	w.connected(true)
	select {
	case err := <-end:
		t.Errorf("listening ended: %v", err)
	default:
	}
}
