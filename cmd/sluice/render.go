package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sluice/cmd/sluice/limits"
	"sluice/render"
)

type renderCmd struct {
	File  string `arg:"" help:"Flow file." type:"path"`
	Out   string `placeholder:"FILE" short:"o" required:"" help:"Picture to write: .png, .svg, .dot or .mmd." type:"path"`
	Theme string `enum:"light,dark" default:"light" help:"Colours (light, dark)."`
	nearby
	limits.Ceilings `group:"Limits of flows:"`
}

// Run draws a flow file.
func (c *renderCmd) Run(ctx context.Context, std stdio) error {
	doc, _, err := openFlow(std, c.File, c.of(std, c.File, &config{Ceilings: c.Ceilings}))
	if err != nil {
		return err
	}
	req := render.Request{Chart: doc.picture()}
	if c.Theme == "dark" {
		req.Theme = render.Dark
	}
	r := render.New(render.Options{})
	var b []byte
	switch ext := strings.ToLower(filepath.Ext(c.Out)); ext {
	case ".png":
		b, err = r.PNG(ctx, req)
	case ".svg":
		b, err = r.SVG(ctx, req)
	case ".dot":
		b = []byte(r.DOT(req.Chart))
	case ".mmd":
		b = []byte(r.Mermaid(req.Chart))
	default:
		return &exitError{exitBadFile, fmt.Sprintf("%s: I draw .png, .svg, .dot and .mmd", c.Out)}
	}
	if err != nil {
		return err
	}
	return os.WriteFile(c.Out, b, 0o644)
}
