package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"sluice/cmd/sluice/limits"
	"sluice/cmd/sluice/models"
	"sluice/cmd/sluice/standins"
	"sluice/engine/secret"
	"sluice/storage"
)

// config is everything that can be set, with its defaults. Flags win over the environment.
type config struct {
	SlackBotToken string             `name:"slack-bot-token" env:"SLACK_BOT_TOKEN" help:"Bot token of the Slack app (xoxb-...)." secret:""`
	SlackAppToken string             `name:"slack-app-token" env:"SLACK_APP_TOKEN" help:"App-level token with connections:write (xapp-...)." secret:""`
	SlackAPIURL   string             `name:"slack-api-url" env:"SLACK_API_URL" help:"Address of Slack's API, if it is not Slack itself: such as the small Slack of sluice dev."`
	DatabaseURL   string             `name:"database-url" env:"DATABASE_URL" help:"sqlite:PATH or postgres://...; empty = sluice.db in the data directory." secret:""`
	DatabaseWait  limits.Span        `name:"database-wait" env:"SLUICE_DATABASE_WAIT" default:"1m" help:"How long serve waits at its start for a database that is not there yet."`
	Data          string             `name:"data" env:"SLUICE_DATA" default:".sluice" help:"Data directory." type:"path"`
	Tools         string             `name:"tools" env:"SLUICE_TOOLS" help:"File of declared actions." type:"path"`
	Agents        string             `name:"agents" env:"SLUICE_AGENTS" help:"File or folder of agents that flows may name." type:"path"`
	With          *standins.StandIns `kong:"-"` // what stands here for names of a flow file, see nearby
	Workspace     string             `name:"workspace" env:"SLUICE_WORKSPACE" help:"Folder that the tools files.* read and write; without one there are no such tools." type:"path"`
	SecondPerson  string             `name:"second-person" env:"SLUICE_SECOND_PERSON" default:"on" help:"Must somebody else than its author approve what a flow newly allows? (on, off)"`
	Approvers     []string           `name:"approvers" env:"SLUICE_APPROVERS" help:"Who may be that second person: @groups, @users or ids."`
	Admins        []string           `name:"admins" env:"SLUICE_ADMINS" help:"User ids of admins."`
	Timezone      string             `name:"timezone" env:"SLUICE_TIMEZONE" default:"UTC" help:"IANA zone of working days, and of schedules and times that name none."`
	Weekdays      string             `name:"weekdays" env:"SLUICE_WEEKDAYS" default:"mon-fri" help:"Working days: mon-fri, or mon,wed,fri."`
	Hours         string             `name:"hours" env:"SLUICE_HOURS" default:"09:00-17:00" help:"Working hours."`
	Holidays      []string           `name:"holidays" env:"SLUICE_HOLIDAYS" help:"Days on which nobody works: 2026-04-03, or 12-25 for every year."`
	HolidaysFile  string             `name:"holidays-file" env:"SLUICE_HOLIDAYS_FILE" help:"File of more such days, one per line; what follows the day is its name." type:"path"`
	CatchUpWindow limits.Span        `name:"catch-up-window" env:"SLUICE_CATCH_UP_WINDOW" default:"24h" help:"How far back a schedule with catch_up all makes up for missed fires."`
	ScheduleQueue limits.Whole       `name:"schedule-queue" env:"SLUICE_SCHEDULE_QUEUE" default:"100" help:"How many fires of a schedule with overlap queue wait for the run before."`
	AllowPrivate  []string           `name:"allow-private" env:"SLUICE_ALLOW_PRIVATE" help:"Private addresses that http tools may call: host:port, IP or CIDR."`
	MessageRate   limits.Whole       `name:"messages-per-minute" env:"SLUICE_MESSAGES_PER_MINUTE" default:"40" help:"Budget of edits of messages for the whole workspace, of about 50 that Slack allows. New messages have budgets in proportion: at 40, one a second in a channel and 300 a minute in all."`
	SQLiteMaxMB   limits.Whole       `name:"sqlite-max-mb" env:"SLUICE_SQLITE_MAX_MB" default:"0" help:"How large the SQLite file may become, in MiB; 0 = as large as the disk. When it is full, runs stand still until there is space."`
	LogLevel      string             `name:"log-level" env:"SLUICE_LOG_LEVEL" default:"info" help:"How much is logged (debug, info, warn, error)."`
	models.Settings
	retention
	opsSettings
	httpSettings
	limits.Ceilings `group:"Limits of flows:"`
	limits.Pacing   `group:"Pace of runs:"`
}

