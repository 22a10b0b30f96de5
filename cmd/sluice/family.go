package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"sluice/cmd/sluice/standins"
	"sluice/engine/flow"
	"sluice/engine/run/compile"
)

// readFamily reads a flow file, and beside it the files of the flows that it runs: NAME.yaml, .yml or .json. The flow itself comes last,
// whatever it needs before it. Problems of the files are given to report; if there are errors among them, that is the error.
func readFamily(file string, tools *toolbox, report func(flow.Problem)) ([]*flow.Flow, error) {
	r := familyReader{tools: tools, report: report}
	err := r.read(file, "", nil)
	var reported *exitError
	if stray := tools.with.Stray(); stray != nil && (err == nil || errors.As(err, &reported)) {
		err = stray
	}
	return r.flows, err
}

type familyReader struct {
	tools  *toolbox
	report func(flow.Problem)
	flows  []*flow.Flow
}

// read adds the flow in a file, after those that it runs. want is the name that it must have; above names the flows that led to it.
func (r *familyReader) read(file, want string, above []string) error {
	doc, problems, err := readFlow(file, r.tools)
	if err != nil {
		return err
	}
	for _, p := range problems {
		r.report(p)
	}
	if len(doc.missing) > 0 {
		var words strings.Builder
		standins.SayMissing(&words, doc.missing)
		said, hint, _ := strings.Cut(strings.TrimSpace(words.String()), "\n")
		r.report(flow.Problem{File: displayPath(file), Severity: flow.SeverityWarning, Code: "not-here", Message: said, Hint: strings.TrimSpace(hint)})
	}
	if problems.HasErrors() {
		return &exitError{code: exitBadFile}
	}
	r.flows = append(r.flows, doc.Others...)
	f := doc.Flow
	if kinds := compile.Unsupported(f); len(kinds) > 0 {
		return fmt.Errorf("this version does not run nodes of type %s", strings.Join(kinds, ", "))
	}
	if want != "" && f.Name != want {
		return fmt.Errorf("%s: the flow is called %s, and not %s as the file", displayPath(file), f.Name, want)
	}
	above = append(slices.Clone(above), f.Name)
	for _, name := range f.SubflowNames() {
		if slices.Contains(above, name) {
			return fmt.Errorf("the flows run each other without end: %s → %s", strings.Join(above, " → "), name)
		}
		if slices.ContainsFunc(r.flows, func(f *flow.Flow) bool { return f.Name == name }) {
			continue
		}
		if err := r.beside(file, name, above); err != nil {
			return err
		}
	}
	r.flows = append(r.flows, f)
	return nil
}

// beside reads the file of a flow that another one runs.
func (r *familyReader) beside(file, name string, above []string) error {
	for _, ending := range []string{".yaml", ".yml", ".json"} {
		err := r.read(filepath.Join(filepath.Dir(file), name+ending), name, above)
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return fmt.Errorf("%s runs the flow %s: there is no %s.yaml beside it", displayPath(file), name, name)
}
