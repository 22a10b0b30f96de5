package standins

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/flow/names"
	"sluice/engine/importer/document"
	"sluice/engine/naming"
	"sluice/engine/typecheck"
)

// leave is what is given for a name that nothing here stands for.
const leave = "leave"

// StandIns are what --with says, and which of it the files have that were read.
type StandIns struct {
	texts []string
	used  map[string]bool
	named []names.Use // by the files
	files int
}

// New takes what --with says, each as name=what-stands-for-it, or name=leave.
func New(texts []string) *StandIns { return &StandIns{texts: texts, used: map[string]bool{}} }

// Table gives what stands here for the names of a document: tool:web_search=http.get, or web_search=http.get where one name alone is meant.
func (w *StandIns) Table(d document.Document, world typecheck.World) (names.Table, error) {
	table, all := names.Table{}, names.Of(d.Flow)
	for _, other := range d.Others {
		all = append(all, names.Of(other)...)
	}
	w.files++
	w.named = append(w.named, all...)
	for _, given := range w.texts {
		name, stands, ok := cutLast(given)
		if !ok {
			return nil, fmt.Errorf("--with %q: write name=what-stands-for-it, or name=%s", given, leave)
		}
		var meant []string
		for _, u := range all {
			if (u.Text == name || u.String() == name) && !slices.Contains(meant, u.String()) {
				meant = append(meant, u.String())
			}
		}
		if len(meant) == 0 {
			continue // of another file: Stray refuses it where it is of none
		}
		w.used[given] = true
		if len(meant) > 1 {
			return nil, fmt.Errorf("--with %s: the file has %s; write one of them", given, naming.List(meant, "and"))
		}
		if stands == leave {
			table[meant[0]] = ""
			continue
		}
		n, _ := names.Read(meant[0])
		found, near := world.Meant(n, stands)
		if found == "" {
			return nil, fmt.Errorf("--with %s: there is no %s %s here%s", given, n.Kind, stands, suffix(naming.DidYouMean(near)))
		}
		table[meant[0]] = found
	}
	return table, nil
}

// Stray refuses what is said of a name that no file has, once all files were read.
func (w *StandIns) Stray() error {
	for _, text := range w.texts {
		if w.used[text] || w.files == 0 {
			continue
		}
		name, _, _ := cutLast(text)
		var named []string
		for _, u := range w.named {
			has := u.Text
			if strings.Contains(name, ":") {
				has = u.String()
			}
			if !slices.Contains(named, has) {
				named = append(named, has)
			}
		}
		where, hint := "the file does not name it", naming.DidYouMean(naming.Misspelled(name, named, 2))
		if w.files > 1 {
			where = "none of the files names it"
		}
		if hint == "" && len(named) > 0 && len(named) <= namesMost {
			hint = "named are " + naming.List(named, "and")
		}
		return fmt.Errorf("--with %s: %s%s", text, where, suffix(hint))
	}
	return nil
}

// namesMost is how many names of a file are listed where none is near.
const namesMost = 12

// cutLast divides at the last equals sign: names may have others.
func cutLast(given string) (name, value string, ok bool) {
	i := strings.LastIndex(given, "=")
	if i < 1 || i == len(given)-1 {
		return "", "", false
	}
	return given[:i], given[i+1:], true
}

func suffix(hint string) string {
	if hint == "" {
		return ""
	}
	return "; " + hint
}

// Settled leaves out the problems with names for which --with says what stands for them. A name that was left is only a warning. agents are
// those of the installation.
func Settled(problems flow.Problems, d document.Document, agents []string) flow.Problems {
	table := document.Names(d.Flow)
	var out flow.Problems
	for _, p := range problems {
		left := table.Left(names.Name{Kind: names.Tool, Text: p.About})
		switch {
		case p.Code == "unknown-tool" && left && p.Severity == flow.SeverityWarning:
			continue
		case p.Code == "unknown-tool" && left:
			p.Severity, p.Message, p.Hint = flow.SeverityWarning, fmt.Sprintf("nothing here stands for the tool '%s': a run that comes to this step fails there", p.About), ""
		case p.Code == "unknown-agent" && p.Node != "":
			unknown := slices.DeleteFunc(d.Flow.Node(p.Node).Names().Agents, func(id *string) bool { return slices.Contains(agents, *id) })
			if len(unknown) == 0 {
				continue
			}
			if table.Left(names.Name{Kind: names.Agent, Text: *unknown[0]}) {
				p.Severity = flow.SeverityWarning
			}
		}
		out = append(out, p)
	}
	return out
}

// Missing lists the names of a document that are not known here and of which nobody has said what stands for them.
func Missing(d document.Document, here names.Here) (out []string) {
	for _, f := range append(slices.Clone(d.Others), d.Flow) {
		for _, u := range names.Missing(f, here) {
			if !document.Names(f).Left(u.Name) && !slices.Contains(out, u.String()) {
				out = append(out, u.String())
			}
		}
	}
	return out
}

// SayMissing says which names are not known here, and what to do about it.
func SayMissing(w io.Writer, missing []string) {
	if len(missing) > 0 {
		fmt.Fprintf(w, "not known here: %s\n  --with %s=NAME says what stands for it here, --with %s=%s that nothing does\n", strings.Join(missing, ", "), missing[0], missing[0], leave)
	}
}
