package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"time"

	"sluice/engine/audit"
)

type auditCmd struct {
	config
	CSV  bool   `name:"csv" help:"Write a table for spreadsheets."`
	Flow string `name:"flow" help:"What is about this flow only."`
	User string `name:"user" help:"What this person did, by user id."`
	From string `name:"from" placeholder:"2026-11-01" help:"From this day on."`
	To   string `name:"to" placeholder:"2026-12-01" help:"Before this day."`
}

// Help describes the audit.
func (c *auditCmd) Help() string {
	return `Lists who did what: approvals, schedules, pauses and tokens, newest first; then run by run, newest run first, who started it, decided, changed and
ended it. Inputs, results and notes of runs are not in it, only their hashes. It may be read while the bot serves. The list comes as it is read, however long it is.`
}

// Run lists the entries of the audit.
func (c *auditCmd) Run(ctx context.Context, std stdio) error {
	q := audit.Query{Flow: c.Flow, User: c.User}
	zone, err := time.LoadLocation(c.Timezone)
	if err != nil {
		return &exitError{exitBadFile, fmt.Sprintf("SLUICE_TIMEZONE: %q is not a zone; use a name such as Europe/Berlin", c.Timezone)}
	}
	for _, d := range []struct {
		flag, text string
		into       *time.Time
	}{{"--from", c.From, &q.From}, {"--to", c.To, &q.To}} {
		if d.text == "" {
			continue
		}
		if *d.into, err = time.ParseInLocation(time.DateOnly, d.text, zone); err != nil {
			return &exitError{exitBadFile, fmt.Sprintf("%s %s: write a day such as 2026-12-01", d.flag, d.text)}
		}
	}
	store, _, err := openExisting(ctx, &c.config)
	if err != nil {
		return err
	}
	defer store.Close()
	out := bufio.NewWriter(std.out)
	defer out.Flush()
	visit := func(e audit.Entry) error {
		_, err := fmt.Fprintf(out, "%s  %-12s %-8s %-18s %s %s\n", e.At.In(zone).Format("2006-01-02 15:04:05"), cmp.Or(e.User, "sluice"), e.Via, e.What, cmp.Or(e.Run, e.Flow, e.Ref), shown(string(e.Detail)))
		return err
	}
	if c.CSV {
		table, err := audit.NewTable(out)
		if err != nil {
			return err
		}
		visit = table.Write
	}
	return audit.Each(ctx, store, q, visit)
}
