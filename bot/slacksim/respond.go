package slacksim

import (
	"net/http"
)

// methodResponse is the name that faults know the response_urls by.
const methodResponse = "response_url"

// serveResponseURL takes what the app sends to a response_url. Good answers are the two letters `ok`, as Slack's are.
func (s *Server) serveResponseURL(w http.ResponseWriter, r *http.Request) {
	fields, err := readBody(r)
	f := s.faults.takeAPI(methodResponse, fields)
	if f != nil && !f.late && !s.strike(w, r, f) {
		return
	}
	if err == nil {
		s.mu.Lock()
		err = s.respond(r.PathValue("id"), fields)
		s.mu.Unlock()
	}
	if f != nil && f.late && !s.strike(w, r, f) {
		return
	}
	if err != nil {
		s.lint(methodResponse, err)
		status := http.StatusOK
		answer := refusal(err)
		if answer["error"] == "used_url" || answer["error"] == "expired_url" {
			status = http.StatusNotFound
		}
		writeJSON(w, status, answer)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("ok")) // a client that left needs no answer
}

func (s *Server) respond(id string, a args) error {
	known := s.world.hooks[id]
	if known == nil || s.clock.now().After(known.Expires) {
		return refuse("expired_url")
	}
	if known.Uses >= hookUses {
		return refuse("used_url")
	}
	delete(a, "metadata") // messages of a response_url have none
	shown, err := s.readContent(a, maxText)
	if err != nil {
		return err
	}
	if err := s.useHook(known, shown, a); err != nil {
		return err
	}
	used := *known
	used.Uses++
	s.store(kindHook, &used)
	s.world.hooks[id] = &used
	return nil
}

// useHook deletes or replaces the message that was clicked, or posts another beside it. Through a response_url the app may
// speak where it is not a member, and change ephemeral messages.
func (s *Server) useHook(h *hook, shown content, a args) error {
	c := s.world.channel(h.Channel)
	if c == nil {
		return refuse("channel_not_found")
	}
	original := c.find(h.TS)
	if original != nil && original.Deleted {
		original = nil
	}
	if a.yes("delete_original") {
		if original == nil {
			return refuse("message_not_found")
		}
		s.remove(c, original)
		return nil
	}
	if shown.empty() {
		return refuse("no_text")
	}
	if a.yes("replace_original") && original != nil {
		edited := *original
		applyContent(&edited, shown)
		edited.Text = shown.text
		if shown.blocks == nil {
			edited.Blocks = nil
		}
		s.edit(c, original, &edited)
		return nil
	}
	threadTS := orElse(a.str("thread_ts"), h.ThreadTS)
	m, err := s.newBotMessage(c, shown, threadTS)
	if err != nil {
		return err
	}
	if a.str("response_type") != "in_channel" {
		m.EphemeralTo = h.User
	}
	s.post(c, m)
	return nil
}
