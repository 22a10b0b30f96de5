package file

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"sluice/engine/flow/oneline"
)

const lineWidth = 110 // characters up to which a part is written on one line

// spreadKeys are written with one line per key or element, however short they are.
var spreadKeys = map[string]bool{"flow": true, "nodes": true, "agents": true, "inputs": true, "triggers": true}

// yamlWriter writes trees as YAML. It uses few forms: block mappings and lists, one-line mappings and lists, bare
// words, double quotes, and block text for several lines.
type yamlWriter struct{ out bytes.Buffer }

func (w *yamlWriter) mapping(t *tree, indent int) {
	for i, key := range t.keys {
		if i > 0 {
			w.out.WriteString(strings.Repeat(" ", indent))
		}
		w.out.WriteString(oneline.String(key))
		w.out.WriteByte(':')
		w.value(t.values[i], indent, spreadKeys[key] && indent <= 2, utf8.RuneCountInString(key)+2)
	}
}

// value writes a value after "key:", line end included. used is the number of characters of the key.
func (w *yamlWriter) value(value any, indent int, spread bool, used int) {
	if s, ok := value.(string); ok && blockText(s) {
		w.block(s, indent+2)
		return
	}
	if line, short := oneLine(value); !nested(value) || short && !spread && indent+used+utf8.RuneCountInString(line) <= lineWidth {
		w.out.WriteString(" " + line + "\n")
		return
	}
	w.out.WriteByte('\n')
	switch value := value.(type) {
	case *tree:
		w.out.WriteString(strings.Repeat(" ", indent+2))
		w.mapping(value, indent+2)
	case []any:
		w.list(value, indent+2, spread)
	}
}

func (w *yamlWriter) list(items []any, indent int, spread bool) {
	for _, item := range items {
		w.out.WriteString(strings.Repeat(" ", indent) + "-")
		line, short := oneLine(item)
		t, mapping := item.(*tree)
		switch {
		case !nested(item) && !isBlock(item), short && !spread && indent+2+utf8.RuneCountInString(line) <= lineWidth:
			w.out.WriteString(" " + line + "\n")
		case mapping:
			w.out.WriteByte(' ')
			w.mapping(t, indent+2)
		default:
			w.value(item, indent, false, 2)
		}
	}
}

// nested reports whether a value has parts that can be spread over lines.
func nested(value any) bool {
	switch value := value.(type) {
	case *tree:
		return len(value.keys) > 0
	case []any:
		return len(value) > 0
	default:
		return false
	}
}

func isBlock(value any) bool {
	s, ok := value.(string)
	return ok && blockText(s)
}

// oneLine writes a value on one line; false if it contains text that must be written as a block.
func oneLine(value any) (string, bool) {
	switch value := value.(type) {
	case string:
		return oneline.String(value), !blockText(value)
	case *tree:
		parts, ok := make([]string, len(value.keys)), true
		for i, key := range value.keys {
			part, short := oneLine(value.values[i])
			parts[i], ok = oneline.String(key)+": "+part, ok && short
		}
		return "{" + strings.Join(parts, ", ") + "}", ok
	case []any:
		parts, ok := make([]string, len(value)), true
		for i, item := range value {
			part, short := oneLine(item)
			parts[i], ok = part, ok && short
		}
		return "[" + strings.Join(parts, ", ") + "]", ok
	default:
		return oneline.Value(value), true
	}
}

// blockText reports whether text has several lines and can be written as a block.
func blockText(s string) bool {
	body := strings.TrimSuffix(s, "\n")
	if !strings.Contains(body, "\n") || strings.HasSuffix(body, "\n") {
		return false
	}
	for i, line := range strings.Split(body, "\n") {
		if strings.TrimRight(line, " \t") != line || i == 0 && (line == "" || line[0] == ' ') {
			return false
		}
		if strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) || r == 0xfeff }) {
			return false
		}
	}
	return true
}

func (w *yamlWriter) block(s string, indent int) {
	body, ends := strings.CutSuffix(s, "\n")
	w.out.WriteString(" |")
	if !ends {
		w.out.WriteByte('-')
	}
	w.out.WriteByte('\n')
	for line := range strings.SplitSeq(body, "\n") {
		if line != "" {
			w.out.WriteString(strings.Repeat(" ", indent) + line)
		}
		w.out.WriteByte('\n')
	}
}
