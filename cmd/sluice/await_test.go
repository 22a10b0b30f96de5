package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/lib/pq"

	"sluice/storage"
	"sluice/storage/pgtest"
)

// TestServeWaitsForItsDatabase starts the program while its server is down.
func TestServeWaitsForItsDatabase(t *testing.T) {
	t.Parallel()
	server := pgtest.NewServer(t)
	server.Stop()
	w := &world{T: t, setup: setup{apart: true, database: server.URL}, data: t.TempDir(), addr: "127.0.0.1:0"}
	w.startDev()
	w.bot = w.serve("serve")
	if _, err := w.bot.says(`the database is not there yet: trying again`); err != nil {
		t.Fatal(err)
	}
	server.Start()
	for _, words := range []string{`the database is there`, `sluice serves`} {
		if _, err := w.bot.says(words); err != nil {
			t.Fatal(err)
		}
	}
}

// TestServeIsRefusedAtOnce has a server that is there, and a database that is not.
func TestServeIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	address, err := url.Parse(pgtest.NewServer(t).URL)
	if err != nil {
		t.Fatal(err)
	}
	address.Path = "/nothing"
	p := start(t, "serve", []string{"SLACK_BOT_TOKEN=xoxb-1", "SLACK_APP_TOKEN=xapp-1", "SLUICE_DATABASE_WAIT=10m", "DATABASE_URL=" + address.String()}, "serve", "--data", t.TempDir())
	code, out := p.wait(t), p.output()
	if code != exitFailed || strings.Contains(out, "trying again") || !strings.Contains(out, `database "nothing" does not exist`) || !strings.Contains(out, "DATABASE_URL") {
		t.Errorf("it ended with %d and wrote\n%s", code, out)
	}
}

// TestWhatTimeMends tells what is waited for from what is not.
func TestWhatTimeMends(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err  error
		want bool
	}{
		"refused":                    {&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, true},
		"starting up":                {&pgconn.PgError{Code: "57P03"}, true},
		"too many connections":       {&pgconn.PgError{Code: "53300"}, true},
		"the store says so":          {fmt.Errorf("open: %w", storage.ErrUnavailable), true},
		"cut off in the middle":      {fmt.Errorf("read: %w", io.ErrUnexpectedEOF), true},
		"a name server that is away": {&net.DNSError{Err: "server misbehaving", IsTemporary: true}, true},
		"no such host":               {fmt.Errorf("%w: %w", storage.ErrUnavailable, &net.DNSError{Err: "no such host", IsNotFound: true}), false},
		"a wrong password":           {&pgconn.PgError{Code: "28P01"}, false},
		"a wrong password, store":    {&pq.Error{Code: "28P01"}, false},
		"a newer database":           {storage.ErrNewer, false},
		"it was stopped":             {fmt.Errorf("%w: %w", storage.ErrUnavailable, context.Canceled), false},
	} {
		if got := comes(c.err); got != c.want {
			t.Errorf("%s: waited for: %v", name, got)
		}
	}
}
