package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"time"
)

// stage is one command that must succeed.
type stage struct {
	name    string
	command string // words separated by spaces
	quiet   string // what to say when the command succeeds but prints a result: it must print none
	tests   bool   // it runs the tests: its output is shown while it runs, and the race detector needs C
}

// stages is everything that is checked, in order: what is quick to tell comes first.
func stages(test string) []stage {
	return []stage{
		{name: "format", command: "go tool gofumpt -l .", quiet: "these files are not formatted; run: go tool gofumpt -w ."},
		{name: "vet", command: "go vet ./..."},
		{name: "fix", command: "go fix -diff ./...", quiet: "there is a newer way to write this; run: go fix ./..."},
		{name: "staticcheck", command: "go tool staticcheck -checks all ./..."},
		{name: "test", command: test, tests: true},
	}
}

func main() {
	short := flag.Bool("short", false, "leave out the long tests")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var err error
	switch {
	case flag.NArg() == 0:
		err = check(ctx, os.Stdout, *short)
	case flag.Arg(0) == "measure":
		err = measureCommand(ctx, os.Stdout, flag.Args()[1:])
	case flag.Arg(0) == "figures" && flag.NArg() == 2:
		err = writeFigures(ctx, os.Stdout, flag.Arg(1), measurements)
	default:
		fmt.Fprintln(os.Stderr, "usage: check [-short], which checks the whole module; check measure [-since commit] [folder]; check figures <file>")
		os.Exit(2)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "check:", err)
		os.Exit(1)
	}
}

func check(ctx context.Context, out io.Writer, short bool) error {
	began := time.Now()
	test, err := testCommand(ctx, out, short)
	if err != nil {
		return err
	}
	for _, s := range stages(test) {
		if err := s.run(ctx, out); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "everything passes (%s)\n", since(began))
	return nil
}

// uninstrumented are packages that the race detector leaves out. They compute on memory of one goroutine or on text that never changes: SQLite's own
// code, pictures, compression, the matching and reading of text. Instrumented they take several times as long. What calls them is watched.
//
// No package may stand here that holds a copy of a generic function for synchronisation, such as those of sync.Map: the linker keeps one copy of each
// generic function, the longest, and the detector reports races that are none when it does not see that one. The option -S of the compiler lists
// the copies of a package as dupok.
var uninstrumented = []string{
	"modernc.org/sqlite/lib", "modernc.org/libc/...", "modernc.org/memory",
	"github.com/golang/freetype/...", "golang.org/x/image/font/...", "image/draw", "image/png", "compress/flate", "hash/adler32",
	"regexp/...", "strings", "strconv", "unicode/...",
	"github.com/goccy/go-yaml/scanner", "github.com/goccy/go-yaml/lexer", "github.com/goccy/go-yaml/token", "github.com/goccy/go-yaml/ast",
	"github.com/goccy/go-yaml/parser",
	"github.com/tetratelabs/wazero/internal/leb128", "github.com/tetratelabs/wazero/internal/wasm/binary",
}

// testCommand is how the tests are run here: with the race detector where there is the C compiler that it needs.
func testCommand(ctx context.Context, out io.Writer, short bool) (string, error) {
	// A package may take longer than the ten minutes that go test leaves it, on a machine that is busy with other things.
	// What go vet finds is known by then: its stage comes first.
	command := "go test -p 2 -vet=off -shuffle=on -timeout=20m"
	missing, err := missingCompiler(ctx)
	switch {
	case err != nil:
		return "", err
	case missing == "":
		const without = "=-race=false"
		command += " -race -gcflags=" + strings.Join(uninstrumented, without+" -gcflags=") + without
	case os.Getenv("CI") == "true":
		return "", fmt.Errorf("the race detector is not available: %s", missing)
	default:
		fmt.Fprintf(out, "WITHOUT THE RACE DETECTOR: %s\n", missing)
	}
	if short {
		command += " -short"
	}
	return command + " ./...", nil
}

// missingCompiler says why C code cannot be compiled here, or nothing if it can.
func missingCompiler(ctx context.Context) (string, error) {
	// By itself, the go command sets CGO_ENABLED to 0 where it finds no compiler.
	b, err := exec.CommandContext(ctx, "go", "env", "CGO_ENABLED", "CC").Output()
	if err != nil {
		return "", fmt.Errorf("ask the go command for its settings: %w", err)
	}
	enabled, compiler, _ := strings.Cut(strings.TrimSpace(string(b)), "\n")
	program, _, _ := strings.Cut(compiler, " ")
	_, err = exec.LookPath(program)
	switch {
	case err != nil:
		return fmt.Sprintf("there is no C compiler (%s)", compiler), nil
	case enabled != "1":
		return "CGO_ENABLED is 0", nil
	}
	return "", nil
}

// run executes a stage. A failure prints everything that the command said.
func (s stage) run(ctx context.Context, out io.Writer) error {
	began := time.Now()
	words := strings.Fields(s.command)
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	// Interrupted rather than killed: tests have processes of their own to end.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	if s.tests {
		// By itself, each program with the race detector sleeps for a second before it ends: that is a second for each package.
		cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0 "+os.Getenv("GORACE"))
	} else {
		// As the program is built: what these commands need is compiled once.
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	}
	var result, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &result, &said // apart: the go command tells on stderr what it downloads
	if s.tests {
		fmt.Fprintf(out, "%-12s %s\n", s.name, s.command)
		cmd.Stdout, cmd.Stderr = out, out
	}
	err := cmd.Run()
	if err == nil && s.quiet != "" && result.Len() > 0 {
		err = errors.New(s.quiet)
	}
	verdict := "ok"
	if err != nil {
		verdict = "FAILED"
	}
	fmt.Fprintf(out, "%-12s %s %s\n", s.name, since(began), verdict)
	if err != nil {
		// The error below says the rest.
		_, _ = said.WriteTo(out)
		_, _ = result.WriteTo(out)
		return fmt.Errorf("%s: %w", s.command, err)
	}
	return nil
}

func since(t time.Time) time.Duration { return time.Since(t).Round(100 * time.Millisecond) }
