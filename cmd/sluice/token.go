package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/token"
	"sluice/storage"
)

// tokenCmd has the commands for tokens.
type tokenCmd struct {
	Create tokenCreateCmd `cmd:"" help:"Make a token for a person, and show it this once."`
	List   tokenListCmd   `cmd:"" help:"List tokens: whose they are, and until when they count."`
	Revoke tokenRevokeCmd `cmd:"" help:"End a token."`
}

type tokenCreateCmd struct {
	config
	Person string `arg:"" help:"User id of the person in whose place it asks, as in U012AB3CD (in Slack: their profile, Copy member ID)."`
	Name   string `help:"What will use it, such as wiki."`
	For    string `default:"90d" help:"How long it counts, such as 90d; forever = until it is revoked."`
}

// Help describes tokens.
func (*tokenCreateCmd) Help() string {
	return `A program that sends the token ("Authorization: Bearer ...") to SLUICE_API_ADDR sees there what its person may see in Slack at that moment: the charts of drafts and runs.
The token is not stored, only its hash: keep it where you keep secrets.`
}

// Run makes a token.
func (c *tokenCreateCmd) Run(ctx context.Context, std stdio) error {
	if !userID.MatchString(c.Person) {
		return &exitError{exitBadFile, fmt.Sprintf("%q is no user id: write for example U012AB3CD (in Slack: the person's profile, Copy member ID)", c.Person)}
	}
	q := token.Request{User: c.Person, Name: c.Name, Creator: history.Actor{Via: history.ViaCLI}}
	if c.For != forever {
		d, err := flow.ParseDuration(c.For)
		if err != nil || d.WorkingDays > 0 || d.Clock <= 0 {
			return &exitError{exitBadFile, fmt.Sprintf("--for: %q is no length of time: write for example 90d, or forever", c.For)}
		}
		q.For = d.Clock
	}
	return withTokens(ctx, &c.config, func(s storage.Store) error {
		secret, t, err := token.Create(ctx, s, q, time.Now())
		if err != nil {
			return err
		}
		fmt.Fprintln(std.out, secret)
		fmt.Fprintf(std.err, "token %s asks in the place of %s, %s; it is shown this once\n", t.ID, t.User, howLong(t))
		return nil
	})
}

type tokenListCmd struct{ config }

// Run lists the tokens.
func (c *tokenListCmd) Run(ctx context.Context, std stdio) error {
	return withTokens(ctx, &c.config, func(s storage.Store) error {
		all, err := s.Tokens(ctx)
		if err != nil {
			return err
		}
		t := tabwriter.NewWriter(std.out, 0, 4, 2, ' ', 0)
		for _, x := range all {
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", x.ID, x.User, cmp.Or(x.Name, "-"), howLong(x))
		}
		return t.Flush()
	})
}

type tokenRevokeCmd struct {
	config
	ID string `arg:"" help:"Id of the token, as sluice token list shows it."`
}

// Run ends a token.
func (c *tokenRevokeCmd) Run(ctx context.Context, std stdio) error {
	return withTokens(ctx, &c.config, func(s storage.Store) error {
		t, err := token.Revoke(ctx, s, c.ID, history.Actor{Via: history.ViaCLI}, time.Now())
		if errors.Is(err, token.ErrUnknown) {
			return &exitError{exitBadFile, fmt.Sprintf("there is no token %q; sluice token list shows them", c.ID)}
		}
		if err == nil {
			fmt.Fprintf(std.out, "token %s of %s does not count any more\n", t.ID, t.User)
		}
		return err
	})
}

// howLong says how long a token is valid.
func howLong(t storage.Token) string {
	switch {
	case !t.Revoked.IsZero():
		return "revoked " + t.Revoked.Format(time.DateOnly)
	case t.Expires.IsZero():
		return "until it is revoked"
	}
	return "until " + t.Expires.Format(time.DateOnly)
}

// withTokens opens the database, also while another process serves it: that process does not use tokens.
func withTokens(ctx context.Context, c *config, do func(storage.Store) error) error {
	if err := c.problems(false); err != nil {
		return err
	}
	store, _, err := openExisting(ctx, c)
	if err != nil {
		return err
	}
	return errors.Join(do(store), store.Close())
}
