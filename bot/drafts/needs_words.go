package drafts

import (
	"regexp"
	"slices"
	"strings"

	"sluice/bot/draft"
	"sluice/engine/flow/names"
)

// How people say what stands for names, part by part.
var (
	needParts = regexp.MustCompile(`(?i)\s*(?:[,;\n]+|\s+and\s+)\s*`)
	useFor    = regexp.MustCompile(`(?i)^(?:use|take)\s+(\S+)\s+(?:for|instead\s+of|in\s+place\s+of)\s+(.+)$`)
	standsFor = regexp.MustCompile(`(?i)^(?:with\s+)?(.+?)(?:\s*(?:=|->|→)\s*|\s+(?:is|means|becomes)\s+)(?:the\s+)?(.+)$`)
	leaveOut  = regexp.MustCompile(`(?i)^leave\s+(.+?)(?:\s+(?:out|as\s+(?:it\s+is|they\s+are)))?$`)
)

// Words that mean all names that are still open, and words that mean that nothing stands for one.
var (
	allOfThem = []string{"all", "them", "all of them", "everything", "the rest", "the others", "it"}
	nothing   = []string{"leave", "leave it", "nothing", "none", "left out"}
)

// readNeeds reads words that say what stands for names of a file, such as "web_search is http.get, leave the rest". about is false unless
// each part of the words says that of a name.
func readNeeds(text string, needs []draft.Need) (said names.Table, about bool) {
	said = names.Table{}
	text = strings.TrimRight(strings.TrimSpace(strings.ReplaceAll(text, "`", "")), ".!")
	if text == "" || len(needs) == 0 {
		return nil, false
	}
	leaving, rest := false, false // "leave a and b", "leave the rest"
	for _, part := range needParts.Split(text, -1) {
		if m := leaveOut.FindStringSubmatch(part); m != nil {
			part, leaving = m[1], true
		}
		if leaving && slices.Contains(allOfThem, strings.ToLower(part)) {
			rest = true
			continue
		}
		n, stands, ok := readNeed(part, needs, leaving)
		if !ok {
			return nil, false
		}
		said[n.String()], leaving = stands, stands == ""
	}
	for _, n := range needs {
		if _, is := said[n.String()]; rest && !is && !n.Settled {
			said[n.String()] = ""
		}
	}
	return said, true
}

// readNeed reads one part.
func readNeed(part string, needs []draft.Need, leaving bool) (n names.Name, stands string, ok bool) {
	name := part
	if m := useFor.FindStringSubmatch(part); m != nil {
		name, stands = m[2], m[1]
	} else if m := standsFor.FindStringSubmatch(part); m != nil {
		name, stands = m[1], m[2]
	} else if !leaving {
		return n, "", false
	}
	if slices.Contains(nothing, strings.ToLower(stands)) {
		stands = ""
	}
	n, ok = needNamed(name, needs)
	return n, stands, ok
}

// needNamed finds the name that is meant: "web_search", "the tool web_search", "tool:web_search".
func needNamed(text string, needs []draft.Need) (names.Name, bool) {
	text = strings.TrimPrefix(strings.ToLower(strings.TrimSpace(text)), "the ")
	for _, n := range needs {
		name := strings.ToLower(n.Text)
		if slices.Contains([]string{name, strings.TrimLeft(name, "#@"), string(n.Kind) + " " + name, string(n.Kind) + ":" + name}, text) {
			return n.Name, true
		}
	}
	return names.Name{}, false
}
