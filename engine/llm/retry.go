package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"golang.org/x/time/rate"
)

// patient sends a request again while that can help, and turns what cannot be helped into an *Error.
type patient struct {
	cfg    OpenAIOptions
	client *http.Client
	pace   *rate.Limiter // nil = none
}

const maxAnswer = 16 << 20 // bytes of an answer that are read

var errBadRequest = errors.New("bad request")

// Do sends the request. The body of the response is complete.
func (p *patient) Do(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, fmt.Errorf("write the request: %w", err)
	}
	wait := p.cfg.Backoff
	for attempt := 1; ; attempt++ {
		if err := p.turn(req.Context()); err != nil {
			return nil, err
		}
		res, failure := p.try(req, body)
		if failure == nil {
			return res, nil
		}
		if req.Context().Err() != nil {
			return nil, req.Context().Err()
		}
		pause := wait
		if failure.RetryAfter > 0 {
			pause = failure.RetryAfter
		}
		if failure.Permanent || attempt >= p.cfg.Attempts || pause > p.cfg.MaxWait {
			return nil, failure
		}
		if err := sleep(req.Context(), pause); err != nil {
			return nil, err
		}
		wait = min(2*wait, p.cfg.MaxWait)
	}
}

// turn waits until the next request may be sent.
func (p *patient) turn(ctx context.Context) error {
	if p.pace == nil {
		return nil
	}
	if err := p.pace.Wait(ctx); err != nil && ctx.Err() == nil {
		return &Error{
			Type: "RateLimitError", Away: true, Err: err,
			Message: fmt.Sprintf("%s is asked more often than its %d requests a minute allow (requests_per_minute): wait, or raise it", p.cfg.who(), p.cfg.Pace),
		}
	}
	return ctx.Err()
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// try sends the request once and reads the whole answer, so that a connection lost half-way counts as lost.
func (p *patient) try(req *http.Request, body []byte) (*http.Response, *Error) {
	ctx, cancel := context.WithTimeout(req.Context(), p.cfg.Timeout)
	defer cancel()
	once := req.Clone(ctx)
	once.Body = io.NopCloser(bytes.NewReader(body))
	once.ContentLength = int64(len(body))
	res, err := p.client.Do(once)
	if err != nil {
		return nil, p.lost(err)
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err != nil {
		return nil, p.lost(err)
	}
	switch {
	case len(answer) > maxAnswer:
		return nil, &Error{Type: "ModelError", Message: fmt.Sprintf("the answer is larger than %d bytes", maxAnswer), Permanent: true}
	case res.StatusCode/100 != 2:
		return nil, p.refusal(res, answer)
	}
	res.Body = io.NopCloser(bytes.NewReader(answer))
	return res, nil
}

// lost is the error of an attempt without an answer. The cause stays out of the message: it repeats the address, which
// may hold a key.
func (p *patient) lost(err error) *Error {
	var network net.Error
	if errors.As(err, &network) && network.Timeout() {
		return &Error{Type: "TimeoutError", Away: true, Message: fmt.Sprintf("%s did not answer within %s", p.cfg.who(), p.cfg.Timeout), Err: err}
	}
	return &Error{
		Type: "ConnectionError", Away: true, Err: err,
		Message: p.cfg.who() + " cannot be reached, or the connection was lost: check its address and the network, or wait until it is back",
	}
}

// refusal is the error of an answer that is not 2xx: its status, what the service says, and what to do.
func (p *patient) refusal(res *http.Response, answer []byte) *Error {
	code, reason := said(answer)
	status := strings.TrimSpace(strconv.Itoa(res.StatusCode) + " " + http.StatusText(res.StatusCode))
	e := &Error{Type: "ModelError", Status: res.StatusCode, Message: p.cfg.who() + " answered " + status, RetryAfter: retryAfter(res.Header, time.Now())}
	do := ""
	switch s := res.StatusCode; {
	case s == http.StatusUnauthorized || s == http.StatusForbidden:
		reason = "" // what services say here repeats the key, or part of it
		e.Type, e.Permanent, do = "AuthenticationError", true, "check the key of the service"
		if p.cfg.KeyName != "" {
			do = "check its key, " + p.cfg.KeyName
		}
	case s == http.StatusPaymentRequired || code == "insufficient_quota":
		e.Type, e.Permanent, do = "RateLimitError", true, "its account has no credit left: add some, or choose another provider"
	case s == http.StatusTooManyRequests:
		e.Type, e.Away, do = "RateLimitError", true, "it is busy, or asked too often: wait, or set requests_per_minute"
	case s == http.StatusRequestTimeout || s == http.StatusConflict || s == http.StatusTooEarly || s >= 500:
		e.Away, do = true, "it is broken or overloaded: wait, or look at its status page"
	case s == http.StatusNotFound:
		e.Permanent, do = true, "check its address and the name of the model"
	default:
		e.Permanent = true
		if s == http.StatusBadRequest || s == http.StatusUnprocessableEntity {
			e.Err = errBadRequest
		}
	}
	if reason = clean(reason, p.cfg.Key); reason != "" {
		e.Message += ": " + strings.TrimRight(reason, ".;")
	}
	if do != "" {
		e.Message += "; " + do
	}
	return e
}

// said finds the code and message of an error as such services write it.
func said(answer []byte) (code, message string) {
	var body struct {
		Error struct {
			Code    any    `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal(answer, &body) != nil {
		return "", ""
	}
	code, _ = body.Error.Code.(string)
	return code, body.Error.Message
}

const maxReason = 300 // characters of a service's own words in an error

// clean makes one line without the key.
func clean(text, key string) string {
	if key != "" {
		text = strings.ReplaceAll(text, key, "(key)")
	}
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if runes := []rune(line); len(runes) > maxReason {
		line = string(runes[:maxReason]) + "..."
	}
	return line
}

// retryAfter reads the header of that name, in seconds or as a date.
func retryAfter(h http.Header, now time.Time) time.Duration {
	value := h.Get("Retry-After")
	if seconds, err := strconv.ParseFloat(value, 64); err == nil && seconds > 0 {
		return time.Duration(min(seconds, 24*60*60) * float64(time.Second))
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}
