package main

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestSlackAwayAtTheStart: a program that is restarted while Slack cannot be reached waits for it. It is ready when Slack is connected, and
// not any more when the connection is lost.
func TestSlackAwayAtTheStart(t *testing.T) {
	t.Parallel()
	address := reserved(t)
	w := &world{T: t, setup: setup{apart: true, settings: []string{"SLUICE_HTTP_ADDR=" + address}}, data: t.TempDir(), addr: "127.0.0.1:0", web: &http.Client{Timeout: patience}}
	w.startDev()
	w.dev.kill()
	w.bot = w.serve("serve")
	if _, err := w.bot.says(`Slack cannot be reached`); err != nil {
		t.Fatal(err)
	}
	if text := w.ready(address, http.StatusServiceUnavailable); !strings.Contains(text, "Slack") {
		t.Errorf("readiness says %s", text)
	}
	w.startDev()
	if _, err := w.bot.says(`sluice serves`); err != nil {
		t.Fatal(err)
	}
	w.untilReady("http://" + address)
	w.dev.kill()
	if text := w.ready(address, http.StatusServiceUnavailable); !strings.Contains(text, "Slack is not connected") {
		t.Errorf("readiness says %s", text)
	}
}

// ready waits until readiness is answered with a status and has these words, and gives the answer.
func (w *world) ready(address string, want int, words ...string) string {
	w.Helper()
	last := ""
	for deadline := time.Now().Add(patience); ; {
		res, err := w.web.Get("http://" + address + "/readyz")
		if err == nil {
			text, _ := io.ReadAll(res.Body)
			_ = res.Body.Close()
			last = fmt.Sprintf("%d %s", res.StatusCode, text)
			if res.StatusCode == want && !slices.ContainsFunc(words, func(part string) bool { return !strings.Contains(last, part) }) {
				return last
			}
		}
		if time.Now().After(deadline) {
			w.Fatalf("readiness is never answered %d with %q, but %s (%v)", want, words, last, err)
		}
		<-time.After(20 * time.Millisecond)
	}
}
