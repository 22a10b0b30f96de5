package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"sluice/engine"
	"sluice/storage"
)

type serveCmd struct {
	config
}

// Run serves Slack until it is told to stop.
func (c *serveCmd) Run(ctx context.Context, std stdio) error {
	if err := c.problems(true); err != nil {
		return err
	}
	if err := c.makeData(); err != nil {
		return err
	}
	log := c.logger(std.err)
	api, err := listenHTTP(ctx, c.httpSettings, log.With("component", "http"))
	if err != nil {
		return err
	}
	defer api.close()
	at, err := awaitBackend(ctx, &c.config, log, api.NotServing)
	if ctx.Err() != nil && err != nil {
		return nil // it was told to stop while it waited
	}
	if err != nil {
		return err
	}
	defer at.close(log)
	defer api.close() // requests under way need the store
	return serveBackend(ctx, &c.config, at, engine.NewClock(), api.httpServer, log, func(h *app) {
		fmt.Fprintln(std.out, "sluice serves; stop it with Ctrl-C")
	})
}

const standbyPause = time.Second

// serveBackend serves a store: beside other processes where that is possible, else with the exclusive right to it. While another process
// has that right, this one stands by.
func serveBackend(ctx context.Context, c *config, at *backend, clock *engine.Clock, api *httpServer, log *slog.Logger, ready func(*app)) error {
	var lost <-chan struct{} // never, where no process has the right
	if !at.shared {
		var release func() error
		var err error
		if release, lost, err = standBy(ctx, at.store, log); err != nil || release == nil {
			return err
		}
		defer func() {
			if err := release(); err != nil {
				log.Warn("the right to serve was not given back cleanly", "error", err)
			}
		}()
	}
	h, err := build(ctx, c, at, clock, log, api.NotServing)
	if err != nil || h == nil {
		return err
	}
	api.open(h)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-lost:
			cancel(errLost)
		case <-ctx.Done():
		}
	}()
	go func() {
		select {
		case <-h.slack.Ready():
			ready(h)
		case <-ctx.Done():
		}
	}()
	err = h.run(ctx)
	if errors.Is(context.Cause(ctx), errLost) {
		return errLost
	}
	return err
}

var errLost = errors.New("the right to serve the database was lost; another process may have it now")

// standBy waits for the right to serve. A nil release without an error: ctx ended first.
func standBy(ctx context.Context, store storage.Store, log *slog.Logger) (release func() error, lost <-chan struct{}, err error) {
	host, _ := os.Hostname()
	holder := fmt.Sprintf("process %d on %s", os.Getpid(), host)
	said := false
	for {
		release, lost, err = store.Serve(ctx, holder)
		if !errors.Is(err, storage.ErrLocked) {
			return release, lost, err
		}
		if !said {
			log.Info("standing by: another process serves this database", "reason", err)
			said = true
		}
		select {
		case <-ctx.Done():
			return nil, nil, nil
		case <-time.After(standbyPause):
		}
	}
}
