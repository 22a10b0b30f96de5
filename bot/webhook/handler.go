package webhook

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"sluice/bot/httpapi"
	"sluice/bot/triggers"
	"sluice/engine/secret"
)

// Path is where hooks lie; the rest of a request's path names one.
const Path = "/hooks/"

// Hooks finds the flow that listens to a path, and stores deliveries for it.
type Hooks interface {
	Hook(ctx context.Context, path string) (triggers.Hook, error)
	PutDelivery(ctx context.Context, h triggers.Hook, d triggers.Delivery) (fresh bool, err error)
}

// Config is what deliveries are given to.
type Config struct {
	Hooks   Hooks
	Secrets secret.Source
}

// Handler takes the deliveries of webhooks below Path. It is safe for concurrent use; deliveries are taken once it is open.
type Handler struct {
	log     *slog.Logger
	proxies httpapi.Proxies
	slots   *slots
	pace    pace
	nobody  key // of no hook
	open    atomic.Pointer[Config]
	now     func() time.Time
	patient time.Duration // httpapi.RequestMost
}

// New makes a handler that is not open yet. Of proxies it believes the addresses that they forward.
func New(log *slog.Logger, proxies httpapi.Proxies) *Handler {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Handler{
		log: log, proxies: proxies, slots: newSlots(defaultLimits), pace: defaultPace, nobody: randomKey(), now: time.Now, patient: httpapi.RequestMost,
	}
}

// Open begins to accept deliveries.
func (h *Handler) Open(c Config) { h.open.Store(&c) }

// accepted is the answer for a delivery that is stored.
type accepted struct {
	Delivery string `json:"delivery"`
}

var errClosed = errors.New("the process does not serve yet")
