// Package starting holds everyday flows in words that need nothing but a chat: what the bot offers to somebody who has no words yet.
//
// Each file in words/ is one of them. Its first line is the title, its second one says what it is for, the rest is what somebody would type.
package starting

import (
	"embed"
	"io/fs"
	"path"
	"strings"
)

//go:embed words/*.txt
var files embed.FS

// Point is one everyday flow.
type Point struct {
	Name  string // short and stable: "vacation"
	Title string
	About string
	Words string // what somebody would type
}

// Points lists all of them by name.
func Points() []Point {
	names, err := fs.Glob(files, "words/*.txt")
	if err != nil {
		panic("starting: " + err.Error()) // the pattern is a constant
	}
	var out []Point
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			panic("starting: " + err.Error()) // the file is part of the program
		}
		title, rest, _ := strings.Cut(string(text), "\n")
		about, words, _ := strings.Cut(rest, "\n")
		out = append(out, Point{
			Name: strings.TrimSuffix(path.Base(name), ".txt"), Title: strings.TrimSpace(title), About: strings.TrimSpace(about), Words: strings.TrimSpace(words),
		})
	}
	return out
}

// Find gives one by its name; false = there is none.
func Find(name string) (Point, bool) {
	for _, p := range Points() {
		if p.Name == name {
			return p, true
		}
	}
	return Point{}, false
}
