package outline

import "slices"

// phrases is one section of the phrasebook.
type phrases struct {
	Title string
	Lines []string // an example of each form, without those that mean the same as the one before
}

// Phrasebook lists an example of what can be said, section by section, in the order of Forms.
func Phrasebook() (out []phrases) {
	seen := map[string]bool{}
	for _, f := range Forms() {
		at := slices.IndexFunc(out, func(p phrases) bool { return p.Title == f.Section })
		if at < 0 {
			out, at = append(out, phrases{Title: f.Section}), len(out)
		}
		if key := f.Section + f.Meaning; !seen[key] {
			seen[key] = true
			out[at].Lines = append(out[at].Lines, f.Example)
		}
	}
	return out
}
