package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"sluice/bot/slack"
	"sluice/storage"
)

// awaitPause is between two tries to open a database that is not there yet.
const awaitPause = 500 * time.Millisecond

// awaitBackend opens the database to serve it, and waits for one that is starting, restarting or moving: programs and their databases are
// often started at the same time. A database without space is waited for without a limit: a person has to free space, and a program that
// ended would stay down after that. An error that time does not mend, such as a wrong password, ends the wait. waits gets the reason of the wait.
func awaitBackend(ctx context.Context, c *config, log *slog.Logger, waits func(string)) (*backend, error) {
	late := time.Now().Add(time.Duration(c.DatabaseWait))
	for said := ""; ; {
		at, err := openBackend(ctx, c, log)
		if err == nil {
			if said != "" {
				log.Info("the database is there")
			}
			return at, nil
		}
		full := isFull(err)
		switch {
		case full:
		case !comes(err):
			return nil, fmt.Errorf("%w; look at DATABASE_URL", err)
		case time.Now().Add(awaitPause).After(late):
			return nil, fmt.Errorf("%w; it was not there for %v (SLUICE_DATABASE_WAIT): start it, or look at DATABASE_URL", err, time.Duration(c.DatabaseWait))
		}
		words := "the database is not there yet: trying again"
		if full {
			words = "the database has no space: trying again until there is some"
		}
		if words != said {
			waits("This process does not serve yet: " + words + ".")
			log.Warn(words, "error", err)
			said = words
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(awaitPause):
		}
	}
}

// isFull reports whether a database could not be opened because there is no space.
func isFull(err error) bool {
	const diskFull = "53100"
	var server *pgconn.PgError // of the queue, which has a driver of its own
	return errors.Is(err, storage.ErrFull) || errors.As(err, &server) && server.Code == diskFull
}

// comes reports whether an error is that of a database that may accept connections soon.
func comes(err error) bool {
	var name *net.DNSError
	if errors.As(err, &name) && name.IsNotFound || errors.Is(err, context.Canceled) {
		return false
	}
	var network net.Error
	var server *pgconn.PgError // of the queue, which has a driver of its own
	if errors.As(err, &server) {
		return strings.HasPrefix(server.Code, "57P") || strings.HasPrefix(server.Code, "53")
	}
	return errors.Is(err, storage.ErrUnavailable) || errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// slackPause is between two tries to reach Slack at the start.
const slackPause = 2 * time.Second

// awaitSlack connects to Slack, and waits for it while it cannot be reached: runs may have to go on as soon as it can. A token that Slack
// refuses fails at once. Nothing and no error: ctx ended first.
func awaitSlack(ctx context.Context, c slack.Config, waits func(string)) (*slack.App, error) {
	for said := false; ; {
		app, err := slack.New(ctx, c)
		if err == nil || !slack.IsAway(err) {
			return app, err
		}
		if !said {
			waits("This process does not serve yet: Slack cannot be reached. It is tried again until it can.")
			c.Log.Warn("Slack cannot be reached: trying again until it can", "error", err)
			said = true
		}
		select {
		case <-ctx.Done():
			return nil, nil
		case <-time.After(slackPause):
		}
	}
}
