package webhook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"sluice/bot/httpapi"
	"sluice/bot/triggers"
	"sluice/engine/usererror"
	"sluice/storage"
)

// pathShown is how much of a path the log shows, which anybody may ask for.
const pathShown = 100

// call is a request to a webhook on its way through the stages.
type call struct {
	*Config
	w    http.ResponseWriter
	r    *http.Request
	path string

	signed  signed
	hook    triggers.Hook
	key     key   // of the hook, or the key of no hook
	why     error // why no path has this key
	arrived bool  // the body has been read to its end
	digest  *digest
	raw     []byte // stays empty when no path has the key
	body    json.RawMessage
}

// refusal says why a delivery is not taken.
type refusal struct {
	status int
	httpapi.Problem
	why error // for the log
}

// stages are the checks of a delivery, in order. The first that refuses it writes the answer.
func (h *Handler) stages() []func(context.Context, *call) *refusal {
	return []func(context.Context, *call) *refusal{h.opened, h.typed, h.headed, h.found, h.read, h.verified, h.decoded, h.stored}
}

// ServeHTTP takes a delivery.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		httpapi.Answer(w, http.StatusMethodNotAllowed, httpapi.Problem{Code: "not_post", Error: "A hook takes POST requests."})
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), h.patient)
	defer cancel()
	if len(r.TransferEncoding) > 0 {
		w.Header().Set("Connection", "close") // where such a body ends, a proxy may see otherwise: nothing is read after it
	}
	q := &call{w: w, r: r, path: strings.TrimPrefix(r.URL.Path, Path)}
	for _, stage := range h.stages() {
		if no := stage(ctx, q); no != nil {
			h.refuse(q, no)
			return
		}
	}
	httpapi.Answer(w, http.StatusAccepted, accepted{Delivery: q.signed.id})
}

func (h *Handler) refuse(q *call, no *refusal) {
	h.log.Info("a webhook delivery is refused", "path", q.path[:min(len(q.path), pathShown)], "delivery", q.signed.id, "status", no.status, "reason", no.why)
	if !q.arrived {
		q.w.Header().Set("Connection", "close") // the rest of the body is not read
	}
	if no.status == http.StatusServiceUnavailable || no.status == http.StatusTooManyRequests {
		httpapi.Later(q.w, no.status, no.Problem)
		return
	}
	httpapi.Answer(q.w, no.status, no.Problem)
}

// unavailable: nothing is stored, and the same delivery may come again.
func unavailable(why error) *refusal {
	return &refusal{http.StatusServiceUnavailable, httpapi.Problem{Code: "unavailable", Error: "The delivery cannot be taken now. Send it again."}, why}
}

// noHook is the one answer for a sender that cannot sign.
func noHook(why error) *refusal {
	return &refusal{http.StatusNotFound, httpapi.Problem{Code: "no_hook", Error: "There is no such hook, or the signature is missing, old or not right."}, why}
}

func (h *Handler) opened(_ context.Context, q *call) *refusal {
	if q.Config = h.open.Load(); q.Config == nil {
		return unavailable(errClosed)
	}
	return nil
}

func (h *Handler) typed(_ context.Context, q *call) *refusal {
	if err := checkType(q.r.Header); err != nil {
		return &refusal{http.StatusUnsupportedMediaType, httpapi.Problem{Code: "bad_type", Error: "A delivery is " + typeJSON + ", in UTF-8 and not compressed."}, err}
	}
	if q.r.ContentLength > bodyMost {
		return tooLarge(fmt.Errorf("it has %d bytes", q.r.ContentLength))
	}
	return nil
}

// headed reads the signature's headers. A request that is not signed, or was signed long ago, is not read any further.
func (h *Handler) headed(_ context.Context, q *call) *refusal {
	var err error
	if q.signed, err = readSigned(q.r.Header, h.now()); err != nil {
		return noHook(err)
	}
	return nil
}

var errNobody = errors.New("no flow listens to it")

// found looks for the hook and its key. A request that no hook can take is compared with a random key: it is read and answered in
// the same way, and nothing of it is kept.
func (h *Handler) found(ctx context.Context, q *call) *refusal {
	hook, err := q.Hooks.Hook(ctx, q.path)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return unavailable(err)
	}
	q.key = h.nobody
	if err != nil {
		q.why = errNobody
		return nil
	}
	k, err := secretKey(ctx, q.Secrets, hook)
	switch {
	case err != nil:
		h.log.Warn("the deliveries of a webhook are refused", "path", hook.Path, "flow", hook.Flow, "error", err)
		q.why = err
	case q.signed.scheme != hook.Scheme:
		q.why = fmt.Errorf("%w: %s, not %s", errScheme, q.signed.scheme, hook.Scheme)
	default:
		q.key, q.hook = k, hook
	}
	return nil
}

// read adds the body to the digest, and keeps it when the path has a key.
func (h *Handler) read(_ context.Context, q *call) *refusal {
	release, err := h.slots.take(h.proxies.Sender(q.r), q.path, q.why == nil)
	if err != nil {
		return &refusal{http.StatusTooManyRequests, httpapi.Problem{Code: "busy", Error: "There are too many deliveries at once. Send it again."}, err}
	}
	defer release()
	q.digest = q.key.digest(q.signed)
	into := io.Writer(q.digest)
	var kept bytes.Buffer
	if q.why == nil {
		into = io.MultiWriter(q.digest, &kept)
	}
	_, err = io.Copy(into, h.paced(q.w, http.MaxBytesReader(q.w, q.r.Body, bodyMost)))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return tooLarge(err)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return &refusal{http.StatusRequestTimeout, httpapi.Problem{Code: "slow", Error: "The body came too slowly. Send it again."}, err}
	}
	if err != nil {
		return &refusal{http.StatusBadRequest, httpapi.Problem{Code: "bad_body", Error: "The body did not arrive whole."}, err}
	}
	q.raw, q.arrived = kept.Bytes(), true
	return nil
}

func tooLarge(why error) *refusal {
	return &refusal{http.StatusRequestEntityTooLarge, httpapi.Problem{Code: "too_large", Error: fmt.Sprintf("A delivery may have up to %d bytes.", bodyMost)}, why}
}

// verified checks the signature with the key.
func (h *Handler) verified(_ context.Context, q *call) *refusal {
	if wrong := q.digest.verify(); wrong != nil {
		return noHook(errors.Join(q.why, wrong))
	}
	return nil
}

func (h *Handler) decoded(_ context.Context, q *call) *refusal {
	var err error
	if q.body, err = readBody(q.raw); err != nil {
		return &refusal{http.StatusBadRequest, httpapi.Problem{Code: "bad_body", Error: "The body cannot be read: " + err.Error() + "."}, err}
	}
	return nil
}

// stored has the bot check and store the delivery.
func (h *Handler) stored(ctx context.Context, q *call) *refusal {
	fresh, err := q.Hooks.PutDelivery(ctx, q.hook, triggers.Delivery{ID: q.signed.id, Body: q.body})
	if ue, ok := errors.AsType[*usererror.Error](err); ok {
		return &refusal{http.StatusUnprocessableEntity, httpapi.Problem{Code: ue.Code, Error: ue.Text, Problems: ue.Problems}, errors.New(ue.Code)}
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
	h.log.Info(what, "path", q.path, "delivery", q.signed.id, "flow", q.hook.Flow)
	return nil
}
