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

	"sluice/storage"
)

// awaitPause is between two tries to open a database that is not there yet.
const awaitPause = 500 * time.Millisecond

// awaitPlace opens the database to serve it, and waits for one that is starting, restarting or moving: programs and their databases are
// often started together. What time does not mend, such as a wrong name or password, fails at once.
func awaitPlace(ctx context.Context, c *config, log *slog.Logger) (*place, error) {
	late := time.Now().Add(time.Duration(c.DatabaseWait))
	for said := false; ; {
		at, err := openPlace(ctx, c, log)
		switch {
		case err == nil:
			if said {
				log.Info("the database is there")
			}
			return at, nil
		case !comes(err):
			return nil, fmt.Errorf("%w; look at DATABASE_URL", err)
		case time.Now().Add(awaitPause).After(late):
			return nil, fmt.Errorf("%w; it was not there for %v (SLUICE_DATABASE_WAIT): start it, or look at DATABASE_URL", err, time.Duration(c.DatabaseWait))
		}
		if !said {
			log.Warn("the database is not there yet: trying again", "for", time.Duration(c.DatabaseWait), "error", err)
			said = true
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(awaitPause):
		}
	}
}

// comes reports whether an error is one of a database that may be there in a moment.
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
