package oneline

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Value writes a plain value.
func Value(value any) string {
	switch value := value.(type) {
	case nil:
		return "null"
	case string:
		return String(value)
	case float64:
		return number(value)
	case []any:
		parts := make([]string, len(value))
		for i, item := range value {
			parts[i] = Value(item)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case map[string]any:
		parts := make([]string, 0, len(value))
		for _, key := range slices.Sorted(maps.Keys(value)) {
			parts = append(parts, String(key)+": "+Value(value[key]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	default:
		return fmt.Sprint(value)
	}
}

// number writes a number.
func number(f float64) string {
	if f == math.Trunc(f) && math.Abs(f) < 1e15 {
		return strconv.FormatInt(int64(f), 10)
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// bare matches strings that every YAML reader reads the same without quotes.
var bare = regexp.MustCompile(`^[A-Za-z_/](?:[A-Za-z0-9_/. -]*[A-Za-z0-9_/])?$`)

// notBare are words that some YAML readers do not read as text.
var notBare = regexp.MustCompile(`(?i)^(?:true|false|null|yes|no|on|off|y|n|nan|inf)$`)

// String writes a text so that every YAML reader reads the same text: in double quotes unless it needs none.
func String(s string) string {
	if bare.MatchString(s) && !notBare.MatchString(s) {
		return s
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x80 && unicode.IsPrint(r), r >= 0xa0 && r != 0xfeff && unicode.IsPrint(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
