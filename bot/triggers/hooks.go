package triggers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"time"
	"unicode"

	"sluice/bot/card"
	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/engine"
	"sluice/engine/authority"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/people"
	"sluice/engine/trigger"
	"sluice/engine/usererror"
	"sluice/storage"
)

// InboxHook is the kind of an inbox row that holds a Delivery.
const InboxHook = "webhook"

// Hooks takes the deliveries of webhooks, and starts their runs.
type Hooks struct {
	Engine  *engine.Engine
	Store   Store
	Access  *request.Access
	Replies *request.Replies
	Arrived func() // called after a delivery was put into the inbox; nil = the inbox's worker looks by itself
	Log     *slog.Logger
}

// Hook is a path that a flow listens to.
type Hook struct {
	Path    string
	Flow    string
	Scheme  string // how its deliveries are signed
	trigger storage.Trigger
}

// Delivery is what came in through a hook, already verified. Its fields at the top become the inputs that are called so, others do not
// matter. The run's event has the type webhook, and in its payload
//
//	body      the whole body, without the fields that became sensitive inputs
//	message   the body's field message, or text, if that is a text; or the body, if it is one
//	delivery  the id
type Delivery struct {
	Path   string          `json:"path"`
	Flow   string          `json:"flow"`
	Scheme string          `json:"scheme,omitempty"` // empty: an earlier release stored it
	ID     string          `json:"id"`               // the sender gives the same one when it sends again
	Body   json.RawMessage `json:"body"`             // JSON
}

// HookSecret is the name of the secret that signs a path's deliveries: HOOK_REFUNDS for refunds, HOOK_SHOP_REFUNDS for shop/refunds.
func HookSecret(path string) string {
	return "HOOK_" + strings.NewReplacer("-", "_", "/", "_").Replace(strings.ToUpper(path))
}

// Hook finds the flow that listens to a path. storage.ErrNotFound: there is none.
func (hk *Hooks) Hook(ctx context.Context, path string) (Hook, error) {
	asked := path
	if strings.ContainsFunc(path, func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsPrint(r) }) {
		asked = "" // not every store could be asked; no flow listens to the empty path
	}
	rows, err := hk.Store.Triggers(ctx, trigger.Webhook, asked)
	if err != nil {
		return Hook{}, err
	}
	if len(rows) == 0 {
		return Hook{}, fmt.Errorf("find the webhook %q: %w", path, storage.ErrNotFound)
	}
	t, err := trigger.Decode(rows[0])
	if err != nil {
		return Hook{}, err
	}
	if t.Webhook == nil {
		return Hook{}, fmt.Errorf("find the webhook %q: %w", path, storage.ErrNotFound)
	}
	return Hook{Path: path, Flow: rows[0].Flow, Scheme: t.Webhook.SchemeOrDefault(), trigger: rows[0]}, nil
}

// approvedMeanwhile is how often a hook is looked for again when its flow has become another revision between two looks.
const approvedMeanwhile = 3

// liveHook is Hook with the flow that listens. A trigger that is not of the flow's newest revision does not count.
func (hk *Hooks) liveHook(ctx context.Context, path string) (Hook, storage.Flow, error) {
	for range approvedMeanwhile {
		h, err := hk.Hook(ctx, path)
		if err != nil {
			return h, storage.Flow{}, err
		}
		head, err := hk.Store.Flow(ctx, h.Flow)
		if err != nil || head.Head == h.trigger.Revision {
			return h, head, err
		}
	}
	return Hook{}, storage.Flow{}, fmt.Errorf("find the webhook %q: %w", path, storage.ErrNotFound)
}

// PutDelivery stores a delivery, to be worked on. False: it was stored before. Errors: *usererror.Error when its fields do not fit the
// inputs of the flow, storage.ErrNotFound when the flow does not listen any more; nothing was stored.
func (hk *Hooks) PutDelivery(ctx context.Context, h Hook, d Delivery) (fresh bool, err error) {
	live, _, err := hk.liveHook(ctx, h.Path)
	if err == nil && (live.Flow != h.Flow || live.Scheme != h.Scheme) {
		err = fmt.Errorf("find the webhook %q of %s: %w", h.Path, h.Flow, storage.ErrNotFound)
	}
	if err != nil {
		return false, err
	}
	d.Path, d.Flow, d.Scheme = h.Path, h.Flow, h.Scheme
	body, err := d.read()
	if err != nil {
		return false, err
	}
	values, _ := body.(map[string]any) // a list or a text has no fields
	if err := hk.Engine.CheckValues(ctx, live.trigger, values); err != nil {
		return false, err
	}
	payload, err := json.Marshal(d)
	if err != nil {
		return false, fmt.Errorf("write down a delivery: %w", err)
	}
	fresh, err = hk.Store.PutInbox(ctx, storage.Inbox{
		Key: "hook:" + d.key(), Thread: "hook:" + d.Path, Kind: InboxHook, Payload: payload, Received: time.Now().UTC(),
	})
	if err == nil && fresh && hk.Arrived != nil {
		hk.Arrived()
	}
	return fresh, err
}

// key says which delivery it is: an id of another path or another scheme is another delivery. No part of it holds a space.
func (d Delivery) key() string {
	if d.Scheme == "" || d.Scheme == flow.SchemeStandard {
		return d.Path + " " + d.ID
	}
	return d.Path + " " + d.Scheme + " " + d.ID
}

// read decodes the body. Numbers stay as they are written: an order number of twenty digits is a text to some flows.
func (d Delivery) read() (any, error) {
	var body any
	from := json.NewDecoder(bytes.NewReader(d.Body))
	from.UseNumber()
	if err := from.Decode(&body); err != nil {
		return nil, fmt.Errorf("read a delivery: %w", err)
	}
	return body, nil
}

