package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mattn/go-isatty"

	"sluice/bot/card"
	"sluice/bot/form"
	"sluice/engine"
	"sluice/engine/flow"
	"sluice/engine/flow/listing"
	"sluice/engine/gate"
	"sluice/engine/usererror"
	"sluice/storage"
)

// here is the context for typed words: the terminal's clock. There is no directory, so that names stay as they are written.
func here() form.Here { return form.Here{Now: time.Now(), Zoned: true} }

// readFields reads typed values as a flow knows them, and prints which values lists were read as. A file is named by its path.
func (t *terminal) readFields(code string, fields []form.Field, entered map[string]string) (map[string]any, error) {
	for _, f := range fields {
		if path := strings.TrimSpace(entered[f.Name]); f.Kind == form.File && path != "" && path[0] != '{' {
			entered = maps.Clone(entered)
			entered[f.Name] = fileValue(path)
		}
	}
	values, wrong, err := form.Settle(fields, entered, here())
	if err == nil && len(wrong) > 0 {
		err = form.Wrong(code, fields, wrong)
	}
	out := map[string]any{}
	for name, v := range values {
		out[name] = v
	}
	for _, line := range (form.Form{Fields: fields}).Understood(out) {
		fmt.Fprintln(t.std.err, "  "+card.OneLine(line))
	}
	return out, err
}

// fileValue is a file of this machine as a value of a flow; a path that leads to none stays as it is, and is no file.
func fileValue(path string) string {
	whole, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if info, err := os.Stat(whole); err != nil || info.IsDir() {
		return path
	}
	b, _ := json.Marshal(map[string]any{"name": filepath.Base(whole), "path": whole})
	return string(b)
}

// askFields asks for values one by one, each until it can be read. An empty line keeps what stands there, or leaves an optional field out.
func (t *terminal) askFields(ctx context.Context, code string, fields []form.Field) (map[string]any, error) {
	out := map[string]any{}
	for _, f := range fields {
		for {
			fmt.Fprintf(t.std.err, "  %s%s", card.OneLine(f.Label), aboutField(f))
			line, err := t.prompt(ctx)
			if err != nil {
				return nil, err
			}
			line = cmp.Or(line, f.Value)
			if line == "" && !f.Required {
				break
			}
			if line == "" {
				fmt.Fprintln(t.std.err, "  It is required.")
				continue
			}
			values, err := t.readFields(code, []form.Field{f}, map[string]string{f.Name: line})
			if wrong, ok := errors.AsType[*form.Problems](err); ok {
				fmt.Fprintln(t.std.err, "  "+wrong.Fields[f.Name])
				continue
			}
			if err != nil {
				return nil, err
			}
			out[f.Name] = values[f.Name]
			break
		}
	}
	return out, nil
}

// aboutField says what a field takes.
func aboutField(f form.Field) string {
	about := []string{map[form.Kind]string{
		form.Number: "a number", form.Integer: "a whole number", form.JSON: "JSON", form.List: listing.InLine(f.Item), form.YesNo: "yes / no", form.Choice: strings.Join(f.Options, " / "),
		form.Date: "a day such as tomorrow", form.Moment: "a time such as tomorrow at 9", form.Person: "a person such as @ana",
		form.Channel: "a channel such as #general", form.File: "the path of a file",
	}[f.Kind]}
	if f.Value != "" {
		about = append(about, "else "+f.Value)
	} else if !f.Required {
		about = append(about, "optional")
	}
	about = slices.DeleteFunc(about, func(s string) bool { return s == "" })
	words := ""
	if len(about) > 0 {
		words = " (" + card.OneLine(strings.Join(about, "; ")) + ")"
	}
	if hint := strings.TrimSpace(strings.Replace(f.Hint, listing.Hint, "", 1)); hint != "" {
		words += ": " + card.OneLine(hint)
	}
	return words
}

// complete asks for the fields that an answer still needs. Where the answer to a form without choices was begun without names, it asks for
// all of them.
func (t *terminal) complete(ctx context.Context, g storage.Gate, b gate.Body, a engine.GateAnswer) (engine.GateAnswer, error) {
	var missing []form.Field
	for _, f := range form.Gate(g.ID, b.Opened, 1+slices.Index(b.Opened.Choices, a.Choice)).Fields {
		_, declared := b.Opened.Form[f.Name]
		_, given := a.Form[f.Name]
		if declared && !given && (f.Required || len(b.Opened.Choices) == 0) && (f.Name != "note" || a.Note == "") {
			missing = append(missing, f)
		}
	}
	if len(missing) == 0 {
		return a, nil
	}
	more, err := t.askFields(ctx, "bad_answer", missing)
	if err != nil {
		return a, err
	}
	if a.Form == nil {
		a.Form = map[string]any{}
	}
	maps.Copy(a.Form, more)
	return a, nil
}

// readForm reads the fields of a form: name=value with every word up to the next name, or a JSON object. Words without a name are the value of
// the first field; whole says that they were all of it.
func (t *terminal) readForm(line string, id string, b gate.Body) (values map[string]any, whole bool, err error) {
	fields := form.Gate(id, b.Opened, 0).Fields
	fields = slices.DeleteFunc(fields, func(f form.Field) bool { _, declared := b.Opened.Form[f.Name]; return !declared })
	if strings.HasPrefix(strings.TrimSpace(line), "{") {
		values = map[string]any{}
		if err := json.Unmarshal([]byte(line), &values); err != nil {
			return nil, true, &usererror.Error{Code: "bad_answer", Text: fmt.Sprintf("The answer begins as JSON does and is none: %v.", err)}
		}
		return values, true, nil
	}
	names := form.Names(fields)
	entered, rest := form.Typed(line, names)
	if rest != "" && len(entered) > 0 {
		return nil, true, &usererror.Error{Code: "bad_answer", Text: fmt.Sprintf("%q is no field: they are %s.", rest, strings.Join(names, ", "))}
	}
	whole = len(entered) > 0 || len(fields) == 1
	if rest != "" {
		entered[names[0]] = rest
	}
	values, err = t.readFields("bad_answer", fields, entered)
	return values, whole, err
}

// askInputs asks for the inputs of a run that were not given, when one of them is required and a person can answer.
func (t *terminal) askInputs(ctx context.Context, f *flow.Flow, given map[string]any) (map[string]any, error) {
	fields, entered, missing := form.Inputs(f, nil).Fields, map[string]string{}, false
	for name, v := range given {
		entered[name] = fmt.Sprint(v)
	}
	ask := slices.DeleteFunc(slices.Clone(fields), func(field form.Field) bool { return entered[field.Name] != "" })
	for _, field := range ask {
		missing = missing || field.Required
	}
	inputs, err := t.readFields("bad_inputs", fields, entered)
	if err != nil || !missing || !t.attended(ctx) {
		return inputs, err // the engine says what is missing
	}
	more, err := t.askFields(ctx, "bad_inputs", ask)
	if errors.Is(err, errNoAnswer) || errors.Is(err, io.EOF) {
		fmt.Fprintln(t.std.err)
		return inputs, nil
	}
	maps.Copy(inputs, more)
	return inputs, err
}

// attended reports whether a person, or a file in their place, can answer.
func (t *terminal) attended(ctx context.Context) bool {
	if f, ok := t.std.in.(*os.File); ok && isatty.IsTerminal(f.Fd()) {
		return true
	}
	there := make(chan bool, 1)
	go func() {
		_, err := t.in.Peek(1)
		there <- err == nil
	}()
	select {
	case <-ctx.Done():
		return false
	case ok := <-there:
		return ok
	}
}
