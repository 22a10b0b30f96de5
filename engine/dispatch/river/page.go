package river

import (
	"context"
	"fmt"
	"net/http"

	"riverqueue.com/riverui"
)

// Page serves River's own pages about the queue under a path, until ctx ends. They show jobs with the ids of runs, cancel and delete jobs
// and pause the queue: the program that mounts them has to ask for a password first. A job that is cancelled or deleted there is dispatched
// again by the sweep, as long as its token waits for a worker.
func (d *Dispatcher) Page(ctx context.Context, path string) (http.Handler, error) {
	h, err := riverui.NewHandler(&riverui.HandlerOpts{
		Endpoints: riverui.NewEndpoints(d.client, nil), Logger: quieter(d.options.Logger), Prefix: path,
	})
	if err != nil {
		return nil, fmt.Errorf("make the page of the queue: %w", err)
	}
	if err := h.Start(ctx); err != nil {
		return nil, fmt.Errorf("start the page of the queue: %w", err)
	}
	return h, nil
}
