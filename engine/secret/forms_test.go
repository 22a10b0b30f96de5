package secret_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"mime/quotedprintable"
	"net/url"
	"strings"
	"testing"
	"time"

	"sluice/engine/secret"
)

// forms are the ways in which a value comes back from somewhere.
var forms = map[string]func(string) string{
	"itself":             func(s string) string { return s },
	"hex":                func(s string) string { return hex.EncodeToString([]byte(s)) },
	"hex in capitals":    func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) },
	"hex inside":         func(s string) string { return hex.EncodeToString([]byte("user:" + s + "!")) },
	"hex, half a byte":   func(s string) string { return "a" + hex.EncodeToString([]byte(s)) },
	"base64":             func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"base64, raw":        func(s string) string { return base64.RawStdEncoding.EncodeToString([]byte(s)) },
	"base64 for URLs":    func(s string) string { return base64.URLEncoding.EncodeToString([]byte(s)) },
	"base64, one before": func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte("x" + s + "yz")) },
	"base64, two before": func(s string) string { return base64.StdEncoding.EncodeToString([]byte("xx" + s + "y")) },
	"base64 in a word":   func(s string) string { return "key" + base64.StdEncoding.EncodeToString([]byte(s)) },
	"base64 in lines":    func(s string) string { return wrap(base64.StdEncoding.EncodeToString([]byte(s)), 5, "\r\n") },
	"base64 in a URL":    func(s string) string { return url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(s))) },
	"base64 in JSON": func(s string) string {
		return strings.ReplaceAll(base64.StdEncoding.EncodeToString([]byte(s)), "/", `\/`)
	},
	"a query":            url.QueryEscape,
	"a query, small":     func(s string) string { return lower(url.QueryEscape(s)) },
	"a path":             url.PathEscape,
	"a path, small":      func(s string) string { return lower(url.PathEscape(s)) },
	"every byte":         func(s string) string { return every(s, "%%%02X") },
	"every byte, small":  func(s string) string { return every(s, "%%%02x") },
	"userinfo":           func(s string) string { return url.UserPassword("ana", s).String() },
	"JSON":               quote,
	"JSON in JSON":       func(s string) string { return quote(quote(s)) },
	"JSON, \\u":          func(s string) string { return every(s, `\u%04x`) },
	"JSON, \\u, capital": func(s string) string { return every(s, `\u%04X`) },
	"Go":                 func(s string) string { return fmt.Sprintf("%q", s) },
	"\\x":                func(s string) string { return every(s, `\x%02x`) },
	"a URL in JSON":      func(s string) string { return quote("https://x.example/?t=" + url.QueryEscape(s)) },
	"HTML":               html.EscapeString,
	"HTML, numbers":      func(s string) string { return every(s, "&#%d;") },
	"HTML, hex":          func(s string) string { return every(s, "&#x%X;") },
	"HTML, named":        func(s string) string { return strings.ReplaceAll(html.EscapeString(s), "&#34;", "&quot;") },
	"mail":               mail,
	"mail, folded":       func(s string) string { return wrap(s, 4, "=\r\n") },
	"in lines":           func(s string) string { return wrap(s, 4, "\n") },
	"in lines, indented": func(s string) string { return wrap(s, 4, "\r\n    ") },
}

func quote(s string) string {
	text, _ := json.Marshal(s)
	return string(text)
}

func every(s, format string) string {
	var b strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&b, format, s[i])
	}
	return b.String()
}

func wrap(s string, every int, with string) string {
	var parts []string
	for len(s) > every {
		parts, s = append(parts, s[:every]), s[every:]
	}
	return strings.Join(append(parts, s), with)
}

func mail(s string) string {
	var b bytes.Buffer
	w := quotedprintable.NewWriter(&b)
	_, _ = w.Write([]byte(s))
	_ = w.Close()
	return b.String()
}

// lower writes the hex digits of escapes small.
func lower(s string) string {
	out := []byte(s)
	for i := range out {
		if out[i] == '%' {
			copy(out[i+1:], bytes.ToLower(out[i+1:i+3]))
		}
	}
	return string(out)
}

// TestEveryFormOfASecretIsHidden: a value is found in every form, within every other text, and nothing beside it is lost.
func TestEveryFormOfASecretIsHidden(t *testing.T) {
	t.Parallel()
	for _, value := range []string{token, "hunter22", "a/b+c=d&e?f<g>h", "ab>?", "sk-live_51H+/8Zz==", "p\\q\"r's"} {
		r := secret.NewRedactor(map[string]string{"S": value, "OTHER": "something else entirely"})
		for name, form := range forms {
			for _, around := range [][2]string{{"", ""}, {"before ", " after"}, {"<", ">"}, {"x=", "&y=1"}} {
				text := form(value)
				got := r.Redact(around[0] + text + around[1])
				if !strings.Contains(got, secret.Mark("S")) || strings.Contains(got, value) {
					t.Errorf("%s of %q is left: %q becomes %q", name, value, around[0]+text+around[1], got)
				}
				if !strings.HasPrefix(got, around[0]) || !strings.HasSuffix(got, around[1]) {
					t.Errorf("%s of %q: what is around it is lost: %q", name, value, got)
				}
			}
		}
	}
}

