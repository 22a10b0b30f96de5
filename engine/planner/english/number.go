package english

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

var numberPattern = regexp.MustCompile(`^[€$£¥]?([-+]?)([0-9][0-9.,']*)([kKmM]?|(?i: thousand| million))[€$£¥%]?$`)

// IsNumber reports whether a text is a number as people write one.
func IsNumber(text string) bool {
	_, ok := ParseNumber(text)
	return ok
}

// grouped are numbers with separators between thousands.
var grouped = regexp.MustCompile(`^[0-9]{1,3}(?:[,.'][0-9]{3})+(?:[.,][0-9]{1,2})?$`)

// ParseNumber reads a number as people write one: 100, 1,000, 1.000,50, $500, 5k, 2 thousand, 20%. A currency and a percent sign are left
// to the words around.
func ParseNumber(text string) (float64, bool) {
	m := numberPattern.FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	digits := m[2]
	if grouped.MatchString(digits) && !strings.HasPrefix(digits, "0") { // the first separator groups, a different one is the decimal sign
		digits = strings.ReplaceAll(digits, digits[strings.IndexAny(digits, ",.'"):][:1], "")
	}
	digits = strings.Replace(digits, ",", ".", 1)
	n, err := strconv.ParseFloat(m[1]+digits, 64)
	if err != nil {
		return 0, false
	}
	switch strings.ToLower(strings.TrimSpace(m[3])) {
	case "k", "thousand":
		n *= 1e3
	case "m", "million":
		n *= 1e6
	}
	return n, true
}

// Units are the words behind a number that say what is counted. Other words there belong to what comes next.
var Units = WordSet(`eur euro euros usd dollar dollars gbp pound pounds chf franc francs yen jpy sek nok dkk pln czk huf inr cad aud
cent cents percent % € $ £ ¥ second seconds minute minutes hour hours day days week weeks month months year years working times
items pieces people users units points mb gb tb kb ms`)

var label = regexp.MustCompile(`^([0-9]{1,3})[a-z]?([.):])$`)

// ListNumber reports whether a part of a text is the number of a line: "2.", "2)" or "2a.", also where the numbers of a list stand in one line.
func ListNumber(text string, from, to int) bool {
	m := label.FindStringSubmatch(text[from:min(len(text), to+1)])
	before := strings.TrimRight(text[max(0, from-8):from], " \t-*•")
	if m == nil || before == "" && from < 8 || strings.HasSuffix(before, "\n") {
		return m != nil
	}
	n, _ := strconv.Atoi(m[1])
	lead := fmt.Sprintf(`\b(?:%d|%d)[a-z]?%s `, n-1, n, regexp.QuoteMeta(m[2]))
	spaced := strings.HasPrefix(text[to+1:], " ") && strings.HasSuffix(text[:from], " ")
	return spaced && (n == 1 || regexp.MustCompile(lead).MatchString(text[:from]))
}
