package tree

import "slices"

// Note is something that a drafter should know. One that blocks keeps a draft from approval until the words or the file change; what a
// person can answer is a Question instead.
type Note struct {
	Step   string `json:"step,omitempty"`
	Code   string `json:"code"`
	Text   string `json:"text"`
	Blocks bool   `json:"blocks,omitempty"`
}

// AddNote adds a note that is not there yet.
func AddNote(notes []Note, n Note) []Note {
	if slices.Contains(notes, n) {
		return notes
	}
	return append(notes, n)
}
