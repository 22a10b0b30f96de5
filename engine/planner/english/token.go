package english

import (
	"cmp"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// WordKind says what a word of a text is.
type WordKind int

const (
	PlainWord  WordKind = iota // a word, a code such as A-17, an e-mail address
	NumberWord                 // 100, 1,000.50, $500, 5k, 30%, 8:30, 8am, 2026-12-01
	NameWord                   // @person, @group, #channel, <@U1>, <#C1|name>
	EmojiWord                  // :moneybag:
	QuotedWord                 // text in quotes
	URLWord                    // https://...
	InputWord                  // <order_id>, {order_id}: the text is the name in it
	SignWord                   // everything else, one rune or one of the signs of two runes
)

// Word is one word or sign of a text, with its place in it.
type Word struct {
	Kind     WordKind
	Text     string // without quotes and brackets
	Low      string // the text in small letters; of Tokens, "" for quoted text and inputs
	Stem     string // of Scan: what words are compared by
	From, To int    // bytes of the text
	First    bool   // first on its line
	Glued    bool   // no space before it
	Blank    bool   // a blank line before it
	Indent   int    // of its line
}

// mostSlot bounds the names in brackets, emoji and Slack's mentions, so that an open bracket does not make a long search.
const mostSlot = 100

// scanner cuts a text into tokens.
type scanner struct {
	src  string
	toks []Word
	open map[string]int // closing quote -> up to where there is none
	join bool           // signs without a space between them are one token
}

// Tokens cuts the part [from, to) of a text into tokens, in one pass.
func Tokens(src string, from, to int) []Word {
	return (&scanner{src: src[:to], open: map[string]int{}}).tokens(from, to)
}

func (s *scanner) tokens(from, to int) []Word {
	s.toks = make([]Word, 0, 4+(to-from)/8)
	lineStart, first, breaks, indent := from, true, 0, 0
	for at := from; at < to; {
		r, size := utf8.DecodeRuneInString(s.src[at:])
		if r == '\n' {
			lineStart, first, breaks = at+1, true, breaks+1
		}
		if unicode.IsSpace(r) || r == '\u200b' {
			at += size
			continue
		}
		t := s.token(at, r)
		t.Indent = indent
		t.Glued = len(s.toks) > 0 && s.toks[len(s.toks)-1].To == at
		if first {
			indent = at - lineStart
			t.First, t.Blank, t.Indent = true, breaks > 1, indent
			first, breaks = false, 0
		}
		if at = t.To; s.join && t.Glued && t.Kind == SignWord && s.toks[len(s.toks)-1].Kind == SignWord {
			s.toks[len(s.toks)-1].To = at
			continue
		}
		s.toks = append(s.toks, t)
	}
	return s.toks
}

// token reads the token that begins with r.
func (s *scanner) token(at int, r rune) Word {
	rest := s.src[at:]
	switch {
	case unicode.IsDigit(r), strings.ContainsRune("€$£¥", r) && digitAfter(rest, utf8.RuneLen(r)), (r == '-' || r == '+') && s.fresh(at) && digitAfter(rest, 1):
		return s.number(at)
	case (r == '@' || r == '#') && namePattern.MatchString(rest):
		return s.make(NameWord, at, at+len(namePattern.FindString(rest)), 0, 0)
	case r == 'h' && urlPattern.MatchString(rest):
		return s.make(URLWord, at, at+len(strings.TrimRight(urlPattern.FindString(rest), ".,;:!?)")), 0, 0)
	case (r == '\'' || r == '’') && !s.fresh(at) && len(s.toks) > 0 && s.toks[len(s.toks)-1].Kind == NameWord:
		if t := s.make(PlainWord, at, at+utf8.RuneLen(r)+wordLength(rest[utf8.RuneLen(r):]), 0, 0); t.Low == "'s" {
			return t
		}
	case unicode.IsLetter(r), r == '_':
		return s.make(PlainWord, at, at+wordLength(rest), 0, 0)
	case r == '<', r == '{':
		if t, ok := s.bracket(at, r); ok {
			return t
		}
	case r == ':':
		if n := len(emojiPattern.FindString(rest[:min(mostSlot, len(rest))])); n > 0 && s.fresh(at) {
			return s.make(EmojiWord, at, at+n, 1, 1)
		}
	}
	if t, ok := s.quote(at, r); ok {
		return t
	}
	for _, two := range []string{"->", "=>", ">=", "<=", "==", "!=", "--"} {
		if strings.HasPrefix(rest, two) {
			return s.make(SignWord, at, at+2, 0, 0)
		}
	}
	return s.make(SignWord, at, at+max(utf8.RuneLen(r), 1), 0, 0)
}

// make gives the token [from, to) whose text leaves out head bytes in front and tail bytes behind.
func (s *scanner) make(k WordKind, from, to, head, tail int) Word {
	t := Word{Kind: k, From: from, To: min(to, len(s.src))}
	t.Text = s.src[from+head : t.To-tail]
	if k != QuotedWord && k != InputWord {
		t.Low = strings.ToLower(strings.ReplaceAll(t.Text, "’", "'"))
	}
	return t
}

// fresh reports whether no letter or digit stands directly before a place.
func (s *scanner) fresh(at int) bool {
	r, _ := utf8.DecodeLastRuneInString(s.src[:at])
	return at == 0 || !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// number reads an amount, a clock or a date, and a code that begins with a digit, which is a word.
func (s *scanner) number(at int) Word {
	end := at + len(digitsPattern.FindString(s.src[at:]))
	if BeginsWithDate(s.src[at:]) {
		return s.make(NumberWord, at, at+len("2026-12-01"), 0, 0)
	}
	tail := end + codeLength(s.src[end:])
	switch unit := strings.ToLower(s.src[end:tail]); unit {
	case "", "k", "m", "am", "pm", "h", "st", "nd", "rd", "th", "d", "min", "hrs", "s":
		end = tail
	default:
		return s.make(PlainWord, at, tail, 0, 0)
	}
	end += len(scalePattern.FindString(s.src[end:]))
	if r, size := utf8.DecodeRuneInString(s.src[end:]); strings.ContainsRune("%€$£¥", r) {
		end += size
	}
	return s.make(NumberWord, at, end, 0, 0)
}

// What begins with a sign, and numbers, at the beginning of a text.
var (
	namePattern   = regexp.MustCompile(`^[@#][\pL\p{Nd}._-]*[\pL\p{Nd}]`)
	emojiPattern  = regexp.MustCompile(`^:(?:[+-][a-z0-9_+'-]*|[0-9_+'-]*[a-z][a-z0-9_+'-]*):`)
	inputPattern  = regexp.MustCompile(`^(?:<` + inputName + `>|\{` + inputName + `\})`)
	digitsPattern = regexp.MustCompile(`^[€$£¥+-]?\p{Nd}+(?:[.,:']\p{Nd}+)*`)
	scalePattern  = regexp.MustCompile(`^(?i: (?:thousand|million)\b)`)
	datePattern   = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:\P{Nd}|$)`)
	urlPattern    = regexp.MustCompile(`^https?://[^\pZ\s\v\x{85}<>"”|]*`)
)

const inputName = `[\pZ\s\v\x{85}]*([\pL_][\pL\p{Nd}_. -]*)[\pZ\s\v\x{85}]*`

// bracket reads <name>, {name} and the mentions of Slack.
func (s *scanner) bracket(at int, r rune) (Word, bool) {
	rest := s.src[at:min(at+mostSlot, len(s.src))]
	if m := inputPattern.FindStringSubmatch(rest); m != nil {
		t := s.make(InputWord, at, at+len(m[0]), 0, 0)
		t.Text = strings.TrimRight(m[1]+m[2], " ")
		return t, true
	}
	end := strings.IndexByte(rest, '>')
	if r != '<' || end < 2 || !strings.ContainsRune("@#!", rune(rest[1])) {
		return Word{}, false
	}
	t := s.make(NameWord, at, at+end+1, 0, 0)
	id, label, _ := strings.Cut(rest[2:end], "|")
	t.Text = strings.Replace(rest[1:2], "!", "@", 1) + strings.TrimLeft(cmp.Or(label, id), "@#")
	t.Low = strings.ToLower(t.Text)
	return t, len(t.Text) > 1
}

// quote reads text in quotes, which ends on its line, and a pattern between slashes behind "matches".
func (s *scanner) quote(at int, r rune) (Word, bool) {
	shut, ok := map[rune]string{'"': `"`, '“': "”", '«': "»", '„': "“", '\'': "'", '‘': "’", '`': "`", '/': "/"}[r]
	if !ok || at < s.open[shut] {
		return Word{}, false
	}
	if r == '/' && (len(s.toks) == 0 || !strings.HasPrefix(s.toks[len(s.toks)-1].Low, "match")) {
		return Word{}, false
	}
	if r == '\'' && !s.fresh(at) {
		return Word{}, false
	}
	size := utf8.RuneLen(r)
	line := s.src[at+size:]
	for end := 0; end < len(line); {
		n := strings.IndexAny(line[end:], shut+"\n")
		if n < 0 {
			break
		}
		if end += n; line[end] == '\n' {
			break
		}
		next, _ := utf8.DecodeRuneInString(line[end+len(shut):])
		apostrophe := (r == '\'' || r == '‘') && unicode.IsLetter(next) || r == '/' && end > 0 && line[end-1] == '\\'
		if strings.HasPrefix(line[end:], shut) && !apostrophe {
			if end == 0 {
				return Word{}, false
			}
			tail := len(shut)
			if end > 1 && line[end-1] == ',' { // it belongs to the sentence around the quoted text
				tail++
			}
			return s.make(QuotedWord, at, at+size+end+len(shut), size, tail), true
		}
		end++
	}
	eol := strings.IndexByte(line, '\n')
	if eol < 0 {
		eol = len(line)
	}
	s.open[shut] = at + size + eol
	return Word{}, false
}

func digitAfter(s string, at int) bool {
	r, _ := utf8.DecodeRuneInString(s[min(at, len(s)):])
	return unicode.IsDigit(r)
}

// wordLength is how much of s is one word: signs within it belong to it when a letter or digit follows.
func wordLength(s string) int {
	small := false
	for at := 0; at < len(s); {
		r, size := utf8.DecodeRuneInString(s[at:])
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r), r == '_':
		case strings.ContainsRune("'’-.+@", r):
			next, _ := utf8.DecodeRuneInString(s[at+size:])
			sentence := r == '.' && small && unicode.IsUpper(next) // a missing space between two sentences
			if !unicode.IsLetter(next) && !unicode.IsDigit(next) || sentence {
				return at
			}
		default:
			return at
		}
		small = unicode.IsLower(r)
		at += size
	}
	return len(s)
}

// codeLength is how many letters, digits and joined signs follow a number.
func codeLength(s string) int {
	first, _ := utf8.DecodeRuneInString(s)
	if unicode.IsLetter(first) || first == '_' {
		return wordLength(s)
	}
	if next, _ := utf8.DecodeRuneInString(s[min(1, len(s)):]); first == '-' && unicode.IsLetter(next) {
		return 1 + wordLength(s[1:])
	}
	return 0
}

// BeginsWithDate reports whether s begins with a date such as 2026-12-01.
func BeginsWithDate(s string) bool { return datePattern.MatchString(s) }
