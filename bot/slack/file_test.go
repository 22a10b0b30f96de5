package slack

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"sluice/bot/drafts"
	"sluice/bot/request"
	"sluice/storage"
)

// sent posts a file as ana and gives it as a delivery names it.
func (w *world) sent(name, content string, more map[string]any) request.File {
	w.t.Helper()
	file := map[string]any{"name": name, "content": content}
	maps.Copy(file, more)
	w.control("message", map[string]any{"user": "ana", "channel": "#support", "text": "<@" + w.app.user + ">", "files": []any{file}})
	for _, m := range w.messages("#support") {
		if !strings.Contains(m.Text, w.app.user) {
			continue
		}
		payload, err := json.Marshal(map[string]any{"event": map[string]any{
			"type": "app_mention", "channel": w.channel("#support"), "user": m.User, "ts": m.TS, "text": m.Text,
		}})
		if err != nil {
			w.t.Fatal(err)
		}
		in, ok, err := w.app.decode(w.t.Context(), storage.Inbox{Kind: "events_api", Payload: payload})
		if err != nil || !ok || len(in.Files) != 1 {
			w.t.Fatalf("decoded %+v, %t, %v", in, ok, err)
		}
		return in.Files[0]
	}
	w.t.Fatal("the message is not there")
	return request.File{}
}

// TestMentionFindsItsFiles: a mention that names no files is looked at again, and they are read.
func TestMentionFindsItsFiles(t *testing.T) {
	t.Parallel()
	for name, more := range map[string]map[string]any{"its own": nil, "shared": {"ask": true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			f := w.sent("flow.yaml", "name: x\n", more)
			got, err := w.app.File(t.Context(), f, 100)
			if err != nil || string(got) != "name: x\n" {
				t.Errorf("%+v holds %q: %v", f, got, err)
			}
			for most, want := range map[int]error{8: nil, 7: drafts.ErrFileBig} {
				f.Size = 0 // Slack does not say
				if _, err := w.app.File(t.Context(), f, most); !errors.Is(err, want) {
					t.Errorf("at most %d: %v", most, err)
				}
			}
			w.control("delete_file", map[string]any{"user": "ana", "file": f.ID})
			if _, err := w.app.File(t.Context(), f, 100); !errors.Is(err, drafts.ErrFileGone) {
				t.Errorf("a deleted file: %v", err)
			}
		})
	}
}

// TestTokenStaysAtHome: a file that stands anywhere but at Slack is not asked for.
func TestTokenStaysAtHome(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	asked := 0
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer elsewhere.Close()
	for _, address := range []string{elsewhere.URL + "/files/F1", "http://files.slack.com/F1", "https://slack.com.example/F1", "ftp://slack.com/F1", "://"} {
		_, err := w.app.File(t.Context(), request.File{ID: "F1", URL: address}, 100)
		if !errors.Is(err, drafts.ErrFileClosed) {
			t.Errorf("%s: %v", address, err)
		}
	}
	if asked > 0 {
		t.Errorf("another server was asked %d times", asked)
	}
}

// TestFaultsOfADownload: a passing error is tried again by the caller, so it must not count as a fault of the file.
func TestFaultsOfADownload(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f := w.sent("flow.yaml", "name: x\n", nil)
	for _, kind := range []string{"500", "429"} {
		t.Run(kind, func(t *testing.T) {
			w.control("fault", map[string]any{"target": "api", "kind": kind, "method": "url_private", "after": "100"})
			_, err := w.app.File(t.Context(), f, 100)
			for _, settled := range []error{drafts.ErrFileClosed, drafts.ErrFileGone, drafts.ErrFileBig} {
				if err == nil || errors.Is(err, settled) {
					t.Errorf("%v", err)
				}
			}
			if _, err := w.app.File(t.Context(), f, 100); err != nil {
				t.Errorf("the next try: %v", err)
			}
		})
	}
	w.control("fault", map[string]any{"target": "api", "kind": "500", "method": "files.info"})
	f.URL = ""
	if _, err := w.app.File(t.Context(), f, 100); err == nil || errors.Is(err, drafts.ErrFileClosed) {
		t.Errorf("files.info in trouble: %v", err)
	}
	if _, err := w.app.File(t.Context(), request.File{ID: "F0NOSUCH"}, 100); !errors.Is(err, drafts.ErrFileGone) {
		t.Errorf("a file that is unknown: %v", err)
	}
}
