package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"sluice/bot/surface"
	"sluice/cmd/sluice/limits"
	"sluice/engine"
	"sluice/engine/dryrun"
	"sluice/engine/flow"
	"sluice/engine/registry"
	"sluice/engine/try"
	"sluice/engine/usererror"
	"sluice/render"
	"sluice/storage"
)

type tryCmd struct {
	File   string   `arg:"" help:"Flow file." type:"path"`
	Input  []string `name:"input" placeholder:"name=value" sep:"none" help:"An input; repeat for more. What is missing is taken from its example."`
	Sample []string `name:"sample" placeholder:"step=value" sep:"none" help:"What a step gives, as JSON or text, or how a question is answered; repeat for more."`
	Replay bool     `help:"Say what the flow would have made of the finished runs in --data, instead."`
	JSON   bool     `help:"Print the result as JSON."`
	Out    string   `placeholder:"FILE" short:"o" help:"Picture to write with the ways lit: .png or .svg." type:"path"`
	Data   string   `help:"Use what the runs in this directory got (see sluice run --data)." type:"path"`
	nearby
	limits.Ceilings `group:"Limits of flows:"`
}

// Run tries a flow: it prints what the flow would do, and does nothing.
func (c *tryCmd) Run(ctx context.Context, std stdio) error {
	doc, tools, err := openFlow(std, c.File, c.of(std, c.File, &config{Ceilings: c.Ceilings}))
	if err != nil {
		return err
	}
	var store storage.Store // nil = nothing is recorded
	if c.Data != "" {
		opened, err := openStore(ctx, "sqlite:"+filepath.Join(c.Data, "sluice.db"), c.Data)
		if err != nil {
			return err
		}
		defer opened.Close()
		store = opened
	}
	e := engine.New(engine.Config{Store: store, Tools: tools.set, Agents: registry.New(tools.agents, nil)})
	if c.Replay {
		err = c.replay(ctx, std, e, doc.Flow)
	} else {
		err = c.try(ctx, std, e, doc.Flow)
	}
	var ue *usererror.Error
	if errors.As(err, &ue) {
		return &exitError{exitBadFile, ue.Text}
	}
	return err
}

func (c *tryCmd) replay(ctx context.Context, std stdio, e *engine.Engine, f *flow.Flow) error {
	if c.Data == "" {
		return &exitError{exitBadFile, "--replay: say with --data where the finished runs are"}
	}
	all, err := e.Replay(ctx, f, 0)
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(std.out, all)
	}
	fmt.Fprintln(std.out, try.Summary(all))
	return nil
}

func (c *tryCmd) try(ctx context.Context, std stdio, e *engine.Engine, f *flow.Flow) error {
	q := dryrun.Request{Samples: map[string]any{}}
	var err error
	if q.Inputs, err = pairs("--input", c.Input); err != nil {
		return &exitError{exitBadFile, err.Error()}
	}
	samples, err := pairs("--sample", c.Sample)
	if err != nil {
		return &exitError{exitBadFile, strings.Replace(err.Error(), "name=value", "step=value", 1)}
	}
	for node, text := range samples {
		q.Samples[node] = try.Sample(text.(string))
	}
	r, err := e.Try(ctx, f, q)
	if err != nil {
		return err
	}
	if c.Out != "" {
		if err := c.draw(ctx, r); err != nil {
			return err
		}
	}
	if c.JSON {
		err = printJSON(std.out, r)
	} else {
		err = printTry(std.out, r)
	}
	if err == nil && len(r.Problems) > 0 {
		return &exitError{code: exitFailed}
	}
	return err
}

func (c *tryCmd) draw(ctx context.Context, r *try.Result) error {
	p := surface.TryPicture(r, nil)
	req := render.Request{Chart: p.Chart, Overlay: p.Overlay, Subtitle: p.Subtitle}
	var b []byte
	var err error
	switch ext := strings.ToLower(filepath.Ext(c.Out)); ext {
	case ".png":
		b, err = render.New(render.Options{}).PNG(ctx, req)
	case ".svg":
		b, err = render.New(render.Options{}).SVG(ctx, req)
	default:
		return &exitError{exitBadFile, fmt.Sprintf("%s: I draw the ways as .png and .svg", c.Out)}
	}
	if err != nil {
		return err
	}
	return os.WriteFile(c.Out, b, 0o644)
}

func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// printTry writes a result for people: one line for each step, what it would do below.
func printTry(w io.Writer, r *try.Result) error {
	fmt.Fprintln(w, "Nothing was called, posted or asked.")
	var table bytes.Buffer
	t := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	for _, in := range r.Inputs {
		if in.Text != "" || in.Source == try.Unknown {
			fmt.Fprintf(t, "input %s\t%s\t%s\n", in.Name, in.Source, in.Text)
		}
	}
	for i := range r.Flow.Nodes {
		n := &r.Flow.Nodes[i]
		fmt.Fprintf(t, "%s\t%s\t%s\n", n.ID, r.Nodes[n.ID], strings.Join(r.Words(n.ID), "; "))
	}
	for _, o := range r.Outputs {
		if o.Uncertain {
			o.Text += try.UnknownMark
		}
		fmt.Fprintf(t, "end\t%s\t%s\n", o.Status, o.Text)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for line := range strings.Lines(table.String()) {
		fmt.Fprintln(w, strings.TrimRight(line, " \n"))
	}
	if strings.Contains(table.String(), " ?\n") || strings.Contains(table.String(), " ?;") {
		fmt.Fprintln(w, "? = with a value that was made up or is not known")
	}
	for _, line := range r.Remarks() {
		fmt.Fprintln(w, line)
	}
	return nil
}
