package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"sluice/cmd/sluice/limits"
	"sluice/cmd/sluice/models"
	"sluice/engine"
	"sluice/engine/dispatch/local"
	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/flow/listing"
	"sluice/engine/history"
	"sluice/engine/naming"
	"sluice/engine/registry"
	"sluice/engine/usererror"
	"sluice/storage"
)

type runCmd struct {
	File   string   `arg:"" help:"Flow file." type:"path"`
	Input  []string `name:"input" placeholder:"name=value" sep:"none" help:"An input of the run; repeat for more."`
	Answer []string `name:"answer" placeholder:"gate=choice" sep:"none" help:"The answer to a gate, by its node's id; repeat for more gates, visits or votes."`
	JSON   bool     `help:"Print the outcome as JSON."`
	Data   string   `help:"Keep the run's database in this directory; default: a temporary one." type:"path"`

	nearby
	AllowPrivate []string `name:"allow-private" env:"SLUICE_ALLOW_PRIVATE" help:"Private addresses that http tools may call: host:port, IP or CIDR."`
	models.Settings
	limits.Ceilings `group:"Limits of flows:"`
	LogLevel        string `default:"error" env:"SLUICE_LOG_LEVEL" help:"How much is logged (debug, info, warn, error)."`
}

// Run runs a flow file to its end.
func (c *runCmd) Run(ctx context.Context, std stdio) error {
	cfg := c.config()
	cfg = c.of(std, c.File, cfg)
	if err := cfg.problems(false); err != nil {
		return &exitError{exitBadFile, err.Error()}
	}
	term := &terminal{std: std, in: bufio.NewReader(std.in), quiet: c.JSON, moved: make(chan struct{}, 1)}
	inputs, err := pairs("--input", c.Input)
	if err != nil {
		return &exitError{exitBadFile, err.Error()}
	}
	tools, err := openTools(cfg, term)
	if err != nil {
		return toolsError(std, err)
	}
	term.tools = tools.set
	flows, err := readFamily(c.File, tools, func(p flow.Problem) {
		if p.Severity == flow.SeverityError || !c.JSON {
			fmt.Fprintln(std.err, p.String())
		}
	})
	var exit *exitError
	switch {
	case errors.As(err, &exit):
		return exit
	case err != nil:
		return &exitError{exitBadFile, err.Error()}
	}
	if term.answers, err = answers(c.Answer, flows); err != nil {
		return &exitError{exitBadFile, err.Error()}
	}
	return c.runFlow(ctx, cfg, term, tools, flows, inputs)
}

func (c *runCmd) config() *config {
	return &config{
		Settings: c.Settings, AllowPrivate: c.AllowPrivate,
		SecondPerson: "off", Timezone: "UTC", CatchUpWindow: limits.Span(24 * time.Hour), ScheduleQueue: 100, MessageRate: 1, LogLevel: c.LogLevel,
		Ceilings: c.Ceilings, Pacing: limits.Pacing{StepsBurst: 1}, // as fast as it can
	}
}

// answers reads --answer flags: by node, in the order in which they are used up.
func answers(given []string, flows []*flow.Flow) (map[string][]string, error) {
	out := map[string][]string{}
	for _, g := range given {
		node, answer, ok := strings.Cut(g, "=")
		if !ok || node == "" {
			return nil, fmt.Errorf("--answer %q: write gate=choice", g)
		}
		var ids []string
		for _, f := range flows {
			for i := range f.Nodes {
				ids = append(ids, f.Nodes[i].ID)
			}
		}
		if !slices.Contains(ids, node) {
			hint := ""
			if near := naming.Related(node, ids, 1); len(near) > 0 {
				hint = fmt.Sprintf("; did you mean '%s'?", near[0])
			}
			return nil, fmt.Errorf("--answer %s: the flow has no node of that id%s", node, hint)
		}
		out[node] = append(out[node], answer)
	}
	return out, nil
}

// runFlow saves the flow in the run's own database, starts it, and follows it to its end.
func (c *runCmd) runFlow(ctx context.Context, cfg *config, term *terminal, tools *toolbox, flows []*flow.Flow, inputs map[string]any) error {
	data := c.Data
	if data == "" {
		dir, err := os.MkdirTemp("", "sluice-run-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		data = dir
	} else if err := os.MkdirAll(data, 0o700); err != nil {
		return err
	}
	store, err := openStore(ctx, "sqlite:"+filepath.Join(data, "sluice.db"), data)
	if err != nil {
		return err
	}
	defer store.Close()
	release, _, err := store.Serve(ctx, "sluice run")
	if errors.Is(err, storage.ErrLocked) {
		return &exitError{exitBadFile, fmt.Sprintf("--data %s: %v. What it runs is its own: answer its questions where it asks them, or choose another directory.", displayPath(data), err)}
	}
	if err != nil {
		return err
	}
	defer func() { _ = release() }()
	if err := ownStore(ctx, store, c.Data); err != nil {
		return err
	}
	model, err := cfg.Open()
	if err != nil {
		return err
	}
	log := cfg.logger(term.std.err)
	term.engine = engine.New(engine.Config{
		Store: store, Tools: tools.set, Agents: registry.New(tools.agents, nil), Dispatcher: local.New(local.Options{Logger: log, Workers: 16}), Model: model,
		Ceilings: cfg.OfFlows(), Secrets: tools.secrets, Redactor: tools.redactor, Messenger: term, Surfaces: term, Log: log, Worker: "terminal",
	})
	for _, f := range flows {
		if err := saveFlow(ctx, store, f, term.engine); err != nil {
			return err
		}
	}
	return c.follow(ctx, term, flows[len(flows)-1], inputs)
}

// ownStore refuses a database whose flows were approved in chat: its runs and questions are the bot's, also while it is stopped. Only the
// bot knows who may decide there.
func ownStore(ctx context.Context, store storage.Store, data string) error {
	flows, err := store.Flows(ctx)
	if err != nil {
		return err
	}
	for _, f := range flows {
		if f.Channel != "" {
			return &exitError{exitBadFile, fmt.Sprintf("--data %s: this database belongs to a bot (sluice serve): %s was approved in chat. Run it there with /flow run %s, and answer its questions there; or choose another directory.",
				displayPath(data), f.Name, f.Name)}
		}
	}
	return nil
}

// saveFlow stores a file as a revision: running it is its approval.
func saveFlow(ctx context.Context, store storage.Store, f *flow.Flow, e *engine.Engine) error {
	head, err := store.Flow(ctx, f.Name)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return err
	}
	lock, err := e.Lock(ctx, f)
	if err != nil {
		return err
	}
	lockJSON, err := json.Marshal(lock)
	if err != nil {
		return err
	}
	head.Name, head.Head, head.Updated = f.Name, head.Head+1, e.Now()
	return store.Write(ctx, &storage.Batch{
		Flow: &head,
		Revision: &storage.Revision{
			Flow: f.Name, Number: head.Head, Hash: flow.Hash(f), LockHash: flow.ApprovalHash(f, lock), Body: flow.Canonical(f), Lock: lockJSON, At: e.Now(),
		},
	})
}

