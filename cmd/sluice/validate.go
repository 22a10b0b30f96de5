package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"sluice/cmd/sluice/limits"
	"sluice/cmd/sluice/models"
	"sluice/cmd/sluice/standins"
	"sluice/engine/flow"
	"sluice/engine/flow/chart"
	"sluice/engine/flow/file"
	"sluice/engine/flow/names"
	"sluice/engine/importer"
	"sluice/engine/importer/document"
	"sluice/engine/run/compile"
)

type validateCmd struct {
	Files  []string `arg:"" name:"file" help:"Flow files of any format; files and folders of agents." type:"path"`
	JSON   bool     `help:"Print the problems as JSON."`
	Strict bool     `help:"Warnings are errors, too."`
	nearby
	models.Settings
	limits.Ceilings `group:"Limits of flows:"`
}

// Run checks files and prints every problem.
func (c *validateCmd) Run(std stdio) error {
	if wrong := c.Ceilings.TooLow(); len(wrong) > 0 {
		return &exitError{exitBadFile, strings.Join(wrong, "; ")}
	}
	var all flow.Problems
	bad := false
	loaded := map[string]*toolbox{} // by the folder of the flow
	with := standins.New(c.With)
	for _, file := range c.Files {
		near, key := c.nearby, filepath.Dir(file)
		if holdsAgents(file) {
			near.Agents, key = noFile, "agents of "+key
		}
		if loaded[key] == nil {
			var err error
			if loaded[key], err = openTools(near.of(std, file, &config{Settings: c.Settings, Ceilings: c.Ceilings, With: with}), postNowhere{}); err != nil {
				return toolsError(std, err)
			}
		}
		problems, err := check(std, file, loaded[key])
		if err != nil {
			return &exitError{exitBadFile, err.Error()}
		}
		bad = bad || problems.HasErrors() || c.Strict && len(problems) > 0
		all = append(all, problems...)
	}
	if err := c.print(std.out, all); err != nil {
		return err
	}
	if stray := with.Stray(); stray != nil {
		return &exitError{exitBadFile, stray.Error()}
	}
	if bad {
		return &exitError{code: exitBadFile}
	}
	return nil
}

// holdsAgents reports whether a path is a folder, or a file that looks like one of agents.
func holdsAgents(path string) bool {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return true
	}
	src, err := readSource(path)
	return err == nil && file.HoldsAgents(src)
}

// check gives the problems of a flow file, or of a file or folder of agents.
func check(std stdio, path string, tools *toolbox) (flow.Problems, error) {
	if holdsAgents(path) {
		_, problems, err := tools.readAgents(path)
		return problems, err
	}
	doc, problems, err := readFlow(path, tools)
	if words := doc.words(path); err == nil && words != "" {
		fmt.Fprintln(std.err, words)
	}
	standins.SayMissing(std.err, doc.missing)
	return problems, err
}

func (c *validateCmd) print(w io.Writer, all flow.Problems) error {
	if c.JSON {
		if all == nil {
			all = flow.Problems{}
		}
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(all)
	}
	said := map[string]bool{}
	for _, p := range all {
		if p.Code == "unknown-tool" && p.Severity == flow.SeverityWarning && p.Node == "" {
			if said[p.About] {
				continue // once is enough for people
			}
			said[p.About] = true
		}
		fmt.Fprintln(w, p.String())
	}
	if len(all) == 0 {
		names := make([]string, len(c.Files))
		for i, f := range c.Files {
			names[i] = displayPath(f)
		}
		fmt.Fprintf(w, "%s: valid\n", strings.Join(names, ", "))
	}
	return nil
}

// openFlow reads a flow file that has to be valid, with the actions that it may use and the ceilings that it must keep to. What is wrong
// with it is printed.
func openFlow(std stdio, file string, c *config) (openedFlow, *toolbox, error) {
	if wrong := c.Ceilings.TooLow(); len(wrong) > 0 {
		return openedFlow{}, nil, &exitError{exitBadFile, strings.Join(wrong, "; ")}
	}
	tools, err := openTools(c, postNowhere{})
	if err != nil {
		return openedFlow{}, nil, toolsError(std, err)
	}
	doc, problems, err := readFlow(file, tools)
	if err != nil {
		return openedFlow{}, nil, &exitError{exitBadFile, err.Error()}
	}
	if stray := tools.with.Stray(); stray != nil {
		return openedFlow{}, nil, &exitError{exitBadFile, stray.Error()}
	}
	if problems.HasErrors() {
		for _, p := range problems {
			fmt.Fprintln(std.err, p.String())
		}
		standins.SayMissing(std.err, doc.missing)
		return openedFlow{}, nil, &exitError{code: exitBadFile}
	}
	if words := doc.words(file); words != "" {
		fmt.Fprintln(std.err, words)
	}
	standins.SayMissing(std.err, doc.missing)
	return doc, tools, nil
}

// readFlow reads and checks a flow file of any format. The error is only about reading the file itself.
func readFlow(file string, tools *toolbox) (openedFlow, flow.Problems, error) {
	src, err := readSource(file)
	if err != nil {
		return openedFlow{}, nil, err
	}
	var wrong error
	doc, format, problems := importer.CheckAs(displayPath(file), src, tools.checks(), func(d document.Document) document.Document {
		var table names.Table
		if table, wrong = tools.with.Table(d, tools.world()); wrong != nil {
			return d
		}
		return d.With(table)
	})
	if wrong != nil {
		return openedFlow{}, nil, wrong
	}
	tools.hint(problems)
	if doc.Flow != nil {
		problems = standins.Settled(problems, doc, tools.agentNames())
	}
	if !problems.HasErrors() {
		for _, kind := range compile.Unsupported(doc.Flow) {
			problems = append(problems, flow.Problem{
				File: displayPath(file), Severity: flow.SeverityWarning, Code: "unsupported", Message: fmt.Sprintf("this version does not run nodes of type %s", kind),
			})
		}
	}
	opened := openedFlow{Document: doc, format: format}
	if doc.Flow != nil && format.Profile != flow.ProfileNative { // a native file has a problem at each such name
		opened.missing = standins.Missing(doc, tools.world().Here())
	}
	return opened, problems, nil
}

// openedFlow is a flow file that was read.
type openedFlow struct {
	document.Document
	format  importer.Format
	missing []string // names of a file of another format that are not known here
}

// words say as what a file of another format was read; "" for a native one.
func (o openedFlow) words(file string) string {
	if o.Flow == nil || o.format.Profile == flow.ProfileNative {
		return ""
	}
	return fmt.Sprintf("%s is read as %s, because %s", displayPath(file), o.format.Name, o.format.Why)
}

// picture is the chart of the flow: its author's own, or one that is made from it.
func (o openedFlow) picture() chart.Chart {
	if o.Chart != nil {
		return *o.Chart
	}
	return chart.Of(o.Flow)
}

// readSource reads a file, but not more of it than shows that it is too large for a flow.
func readSource(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, flow.MaxDocumentBytes+1))
}

// displayPath is how a file is called in messages: relative to where the person stands, when it is below that.
func displayPath(file string) string {
	wd, err := os.Getwd()
	if err != nil {
		return file
	}
	if rest, ok := strings.CutPrefix(file, wd+string(os.PathSeparator)); ok {
		return rest
	}
	return file
}

// toolsError prints the problems of an actions file.
func toolsError(std stdio, err error) error {
	var ps flow.Problems
	if errors.As(err, &ps) {
		for _, p := range ps {
			fmt.Fprintln(std.err, p.String())
		}
		return &exitError{code: exitBadFile}
	}
	return &exitError{exitBadFile, err.Error()}
}
