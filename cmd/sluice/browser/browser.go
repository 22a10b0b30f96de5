package browser

import (
	"fmt"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Hosts are the names under which a server may be asked. A page of another site can make a browser send requests to this machine, also
// under that site's own name (DNS rebinding): neither a foreign name nor a foreign page gets an answer.
type Hosts struct {
	port  string   // the one that must be named; empty = any
	Names []string // besides loopback addresses and localhost; in lower case, without ports
	IPs   bool     // every address may be named: only names can be bound to another machine
}

// Loopback are those of a listener that only this machine reaches.
func Loopback(l net.Listener) Hosts {
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return Hosts{port: port}
}

// allow says whether a Host header names this server.
func (h Hosts) allow(host string) bool {
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"), "80"
	}
	if h.port != "" && port != h.port {
		return false
	}
	if name = strings.ToLower(name); name == "localhost" || slices.Contains(h.Names, name) {
		return true
	}
	a, err := netip.ParseAddr(name)
	return err == nil && (h.IPs || a.IsLoopback())
}

// slackOrigins are those that clients of Slack's sockets name, which no page of a browser can.
var slackOrigins = []string{"https://api.slack.com", "https://slack.com"}

// foreign gives the sign that another site made a browser send a request; empty = there is none.
func (h Hosts) foreign(r *http.Request) string {
	if !h.allow(r.Host) {
		return fmt.Sprintf("it was asked for as %q", r.Host)
	}
	origins := r.Header.Values("Origin")
	socket := strings.EqualFold(r.Header.Get("Upgrade"), "websocket")
	for _, o := range origins {
		own := o == "http://"+r.Host || o == "https://"+r.Host && h.port == "" // behind a proxy that speaks TLS
		if !own && !(socket && slices.Contains(slackOrigins, o)) {
			return fmt.Sprintf("it comes from a page of %q", o)
		}
	}
	if len(origins) > 1 {
		return "it has two origins"
	}
	switch site := r.Header.Get("Sec-Fetch-Site"); site {
	case "", "same-origin", "none":
		return ""
	default:
		// Somebody who follows a link sees a page of ours, and the page with the link sees nothing of it.
		opens := r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
		if opens && !socket && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
			return ""
		}
		return fmt.Sprintf("it comes from a page of another site (%s)", site)
	}
}

// OwnPages answers requests of its own pages, and of programs that are no browsers, and refuses what other sites' pages send.
func OwnPages(h Hosts, log *slog.Logger, hint string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if why := h.foreign(r); why != "" {
			log.Warn("a request is refused", "reason", why, "method", r.Method)
			w.Header().Set("Connection", "close")
			http.Error(w, "This request is refused: "+why+". "+hint, http.StatusForbidden)
			return
		}
		w.Header().Set("X-Frame-Options", "DENY")
		w.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
		next.ServeHTTP(w, r)
	})
}

// TypedControl lets control calls with JSON through, which the own page sends. A form of another site could send any other type without a
// preflight request.
func TypedControl(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && strings.HasPrefix(r.URL.Path, "/control/") {
			kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
			browser := r.Header.Get("Origin") != "" || r.Header.Get("Sec-Fetch-Site") != ""
			form := kind == "application/x-www-form-urlencoded" || kind == "multipart/form-data" || kind == "" && r.ContentLength == 0
			if kind != "application/json" && (browser || !form) {
				http.Error(w, "A control call is application/json.", http.StatusUnsupportedMediaType)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}