// follow starts the run, and asks its questions until it is over.
func (c *runCmd) follow(ctx context.Context, term *terminal, f *flow.Flow, inputs map[string]any) error {
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	served := make(chan error, 1)
	go func() { served <- term.engine.Serve(serving) }()
	all, err := term.askInputs(ctx, f, inputs)
	if err == nil {
		err = term.start(ctx, f, all)
	}
	if err == nil {
		err = term.watch(ctx)
	}
	stop()
	if serr := <-served; serr != nil && !errors.Is(serr, context.Canceled) {
		slog.Debug("the engine stopped", "error", serr)
	}
	var ue *usererror.Error
	if errors.As(err, &ue) {
		if ue.Code == "bad_inputs" {
			return &exitError{exitBadFile, ue.Text + "\nInputs: " + inputsOf(f) + "\nFor example: " + c.exampleLine(f, inputs)}
		}
		return &exitError{exitBadFile, refusal(ue)}
	}
	if err != nil {
		return err
	}
	return term.verdict(c.JSON)
}

// start starts the run.
func (t *terminal) start(ctx context.Context, f *flow.Flow, inputs map[string]any) error {
	_, err := t.engine.Start(ctx, engine.StartRequest{
		Flow: f.Name, Inputs: inputs, Actor: history.Actor{Name: "you", Via: history.ViaCLI}, Anyway: "started in the terminal",
		Surfaces: func(r storage.Run) []storage.Surface {
			t.run = r.ID
			return nil
		},
	})
	return err
}

// exampleLine is a command line that starts the flow: with what was given, and what is missing as its example, or its type.
func (c *runCmd) exampleLine(f *flow.Flow, given map[string]any) string {
	words := []string{"sluice run", displayPath(c.File)}
	for _, in := range f.Inputs {
		value, has := given[in.Name]
		if !has && !in.Required {
			continue
		}
		text := fmt.Sprint(value)
		if !has || !plausible(in, text) {
			text = inputExample(in)
		}
		if strings.ContainsAny(text, " \"'$&|;*()<>") {
			text = "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
		}
		words = append(words, "--input", in.Name+"="+text)
	}
	return strings.Join(words, " ")
}

// plausible reports whether a typed value looks like one of an input's.
func plausible(in flow.Input, text string) bool {
	switch in.Type {
	case "number", "integer":
		if _, err := strconv.ParseFloat(text, 64); err != nil {
			return false
		}
	case "boolean":
		if _, err := strconv.ParseBool(text); err != nil {
			return false
		}
	}
	return len(in.Enum) == 0 || slices.ContainsFunc(in.Enum, func(v any) bool { return expr.Text(v) == text })
}

// inputsOf names a flow's inputs with their types.
func inputsOf(f *flow.Flow) string {
	var all []string
	for _, in := range f.Inputs {
		words := cmp.Or(in.Type, "string")
		if in.Required {
			words += ", required"
		}
		all = append(all, in.Name+" ("+words+")")
	}
	return cmp.Or(strings.Join(all, ", "), "none")
}

// inputExample is a value that fits an input: its example, one of its values, else the name of its type.
func inputExample(in flow.Input) string {
	switch {
	case in.Example != nil:
		return listing.Sample(in.Example)
	case len(in.Enum) > 0:
		return expr.Text(in.Enum[0])
	}
	return listing.Placeholder(in.Type)
}

// pairs reads name=value flags.
func pairs(flagName string, given []string) (map[string]any, error) {
	out := map[string]any{}
	for _, p := range given {
		k, v, ok := strings.Cut(p, "=")
		if !ok || k == "" {
			return nil, fmt.Errorf("%s %q: write name=value", flagName, p)
		}
		out[k] = v
	}
	return out, nil
}

// choiceOf finds the choice that a typed answer means: the word itself, its beginning, or its number.
func choiceOf(choices []string, typed string) (string, bool) {
	typed = strings.TrimSpace(strings.ToLower(typed))
	var fits []string
	for i, c := range choices {
		low := strings.ToLower(c)
		if low == typed || typed == fmt.Sprint(i+1) {
			return c, true
		}
		if typed != "" && strings.HasPrefix(low, typed) {
			fits = append(fits, c)
		}
	}
	if len(fits) == 1 {
		return fits[0], true
	}
	return "", false
}

// Help names the exit codes, for scripts.
func (*runCmd) Help() string { return exitHelp }
