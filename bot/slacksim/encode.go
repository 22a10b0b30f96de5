package slacksim

import (
	"regexp"
	"strings"
)

var (
	escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	// A reference starts a word; an address runs to the next space or quote, without the punctuation that ends a sentence.
	references = regexp.MustCompile(`(^|[\s(\["'])([@#])([\p{L}\p{N}._-]*[\p{L}\p{N}])`)
	addresses  = regexp.MustCompile(`(^|[\s(\["'])(https?://[^\s<>"]*[^\s<>".,;:!?)\]'])`)
	encoded    = regexp.MustCompile(`<[@#!][^<>\n]*>`)
)

// encode turns what a person types into what Slack sends to apps: &, < and > escaped, `@name` as <@U...>, `@group` as
// <!subteam^S...|@group>, `#channel` as <#C...|channel>, web addresses in angle brackets. Names that do not exist stay words.
// A reference that is encoded already stays as it is.
func (w *world) encode(typed string) string {
	var out strings.Builder
	rest := typed
	for {
		at := encoded.FindStringIndex(rest)
		if at == nil {
			out.WriteString(w.encodePlain(rest))
			return out.String()
		}
		out.WriteString(w.encodePlain(rest[:at[0]]))
		out.WriteString(rest[at[0]:at[1]])
		rest = rest[at[1]:]
	}
}

func (w *world) encodePlain(typed string) string {
	escaped := escaper.Replace(typed)
	escaped = addresses.ReplaceAllString(escaped, "$1<$2>")
	return references.ReplaceAllStringFunc(escaped, func(found string) string {
		parts := references.FindStringSubmatch(found)
		return parts[1] + w.reference(parts[2], parts[3])
	})
}

func (w *world) reference(sign, name string) string {
	if sign == "#" {
		if c := w.channel(name); c != nil && !c.DM {
			return "<#" + c.ID + "|" + c.Name + ">"
		}
		return sign + name
	}
	switch name {
	case "here", "channel", "everyone":
		return "<!" + name + ">"
	}
	if g := w.group(name); g != nil {
		return "<!subteam^" + g.ID + "|@" + g.Handle + ">"
	}
	if u := w.user(name); u != nil {
		return "<@" + u.ID + ">"
	}
	return sign + name
}

// encodeCommand is encode for the text of a slash command, where people have their name as well: <@U...|ana>.
func (w *world) encodeCommand(typed string) string {
	return mentions.ReplaceAllStringFunc(w.encode(typed), func(mention string) string {
		u := w.user(mention[2 : len(mention)-1])
		if u == nil {
			return mention
		}
		return "<@" + u.ID + "|" + u.Name + ">"
	})
}

var mentions = regexp.MustCompile(`<@U[A-Z0-9]+>`)
