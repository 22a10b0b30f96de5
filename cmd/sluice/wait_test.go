package main

import (
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// post makes a control call that must succeed. Under a plan of faults it is made again when the app has no connection; a call that the app may
// have heard is made again when nothing comes of it.
func (w *world) post(path string, body fields) answer {
	w.Helper()
	var seq int64
	if w.plan != "" {
		seq = w.get("clock").Seq
	}
	a := w.sends(path, body)
	if !a.OK {
		w.Fatalf("%s %v: %s %s", path, body, a.Error, a.Detail)
	}
	a.Seq = max(a.Seq, seq) // an answer may have come before the call was made for the last time
	return a
}

// slow is the answer to somebody whose action the app has not acknowledged within Slack's three seconds.
const slow = "operation_timeout"

// sends makes a control call, and gives what it was answered, refusals as well. On a busy machine the app may take longer than Slack waits;
// what comes of the call is then still to be waited for.
func (w *world) sends(path string, body fields) answer {
	w.Helper()
	for range 20 {
		a, err := w.call(http.MethodPost, path, body)
		switch {
		case err != nil:
			w.Fatalf("%s %v: %v", path, body, err)
		case w.plan != "" && a.Error == "dispatch_failed":
			w.get(fmt.Sprintf("events?after=%d&wait=500ms", w.get("clock").Seq))
			continue
		case a.Error == slow && path == "submit": // the form is still open: they send it again
			continue
		case a.Error == slow: // the app is slow, or did not hear it
			if w.plan != "" {
				w.unheard = func() { w.sends(path, body) }
			}
			return answer{OK: true}
		}
		return a
	}
	w.Fatalf("%s %v: the app is never connected", path, body)
	return answer{}
}

func (w *world) get(path string) answer {
	w.Helper()
	a, err := w.call(http.MethodGet, path, nil)
	if err != nil || !a.OK {
		w.Fatalf("%s: %v %s %s", path, err, a.Error, a.Detail)
	}
	return a
}

// wait is how long somebody waits for something. Under a plan of faults, when nothing happens for a while, they do again what was not heard, or
// the clock moves on to what Slack delivers again after a minute.
type wait struct {
	w            *world
	limit, quiet time.Time
}

// retryAfter is how long nothing happens before something is done about it.
const retryAfter = 10 * time.Second

func (w *world) waits() *wait {
	limit := patience
	if w.plan != "" {
		limit *= 2
	}
	return &wait{w: w, limit: time.Now().Add(limit), quiet: time.Now()}
}

// goesOn says whether to look again.
func (t *wait) goesOn() bool {
	t.w.Helper()
	if t.w.plan != "" && time.Since(t.quiet) > retryAfter {
		t.quiet = time.Now()
		if again := t.w.unheard; again != nil {
			t.w.unheard = nil
			again()
		} else {
			t.w.post("clock", fields{"advance": "61s"})
		}
	}
	return time.Now().Before(t.limit)
}

// until waits until a channel shows what find looks for.
func until[T any](w *world, channel, what string, find func([]message) (T, bool)) T {
	w.Helper()
	after := int64(0)
	for t := w.waits(); ; {
		a := w.get(fmt.Sprintf("state?channel=%s&after=%d&wait=%v", url.QueryEscape(channel), after, retryAfter))
		if v, ok := find(a.Messages); ok {
			w.unheard = nil // it was heard, or what comes of it was not waited for
			return v
		}
		if after = a.Seq; !t.goesOn() {
			w.Fatalf("%s: never saw %s. The channel shows:\n%s", channel, what, transcript(a.Messages))
		}
	}
}

// untilMessage waits for a message.
func (w *world) untilMessage(channel, what string, fits func(message) bool) message {
	w.Helper()
	return until(w, channel, what, func(all []message) (message, bool) { return first(all, fits) })
}

// poll looks at something that gives no sign when it changes, whenever anything happens in the workspace, and ten times a second.
func poll[T any](w *world, what string, look func() (T, bool)) T {
	w.Helper()
	for t := w.waits(); ; {
		v, ok := look()
		if ok {
			w.unheard = nil
			return v
		}
		if !t.goesOn() {
			w.Fatalf("never saw %s, but %+v", what, v)
		}
		w.get(fmt.Sprintf("events?after=%d&wait=100ms", w.get("clock").Seq))
	}
}
