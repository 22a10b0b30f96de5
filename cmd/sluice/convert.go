package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/importer"
	"sluice/engine/importer/draftchart"
	"sluice/render"
)

type convertCmd struct {
	File string `arg:"" help:"Flow file of any format." type:"path"`
	To   string `placeholder:"FORMAT" required:"" help:"What to write: ${targets}."`
	Out  string `placeholder:"FILE" short:"o" help:"File to write; default: standard output." type:"path"`
}

// targets are the formats that a flow file can be converted to. lost names the parts that the result leaves out.
var targets = map[string]func(o openedFlow) (out []byte, lost []string, err error){
	"native": func(o openedFlow) ([]byte, []string, error) {
		src, lost := importer.Native(o.Flow)
		return src, lost, nil
	},
	"mermaid": func(o openedFlow) ([]byte, []string, error) {
		return []byte(render.New(render.Options{}).Mermaid(o.picture())), nil, nil
	},
	"draft": func(o openedFlow) ([]byte, []string, error) {
		src, err := draftchart.Export(o.Flow)
		return src, nil, err
	},
	"runtime": func(o openedFlow) ([]byte, []string, error) {
		src, err := draftchart.ExportRuntime(o.Flow)
		return src, nil, err
	},
	"published": func(o openedFlow) ([]byte, []string, error) {
		src, err := draftchart.ExportPublished(o.Flow)
		return src, nil, err
	},
	"upgraded": func(o openedFlow) ([]byte, []string, error) {
		src, err := importer.Upgrade(o.Flow)
		return src, nil, err
	},
	"dot": func(o openedFlow) ([]byte, []string, error) {
		return []byte(render.New(render.Options{}).DOT(o.picture())), nil, nil
	},
}

// targetNames lists the names of the targets.
func targetNames() string { return strings.Join(slices.Sorted(maps.Keys(targets)), ", ") }

// Run writes a flow file in another format. A flow with problems is written, too, as long as it can be read.
func (c *convertCmd) Run(std stdio) error {
	convert, ok := targets[c.To]
	if !ok {
		return &exitError{exitBadFile, fmt.Sprintf("--to %s: I write %s", c.To, targetNames())}
	}
	src, err := readSource(c.File)
	if err != nil {
		return &exitError{exitBadFile, err.Error()}
	}
	doc, format, problems := importer.Check(displayPath(c.File), src, flow.Checks{})
	for _, p := range problems {
		fmt.Fprintln(std.err, p.String())
	}
	if doc.Flow == nil || problems.HasErrors() {
		return &exitError{code: exitBadFile}
	}
	o := openedFlow{Document: doc, format: format}
	if words := o.words(c.File); words != "" {
		fmt.Fprintln(std.err, words)
	}
	out, lost, err := convert(o)
	if err != nil {
		return &exitError{exitBadFile, err.Error()}
	}
	for _, l := range lost {
		fmt.Fprintln(std.err, "not kept:", l)
	}
	if c.Out == "" {
		_, err = std.out.Write(out)
		return err
	}
	return os.WriteFile(c.Out, out, 0o644)
}
