package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// measurements are the commands whose output is worth keeping, under the headings of the file.
var measurements = []struct{ title, command string }{
	{"Benchmarks", "go test ./engine -run ^$ -bench . -benchmem -timeout 60m"},
	{"Storms", "go test -tags chaos ./engine/chaos -v -timeout 60m"},
}

// writeFigures runs the benchmarks and the long storms and writes what they print to a file.
func writeFigures(ctx context.Context, file string) error {
	var out strings.Builder
	fmt.Fprintf(&out, "# Measured on %s, %s/%s, %d processors, %s\n",
		time.Now().UTC().Format(time.DateOnly), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	for _, m := range measurements {
		words := strings.Fields(m.command)
		text, err := exec.CommandContext(ctx, words[0], words[1:]...).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%s: %w\n%s", m.command, err, text)
		}
		fmt.Fprintf(&out, "\n## %s\n\n`%s`\n\n", m.title, m.command)
		for line := range strings.Lines(string(text)) {
			out.WriteString("    " + line)
		}
	}
	return os.WriteFile(file, []byte(out.String()), 0o644)
}
