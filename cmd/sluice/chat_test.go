package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// message is a message as the small Slack's control API shows it.
type message struct {
	Channel     string  `json:"channel"`
	TS          string  `json:"ts"`
	Thread      string  `json:"thread_ts"`
	User        string  `json:"user_name"`
	Bot         bool    `json:"bot"`
	Text        string  `json:"text"`
	Blocks      []block `json:"blocks"`
	Edited      bool    `json:"edited"`
	Deleted     bool    `json:"deleted"`
	EphemeralTo string  `json:"ephemeral_to"`
	Seq         int64   `json:"seq"`
	Reactions   []struct {
		Name string `json:"name"`
	} `json:"reactions"`
	view  string // of a Home
	Files []struct {
		ID       string `json:"id"`
		Name     string `json:"name"`
		Mimetype string `json:"mimetype"`
		Alt      string `json:"alt"`
	} `json:"files"`
}

type block struct {
	Accessory *element   `json:"accessory"`
	Type      string     `json:"type"`
	ID        string     `json:"block_id"`
	Text      *shownText `json:"text"`
	Title     any        `json:"title"`
	Alt       string     `json:"alt_text"`
	Elements  []element  `json:"elements"`
	Tasks     []struct {
		Title  string `json:"title"`
		Status string `json:"status"`
	} `json:"tasks"`
}

// elements are those of a block and beside it.
func (b block) elements() []element {
	if b.Accessory != nil {
		return append(slices.Clone(b.Elements), *b.Accessory)
	}
	return b.Elements
}

type element struct {
	Type     string    `json:"type"`
	ActionID string    `json:"action_id"`
	Value    string    `json:"value"`
	Text     labelText `json:"text"`
	Confirm  any       `json:"confirm"`
	// of a rich text
	Elements  []element `json:"elements"`
	User      string    `json:"user_id"`
	Channel   string    `json:"channel_id"`
	Group     string    `json:"usergroup_id"`
	Name      string    `json:"name"` // of an emoji
	Timestamp int64     `json:"timestamp"`
	Format    string    `json:"format"`
	Fallback  string    `json:"fallback"`
	Style     any       `json:"style"` // "ordered" or "bullet" of a list, a set of faces of a text
	Indent    int       `json:"indent"`
	Offset    int       `json:"offset"`
}

// rich is a piece of a rich text as the marks of a plain one would say it, with bold for headings where it has lists.
func (e element) rich(lists bool) string {
	switch e.Type {
	case "user":
		return "<@" + e.User + ">"
	case "channel":
		return "<#" + e.Channel + ">"
	case "usergroup":
		return "<!subteam^" + e.Group + ">"
	case "emoji":
		return ":" + e.Name + ":"
	case "date":
		return fmt.Sprintf("<!date^%d^%s|%s>", e.Timestamp, e.Format, e.Fallback)
	}
	var out strings.Builder
	if faces, ok := e.Style.(map[string]any); ok && lists && faces["bold"] == true {
		out.WriteString("*" + string(e.Text) + "*")
	} else {
		out.WriteString(string(e.Text))
	}
	for i, part := range e.Elements {
		switch {
		case e.Type == "rich_text_list" && e.Style == "ordered":
			fmt.Fprintf(&out, "%d. %s\n", e.Offset+i+1, part.rich(lists))
		case e.Type == "rich_text_list":
			out.WriteString(cmp.Or(strings.Repeat("\u2003\u2003", e.Indent), "• ") + part.rich(lists) + "\n")
		default:
			out.WriteString(part.rich(lists))
		}
	}
	return out.String()
}

type shownText struct {
	Text string `json:"text"`
}

// labelText is a text object, or in a context block the text itself.
type labelText string

func (l *labelText) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		*l = labelText(s)
		return nil
	}
	var o shownText
	err := json.Unmarshal(b, &o)
	*l = labelText(o.Text)
	return err
}

// buttons lists the labels of a message's buttons.
func (m message) buttons() []string {
	var out []string
	for _, b := range m.Blocks {
		for _, e := range b.Elements {
			if e.Type == "button" {
				out = append(out, string(e.Text))
			}
		}
	}
	return out
}

func (m message) button(label string) (element, bool) {
	for _, b := range m.Blocks {
		for _, e := range b.elements() {
			if e.Type == "button" && string(e.Text) == label {
				return e, true
			}
		}
	}
	return element{}, false
}

// alt is the text that stands for the message's picture; "" = there is no picture.
func (m message) alt() string {
	for _, b := range m.Blocks {
		if b.Type == "image" {
			return b.Alt
		}
	}
	return ""
}

