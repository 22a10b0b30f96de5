package request

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"sluice/bot/card"
	"sluice/bot/form"
	"sluice/engine/usererror"
)

// Command is what a person typed: a word that says what to do, plain arguments, and name=value pairs.
type Command struct {
	Verb  string
	Args  []string
	Pairs map[string]any
	Rest  string // everything after the verb, as typed
}

// errQuote means a quotation that never ends.
var errQuote = errors.New("a quotation mark is never closed")

// ParseCommand reads words such as `run refund order_id=A-1001 note="two words"`. Typographic quotes count as plain ones.
func ParseCommand(text string) (Command, error) {
	text = strings.TrimSpace(text)
	verb, rest, _ := strings.Cut(text, " ")
	if i := strings.IndexFunc(verb, unicode.IsSpace); i >= 0 {
		verb, rest = verb[:i], verb[i+1:]+" "+rest
	}
	c := Command{Verb: strings.ToLower(strings.TrimSuffix(verb, ":")), Rest: strings.TrimSpace(rest), Pairs: map[string]any{}}
	words, err := split(c.Rest)
	for _, w := range words {
		if k, v, ok := strings.Cut(w.text, "="); ok && !w.quotedStart && isName(k) {
			c.Pairs[k] = v
		} else {
			c.Args = append(c.Args, w.text)
		}
	}
	return c, err
}

// Arg is the i-th plain argument, or "".
func (c Command) Arg(i int) string {
	if i < len(c.Args) {
		return c.Args[i]
	}
	return ""
}

// Subject is the plain argument that the command begins with, or "" when it begins with a value.
func (c Command) Subject() string {
	words, _ := split(c.Rest)
	if len(words) == 0 {
		return ""
	}
	if name, _, ok := strings.Cut(words[0].text, "="); ok && !words[0].quotedStart && isName(name) {
		return ""
	}
	return words[0].text
}

// Named reads the command once more, now that the names of its values are known: a value runs to the next known name, or to the end, and
// loses no word. Values under other names are read as before. more is how many plain arguments there may be beside the values.
func (c Command) Named(names []string, more int) (Command, error) {
	if written, meant := form.Mistyped(c.Rest, names); written != "" {
		return c, &usererror.Error{
			Code: "bad_inputs", Text: "There is nothing called " + written + " (did you mean " + meant + "?), so nothing was done.",
			Hint: "If it belongs to the text of another value, put that text in quotation marks.",
		}
	}
	values, rest := form.Typed(c.Rest, names)
	out, err := ParseCommand(c.Verb + " " + rest)
	for _, value := range values {
		if isUnclosed(value) {
			err = errQuote
		}
	}
	if err != nil {
		return c, BadQuote(err, "Put a quotation mark behind it, too, or leave both out: a value needs none.")
	}
	if len(out.Args) > more {
		return c, &usererror.Error{
			Code: "bad_inputs", Text: "I cannot read \"" + card.Shorten(strings.Join(out.Args[more:], " "), 200) + "\": values are written name=value.",
			Hint: "For example: order_id=A-1001 note=two words.",
		}
	}
	for name, v := range values {
		out.Pairs[name] = v
	}
	out.Rest = c.Rest
	return out, nil
}

// isUnclosed says whether a value begins with a quotation mark and has no other: more was meant to stand in it, or it is no part of the value.
func isUnclosed(value string) bool {
	return strings.HasPrefix(value, `"`) && strings.Count(value, `"`) == 1
}

// BadQuote refuses words with a quotation mark that is never closed.
func BadQuote(err error, hint string) error {
	return &usererror.Error{Code: "bad_quote", Text: "I cannot read that: " + err.Error() + ".", Hint: hint}
}

// Name is the first argument, which names what the command is about. Without it the error asks for one.
func (c Command) Name(question, hint string) (string, error) {
	if c.Arg(0) == "" {
		return "", &usererror.Error{Code: "no_name", Text: question, Hint: hint}
	}
	return c.Arg(0), nil
}

// Texts are the values as they were typed.
func (c Command) Texts() map[string]string {
	out := map[string]string{}
	for name, v := range c.Pairs {
		out[name] = fmt.Sprint(v)
	}
	return out
}

func isName(s string) bool {
	for i, r := range s {
		if !(r == '_' || r == '-' || unicode.IsLetter(r) || i > 0 && unicode.IsDigit(r)) {
			return false
		}
	}
	return s != ""
}

type word struct {
	text        string
	quotedStart bool
}

// jsonAt gives the JSON object or list that a text begins with, or "".
func jsonAt(rs []rune) string {
	if len(rs) == 0 || rs[0] != '{' && rs[0] != '[' {
		return ""
	}
	var value json.RawMessage
	if json.NewDecoder(strings.NewReader(string(rs))).Decode(&value) != nil {
		return ""
	}
	return string(value)
}

var quotes = strings.NewReplacer("\u201c", `"`, "\u201d", `"`, "\u2018", "'", "\u2019", "'")

// split cuts words at spaces, outside double quotes. A backslash keeps the next quote or backslash. A JSON object or list that is
// given as name={...} is kept as it is.
func split(s string) ([]word, error) {
	var out []word
	var cur strings.Builder
	in, any, quotedStart := false, false, false
	flush := func() {
		if any {
			out = append(out, word{cur.String(), quotedStart})
		}
		cur.Reset()
		any, quotedStart = false, false
	}
	rs := []rune(quotes.Replace(s))
	for i := 0; i < len(rs); i++ {
		switch r := rs[i]; {
		case r == '\\' && i+1 < len(rs) && (rs[i+1] == '"' || rs[i+1] == '\\'):
			i++
			cur.WriteRune(rs[i])
			any = true
		case r == '=' && !in && isName(cur.String()):
			value := jsonAt(rs[i+1:])
			cur.WriteString("=" + value)
			i += len([]rune(value))
			any = true
		case r == '"':
			if !any {
				quotedStart = true
			}
			in, any = !in, true
		case unicode.IsSpace(r) && !in:
			flush()
		default:
			cur.WriteRune(r)
			any = true
		}
	}
	flush()
	if in {
		return out, errQuote
	}
	return out, nil
}
