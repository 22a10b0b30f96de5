package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // schedules must know their zones on any machine

	"github.com/alecthomas/kong"

	"sluice/cmd/sluice/cmdline"
)

// Exit codes; those of a run's outcome are in outcome.go.
const (
	exitFailed   = 1
	exitBadFile  = 2
	exitStopped  = 3
	exitRejected = 4
	exitTimedOut = 5
)

// exitError ends the program with a code. Without a text everything has been said already.
type exitError struct {
	code int
	text string
}

// Error is the text.
func (e *exitError) Error() string { return e.text }

type cli struct {
	Dev      devCmd      `cmd:"" help:"Try it: the bot, a small Slack and a sample shop on this machine."`
	Serve    serveCmd    `cmd:"" help:"Run the bot against Slack."`
	Run      runCmd      `cmd:"" help:"Run a flow in the terminal."`
	Try      tryCmd      `cmd:"" help:"Say what a flow would do, and do nothing of it."`
	Validate validateCmd `cmd:"" aliases:"check" help:"Check flow files."`
	Render   renderCmd   `cmd:"" aliases:"draw" help:"Draw a flow file's flowchart."`
	Convert  convertCmd  `cmd:"" help:"Write a flow file in another format."`
	Schedule scheduleCmd `cmd:"" help:"Say when a schedule in words fires, and store nothing."`
	Prune    pruneCmd    `cmd:"" help:"Remove finished runs and other things that are old."`
	Save     saveCmd     `cmd:"" help:"Propose a flow file to a bot's people: a new flow, or another version of one."`
	Flow     flowCmd     `cmd:"" help:"Give a command of Slack here: history, find, rollback, remove, skip next, pause."`
	Audit    auditCmd    `cmd:"" help:"List who did what, also as a table for spreadsheets."`
	Forget   forgetCmd   `cmd:"" help:"Remove what a person wrote, and keep what they decided."`
	Agents   agentsCmd   `cmd:"" help:"List, show, add and remove the agents that flows may name."`
	Token    tokenCmd    `cmd:"" help:"Make, list and revoke tokens with which programs ask by HTTP."`
	Schema   schemaCmd   `cmd:"" help:"Print the JSON Schema of the flow file."`
	Manifest manifestCmd `cmd:"" help:"Print the Slack app manifest."`
	Doctor   doctorCmd   `cmd:"" help:"Check tokens, scopes, channels, database, model, tools and clock, and say what to do."`
	Config   configCmd   `cmd:"" help:"Print the configuration in force, without secrets."`
	Version  versionCmd  `cmd:"" help:"Print the version."`
}

// stdio is where a command reads and writes.
type stdio struct {
	in       io.Reader
	out, err io.Writer
}

func main() {
	os.Exit(program(os.Args[1:], stdio{os.Stdin, os.Stdout, os.Stderr}))
}

// program is main with its surroundings passed in; scripts run it too.
func program(args []string, std stdio) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	code := -1
	switch {
	case len(args) == 0, len(args) == 1 && args[0] == "help":
		fmt.Fprint(std.out, firstSteps)
		return 0
	case args[0] == "help":
		args = append(args[1:], "--help")
	case args[0] == "--version":
		args = []string{"version"}
	}
	parser, err := kong.New(
		cmdline.Only(&cli{}, args[0]), kong.Name("sluice"), kong.Description("Describe a workflow in chat, approve its flowchart, watch it run."),
		kong.Writers(std.out, std.err), kong.Exit(func(n int) { code = n }), kong.UsageOnError(),
		kong.BindTo(ctx, (*context.Context)(nil)), kong.Bind(std), kong.Vars{"targets": targetNames()},
	)
	if err != nil {
		fmt.Fprintln(std.err, "sluice:", err)
		return exitFailed
	}
	cmdline.ForgetEmpty(parser.Model.Node)
	cmdline.NameValues(parser.Model.Node)
	k, err := parser.Parse(args)
	if code >= 0 { // help was shown
		return code
	}
	if err != nil {
		fmt.Fprintf(std.err, "sluice: %s\nTry: %s --help\n", shown(err.Error()), cmdline.Command("sluice", err))
		return exitBadFile
	}
	return exit(std, k.Run())
}

// firstSteps are the first commands for a newcomer.
const firstSteps = `Sluice: describe a workflow in chat, approve its flowchart, watch it run.

To begin with:
  sluice dev                     try it: the bot with a small Slack and a sample shop, on this machine
  sluice validate flow.yaml      check a flow file
  sluice try flow.yaml           say what a flow would do, and do nothing of it
  sluice run flow.yaml           run a flow in the terminal
  sluice doctor                  check tokens, database, model and tools before sluice serve

  sluice help COMMAND            more about one of them
  sluice --help                  all commands
  sluice --version               the version
`

func exit(std stdio, err error) int {
	if err == nil {
		return 0
	}
	var e *exitError
	if !errors.As(err, &e) {
		e = &exitError{exitFailed, err.Error()}
	}
	if e.text != "" {
		fmt.Fprintln(std.err, "sluice:", shown(e.text))
	}
	return e.code
}
