package tool

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"sluice/engine/secret"
)

// Options are the settings of the tools that speak HTTP. The zero value is usable.
type Options struct {
	AllowPrivate []string         // addresses outside the public internet that may be called: host:port, IP or CIDR
	MaxBody      int64            // bytes of an answer; default 1 MiB
	Timeout      time.Duration    // of one call, redirects included; default 30 s
	MaxRedirects int              // default 5; negative = none
	Secrets      secret.Source    // for secrets that declarations of actions name; nil = there are none
	Redactor     *secret.Redactor // applied to every result and error; may be nil
	Resolver     *net.Resolver    // default: the system's
}

// Defaults of [Options].
const (
	defaultMaxBody      = 1 << 20
	defaultTimeout      = 30 * time.Second
	defaultMaxRedirects = 5
)

func (o Options) filled() Options {
	if o.MaxBody <= 0 {
		o.MaxBody = defaultMaxBody
	}
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	if o.MaxRedirects == 0 {
		o.MaxRedirects = defaultMaxRedirects
	}
	return o
}

// client performs exchanges within the limits of its options and guard. It is safe for concurrent use.
type client struct {
	opts   Options
	reads  *http.Transport // keeps connections
	writes *http.Transport // a new connection for each request; see the package's Decisions
}

func newClient(opts Options, g *guard) *client {
	transport := func(keep bool) *http.Transport {
		return &http.Transport{
			DialContext:            g.dial,
			TLSHandshakeTimeout:    dialTimeout,
			MaxResponseHeaderBytes: 256 << 10,
			MaxIdleConnsPerHost:    4,
			IdleConnTimeout:        30 * time.Second,
			DisableKeepAlives:      !keep,
			ForceAttemptHTTP2:      keep,
		}
	}
	return &client{opts: opts.filled(), reads: transport(true), writes: transport(false)}
}

// exchange is one request as a tool means it.
type exchange struct {
	method  string
	url     *url.URL
	header  http.Header
	body    []byte // nil = none
	key     string // sent as Idempotency-Key unless safe
	safe    bool   // a read: repeating it harms nobody
	acted   bool   // an earlier request of the same call did its work and led here
	oneHost bool   // redirects to another host are refused
}

// reply is a 2xx answer.
type reply struct {
	status int
	header http.Header
	body   []byte
	cut    bool // the body was longer than allowed
}

// do performs an exchange and follows redirects where that is harmless. Every error is an *Error.
func (c *client) do(ctx context.Context, x exchange) (*reply, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.opts.Timeout, errTooLong)
	defer cancel()
	for hop := 0; ; hop++ {
		var sent atomic.Bool
		res, err := c.send(ctx, x, &sent)
		if err != nil {
			return nil, c.failure(ctx, x, err, sent.Load())
		}
		location := res.Header.Get("Location")
		if res.StatusCode/100 != 3 || res.StatusCode == http.StatusNotModified || location == "" {
			return c.read(ctx, x, res)
		}
		_ = res.Body.Close()
		next, err := c.redirected(x, res, location, hop)
		if err != nil {
			return nil, err
		}
		x = next
	}
}

var errTooLong = errors.New("the call took too long")

func (c *client) send(ctx context.Context, x exchange, sent *atomic.Bool) (*http.Response, error) {
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { sent.Store(true) }})
	req, err := http.NewRequestWithContext(ctx, x.method, x.url.String(), bytes.NewReader(x.body))
	if err != nil {
		return nil, errors.New("the request cannot be written")
	}
	if x.body == nil {
		req.Body, req.GetBody = nil, nil
	}
	req.Header = x.header.Clone()
	if req.Header.Get("User-Agent") == "" {
		req.Header.Set("User-Agent", "sluice")
	}
	if x.key != "" && !x.safe {
		req.Header.Set("Idempotency-Key", x.key)
	}
	if x.safe {
		return c.reads.RoundTrip(req)
	}
	return c.writes.RoundTrip(req)
}

// redirected gives the exchange that follows a redirect, or says why none does.
func (c *client) redirected(x exchange, res *http.Response, location string, hop int) (exchange, error) {
	from := hostOf(x.url)
	to, err := x.url.Parse(location)
	if err == nil {
		to, err = parseAddress(to.String())
	}
	refuse := func(format string, args ...any) error {
		return c.redact(&Error{
			Type: "HTTPError", Permanent: true, Unknown: !x.safe && (x.acted || res.StatusCode < http.StatusTemporaryRedirect),
			Message: fmt.Sprintf("%s from %s: ", status(res), from) + fmt.Sprintf(format, args...),
		})
	}
	idle := x.method == http.MethodGet || x.method == http.MethodHead
	switch {
	case err != nil:
		return x, refuse("the redirect leads to something that %v", err)
	case !idle && res.StatusCode != http.StatusSeeOther:
		return x, refuse("it redirects to %s, and a %s is never sent twice; use the final address", hostOf(to), x.method)
	case hop >= max(c.opts.MaxRedirects, 0):
		return x, refuse("more than %d redirects", max(c.opts.MaxRedirects, 0))
	case x.oneHost && hostOf(to) != from:
		return x, refuse("it redirects to %s, but the tool is declared for %s only", hostOf(to), from)
	case x.url.Scheme == "https" && to.Scheme == "http":
		return x, refuse("it redirects from https to http")
	}
	next := exchange{method: x.method, url: to, header: x.header, safe: x.safe, acted: x.acted, oneHost: x.oneHost}
	if !idle {
		next.method, next.acted = http.MethodGet, true
	}
	if hostOf(to) != from || to.Scheme != x.url.Scheme {
		next.header = http.Header{"Accept": x.header.Values("Accept")}
	}
	return next, nil
}

