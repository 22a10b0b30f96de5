package main

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"sluice/cmd/sluice/doctor"
	"sluice/cmd/sluice/limits"
	"sluice/cmd/sluice/models"
	"sluice/engine/flow"
	"sluice/engine/secret"
	"sluice/engine/tool"
)

type doctorCmd struct {
	config
	JSON    bool        `help:"Print the findings as JSON."`
	Timeout limits.Span `default:"10s" help:"How long each check may take."`
}

// Run makes every check and prints the findings; the program ends with 1 when something is wrong.
func (c *doctorCmd) Run(ctx context.Context, std stdio) error {
	all := doctor.Examine(ctx, c.settings())
	var err error
	if c.JSON {
		e := json.NewEncoder(std.out)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		err = e.Encode(all)
	} else {
		err = doctor.Print(std.out, all)
	}
	if err == nil && slices.ContainsFunc(all, func(f doctor.Finding) bool { return f.Level == doctor.Wrong }) {
		err = &exitError{code: exitFailed}
	}
	return err
}

// settings are those that the doctor examines.
func (c *doctorCmd) settings() doctor.Settings {
	s := doctor.Settings{
		Problems: c.problems(false), DatabaseURL: c.DatabaseURL, Data: c.Data,
		SlackAPIURL: c.SlackAPIURL, SlackAppToken: c.SlackAppToken, SlackBotToken: c.SlackBotToken, Manifest: manifest,
		Default: models.DefaultProvider, Timezone: c.Timezone, Timeout: time.Duration(c.Timeout),
		Open: func() (*tool.Set, *secret.Env, error) {
			box, err := openTools(&c.config, postNowhere{})
			if err != nil {
				return nil, nil, err
			}
			return box.set, box.secrets, nil
		},
		Hook: func(ctx context.Context, secrets *secret.Env, name string, w flow.WebhookTrigger) string {
			return hookProblem(ctx, &c.config, secrets)(name, w)
		},
	}
	if s.Timeout <= 0 {
		s.Timeout = 10 * time.Second
	}
	var problems []string
	s.Providers, problems = c.List()
	s.Models = len(problems) == 0
	if cal, problems := c.calendar(); len(problems) == 0 {
		s.Zone = cal.Zone
	}
	if c.Tools != "" {
		s.Actions = displayPath(c.Tools)
	}
	return s
}