// problems lists everything that is wrong with the configuration, in one error.
func (c *config) problems(needSlack bool) error {
	var all []string
	add := func(ok bool, format string, args ...any) {
		if !ok {
			all = append(all, fmt.Sprintf(format, args...))
		}
	}
	if needSlack {
		add(strings.HasPrefix(c.SlackBotToken, "xoxb-"), "SLACK_BOT_TOKEN must be a bot token (xoxb-...): Slack shows it under OAuth & Permissions")
		add(strings.HasPrefix(c.SlackAppToken, "xapp-"), "SLACK_APP_TOKEN must be an app-level token (xapp-...) with connections:write: Slack shows it under Basic Information")
	}
	kind, _, err := storage.ParseURL(c.DatabaseURL, c.Data)
	add(err == nil, "%v", err)
	if c.Tools != "" {
		_, err := os.Stat(c.Tools)
		add(err == nil, "SLUICE_TOOLS: there is no file %s", c.Tools)
	}
	if c.Agents != "" {
		_, err := os.Stat(c.Agents)
		add(err == nil, "SLUICE_AGENTS: there is no file or folder %s", c.Agents)
	}
	_, wrong := c.calendar()
	all = append(all, wrong...)
	_, unusable := c.List()
	all = append(all, unusable...)
	add(slices.Contains(onOff, c.SecondPerson), "SLUICE_SECOND_PERSON: %q is none of: %s", c.SecondPerson, strings.Join(onOff, ", "))
	add(slices.Contains(logLevels, c.LogLevel), "SLUICE_LOG_LEVEL: %q is none of: %s", c.LogLevel, strings.Join(logLevels, ", "))
	add(c.CatchUpWindow > 0, "SLUICE_CATCH_UP_WINDOW must be longer than nothing; write for example 24h")
	add(c.DatabaseWait >= 0, "SLUICE_DATABASE_WAIT must be a length of time; write for example 30s, or 0s to wait for nothing")
	add(c.ScheduleQueue > 0, "SLUICE_SCHEDULE_QUEUE must be a number, at least 1")
	add(c.MessageRate > 0, "SLUICE_MESSAGES_PER_MINUTE must be a number, at least 1")
	add(c.SQLiteMaxMB >= 0, "SLUICE_SQLITE_MAX_MB must be a size in MiB, or 0 for no limit")
	_, _, old := c.read()
	all = append(all, old...)
	all = append(all, c.opsSettings.wrong(kind)...)
	all = append(all, c.httpSettings.wrong()...)
	all = append(all, c.Ceilings.TooLow()...)
	all = append(all, c.Pacing.TooLow()...)
	if len(all) == 0 {
		return nil
	}
	return errors.New("the configuration has problems:\n  - " + strings.Join(all, "\n  - "))
}

// Values of some settings. The command line does not check them: their errors are reported together with all others.
var (
	onOff     = []string{"on", "off"}
	logLevels = []string{"debug", "info", "warn", "error"}
)

func (c *config) logger(w io.Writer) *slog.Logger {
	var l slog.Level
	_ = l.UnmarshalText([]byte(c.LogLevel)) // problems has refused levels that cannot be read
	return slog.New(secret.Log(slog.NewTextHandler(w, &slog.HandlerOptions{Level: l}), c.hide()))
}

// show prints what is in force, without secrets.
func (c *config) show(w io.Writer) error {
	kind, dsn, err := storage.ParseURL(c.DatabaseURL, c.Data)
	if err != nil {
		return err
	}
	if kind == storage.Postgres {
		dsn = "(set)"
	}
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	hide := c.hide()
	row := func(name, value string) { fmt.Fprintf(t, "%s\t%s\n", name, hide(value)) }
	c.showPlaces(row, kind+" "+dsn)
	c.showRules(row)
	c.showKept(row)
	c.showBounds(row)
	return t.Flush()
}

