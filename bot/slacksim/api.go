package slacksim

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// apiError is the `error` of an answer, with what else Slack says about it.
type apiError struct {
	code     string
	messages []string // response_metadata.messages: which field, and why
}

// Error names the code and every message.
func (e *apiError) Error() string {
	if len(e.messages) == 0 {
		return e.code
	}
	return e.code + ": " + strings.Join(e.messages, "; ")
}

func refuse(code string, messages ...string) error { return &apiError{code, messages} }

// reply is the body of a good answer, apart from `ok`.
type reply map[string]any

// args are the arguments of a call, however they were sent.
type args map[string]json.RawMessage

func (a args) str(name string) string {
	raw, ok := a[name]
	if !ok || string(raw) == "null" {
		return ""
	}
	return plain(raw)
}

func (a args) has(name string) bool { _, ok := a[name]; return ok }

func (a args) yes(name string) bool { v := a.str(name); return v == "true" || v == "1" }

func (a args) count(name string, otherwise, most int) int {
	n, err := strconv.Atoi(a.str(name))
	if err != nil || n <= 0 {
		return otherwise
	}
	return min(n, most)
}

// list is a comma-separated argument.
func (a args) list(name string) []string {
	return strings.FieldsFunc(a.str(name), func(r rune) bool { return r == ',' || r == ' ' })
}

// json is an argument that is JSON, sent as such or as a string that holds it.
func (a args) json(name string) (json.RawMessage, error) {
	text := strings.TrimSpace(a.str(name))
	if text == "" {
		return nil, nil
	}
	if !json.Valid([]byte(text)) {
		return nil, refuse("invalid_arguments", "[ERROR] failed to parse "+name+" as JSON")
	}
	return json.RawMessage(text), nil
}

// method is one call of the Web API. It runs with s.mu held.
type method func(s *Server, a args) (reply, error)

// methods are all calls that this workspace knows. Those of the app token are in appMethods.
var methods = map[string]method{
	"auth.test": (*Server).authTest,
	"team.info": (*Server).teamInfo,
	"bots.info": (*Server).botsInfo,

	"chat.postMessage":   (*Server).chatPost,
	"chat.postEphemeral": (*Server).chatPostEphemeral,
	"chat.update":        (*Server).chatUpdate,
	"chat.delete":        (*Server).chatDelete,
	"chat.getPermalink":  (*Server).chatPermalink,
	"reactions.add":      (*Server).reactionsAdd,
	"reactions.remove":   (*Server).reactionsRemove,
	"reactions.get":      (*Server).reactionsGet,

	"conversations.info":    (*Server).conversationsInfo,
	"conversations.list":    (*Server).conversationsList,
	"conversations.members": (*Server).conversationsMembers,
	"conversations.history": (*Server).conversationsHistory,
	"conversations.replies": (*Server).conversationsReplies,
	"conversations.open":    (*Server).conversationsOpen,
	"conversations.join":    (*Server).conversationsJoin,
	"conversations.leave":   (*Server).conversationsLeave,
	"users.conversations":   (*Server).usersConversations,

	"users.info":            (*Server).usersInfo,
	"users.list":            (*Server).usersList,
	"users.lookupByEmail":   (*Server).usersLookupByEmail,
	"usergroups.list":       (*Server).usergroupsList,
	"usergroups.users.list": (*Server).usergroupsUsersList,

	"views.open":    (*Server).viewsOpen,
	"views.push":    (*Server).viewsPush,
	"views.update":  (*Server).viewsUpdate,
	"views.publish": (*Server).viewsPublish,

	"files.getUploadURLExternal":   (*Server).filesGetUploadURL,
	"files.completeUploadExternal": (*Server).filesCompleteUpload,
	"files.info":                   (*Server).filesInfo,
	"files.delete":                 (*Server).filesDelete,

	"assistant.threads.setStatus":           (*Server).assistantSetStatus,
	"assistant.threads.setTitle":            (*Server).assistantAccept,
	"assistant.threads.setSuggestedPrompts": (*Server).assistantAccept,
	"agents.sessions.setStatus":             (*Server).agentSetStatus,
	"agents.sessions.rename":                (*Server).agentRename,
}

var appMethods = map[string]method{
	"apps.connections.open": (*Server).connectionsOpen,
}