// payload is the payload of the run's event.
func (d Delivery) payload(body any, sensitive func(input string) bool) map[string]any {
	out := map[string]any{"body": body, "delivery": d.ID}
	switch body := body.(type) {
	case string:
		out["message"] = body
	case map[string]any:
		for _, name := range []string{"text", "message"} {
			if s, ok := body[name].(string); ok && !sensitive(name) {
				out["message"] = s
			}
		}
		shown := maps.Clone(body)
		maps.DeleteFunc(shown, func(name string, _ any) bool { return sensitive(name) })
		out["body"] = shown
	}
	return out
}

// Delivered starts the run of a delivery. If it cannot start, the flow's home channel is told why: the sender has its answer already.
func (hk *Hooks) Delivered(ctx context.Context, in request.Incoming) error {
	var d Delivery
	if err := json.Unmarshal(in.Payload, &d); err != nil {
		return fmt.Errorf("read a delivery: %w", err)
	}
	h, head, err := hk.liveHook(ctx, d.Path)
	if errors.Is(err, storage.ErrNotFound) || err == nil && (h.Flow != d.Flow || d.Scheme != "" && h.Scheme != d.Scheme) {
		return hk.undelivered(ctx, in, d, engine.ErrTriggerGone)
	}
	if err != nil {
		return err
	}
	if err := hk.mayOwn(ctx, head); err != nil {
		if _, denied := request.AsDenied(err); denied {
			return hk.undelivered(ctx, in, d, errOwner)
		}
		return err
	}
	s, err := hk.startHook(ctx, in, h, head, d)
	if ue, ok := errors.AsType[*usererror.Error](err); ok {
		return hk.undelivered(ctx, in, d, ue)
	}
	if err != nil {
		return err
	}
	if s.Seen || s.Duplicate {
		hk.Log.Info("a webhook delivery started nothing: its run is there", "path", d.Path, "delivery", d.ID, "run", s.Run.Name)
		return hk.Replies.Write(ctx, in, &storage.Batch{Audit: []storage.Audit{hk.auditHook(d, "hook_duplicate", map[string]any{"run": s.Run.Name})}})
	}
	hk.Replies.Wake()
	return nil
}

// mayOwn checks that a flow's owner may still start it: runs of webhooks are asked for in the owner's name.
func (hk *Hooks) mayOwn(ctx context.Context, f storage.Flow) error {
	p, err := hk.Access.Engine.Principal(ctx, history.Actor{User: f.Owner})
	if err != nil {
		return err
	}
	return hk.Access.MayAs(ctx, p, authority.Start, people.AboutFlow(f))
}

// errOwner is the reason for a run that does not start because of its flow's owner.
var errOwner = errors.New("its runs are the flow owner's, and the owner is not an active member of this workspace any more. An admin can hand the flow over")

func (hk *Hooks) startHook(ctx context.Context, in request.Incoming, h Hook, head storage.Flow, d Delivery) (engine.Started, error) {
	sensitive, err := sensitive(ctx, hk.Store, h.Flow, h.trigger.Revision)
	if err != nil {
		return engine.Started{}, err
	}
	body, err := d.read()
	if err != nil {
		return engine.Started{}, err
	}
	values, _ := body.(map[string]any)
	return hk.Engine.StartByTrigger(ctx, h.trigger, engine.Occurrence{
		Key: d.key(), Values: values, Payload: d.payload(body, sensitive), Actor: history.Actor{Name: "the webhook " + d.Path, Via: history.ViaHTTP},
		By: head.Owner, Channel: head.Channel, Accepted: true,
		Add: func(batch *storage.Batch) { batch.InboxDone = append(batch.InboxDone, in.Inbox) },
	})
}

// undelivered ends a delivery that starts nothing.
func (hk *Hooks) undelivered(ctx context.Context, in request.Incoming, d Delivery, why error) error {
	hk.Log.Warn("a webhook delivery started nothing", "path", d.Path, "delivery", d.ID, "flow", d.Flow, "error", code(why))
	batch := &storage.Batch{Audit: []storage.Audit{hk.auditHook(d, "hook_failed", map[string]any{"error": why.Error()})}}
	head, err := hk.Store.Flow(ctx, d.Flow)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return err
	}
	if head.Channel != "" {
		text := card.Textf(":warning: A delivery of the webhook %s started nothing: %s", d.Path, why.Error())
		batch.Surfaces = append(batch.Surfaces, surface.Notice(hk.Replies.Engine.NewID(), head.Channel, "", text, hk.Replies.Engine.Now()))
	}
	return hk.Replies.Write(ctx, in, batch)
}

// GiveUp ends a delivery that keeps failing.
func (hk *Hooks) GiveUp(ctx context.Context, in request.Incoming) error {
	var d Delivery
	if err := json.Unmarshal(in.Payload, &d); err != nil {
		hk.Log.Error("a delivery cannot be read", "inbox", in.Inbox, "error", err)
		return hk.Replies.Write(ctx, in, &storage.Batch{})
	}
	return hk.undelivered(ctx, in, d, errBroke)
}

var errBroke = errors.New("something broke on my side. An operator finds the reason in the log")

// code is what the log may say of a refusal: its words may repeat what came in.
func code(err error) string {
	if ue, ok := errors.AsType[*usererror.Error](err); ok {
		return ue.Code
	}
	return err.Error()
}

func (hk *Hooks) auditHook(d Delivery, what string, detail map[string]any) storage.Audit {
	detail["delivery"], detail["path"] = d.ID, d.Path
	text, _ := json.Marshal(detail) // texts
	return storage.Audit{At: hk.Replies.Engine.Now(), Via: string(history.ViaHTTP), What: what, Ref: "flow:" + d.Flow, Detail: text}
}
