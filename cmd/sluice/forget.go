package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"sluice/bot/draft"
	"sluice/storage"
)

type forgetCmd struct {
	config
	Person string `arg:"" help:"User id of the person, as in U012AB3CD (in Slack: their profile, Copy member ID)."`
}

// Help describes what is removed and what stays.
func (c *forgetCmd) Help() string {
	return `Removes what a person wrote: drafts, and finished runs that hold their inputs, notes, answers or reasons. It keeps that they decided: who decided what, when and by
which way, with hashes in the place of values. Flows that were approved, and messages in Slack, stay. Beside serving processes it works on Postgres; a SQLite file must not be
served meanwhile.`
}

var userID = regexp.MustCompile(`^[UW][A-Z0-9]+$`)

// Run forgets a person.
func (c *forgetCmd) Run(ctx context.Context, std stdio) error {
	if err := c.problems(false); err != nil {
		return err
	}
	if !userID.MatchString(c.Person) {
		return &exitError{exitBadFile, fmt.Sprintf("%q is no user id: write for example U012AB3CD (in Slack: the person's profile, Copy member ID)", c.Person)}
	}
	store, done, err := openToChange(ctx, &c.config, "sluice forget")
	if err != nil {
		return err
	}
	defer done()
	f, err := c.pruner(store, time.Now, "", c.logger(std.err)).Forget(ctx, c.Person, wroteDraft)
	if err != nil {
		return fmt.Errorf("removed %d runs and %d drafts, then: %w", f.Runs, f.Drafts, err)
	}
	if err := store.Compact(ctx); err != nil {
		return err
	}
	fmt.Fprintf(std.out, "removed what %s wrote: %d runs, %d drafts, %d reasons, %d tokens, and the records of %d private answers and notices\n", c.Person, f.Runs, f.Drafts, f.Audits, f.Tokens, f.Messages)
	if len(f.Left) > 0 {
		fmt.Fprintf(std.out, "not removed, because they are not over: %s\nEnd or cancel them, then run this again.\n", strings.Join(f.Left, ", "))
		return &exitError{code: exitFailed}
	}
	return nil
}

// wroteDraft reports whether a person wrote or edited a draft.
func wroteDraft(d storage.Draft, user string) bool {
	body, _, err := draft.Decode(d)
	return err != nil || slices.Contains(body.Authors, user)
}

// openToChange opens the database for a command that changes it beside or instead of a serving process. done gives it back.
func openToChange(ctx context.Context, c *config, name string) (store storage.Store, done func(), err error) {
	store, kind, err := openExisting(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	if kind != storage.SQLite {
		return store, func() { _ = store.Close() }, nil
	}
	release, _, err := store.Serve(ctx, name)
	if errors.Is(err, storage.ErrLocked) {
		err = fmt.Errorf("%w: stop it first", err)
	}
	if err != nil {
		return nil, nil, errors.Join(err, store.Close())
	}
	return store, func() { _ = errors.Join(release(), store.Close()) }, nil
}

// openExisting opens the database, which a process that serves has made before.
func openExisting(ctx context.Context, c *config) (store storage.Store, kind string, err error) {
	kind, dsn, err := storage.ParseURL(c.DatabaseURL, c.Data)
	if err != nil {
		return nil, "", err
	}
	if kind == storage.SQLite {
		if _, err := os.Stat(dsn); errors.Is(err, fs.ErrNotExist) {
			return nil, "", fmt.Errorf("there is no database %s: name its directory with --data, or its address with --database-url", dsn)
		}
	}
	store, err = openStore(ctx, c.DatabaseURL, c.Data)
	return store, kind, err
}
