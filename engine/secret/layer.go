package secret

import (
	"bytes"
	"html"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// layer is a text as somebody would read it who undoes an encoding, and where each of its bytes stands in the text itself.
type layer struct {
	text     []byte
	from, to []int32 // nil = each byte stands where it is
}

// begin is where a byte begins in the text itself, end where it ends.
func (l *layer) begin(i int) int32 {
	if l.from == nil {
		return int32(i)
	}
	return l.from[i]
}

func (l *layer) end(i int) int32 {
	if l.to == nil {
		return int32(i + 1)
	}
	return l.to[i]
}

// plain is a text without its line breaks.
func plain(text string) *layer {
	l := &layer{text: []byte(text)}
	return l.unbroken()
}

// unbroken takes line breaks away, and the blanks beside them: mail, PEM and base64 break lines anywhere.
func (l *layer) unbroken() *layer {
	if bytes.IndexByte(l.text, '\n') < 0 && bytes.IndexByte(l.text, '\r') < 0 {
		return l
	}
	out := newLayer(len(l.text))
	for i := 0; i < len(l.text); i++ {
		if c := l.text[i]; c != '\n' && c != '\r' {
			out.add(c, l.begin(i), l.end(i))
			continue
		}
		for len(out.text) > 0 && blank(out.text[len(out.text)-1]) {
			out.cut()
		}
		for i+1 < len(l.text) && (blank(l.text[i+1]) || l.text[i+1] == '\n' || l.text[i+1] == '\r') {
			i++
		}
	}
	return out
}

// folded is a text as mail folds it: a line that ends in = goes on in the next one. Nil = none does.
func folded(text string) *layer {
	if !strings.Contains(text, "=\n") && !strings.Contains(text, "=\r\n") {
		return nil
	}
	l := newLayer(len(text))
	for i := range len(text) {
		if !(text[i] == '=' && i+1 < len(text) && (text[i+1] == '\n' || text[i+1] == '\r')) {
			l.add(text[i], int32(i), int32(i+1))
		}
	}
	l = l.unbroken()
	if out := l.unescape([]escape{printable}); out != nil {
		return out
	}
	return l
}

func newLayer(size int) *layer {
	return &layer{text: make([]byte, 0, size), from: make([]int32, 0, size), to: make([]int32, 0, size)}
}

func blank(c byte) bool { return c == ' ' || c == '\t' }

func (l *layer) add(c byte, from, to int32) {
	l.text, l.from, l.to = append(l.text, c), append(l.from, from), append(l.to, to)
}

// copy takes over bytes of another layer.
func (l *layer) copy(other *layer, from, to int) {
	l.text = append(l.text, other.text[from:to]...)
	if other.from != nil {
		l.from, l.to = append(l.from, other.from[from:to]...), append(l.to, other.to[from:to]...)
		return
	}
	for i := from; i < to; i++ {
		l.from, l.to = append(l.from, int32(i)), append(l.to, int32(i+1))
	}
}

func (l *layer) cut() {
	n := len(l.text) - 1
	l.text, l.from, l.to = l.text[:n], l.from[:n], l.to[:n]
}

// escape reads one escaped character at the beginning of a text: the bytes that it stands for, and how long it is; 0 = there is none.
type escape struct {
	lead string // the bytes with which it begins
	read func(text []byte) (out []byte, length int)
}

var (
	percent   = escape{"%", func(t []byte) ([]byte, int) { return hexByte(t, 1, 3) }}
	plus      = escape{"+", func([]byte) ([]byte, int) { return []byte{' '}, 1 }}
	printable = escape{"=", func(t []byte) ([]byte, int) { return hexByte(t, 1, 3) }}
	entity    = escape{"&", htmlEntity}
	backslash = escape{`\`, jsonEscape}
)

// unescapes are the ways to read a text. The last one undoes all escapes beside each other, such as an address in JSON.
var unescapes = [][]escape{{percent}, {percent, plus}, {printable}, {entity}, {backslash}, {percent, printable, entity, backslash}}

// unescape gives the layer below; nil = nothing is escaped.
func (l *layer) unescape(with []escape) *layer {
	var lead [256]*escape
	some := false
	for i := range with {
		lead[with[i].lead[0]] = &with[i]
		some = some || bytes.Contains(l.text, []byte(with[i].lead))
	}
	if !some {
		return nil
	}
	out := newLayer(len(l.text))
	for i := 0; i < len(l.text); {
		e := lead[l.text[i]]
		if e == nil {
			end := i + 1
			for end < len(l.text) && lead[l.text[end]] == nil {
				end++
			}
			out.copy(l, i, end)
			i = end
			continue
		}
		bytes, n := e.read(l.text[i:])
		if n == 0 {
			out.copy(l, i, i+1)
			i++
			continue
		}
		for _, c := range bytes {
			out.add(c, l.begin(i), l.end(i+n-1))
		}
		i += n
	}
	return out.unbroken()
}

// begun is where an escape begins that the end of a text cuts; -1 = none does.
func begun(text string) int {
	i := strings.LastIndexAny(text, `%=&\`)
	if i < 0 {
		return -1
	}
	n := len(text) - i
	switch {
	case text[i] == '&' && n < entityMost && !strings.Contains(text[i:], ";"):
	case text[i] == '\\' && (n < 2 || text[i+1] == 'u' && n < 6):
	case (text[i] == '%' || text[i] == '=') && n < 3:
	default:
		return -1
	}
	return i
}

// hexByte reads two digits that end at an index.
func hexByte(t []byte, from, to int) ([]byte, int) {
	if len(t) < to {
		return nil, 0
	}
	n, err := strconv.ParseUint(string(t[from:to]), 16, 8)
	if err != nil || t[from] == '+' {
		return nil, 0
	}
	return []byte{byte(n)}, to
}

const entityMost = 12

func htmlEntity(t []byte) ([]byte, int) {
	end := bytes.IndexByte(t[:min(len(t), entityMost)], ';')
	if end < 0 {
		return nil, 0
	}
	text := string(t[:end+1])
	if out := html.UnescapeString(text); out != text {
		return []byte(out), end + 1
	}
	return nil, 0
}

const (
	escaped  = `"\/'bfnrt0`
	meanings = "\"\\/'\b\f\n\r\t\x00"
)

func jsonEscape(t []byte) ([]byte, int) {
	if len(t) < 2 {
		return nil, 0
	}
	switch t[1] {
	case 'x':
		return hexByte(t, 2, 4)
	case 'u':
		r, n := unicodeEscape(t)
		if n == 0 {
			return nil, 0
		}
		if utf16.IsSurrogate(r) {
			if low, m := unicodeEscape(t[n:]); m != 0 {
				return utf8.AppendRune(nil, utf16.DecodeRune(r, low)), n + m
			}
		}
		return utf8.AppendRune(nil, r), n
	}
	if i := strings.IndexByte(escaped, t[1]); i >= 0 {
		return []byte{meanings[i]}, 2
	}
	return nil, 0
}

func unicodeEscape(t []byte) (rune, int) {
	if len(t) < 6 || t[0] != '\\' || t[1] != 'u' {
		return 0, 0
	}
	n, err := strconv.ParseUint(string(t[2:6]), 16, 16)
	if err != nil || t[2] == '+' {
		return 0, 0
	}
	return rune(n), 6
}

// digits are the values of the characters of an encoding; -1 = none of them.
type digits [256]int8

func alphabet(of ...string) *digits {
	var d digits
	for i := range d {
		d[i] = -1
	}
	for _, chars := range of {
		for i := range len(chars) {
			d[chars[i]] = int8(i)
		}
	}
	return &d
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

var (
	base16 = alphabet("0123456789abcdef", "0123456789ABCDEF")
	base64 = alphabet(letters+"+/", letters+"-_")
)

// longest is the length of the longest run of an encoding's characters.
func (l *layer) longest(d *digits) (most int) {
	run := 0
	for _, c := range l.text {
		if run++; d[c] < 0 {
			run = 0
		}
		most = max(most, run)
	}
	return most
}

// decode gives, for every run of an encoding's characters, the bytes that it stands for when reading begins at the shift-th of them, if
// they are so many at least; nil = there is no such run. A byte that cannot be in a run stands between two of them.
func (l *layer) decode(d *digits, bits, shift, least int) *layer {
	var out *layer
	for i := 0; i < len(l.text); {
		end := i
		for end < len(l.text) && d[l.text[end]] >= 0 {
			end++
		}
		if (end-i-shift)*bits/8 >= least {
			if out == nil {
				out = newLayer((end - i) * bits / 8)
			}
			out.decodeRun(l, d, bits, i+shift, end)
		}
		i = end + 1
	}
	if out == nil {
		return nil
	}
	return out.unbroken()
}

func (l *layer) decodeRun(from *layer, d *digits, bits, i, end int) {
	if n := len(l.text); n > 0 {
		l.add(0, l.to[n-1], l.to[n-1]) // the variables that hold secrets cannot hold this
	}
	value, have, first := 0, 0, i
	for ; i < end; i++ {
		if have == 0 {
			first = i
		}
		value, have = value<<bits|int(d[from.text[i]]), have+bits
		if have >= 8 {
			have -= 8
			l.add(byte(value>>have), from.begin(first), from.end(i))
			value &= 1<<have - 1
			first = i
		}
	}
	for n := len(l.text); n > 0 && i < len(from.text) && from.text[i] == '='; i++ {
		l.to[n-1] = from.end(i) // the padding would tell a length
	}
}
