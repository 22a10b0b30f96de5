package main

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"image/png"
	"io"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "write what the program printed into the scripts")

// TestScript tests the command: each script in testdata/script runs the real program. Besides testscript's own
// commands a script may use
//
//	sluice ARGS...             the program; ! sluice where it must not succeed
//	code N                     how the last sluice ended
//	typed FILE                 what the next sluice reads from its terminal
//	interrupt TEXT ARGS...     the program with a terminal at which nobody types; Ctrl-C once it has printed TEXT
//	is KIND FILE               the file (or stdout) can be read as json, yaml, png or svg
//
// The settings of the program (SLACK_BOT_TOKEN, SLUICE_DATA, ...) are those that the script sets with env, and no others.
func TestScript(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", UpdateScripts: *update, RequireUniqueNames: true,
		Setup: func(env *testscript.Env) error {
			env.Values[lastCode{}] = new(int)
			env.Values[typedNext{}] = new(string)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"sluice": runProgram, "code": checkCode, "typed": typeNext, "interrupt": interruptProgram, "is": checkKind,
		},
	})
}

// The values of a script: how the last program ended, and what is typed at the next one's terminal.
type (
	lastCode  struct{}
	typedNext struct{}
)

// settings are the names of the environment variables that configure the program.
var settings = sync.OnceValue(func() []string {
	var names []string
	for _, of := range []reflect.Type{reflect.TypeFor[config](), reflect.TypeFor[devCmd](), reflect.TypeFor[runCmd]()} {
		for _, f := range reflect.VisibleFields(of) {
			if name := f.Tag.Get("env"); name != "" {
				names = append(names, name)
			}
		}
	}
	return names
})

// programOf is the program, as a process that ends with the tests; done releases what ties it to them.
func programOf(ts *testscript.TestScript, ctx context.Context, args []string) (c *exec.Cmd, done func()) {
	self, err := os.Executable()
	ts.Check(err)
	alive, tied, err := os.Pipe() // see maybeProgram
	ts.Check(err)
	c = exec.CommandContext(ctx, self, args...)
	c.Dir, c.ExtraFiles = ts.MkAbs("."), []*os.File{alive}
	// The engine that lays out pictures keeps its compiled form in the temporary directory: a new one for each script costs seconds.
	c.Env = []string{asProgram + "=1", noRaceSleep, "TMPDIR=" + os.TempDir()}
	for _, name := range slices.Concat(settings(), []string{"PATH", "HOME", "ACME_KEY", "SLUICE_SECRET_OTHER"}) { // the scripts share the settings
		if v := ts.Getenv(name); v != "" {
			c.Env = append(c.Env, name+"="+v)
		}
	}
	return c, func() { _, _ = alive.Close(), tied.Close() }
}

func runProgram(ts *testscript.TestScript, neg bool, args []string) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c, done := programOf(ts, ctx, args)
	defer done()
	input := ts.Value(typedNext{}).(*string)
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(*input), ts.Stdout(), ts.Stderr()
	*input = ""
	err := c.Run()
	if ctx.Err() != nil {
		ts.Fatalf("sluice did not end within %s", patience)
	}
	keepCode(ts, c, err)
	if (err != nil) != neg {
		ts.Fatalf("sluice ended with code %d", c.ProcessState.ExitCode())
	}
}

// keepCode keeps how a program ended, for the command code.
func keepCode(ts *testscript.TestScript, c *exec.Cmd, err error) {
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		ts.Fatalf("run sluice: %v", err)
	}
	*ts.Value(lastCode{}).(*int) = c.ProcessState.ExitCode()
}

func checkCode(ts *testscript.TestScript, _ bool, args []string) {
	if got := *ts.Value(lastCode{}).(*int); got != number(ts, args, 0) {
		ts.Fatalf("sluice ended with code %d", got)
	}
}

func typeNext(ts *testscript.TestScript, _ bool, args []string) {
	*ts.Value(typedNext{}).(*string) = ts.ReadFile(args[0])
}

// readers read a kind of file to its end.
var readers = map[string]func(text []byte) error{
	"json": func(text []byte) error { return json.Unmarshal(text, new(any)) },
	"yaml": func(text []byte) error { return yaml.Unmarshal(text, new(any)) },
	"svg": func(text []byte) error {
		return xml.Unmarshal(text, new(struct {
			XMLName xml.Name `xml:"svg"`
		}))
	},
	"png": func(text []byte) error { _, err := png.Decode(bytes.NewReader(text)); return err },
}

func checkKind(ts *testscript.TestScript, _ bool, args []string) {
	read, known := readers[args[0]]
	if !known {
		ts.Fatalf("nobody knows how to read %s", args[0])
	}
	ts.Check(read([]byte(ts.ReadFile(args[1]))))
}

// interruptProgram starts the program, waits until it says args[0], and presses Ctrl-C.
func interruptProgram(ts *testscript.TestScript, _ bool, args []string) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c, done := programOf(ts, ctx, args[1:])
	defer done()
	keyboard, err := c.StdinPipe() // open, and nobody types
	ts.Check(err)
	defer keyboard.Close()
	said := &spotter{text: args[0], seen: make(chan struct{})}
	c.Stdout, c.Stderr = io.MultiWriter(ts.Stdout(), said), io.MultiWriter(ts.Stderr(), said)
	ts.Check(c.Start())
	select {
	case <-said.seen:
		ts.Check(c.Process.Signal(os.Interrupt))
	case <-ctx.Done():
	}
	err = c.Wait()
	if ctx.Err() != nil {
		ts.Fatalf("sluice did not say %q and end within %s", args[0], patience)
	}
	keepCode(ts, c, err)
}

// spotter tells when a text has gone by. Two streams of a program may write to it at once.
type spotter struct {
	text string
	seen chan struct{} // closed

	mu  sync.Mutex
	all bytes.Buffer
}

// Write implements io.Writer.
func (s *spotter) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := bytes.Contains(s.all.Bytes(), []byte(s.text))
	s.all.Write(b)
	if !before && bytes.Contains(s.all.Bytes(), []byte(s.text)) {
		close(s.seen)
	}
	return len(b), nil
}
