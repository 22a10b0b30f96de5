package plan

import "strings"

// Said writes the name of the person who wrote the outline, such as "@name", in the place of "me" where somebody is asked or told.
// Whoever takes words from a person calls it right after Read and Edit: later, when somebody else edits another step, "me" would
// be somebody else.
func (o Outline) Said(by string) Outline {
	next := o.copy()
	for i, l := range next.Lines {
		var b strings.Builder
		at := 0
		words := scan(l.Text)
		for j, w := range words {
			if w.kind != plainWord || w.low != "me" || j == 0 || !namesFollow[words[j-1].low] {
				continue
			}
			b.WriteString(l.Text[at:w.start] + by)
			at = w.end
		}
		next.Lines[i].Text = b.String() + l.Text[at:]
	}
	return next
}

// namesFollow are the words behind which "me" is a person to ask or tell.
var namesFollow = wordSet("ask tell from by or and of , both either")
