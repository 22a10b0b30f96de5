package function

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sluice/engine/expr/value"
)

// onText is a function that changes a text.
func onText(change func(string) string) func(*Call) any {
	return func(c *Call) any { return change(c.text(0)) }
}

// length counts characters of a text, members of a list or object; nil has none, and nothing else has a length.
func length(c *Call) any {
	v := c.any(0)
	if v == nil {
		return int64(0)
	}
	if text, ok := v.(string); ok {
		c.charge(len(text) / 64)
		return int64(utf8.RuneCountInString(text))
	}
	if list, ok := value.List(v); ok {
		return int64(len(list))
	}
	if object, ok := value.Object(v); ok {
		return int64(len(object))
	}
	return nil
}

func capitalize(c *Call) any {
	text := c.text(0)
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 || first == utf8.RuneError {
		return text
	}
	return string(unicode.ToUpper(first)) + text[size:]
}

func concat(c *Call) any {
	parts := make([]string, len(c.args))
	for i := range parts {
		parts[i] = c.text(i)
	}
	return c.glue(parts, "")
}

// glue concatenates texts with a separator between them.
func (c *Call) glue(parts []string, separator string) any {
	bytes := len(separator) * max(len(parts)-1, 0)
	for _, part := range parts {
		bytes += len(part)
	}
	if !c.mayWrite(bytes) {
		return nil
	}
	return strings.Join(parts, separator)
}

// join renders the members of a list with a separator between them; anything else as a text.
func join(c *Call) any {
	list, ok := value.List(c.any(0))
	if !ok {
		return c.text(0)
	}
	separator := c.textOr(1, ", ")
	parts := make([]string, 0, min(len(list), MaxItems))
	for _, item := range list {
		if c.err != nil {
			return nil
		}
		parts = append(parts, c.write(item))
	}
	return c.glue(parts, separator)
}

func split(c *Call) any {
	text, separator, most := c.text(0), c.textOr(1, ","), c.whole(2, -1)
	if text == "" {
		return []any{}
	}
	if separator == "" {
		return []any{text}
	}
	cuts := strings.Count(text, separator)
	if most >= 0 {
		cuts = min(cuts, most)
	}
	if !c.mayMake(cuts + 1) {
		return nil
	}
	return anything(strings.SplitN(text, separator, cuts+1))
}

func anything(texts []string) []any {
	list := make([]any, len(texts))
	for i, text := range texts {
		list[i] = text
	}
	return list
}

func replace(c *Call) any {
	text, old, with, times := c.text(0), c.text(1), c.text(2), c.whole(3, -1)
	if old == "" || times == 0 {
		return text
	}
	count := strings.Count(text, old)
	if times > 0 {
		count = min(count, times)
	}
	if !c.mayWrite(len(text) + count*(len(with)-len(old))) {
		return nil
	}
	return strings.Replace(text, old, with, count)
}

// slice gives a part of a text by characters, or of a list by members. Positions beyond the ends count as the ends.
func slice(c *Call) any {
	if list, ok := value.List(c.any(0)); ok {
		from, to := c.bounds(len(list))
		if !c.mayMake(to - from) {
			return nil
		}
		return slices.Clone(list[from:to])
	}
	text := []rune(c.text(0))
	from, to := c.bounds(len(text))
	return string(text[from:to])
}

// bounds are the positions of slice in something of the given length.
func (c *Call) bounds(length int) (from, to int) {
	from, to = c.whole(1, 0), c.whole(2, length)
	if from < 0 {
		from += length
	}
	if to < 0 {
		to += length
	}
	to = min(max(to, 0), length)
	return min(max(from, 0), to), to
}

func truncate(c *Call) any {
	text, most, end := []rune(c.text(0)), max(c.whole(1, 0), 0), []rune(c.textOr(2, "…"))
	if len(text) <= most {
		return string(text)
	}
	end = end[:min(len(end), most)]
	return string(text[:most-len(end)]) + string(end)
}

func startsWith(c *Call) any { return strings.HasPrefix(c.text(0), c.text(1)) }
func endsWith(c *Call) any   { return strings.HasSuffix(c.text(0), c.text(1)) }

func repeat(c *Call) any {
	text, times := c.text(0), max(c.whole(1, 0), 0)
	if !c.mayWrite(len(text) * times) {
		return nil
	}
	return strings.Repeat(text, times)
}

// urlEncode keeps what every part of an address may hold (RFC 3986, unreserved) and writes other bytes as %XX.
func urlEncode(c *Call) any {
	text := c.text(0)
	if !c.mayWrite(3 * len(text)) {
		return nil
	}
	var b strings.Builder
	for i := range len(text) {
		if char := text[i]; char < utf8.RuneSelf && (unicode.IsLetter(rune(char)) || unicode.IsDigit(rune(char)) || strings.IndexByte("-._~", char) >= 0) {
			b.WriteByte(char)
			continue
		}
		fmt.Fprintf(&b, "%%%02X", text[i])
	}
	return b.String()
}

// blank matches a placeholder of a template.
var blank = regexp.MustCompile(`\{\{([^{}]*)\}\}`)

// fill puts members of an object into a template. A missing member is empty, and an unknown filter is ignored.
func fill(c *Call) any {
	template, object := c.text(0), c.object(1)
	size := 0
	filled := blank.ReplaceAllStringFunc(template, func(place string) string {
		parts := strings.Split(place[2:len(place)-2], "|")
		v, found := c.lookUp(object, strings.TrimSpace(parts[0]))
		if !found || v == nil {
			return ""
		}
		for _, name := range parts[1:] {
			v = c.filter(v, strings.TrimSpace(name))
		}
		text := c.write(v)
		if size += len(text); !c.mayWrite(size) {
			return ""
		}
		return text
	})
	c.mayWrite(len(filled))
	return filled
}

// fillers are the filters of fill.
var fillers = map[string]func(*Call) any{
	"json": toJSON, "join": join, "trim": onText(strings.TrimSpace), "lower": onText(strings.ToLower), "upper": onText(strings.ToUpper),
}

func (c *Call) filter(v any, name string) any {
	args := []any{v}
	if before, given, ok := strings.Cut(name, "("); ok {
		name = strings.TrimSpace(before)
		args = append(args, strings.Trim(strings.TrimSuffix(strings.TrimSpace(given), ")"), `'"`))
	}
	apply, known := fillers[name]
	if !known || c.err != nil {
		return v
	}
	inner := &Call{Context: c.Context, function: c.function, args: args}
	v = apply(inner)
	c.err = inner.err
	return v
}

// format puts members of an object into a template with single braces. A missing member is an error, as it is in the language that this
// form comes from.
func format(c *Call) any {
	template, object := c.text(0), c.object(1)
	var filled strings.Builder
	for rest := template; rest != "" && c.err == nil; {
		i := strings.IndexAny(rest, "{}")
		if i < 0 {
			i = len(rest)
		}
		filled.WriteString(rest[:i])
		if rest = rest[i:]; rest == "" {
			break
		}
		if strings.HasPrefix(rest, "{{") || strings.HasPrefix(rest, "}}") {
			filled.WriteByte(rest[0])
			rest = rest[2:]
			continue
		}
		key, after, closed := strings.Cut(rest[1:], "}")
		v, found := c.lookUp(object, key)
		if rest[0] == '}' || !closed || !found {
			return c.fail(BadArgument, "the object has nothing for %s", brief(rest[:len(rest)-len(after)]))
		}
		filled.WriteString(c.write(v))
		c.mayWrite(filled.Len())
		rest = after
	}
	c.mayWrite(filled.Len())
	return filled.String()
}