func TestOverlappingSecrets(t *testing.T) {
	t.Parallel()
	r := secret.NewRedactor(map[string]string{
		"A": "abcdef", "B": "defghij", "SHORT": "pass", "LONG": "password-1", "SAME": "twice-the-same", "ALSO": "twice-the-same", "RUN": "zzzz",
		"PEM": "-----BEGIN KEY-----\nMIIEvQ\nIBADAN\n-----END KEY-----\n", "DIGITS": "12345678",
	})
	for name, c := range map[string]struct{ in, want string }{
		"overlap":             {"1 abcdefghij 2", "1 «secret B» 2"},
		"a prefix":            {"password-1", "«secret LONG»"},
		"the prefix alone":    {"password-2", "«secret SHORT»word-2"},
		"one value, two":      {"twice-the-same", "«secret ALSO»"},
		"repeated":            {"zzzzzzzzzzz", "«secret RUN»"},
		"beside each other":   {"pass pass", "«secret SHORT» «secret SHORT»"},
		"lines of a key":      {"-----BEGIN KEY-----\r\n  MIIEvQ\r\n  IBADAN\r\n  -----END KEY-----", "«secret PEM»"},
		"a key in JSON":       {`{"k":"-----BEGIN KEY-----\nMIIEvQ\nIBADAN\n-----END KEY-----\n"}`, `{"k":"«secret PEM»\n"}`},
		"again":               {"«secret SHORT» pass", "«secret SHORT» «secret SHORT»"},
		"no mark":             {"«secret pass»", "«secret «secret SHORT»»"},
		"words":               {"an ordinary text, with 100 % of its words & more = less \\ nothing", "an ordinary text, with 100 % of its words & more = less \\ nothing"},
		"escapes that end":    {"100%", "100%"},
		"other line breaks":   {"a\nb", "a\nb"},
		"a number in a value": {"12345678", "«secret DIGITS»"},
	} {
		if got := r.Redact(c.in); got != c.want {
			t.Errorf("%s: %q becomes %q, want %q", name, c.in, got, c.want)
		}
	}
	for in, want := range map[string]any{"a number": 12345678.0, "a whole number": 12345678, "of JSON": json.Number("12345678")} {
		if got := r.RedactValue(want); got != "«secret DIGITS»" {
			t.Errorf("%s becomes %v", in, got)
		}
	}
	if got := r.RedactValue(json.RawMessage(`{"n": 12345678, "m": 7}`)); string(got.(json.RawMessage)) != `{"m":7,"n":"«secret DIGITS»"}` {
		t.Errorf("JSON becomes %s", got)
	}
	if a, b := secret.NewRedactor(map[string]string{"S": "short"}), secret.NewRedactor(map[string]string{"S": strings.Repeat("long", 40)}); a.Redact("short") != b.Redact(strings.Repeat("long", 40)) {
		t.Error("a mark tells how long its secret is")
	}
}

// TestTextThatIsCut: the beginning of a secret at the end of a text that goes on elsewhere is hidden.
func TestTextThatIsCut(t *testing.T) {
	t.Parallel()
	r := secret.NewRedactor(map[string]string{"S": "hunter22-hunter22"})
	for in, want := range map[string]string{
		"the key is hunter22-hun":                 "the key is …",
		"the key is hunter22-hunter22 and hunter": "the key is «secret S» and …",
		"?k=hunter22%2Dhu":                        "?k=…",
		"?k=hunter22%2":                           "?k=…",
		`{"k": "hunter22\u002`:                    `{"k": "…`,
		"aHVudGVyMjItaHV":                         "…", // in base64
		"aHVudGVyMjItaHVu":                        "…",
		"68756e7465723":                           "…",
		"aHVudGVyMjIt is half of it":              "aHVudGVyMjIt is half of it",
		"hunter22%20 is half of it":               "hunter22%20 is half of it",
		"the key is hun":                          "the key is hun", // three characters tell little, and stand in many texts
		"nothing":                                 "nothing",
	} {
		if got := r.RedactCut(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

// TestRedactionIsLinear: twice the text takes about twice the time, whatever stands in it.
func TestRedactionIsLinear(t *testing.T) {
	t.Parallel()
	values := map[string]string{}
	for i := range 100 {
		values[fmt.Sprint("S", i)] = strings.Repeat("a", 40+i) + "b"
	}
	values["SHORT"] = "aaaa"
	r := secret.NewRedactor(values)
	for name, part := range map[string]string{
		"the beginning of every secret": "a", "escapes": "%61&#97;\\u0061=61", "base64": "YWFh", "hex": "61", "line breaks": " \n", "marks": "«secret SHORT»", "marks that end early": "«secret ",
		"ampersands": "&", "words": "an ordinary text with a line break\nin it ",
	} {
		took := func(size int) time.Duration {
			text := strings.Repeat(part, size/len(part))
			best := time.Hour
			for range 2 {
				began := time.Now()
				r.Redact(text)
				best = min(best, time.Since(began))
			}
			return best
		}
		small, large := took(16<<10), took(128<<10)
		t.Logf("%s: 16 KiB %s, 128 KiB %s", name, small.Round(time.Microsecond), large.Round(time.Microsecond))
		if large > 32*small && large > 3*time.Second {
			t.Errorf("%s: eight times the text takes %s instead of %s", name, large, small)
		}
	}
}

// FuzzRedact: whatever the text, no value is left in it, and redacting again changes nothing.
func FuzzRedact(f *testing.F) {
	f.Add("hunter22", "a hunter22 b", 3)
	f.Add("%41%", "%41%%2541", 0)
	f.Add("«secret S»", "««secret S»", 2)
	f.Fuzz(func(t *testing.T, value, text string, at int) {
		r := secret.NewRedactor(map[string]string{"SOME": value})
		if len([]rune(strings.TrimSpace(value))) < 8 || strings.ContainsAny(value, "\r\n") || strings.Contains(secret.Mark("SOME"), strings.TrimSpace(value)) || at < 0 || at > len(text) {
			return
		}
		got := r.Redact(text[:at] + value + text[at:])
		if strings.Contains(got, strings.TrimSpace(value)) && !strings.Contains(value, "secret") && !strings.ContainsAny(value, "«»") {
			t.Errorf("%q is left in %q", value, got)
		}
	})
}
