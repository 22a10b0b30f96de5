package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// measurement is a command whose output is worth keeping, under a heading of the file.
type measurement struct{ title, command string }

// measurements take about nine minutes together on a machine with two processors. The storms are a third of the long ones.
var measurements = []measurement{
	{"Benchmarks", "go test ./engine -run ^$ -bench . -benchmem -benchtime 300ms -timeout 20m"},
	{"Storms", "go test -tags chaos ./engine/chaos -v -timeout 20m -args -runs 300"},
	{"Clicks", "go test -tags chaos ./cmd/sluice -run ^TestAMinuteOfClicks$ -v -timeout 20m"},
}

// writeFigures runs the measurements and writes what they print to a file. The file is written after each, so that it has what was measured
// before an interruption.
func writeFigures(ctx context.Context, progress io.Writer, file string, all []measurement) error {
	var out strings.Builder
	fmt.Fprintf(&out, "# Measured on %s, %s/%s, %d processors, %s\n",
		time.Now().UTC().Format(time.DateOnly), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	for _, m := range all {
		fmt.Fprintf(progress, "%s: %s\n", m.title, m.command)
		began := time.Now()
		text, err := m.run(ctx)
		fmt.Fprintf(&out, "\n## %s\n\n`%s`, %s\n\n", m.title, m.command, since(began))
		for line := range strings.Lines(text) {
			out.WriteString(strings.TrimRight("    "+line, " \t\n") + "\n")
		}
		if err != nil {
			fmt.Fprintf(&out, "\nIt did not finish: %v.\n", err)
			err = fmt.Errorf("%s: %w\n%s", m.command, err, text)
		}
		if err := errors.Join(err, os.WriteFile(file, []byte(out.String()), 0o644)); err != nil {
			return err
		}
	}
	return nil
}

// run executes the command. Interrupted, it ends the processes that it has started.
func (m measurement) run(ctx context.Context) (string, error) {
	words := strings.Fields(m.command)
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	text, err := cmd.CombinedOutput()
	return string(text), err
}
