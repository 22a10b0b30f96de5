package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"sluice/cmd/sluice/limits"
	"sluice/engine/schedule"
	"sluice/engine/usererror"
)

type scheduleCmd struct {
	Words       []string    `arg:"" help:"When: every second friday at 9, or the five fields of cron."`
	Timezone    string      `name:"timezone" env:"SLUICE_TIMEZONE" default:"UTC" help:"IANA zone of a schedule that names none."`
	MinInterval limits.Span `name:"min-schedule-interval" env:"SLUICE_MIN_SCHEDULE_INTERVAL" default:"1m" help:"The shortest time between two fires of a schedule."`
	From        string      `name:"from" placeholder:"2026-12-01" help:"The day from which on the next times are shown; default: now."`
}

// Help describes the command.
func (c *scheduleCmd) Help() string {
	return `Says how a schedule is read, when it fires next, and how a flow file writes it. Nothing is stored: a flow starts by the clock when its file says so, or when
somebody in Slack says /flow schedule.`
}

// Run shows the fires of a schedule in words.
func (c *scheduleCmd) Run(std stdio) error {
	now := time.Now()
	zone, err := time.LoadLocation(c.Timezone)
	if err != nil {
		return &exitError{exitBadFile, fmt.Sprintf("SLUICE_TIMEZONE: %q is not a zone; use a name such as Europe/Berlin", c.Timezone)}
	}
	if c.From != "" {
		if now, err = time.ParseInLocation(time.DateOnly, c.From, zone); err != nil {
			return &exitError{exitBadFile, fmt.Sprintf("--from %s: write a day such as 2026-12-01", c.From)}
		}
	}
	reader := schedule.New(schedule.Config{Zone: zone, Shortest: time.Duration(c.MinInterval), Now: func() time.Time { return now }})
	t, err := reader.ReadSchedule(strings.Join(c.Words, " "), "")
	if ue, ok := errors.AsType[*usererror.Error](err); ok {
		return &exitError{exitBadFile, strings.TrimSpace(ue.Text + " " + strings.ReplaceAll(ue.Hint, "`", "\""))}
	}
	if err != nil {
		return err
	}
	if zone, err = time.LoadLocation(t.Zone); err != nil {
		return err
	}
	fmt.Fprintf(std.out, "%s (%s)\n", t.Words, t.Zone)
	for _, at := range t.Fires {
		fmt.Fprintf(std.out, "  %s\n", at.In(zone).Format("Mon 2006-01-02 15:04 MST"))
	}
	fmt.Fprintf(std.out, "in a flow file:\n  triggers:\n    - schedule: {cron: %q, timezone: %s}\n", t.Cron, t.Zone)
	return nil
}