// hidden reports whether a secret is set.
func hidden(v string) string {
	if v == "" {
		return "(not set)"
	}
	return "(set)"
}

// showPlaces lists the places of the data, and the services.
func (c *config) showPlaces(row func(name, value string), database string) {
	row("data", c.Data)
	row("database", database)
	row("database-wait", time.Duration(c.DatabaseWait).String())
	row("slack-bot-token", hidden(c.SlackBotToken))
	row("slack-app-token", hidden(c.SlackAppToken))
	row("slack-api-url", cmp.Or(c.SlackAPIURL, "https://slack.com/api/"))
	row("tools", cmp.Or(c.Tools, "(built-in only)"))
	row("agents", cmp.Or(c.Agents, "(none)"))
	row("openai-api-key", hidden(c.OpenAIKey))
	row("openai-base-url", cmp.Or(c.OpenAIBaseURL, "(default)"))
	row("openai-model", cmp.Or(c.OpenAIModel, "(no model: agent steps are offered to people)"))
	c.Rows(row)
}

// showRules lists the people who decide, and the times of work.
func (c *config) showRules(row func(name, value string)) {
	row("second-person", c.SecondPerson)
	row("approvers", cmp.Or(strings.Join(c.Approvers, ", "), "(none)"))
	row("admins", cmp.Or(strings.Join(c.Admins, ", "), "(none)"))
	cal, _ := c.calendar()
	row("timezone", c.Timezone)
	row("weekdays", cal.Weekdays.String())
	row("hours", cal.Hours.String())
	row("holidays", fmt.Sprint(cal.Holidays.Days()))
	row("catch-up-window", time.Duration(c.CatchUpWindow).String())
	row("schedule-queue", fmt.Sprint(c.ScheduleQueue))
	row("workspace", cmp.Or(c.Workspace, "(none)"))
	row("allow-private", cmp.Or(strings.Join(c.AllowPrivate, ", "), "(none)"))
	row("messages-per-minute", fmt.Sprint(c.MessageRate))
}

// showKept lists how long data is kept, and where the process listens.
func (c *config) showKept(row func(name, value string)) {
	most := "(no limit)"
	if c.SQLiteMaxMB > 0 {
		most = fmt.Sprint(c.SQLiteMaxMB)
	}
	row("sqlite-max-mb", most)
	row("keep-runs", c.KeepRuns)
	row("keep-deliveries", c.KeepDeliveries)
	row("keep-drafts", c.KeepDrafts)
	row("keep-messages", c.KeepMessages)
	row("keep-spending", c.KeepSpending)
	row("prune-every", c.PruneEvery)
	row("ops-addr", cmp.Or(c.OpsAddr, "(none)"))
	row("ops-token", hidden(c.OpsToken))
	row("ops-hosts", cmp.Or(strings.Join(c.OpsHosts, ", "), "(none)"))
	row("http-addr", cmp.Or(c.HTTPAddr, "(none)"))
	row("api-addr", cmp.Or(c.APIAddr, "(none)"))
	row("trusted-proxies", cmp.Or(strings.Join(c.TrustedProxies, ", "), "(none)"))
}

// showBounds lists the limits of flows and runs.
func (c *config) showBounds(row func(name, value string)) {
	for _, s := range slices.Concat(c.Ceilings.Each(), c.Pacing.Each()) {
		row(s.Name, fmt.Sprint(s.Value))
	}
	row("max-active", time.Duration(c.MaxActive).String())
	row("min-schedule-interval", time.Duration(c.MinInterval).String())
	row("log-level", c.LogLevel)
}

// makeData makes the data directory, which only this user can read.
func (c *config) makeData() error {
	if err := os.MkdirAll(c.Data, 0o700); err != nil {
		return fmt.Errorf("make the data directory: %w", err)
	}
	abs, err := filepath.Abs(c.Data)
	if err == nil {
		c.Data = abs
	}
	return nil
}