// serveAPI answers one call of the Web API, after the faults that were asked for.
func (s *Server) serveAPI(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("method")
	// The body is read first: only then does the server notice that a client hung up.
	a, err := readBody(r)
	if err != nil {
		writeJSON(w, http.StatusOK, refusal(err))
		return
	}
	if scopes := s.world.seed.Bot.Scopes; len(scopes) > 0 {
		w.Header().Set("X-OAuth-Scopes", strings.Join(scopes, ","))
	}
	if s.options.DateSkew != 0 {
		w.Header().Set("Date", time.Now().Add(s.options.DateSkew).UTC().Format(http.TimeFormat))
	}
	f := s.faults.takeAPI(name, a)
	if f != nil && !f.late && !s.strike(w, r, f) {
		return
	}
	if wait, over := s.rates.take(name, a); over {
		tooMany(w, wait)
		return
	}
	answer := s.call(r, name, a)
	if f != nil && f.kind == faultDuplicate {
		answer = s.call(r, name, a)
	}
	if f != nil && f.late && !s.strike(w, r, f) {
		return
	}
	s.log.Debug("call", "method", name, "ok", answer["ok"], "error", answer["error"])
	writeJSON(w, http.StatusOK, answer)
}

// strike makes a fault happen to a call; it is true when the call goes on afterwards.
func (s *Server) strike(w http.ResponseWriter, r *http.Request, f *fault) bool {
	switch f.kind {
	case fault429:
		tooMany(w, f.after)
		return false
	case faultRefuse:
		writeJSON(w, http.StatusOK, refusal(refuse(f.code)))
		return false
	case fault500:
		http.Error(w, "<html>Server Error</html>", cmp.Or(f.status, http.StatusInternalServerError))
		return false
	case faultDrop:
		panic(http.ErrAbortHandler)
	case faultTimeout:
		f.wait(r.Context())
		panic(http.ErrAbortHandler)
	case faultDelay, faultHold:
		f.wait(s.live)
	}
	return true
}

// tooMany answers that there were too many calls. Slack gives whole seconds.
func tooMany(w http.ResponseWriter, wait time.Duration) {
	w.Header().Set("Retry-After", strconv.Itoa(max(1, int(math.Ceil(wait.Seconds())))))
	writeJSON(w, http.StatusTooManyRequests, reply{"ok": false, "error": "ratelimited"})
}

// call authenticates and performs a method; what it changed is in the journal when it returns.
func (s *Server) call(r *http.Request, name string, a args) reply {
	body, err := s.perform(r, name, a)
	if err == nil {
		body["ok"] = true
		return body
	}
	s.lint(name, err)
	return refusal(err)
}

// contentCodes are the errors of calls whose content no app should send.
var contentCodes = []string{
	"invalid_arguments", "invalid_blocks", "invalid_blocks_format", "no_text", "msg_too_long", "msg_blocks_too_long", "markdown_text_conflict", "invalid_attachments",
	"invalid_metadata_format", "invalid_metadata_schema", "metadata_too_large", "view_too_large", "invalid_name", "invalid_ack", "unknown_method",
}

// lint logs that the app sent something that Slack would refuse for what it contains, so that tests can want that it never happens. That this
// workspace lacks a type of blocks is not the app's fault.
func (s *Server) lint(method string, err error) {
	refused, known := errors.AsType[*apiError](err)
	if known && (!slices.Contains(contentCodes, refused.code) || isUnsupported(refused)) {
		return
	}
	s.log.Warn(Refused, "method", method, "error", err)
}

// Refused is what the log says when the app sent something that Slack would refuse for what it contains.
const Refused = "the app sent what Slack refuses"

func isUnsupported(e *apiError) bool {
	return len(e.messages) > 0 && !slices.ContainsFunc(e.messages, func(m string) bool { return !strings.Contains(m, unsupported) })
}

func refusal(err error) reply {
	answer := reply{"ok": false, "error": "invalid_arguments"}
	refused, known := errors.AsType[*apiError](err)
	switch {
	case !known:
		answer["response_metadata"] = reply{"messages": []string{"[ERROR] " + err.Error()}}
	case len(refused.messages) > 0:
		answer["error"], answer["response_metadata"] = refused.code, reply{"messages": refused.messages}
	default:
		answer["error"] = refused.code
	}
	return answer
}