// read turns an answer into a reply, or into the error that its status means.
func (c *client) read(ctx context.Context, x exchange, res *http.Response) (*reply, error) {
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode/100 != 2 {
		return nil, c.refusal(x, res)
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, c.opts.MaxBody+1))
	if err != nil {
		return nil, c.failure(ctx, x, err, true)
	}
	r := &reply{status: res.StatusCode, header: res.Header, body: body}
	if int64(len(body)) > c.opts.MaxBody {
		if x.safe {
			return nil, &Error{Type: "LimitError", Permanent: true, Message: fmt.Sprintf(
				"the answer of %s is larger than the limit of %d bytes; an operator can raise SLUICE_MAX_OUTPUT_KB", hostOf(x.url), c.opts.MaxBody)}
		}
		r.body, r.cut = body[:c.opts.MaxBody], true // it was done: that must not be lost for the size of the answer
	}
	return r, nil
}

const maxReason = 200 // characters of an answer's first line that an error repeats

// refusal is the error of an answer that is not 2xx.
func (c *client) refusal(x exchange, res *http.Response) error {
	host := hostOf(x.url)
	e := &Error{
		Type: "HTTPError", Message: status(res) + " from " + host, RetryAfter: retryAfter(res.Header, time.Now()), Unknown: !x.safe && x.acted,
	}
	if line := c.firstLine(res); line != "" {
		e.Message += ": " + line
	}
	switch code := res.StatusCode; {
	case code == http.StatusTooManyRequests:
		e.Type = "RateLimitError"
	case code == http.StatusUnauthorized:
		e.Type, e.Permanent = "AuthenticationError", true
	case code == http.StatusRequestTimeout || code == http.StatusConflict || code == http.StatusLocked || code == http.StatusTooEarly:
	case code < 500:
		e.Permanent = true
	default:
		e.Unknown = !x.safe && (x.acted || code != http.StatusNotImplemented && code != http.StatusServiceUnavailable)
	}
	return c.redact(e)
}

func status(res *http.Response) string {
	if text := http.StatusText(res.StatusCode); text != "" {
		return strconv.Itoa(res.StatusCode) + " " + text
	}
	return strconv.Itoa(res.StatusCode)
}

func (c *client) firstLine(res *http.Response) string {
	if strings.Contains(res.Header.Get("Content-Type"), "html") {
		return ""
	}
	head, _ := io.ReadAll(io.LimitReader(res.Body, 4<<10))
	// Secrets go before the line is cut: half of one would not be recognised.
	text := c.opts.Redactor.RedactCut(strings.ToValidUTF8(string(head), ""))
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	line = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, line)
	if runes := []rune(line); len(runes) > maxReason {
		line = string(runes[:maxReason]) + "..."
	}
	return line
}

const maxRetryAfter = 24 * time.Hour

// retryAfter reads the header of that name, in seconds or as a date.
func retryAfter(h http.Header, now time.Time) time.Duration {
	value := h.Get("Retry-After")
	if seconds, err := strconv.ParseFloat(value, 64); err == nil && seconds > 0 {
		return time.Duration(min(seconds, maxRetryAfter.Seconds()) * float64(time.Second))
	}
	if at, err := http.ParseTime(value); err == nil {
		return min(max(at.Sub(now), 0), maxRetryAfter)
	}
	return 0
}

// failure is the error of an exchange without an answer. sent says that a connection was there to write to.
func (c *client) failure(ctx context.Context, x exchange, err error, sent bool) error {
	host := hostOf(x.url)
	e := &Error{Type: "ConnectionError", Unknown: !x.safe && (sent || x.acted), Err: err}
	var no *refused
	var certificate *tls.CertificateVerificationError
	var network net.Error
	switch {
	case errors.As(err, &no):
		e.Type, e.Permanent, e.Message = "AddressError", true, no.Error()
	case errors.Is(context.Cause(ctx), errTooLong):
		e.Type, e.Message = "TimeoutError", fmt.Sprintf("%s did not answer within %s", host, c.opts.Timeout)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		e.Type, e.Message = "TimeoutError", host+" did not answer in time"
	case ctx.Err() != nil:
		e.Type, e.Message = "CancelledError", "the call to "+host+" was cancelled"
	case errors.As(err, &certificate):
		e.Permanent, e.Message = true, "the certificate of "+host+" is not trusted"
	case errors.As(err, &network) && network.Timeout():
		e.Type, e.Message = "TimeoutError", host+" did not answer in time"
	case sent:
		e.Message = "the connection to " + host + " was lost: " + cause(err)
	default:
		e.Message = "could not connect to " + host + ": " + cause(err)
	}
	return c.redact(e)
}

// cause says in words why a connection failed, without addresses.
func cause(err error) string {
	var dns *net.DNSError
	switch {
	case errors.As(err, &dns):
		return "the name cannot be resolved"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "connection reset"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "closed without an answer"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "the network is unreachable"
	default:
		return "not a working HTTP service"
	}
}

// redact removes secrets from the sentence of an error.
func (c *client) redact(e *Error) *Error {
	e.Message = c.opts.Redactor.Redact(e.Message)
	return e
}