// shown is what a person sees of a message, line by line.
func (m message) shown() string {
	var out strings.Builder
	if len(m.Blocks) == 0 {
		out.WriteString(m.Text + "\n")
	}
	for _, b := range m.Blocks {
		if b.Text != nil {
			out.WriteString(b.Text.Text + "\n")
		}
		if b.Type == "image" {
			fmt.Fprintf(&out, "{picture: %s}\n", b.Alt)
		}
		for _, t := range b.Tasks {
			fmt.Fprintf(&out, "- %s: %s\n", t.Title, t.Status)
		}
		lists := slices.ContainsFunc(b.elements(), func(e element) bool { return e.Type == "rich_text_list" })
		var row []string
		for _, e := range b.elements() {
			if b.Type == "rich_text" {
				row = append(row, e.rich(lists))
				continue
			}
			if e.Type == "button" {
				row = append(row, "["+string(e.Text)+"]")
			} else {
				row = append(row, string(e.Text))
			}
		}
		between := " "
		if lists {
			between = ""
		}
		if len(row) > 0 {
			out.WriteString(strings.TrimRight(strings.Join(row, between), "\n") + "\n")
		}
	}
	return out.String()
}

// answer is what the control API says.
type answer struct {
	Allowed, Exceeded map[string]int // calls by method, of GET calls
	Struck            map[string]int // by the kinds of a plan, of GET plan
	Plan              string
	OK                bool            `json:"ok"`
	Error             string          `json:"error"`
	Detail            string          `json:"detail"`
	Seq               int64           `json:"seq"`
	TS                string          `json:"ts"`
	Channel           string          `json:"channel"`
	Messages          []message       `json:"messages"`
	Ready             bool            `json:"ready"`
	Users             []account       `json:"users"`
	Arrivals          []arrival       `json:"arrivals"`
	Bookings          json.RawMessage `json:"bookings"`
	Now               time.Time       `json:"now"`
	Views             []modal         `json:"views"`
	View              *homeView       `json:"view"`

	// of a submission
	ResponseAction string            `json:"response_action"`
	Errors         map[string]string `json:"errors"`
}

type account struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Deleted bool   `json:"deleted"`
}

// arrival is a request that reached the shop.
type arrival struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	Key    string `json:"key"`
	Body   string `json:"body"`
}

// fields is the body of a control call.
type fields map[string]any

// call makes a control call. An error is about the wire; what the small Slack refuses is in the answer.
func (w *world) call(method, path string, body fields) (answer, error) {
	return w.callTraced(w.Context(), method, path, body)
}