func (s *Server) perform(r *http.Request, name string, a args) (reply, error) {
	run, wanted := methods[name], s.world.seed.Bot.Token
	if app, ok := appMethods[name]; ok {
		run, wanted = app, s.world.seed.Bot.AppToken
	}
	if run == nil {
		return nil, refuse("unknown_method", "[ERROR] the small Slack has no "+name)
	}
	if err := s.authenticate(r, a, wanted); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	body, err := run(s, a)
	if s.journal.err != nil {
		s.log.Error("the workspace cannot be stored", "error", s.journal.err)
		return nil, refuse("fatal_error", "[ERROR] "+s.journal.err.Error())
	}
	return body, err
}

// authenticate wants the token in the body or in the Authorization header, never in the address.
func (s *Server) authenticate(r *http.Request, a args, wanted string) error {
	token, isBearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !isBearer && r.URL.Query().Get("token") == "" {
		token = a.str("token")
	}
	known := []string{s.world.seed.Bot.Token, s.world.seed.Bot.AppToken}
	switch {
	case token == "":
		return refuse("not_authed")
	case token == wanted:
		return nil
	case slices.Contains(known, token):
		return refuse("not_allowed_token_type")
	}
	return refuse("invalid_auth")
}

func (s *Server) authTest(args) (reply, error) {
	return reply{
		"url": s.baseURL + "/", "team": s.world.seed.Workspace.Name, "team_id": s.world.seed.Workspace.ID,
		"user": s.world.bot.Name, "user_id": s.world.bot.ID, "bot_id": s.world.botID, "is_enterprise_install": false,
	}, nil
}

func (s *Server) teamInfo(args) (reply, error) {
	return reply{"team": reply{
		"id": s.world.seed.Workspace.ID, "name": s.world.seed.Workspace.Name, "domain": "slacksim",
		"email_domain": "example.com", "icon": reply{},
	}}, nil
}

func (s *Server) botsInfo(a args) (reply, error) {
	if id := a.str("bot"); id != "" && id != s.world.botID {
		return nil, refuse("bot_not_found")
	}
	return reply{"bot": reply{
		"id": s.world.botID, "deleted": false, "name": s.world.bot.RealName, "updated": 0,
		"app_id": s.world.appID, "user_id": s.world.bot.ID, "icons": reply{},
	}}, nil
}

func (s *Server) connectionsOpen(args) (reply, error) {
	ticket := newID("", 32)
	s.tickets[ticket] = true
	host := strings.Replace(s.baseURL, "http", "ws", 1)
	return reply{"url": fmt.Sprintf("%s/socket?ticket=%s&app_id=%s", host, ticket, s.world.appID)}, nil
}

// assistantSetStatus shows what the app says that it is doing in a thread, until it posts there.
func (s *Server) assistantSetStatus(a args) (reply, error) {
	return s.setStatus(a, a.str("status"))
}

func (s *Server) agentSetStatus(a args) (reply, error) {
	state := a.str("status")
	if !slices.Contains([]string{"active", "processing", "suspended", "closed"}, state) {
		return nil, refuse("invalid_arguments", "[ERROR] status must be active, processing, suspended or closed")
	}
	shown := ""
	if state == "processing" {
		shown = "is working..."
	}
	body, err := s.setStatus(a, shown)
	if err != nil {
		return nil, err
	}
	body["status"], body["agent_status"], body["title"] = state, state, a.str("title")
	return body, nil
}

func (s *Server) setStatus(a args, shown string) (reply, error) {
	c, err := s.botChannel(a.str("channel_id"))
	if err != nil {
		return nil, err
	}
	thread := a.str("thread_ts")
	s.world.status[c.ID+"/"+thread] = shown
	s.note("status", nil, change{Channel: c.ID, TS: thread})
	return reply{}, nil
}

func (s *Server) assistantAccept(a args) (reply, error) {
	_, err := s.botChannel(a.str("channel_id"))
	return reply{}, err
}

func (s *Server) agentRename(a args) (reply, error) {
	_, err := s.botChannel(a.str("channel_id"))
	return reply{"title": a.str("title")}, err
}
