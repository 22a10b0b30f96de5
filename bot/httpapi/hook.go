package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"sluice/bot"
	"sluice/engine"
	"sluice/storage"
)

// pathShown is how much of a path the log shows, which anybody may ask for.
const pathShown = 100

// request is a delivery on its way in.
type request struct {
	*Config
	w    http.ResponseWriter
	r    *http.Request
	path string

	kind   string
	signed signed
	raw    []byte
	hook   bot.Hook
	body   json.RawMessage
}

// refusal says why a delivery is not taken.
type refusal struct {
	status int
	problem
	why error // for the log
}

// stages are the way of a delivery. The one that does not let it pass answers.
func (s *Server) stages() []func(context.Context, *request) *refusal {
	return []func(context.Context, *request) *refusal{s.opened, s.typed, s.headed, s.read, s.verified, s.decoded, s.stored}
}

// hook takes a delivery.
func (s *Server) hook(w http.ResponseWriter, r *http.Request) {
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	default:
		s.log.Warn("a webhook delivery is sent away: too many at once", "limit", cap(s.slots))
		later(w, http.StatusTooManyRequests, problem{Code: "busy", Error: "There are too many deliveries at once. Try again."})
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.patient)
	defer cancel()
	// Without a deadline of its own a body may come in for ever, and keep its place.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.patient))
	q := &request{w: w, r: r, path: r.PathValue("path")}
	for _, stage := range s.stages() {
		if no := stage(ctx, q); no != nil {
			s.refuse(q, no)
			return
		}
	}
	answer(w, http.StatusAccepted, accepted{Delivery: q.signed.id})
}

func (s *Server) refuse(q *request, no *refusal) {
	s.log.Info("a webhook delivery is refused", "path", q.path[:min(len(q.path), pathShown)], "delivery", q.signed.id, "status", no.status, "reason", no.why)
	if no.status == http.StatusServiceUnavailable {
		later(q.w, no.status, no.problem)
		return
	}
	answer(q.w, no.status, no.problem)
}

// unavailable: nothing is stored, and the same delivery may come again.
func unavailable(why error) *refusal {
	return &refusal{http.StatusServiceUnavailable, problem{Code: "unavailable", Error: "The delivery cannot be taken now. Send it again."}, why}
}

// noHook is the one answer for whoever cannot sign.
func noHook(why error) *refusal {
	return &refusal{http.StatusNotFound, problem{Code: "no_hook", Error: "There is no such hook, or the signature is missing, old or not right."}, why}
}

func (s *Server) opened(_ context.Context, q *request) *refusal {
	if q.Config = s.open.Load(); q.Config == nil {
		return unavailable(errClosed)
	}
	return nil
}

func (s *Server) typed(_ context.Context, q *request) *refusal {
	var ok bool
	if q.kind, ok = mediaType(q.r.Header); !ok {
		err := fmt.Errorf("its type is %q", q.r.Header.Get("Content-Type"))
		return &refusal{http.StatusUnsupportedMediaType, problem{Code: "bad_type", Error: "A delivery is " + typeJSON + " or " + typeForm + ", in UTF-8."}, err}
	}
	return nil
}

// headed reads the signature's headers. What is not signed, or long ago, is not read any further.
func (s *Server) headed(_ context.Context, q *request) *refusal {
	var err error
	if q.signed, err = readSigned(q.r.Header, s.now()); err != nil {
		return noHook(err)
	}
	return nil
}

func (s *Server) read(_ context.Context, q *request) *refusal {
	var err error
	q.raw, err = io.ReadAll(http.MaxBytesReader(q.w, q.r.Body, bodyMost))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return &refusal{http.StatusRequestEntityTooLarge, problem{Code: "too_large", Error: fmt.Sprintf("A delivery may have up to %d bytes.", bodyMost)}, err}
	}
	if err != nil {
		return &refusal{http.StatusBadRequest, problem{Code: "bad_body", Error: "The body did not arrive whole."}, err}
	}
	return nil
}

var errNobody = errors.New("no flow listens to it")

// verified holds the signature against the secret of the hook, or of nobody when there is none.
func (s *Server) verified(ctx context.Context, q *request) *refusal {
	hook, err := q.Bot.Hook(ctx, q.path)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return unavailable(err)
	}
	k, why := s.nobody, errNobody
	if err == nil {
		var mine key
		if mine, why = secretKey(ctx, q.Secrets, hook.Flow, hook.Path); why == nil {
			k = mine
		} else {
			s.log.Warn("the deliveries of a webhook are refused", "path", hook.Path, "flow", hook.Flow, "error", why)
		}
	}
	if wrong := k.verify(q.signed, q.raw); wrong != nil {
		return noHook(errors.Join(why, wrong))
	}
	q.hook = hook
	return nil
}

func (s *Server) decoded(_ context.Context, q *request) *refusal {
	var err error
	if q.body, err = readBody(q.kind, q.raw); err != nil {
		return &refusal{http.StatusBadRequest, problem{Code: "bad_body", Error: "The body cannot be read: " + err.Error() + "."}, err}
	}
	return nil
}

// stored has the bot check and store the delivery.
func (s *Server) stored(ctx context.Context, q *request) *refusal {
	fresh, err := q.Bot.PutDelivery(ctx, q.hook, bot.Delivery{ID: q.signed.id, Body: q.body})
	if ue, ok := errors.AsType[*engine.UserError](err); ok {
		return &refusal{http.StatusUnprocessableEntity, problem{Code: ue.Code, Error: ue.Text, Problems: ue.Problems}, errors.New(ue.Code)}
	}
	if errors.Is(err, storage.ErrNotFound) { // it was taken away while the delivery came in
		return noHook(err)
	}
	if err != nil {
		return unavailable(err)
	}
	what := "a webhook delivery is stored"
	if !fresh {
		what = "a webhook delivery came again"
	}
	s.log.Info(what, "path", q.path, "delivery", q.signed.id, "flow", q.hook.Flow)
	return nil
}