// callTraced is call under a context that may watch the request.
func (w *world) callTraced(ctx context.Context, method, path string, body fields) (answer, error) {
	var send io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return answer{}, err
		}
		send = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, w.url("/control/"+path), send)
	if err != nil {
		return answer{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := w.web.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	var a answer
	if err := json.NewDecoder(resp.Body).Decode(&a); err != nil {
		return a, fmt.Errorf("%s %s: %w", method, path, err)
	}
	return a, nil
}

// write posts a message as a person, in a thread unless that is empty.
func (w *world) write(user, channel, thread, text string) answer {
	w.Helper()
	return w.post("message", fields{"user": user, "channel": channel, "thread_ts": thread, "text": text})
}

// drop posts a message with a file as a person, in a thread unless that is empty.
func (w *world) drop(user, channel, thread, text, name, content string) answer {
	w.Helper()
	return w.post("message", fields{
		"user": user, "channel": channel, "thread_ts": thread, "text": text, "files": []fields{{"name": name, "content": content}},
	})
}

// fetch gives the bytes of a file that a message shows.
func (w *world) fetch(id string) string {
	w.Helper()
	status, body := w.shownFile(id)
	if status != http.StatusOK {
		w.Fatalf("file %s is answered %d", id, status)
	}
	return string(body)
}

// shownFile asks for a file that a message shows, or has shown.
func (w *world) shownFile(id string) (status int, body []byte) {
	w.Helper()
	req, err := http.NewRequestWithContext(w.Context(), http.MethodGet, w.url("/shown/"+id), nil)
	if err != nil {
		w.Fatal(err)
	}
	resp, err := w.web.Do(req)
	if err != nil {
		w.Fatal(err)
	}
	defer resp.Body.Close()
	if body, err = io.ReadAll(resp.Body); err != nil {
		w.Fatal(err)
	}
	return resp.StatusCode, body
}

// flow runs the slash command as a person.
func (w *world) flow(user, channel, text string) answer {
	w.Helper()
	return w.post("command", fields{"user": user, "channel": channel, "command": "/flow", "text": text})
}

// click presses the button with a label.
func (w *world) click(user string, m message, label string) answer {
	w.Helper()
	e, ok := m.button(label)
	if !ok {
		w.Fatalf("there is no button %q in:\n%s", label, m.shown())
	}
	return w.post("action", press(user, m, e))
}

// press is the body of a click on a button.
func press(user string, m message, e element) fields {
	if m.view != "" {
		return fields{"user": user, "container": fields{"view_id": m.view}, "action_id": e.ActionID, "value": e.Value}
	}
	return fields{"user": user, "container": fields{"channel": m.Channel, "message_ts": m.TS}, "action_id": e.ActionID, "value": e.Value}
}

// ask runs a command and gives the private answer.
func (w *world) ask(user, channel, text string) message {
	w.Helper()
	a := w.flow(user, channel, text)
	return w.private(user, channel, a.Seq)
}

// private waits for the first line after seq that only this person sees. Under a plan of faults answers to earlier calls come late and twice:
// then it is the last line, when no other comes for a while.
func (w *world) private(user, channel string, seq int64) message {
	w.Helper()
	to := func(m message) bool { return m.EphemeralTo == w.id(user) && m.Bot && m.Seq > seq }
	line := w.untilMessage(channel, "a private answer to "+user, to)
	for w.plan != "" {
		w.get(fmt.Sprintf("state?channel=%s&after=%d&wait=2s", url.QueryEscape(channel), w.get("clock").Seq))
		all := filter(w.state(channel), to)
		if last := all[len(all)-1]; last.Seq == line.Seq {
			break
		}
		line = all[len(all)-1]
	}
	return line
}

// id finds a person's id.
func (w *world) id(user string) string {
	w.Helper()
	if w.people == nil {
		w.people = map[string]string{}
		for _, u := range w.get("info").Users {
			w.people[u.Name] = u.ID
		}
	}
	return w.people[user]
}

// state is what a channel shows now.
func (w *world) state(channel string) []message {
	w.Helper()
	return w.get("state?channel=" + url.QueryEscape(channel)).Messages
}

// transcript is a channel for reading.
func transcript(all []message) string {
	var out strings.Builder
	for _, m := range all {
		fmt.Fprintf(&out, "--- %s %s thread=%s private=%s edited=%t deleted=%t\n%s", m.TS, m.User, m.Thread, m.EphemeralTo, m.Edited, m.Deleted, m.shown())
	}
	return out.String()
}

func first(all []message, fits func(message) bool) (message, bool) {
	if i := slices.IndexFunc(all, fits); i >= 0 {
		return all[i], true
	}
	return message{}, false
}

func filter(all []message, fits func(message) bool) []message {
	return slices.DeleteFunc(slices.Clone(all), func(m message) bool { return !fits(m) })
}

// arrivals are the requests that reached the shop, of one kind ("POST /refunds").
func (w *world) arrivals(kind string) []arrival {
	w.Helper()
	return slices.DeleteFunc(w.get("shop").Arrivals, func(a arrival) bool { return !strings.HasPrefix(a.Method+" "+a.Path, kind) })
}

// bookings counts the refunds that the shop made.
func (w *world) bookings() int {
	w.Helper()
	var all []json.RawMessage
	if err := json.Unmarshal(w.get("shop").Bookings, &all); err != nil {
		w.Fatal(err)
	}
	return len(all)
}

// fault makes the small Slack, a socket or the shop misbehave.
func (w *world) fault(f fields) {
	w.Helper()
	w.post("fault", f)
}

// faultPost makes the posting of a message with some words go wrong.
func (w *world) faultPost(words string, f fields) {
	w.Helper()
	f["target"], f["method"], f["contains"] = "api", "chat.postMessage", words
	w.fault(f)
}

func (w *world) release() {
	w.Helper()
	w.post("release", fields{})
}

// untilArrivals waits until so many requests of one kind have reached the shop.
func (w *world) untilArrivals(kind string, n int) []arrival {
	w.Helper()
	return poll(w, fmt.Sprintf("%d arrivals of %s", n, kind), func() ([]arrival, bool) {
		all := w.arrivals(kind)
		return all, len(all) >= n
	})
}

// untilBooked waits until the shop has made so many bookings.
func (w *world) untilBooked(n int) int {
	w.Helper()
	return poll(w, fmt.Sprintf("%d bookings", n), func() (int, bool) {
		made := w.bookings()
		return made, made >= n
	})
}

// inWords has somebody answer a question in a thread in words, and gives what they are told.
func inWords(w *world, person, thread, words string) string {
	w.Helper()
	return replied(w, person, thread, "@Sluice answer "+words)
}

// replied has somebody reply to a question in a thread, and gives what they are told.
func replied(w *world, person, thread, words string) string {
	w.Helper()
	return poll(w, "what is said to the reply "+words, func() (string, bool) {
		a := w.write(person, "#support", thread, words)
		line := w.private(person, "#support", a.Seq).shown()
		return line, !strings.Contains(line, "not been shown in full yet") // the card is there, and its record a moment later
	})
}

// answered has ana answer a question by a command, and gives what she is told.
func answered(w *world, command string) string {
	w.Helper()
	return poll(w, "a reply to "+command, func() (string, bool) {
		line := w.ask("ana", "#support", command).shown()
		return line, !strings.Contains(line, "not been shown in full yet") // the card is there, and its record a moment later
	})
}
