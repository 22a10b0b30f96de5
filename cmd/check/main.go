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
	live    bool   // show the output while it runs
}

// stages is everything that is checked, in order: what is quick to tell comes first.
func stages(test string) []stage {
	return []stage{
		{name: "format", command: "go tool gofumpt -l .", quiet: "these files are not formatted; run: go tool gofumpt -w ."},
		{name: "vet", command: "go vet ./..."},
		{name: "fix", command: "go fix -diff ./...", quiet: "there is a newer way to write this; run: go fix ./..."},
		{name: "staticcheck", command: "go tool staticcheck -checks all ./..."},
		{name: "test", command: test, live: true},
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

// uninstrumented leaves SQLite's own code and the filling of outlines in pictures out of the race detector: both work on memory of one goroutine,
// and take several times as long with it. What calls them is watched. No package with generic functions of others may stand here: the linker keeps
// one copy of each such function, and a copy that the detector does not see makes it report races that are none.
const uninstrumented = " -gcflags=modernc.org/sqlite/lib=-race=false -gcflags=modernc.org/libc/...=-race=false -gcflags=modernc.org/memory=-race=false" +
	" -gcflags=github.com/golang/freetype/...=-race=false"

// testCommand is how the tests are run here: with the race detector where there is the C compiler that it needs.
func testCommand(ctx context.Context, out io.Writer, short bool) (string, error) {
	// A package may take longer than the ten minutes that go test leaves it, on a machine that is busy with other things.
	command := "go test -p 2 -shuffle=on -timeout=20m"
	missing, err := missingCompiler(ctx)
	switch {
	case err != nil:
		return "", err
	case missing == "":
		command += " -race" + uninstrumented
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
	var result, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &result, &said // apart: the go command tells on stderr what it downloads
	if s.live {
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
