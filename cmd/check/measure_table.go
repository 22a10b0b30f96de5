package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// shown is how many rows a list of the largest has.
const shown = 10

// measureCommand takes the words behind "measure".
func measureCommand(ctx context.Context, out io.Writer, args []string) error {
	flags := flag.NewFlagSet("measure", flag.ContinueOnError)
	since := flags.String("since", "", "a commit whose figures stand beside those of now")
	if err := flags.Parse(args); err != nil {
		return err
	}
	return measure(ctx, out, cmp.Or(flags.Arg(0), "."), *since)
}

// measure prints the table of the tree below dir. With a commit, each row has the figure of that commit before it.
func measure(ctx context.Context, out io.Writer, dir, since string) error {
	now, err := count(dir)
	if err != nil {
		return err
	}
	trees := []*tree{now}
	if since != "" {
		before, err := countCommit(ctx, dir, since)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%8.8s %8s\n", since, "now")
		trees = []*tree{before, now}
	}
	table{out, trees}.print()
	return nil
}

// countCommit counts the files of a commit, in a worktree that it makes and removes.
func countCommit(ctx context.Context, dir, commit string) (*tree, error) {
	tmp, err := os.MkdirTemp("", "measure")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	to := filepath.Join(tmp, "tree")
	git := func(args ...string) error {
		if text, err := exec.CommandContext(ctx, "git", append([]string{"-C", dir, "worktree"}, args...)...).CombinedOutput(); err != nil {
			return fmt.Errorf("git worktree %s: %w: %s", args[0], err, text)
		}
		return nil
	}
	if err := git("add", "--detach", to, commit); err != nil {
		return nil, err
	}
	t, err := count(to)
	return t, cmp.Or(err, git("remove", "--force", to))
}

// table prints figures of one tree, or of two beside each other.
type table struct {
	out   io.Writer
	trees []*tree
}

func (t table) print() {
	t.row("lines, without tests", func(t *tree) int { return sum(t.lines) })
	t.row("lines of tests", func(t *tree) int { return sum(t.testLines) })
	t.row("lines of comments, without tests", func(t *tree) int { return t.comments })
	t.row("lines of comments in tests", func(t *tree) int { return t.testComments })
	t.row("files, without tests", func(t *tree) int { return len(t.files) })
	t.percentiles("lines of a file", func(t *tree) []int { return t.files })
	t.row("functions", func(t *tree) int { return len(t.functions) })
	t.percentiles("lines of a function", func(t *tree) []int { return t.functions })
	t.row("arrows between the files of a package", func(t *tree) int { return sum(t.arrows) })
	t.row("arrows that run back", func(t *tree) int { return sum(t.back) })
	t.row(fmt.Sprintf("pairs of places with %d or more equal lines", window), func(t *tree) int { return len(t.pairs) })
	for _, e := range errands {
		t.row("files for a new "+e.name, func(t *tree) int { return t.errands[e.name] })
	}
	t.largest("methods per type", func(t *tree) map[string]int { return t.methods })
	t.largest("exported names per package", func(t *tree) map[string]int { return t.exported })
	t.largest("lines per package, without tests", func(t *tree) map[string]int { return t.lines })
	fmt.Fprint(t.out, "\nAn arrow is a file that uses names that another file declares; it runs back in the order of the files in which few do.\n")
	t.largest("arrows that run back, per package", func(t *tree) map[string]int { return t.back })
	fmt.Fprint(t.out, "\npairs of places with equal lines\n")
	for _, p := range t.trees[len(t.trees)-1].pairs {
		fmt.Fprintf(t.out, "  %s ~ %s\n", p[0], p[1])
	}
}

// row prints one figure of each tree.
func (t table) row(name string, of func(*tree) int) {
	for _, one := range t.trees {
		fmt.Fprintf(t.out, "%8d ", of(one))
	}
	fmt.Fprintf(t.out, " %s\n", name)
}

func (t table) percentiles(name string, of func(*tree) []int) {
	for _, percent := range []int{50, 90, 99, 100} {
		t.row(fmt.Sprintf("  %s, percentile %d", name, percent), func(t *tree) int {
			all := of(t)
			if len(all) == 0 {
				return 0
			}
			return all[(len(all)-1)*percent/100]
		})
	}
}

// largest prints the largest counts of each tree, in the order of the last one's.
func (t table) largest(title string, of func(*tree) map[string]int) {
	fmt.Fprintf(t.out, "\n%s\n", title)
	last, rows := of(t.trees[len(t.trees)-1]), map[string]int{}
	for _, one := range t.trees {
		for _, name := range most(of(one)) {
			rows[name] = last[name]
		}
	}
	for _, name := range ordered(rows) {
		t.row(name, func(t *tree) int { return of(t)[name] })
	}
}

// most is the names with the largest counts.
func most(counts map[string]int) []string {
	names := ordered(counts)
	return names[:min(shown, len(names))]
}

// ordered is the names in the order of their counts, the largest first.
func ordered(counts map[string]int) []string {
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
}

func sum(counts map[string]int) int {
	total := 0
	for _, n := range counts {
		total += n
	}
	return total
}
