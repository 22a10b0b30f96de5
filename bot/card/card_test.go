package card

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
)

// hostile are words that chat programs make something of.
var hostile = []string{
	"<!channel>", "<!here>", "<!subteam^S1>", "<@U1>", "<#C1>", "<https://evil.example|Approve>", "`code`", "```fence```", "*bold*", "_italic_", "~struck~",
	"&lt;b&gt;", ":tada:", "@everyone", "> quoted", "a\n> quoted", "*a\nb*", "x `", "` x", "**", "*", "```", "a *b* c `d` <@U1> ```\ne", "https://evil.example",
}

// The words of a person are shown as they were written, whatever marks our words around them have.
func TestWordsOfPeopleAreNoMarks(t *testing.T) {
	t.Parallel()
	for _, words := range hostile {
		for name, text := range map[string]Text{
			"plain":  Textf("Say %s here.", words),
			"bold":   Textf("*%s*: yes", words),
			"code":   Textf("Type `%s` now", words),
			"block":  Block(words),
			"quote":  Quote(words),
			"tight":  Textf("*%s_%s*", words, words),
			"marked": Marked("Do `/flow run` or " + strings.ReplaceAll(words, "`", "'")),
		} {
			read := text.Words()
			if want := strings.ReplaceAll(words, "`", ""); name != "marked" && !strings.Contains(strings.ReplaceAll(read, "`", ""), want) {
				t.Errorf("%s: %q is read as %q", name, words, read)
			}
			for _, r := range text.Runs() {
				if r.Ref != "" || r.Emoji != "" {
					t.Errorf("%s: %q became %+v", name, words, r)
				}
			}
			said, ok := text.Mrkdwn()
			if strings.Contains(said, "<") {
				t.Errorf("%s: %q is sent as %q", name, words, said)
			}
			if !ok {
				continue
			}
			if got := readCells(appendCells(nil, unescape(said), true)); !slices.Equal(got, text.Runs()) {
				t.Errorf("%s: %q is sent as %q, which reads %+v", name, words, said, got)
			}
		}
	}
}

var unescape = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&").Replace

func TestMarksThatAreOursStay(t *testing.T) {
	t.Parallel()
	at := time.Unix(1, 0)
	for _, c := range []struct {
		text Text
		want string
	}{
		{Textf(":x: *%s* failed, `%s resume` goes on. %d%%", "refund-1", "/flow", 3), ":x: *refund-1* failed, `/flow resume` goes on. 3%"},
		{Textf("%s in %s", User("U1"), Channel("C1")), "<@U1> in <#C1>"},
		{User("U1> <!channel"), "&lt;@U1&gt; &lt;!channel&gt;"},
		{Date(at), "<!date^1^{date_short_pretty} at {time}|1970-01-01 00:00 UTC>"},
		{Group("S1", "@finance"), "<!subteam^S1|@finance>"},
		{Group("S1", "<!here>"), "<!subteam^S1>"},
		{Textf("schedule <flow> & more"), "schedule &lt;flow&gt; &amp; more"},
		{Quote("a\n\nb"), ">a\n>\n>b"},
		{Textf("an order_id of second_person"), "an order_id of second_person"},
	} {
		if got, ok := c.text.Mrkdwn(); got != c.want || !ok {
			t.Errorf("%q is sent (%v), want %q", got, ok, c.want)
		}
	}
}

// A text that is too long for one part of a message goes on in the next part, with its marks, and nothing is lost.
func TestLongTextsAreCutIntoPages(t *testing.T) {
	t.Parallel()
	words := strings.Repeat("pay <1> & *all*, 5 * 3_a; ", 300)
	for name, text := range map[string]Text{
		"plain": Plain(words), "bold": Textf("*%s*", words), "block": Block(strings.ReplaceAll(words, ";", "\n")), "quote": Quote(strings.ReplaceAll(words, ";", "\n")),
		"one word": Plain(strings.Repeat("<", 9000)), "mixed": Textf(":x: %s\n%s\n>%s", words, User("U1"), words),
	} {
		var read strings.Builder
		want := text.Runs()[0].Face
		for _, page := range text.Pages(3000) {
			if n := page.Length(); n > 3000 {
				t.Errorf("%s: a page of %d", name, n)
			}
			read.WriteString(page.Words())
			for _, r := range page.Runs() {
				if name != "mixed" && strings.TrimSpace(r.Words) != "" && r.Face != want {
					t.Errorf("%s: %q has the face %d, want %d", name, r.Words, r.Face, want)
				}
			}
		}
		if want := text.Words(); read.String() != want {
			t.Errorf("%s: %d characters are left of %d", name, read.Len(), len(want))
		}
	}
}

func TestWhatHidesIsShown(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		"pay \u202e0001 ana":                       "pay ⟨U+202E⟩0001 ana",
		"a\u200bb\u2060c\ufeffd\u00ade":            "a⟨U+200B⟩b⟨U+2060⟩c⟨U+FEFF⟩d⟨U+00AD⟩e",
		"\x1b[31mred\a":                            "⟨U+001B⟩[31mred⟨U+0007⟩",
		"a\u00a0b\u3000c\u2009d":                   "a b c d",
		"x\u3164\u115f\u2800y":                     "x⟨U+3164⟩⟨U+115F⟩⟨U+2800⟩y",
		"tag\U000e0041":                            "tag⟨U+E0041⟩",
		"a\u2028b\r\nc":                            "a\nb\nc",
		"a" + strings.Repeat("\n", 1000) + "b":     "a\n⟨999 empty lines⟩\nb",
		"a" + strings.Repeat(" \u00a0", 500) + "b": "a⟨1000 spaces⟩b",
		"👩\u200d💻 ❤\ufe0f می\u200cروم é é":         "👩\u200d💻 ❤\ufe0f می\u200cروم é é",
		"bad \xff": "bad ⟨U+FFFD⟩",
	} {
		if got := Visible(words); got != want || Visible(got) != got {
			t.Errorf("%q is shown as %q, want %q", words, got, want)
		}
	}
}

// Texts that earlier releases stored are mrkdwn that they had escaped.
func TestStoredTextsAreRead(t *testing.T) {
	t.Parallel()
	var old Card
	if err := json.Unmarshal([]byte(`{"text":"*a* &lt;!channel&gt; <@U1> &amp;","context":["until <!date^1^{date}|then>"]}`), &old); err != nil {
		t.Fatal(err)
	}
	if got := old.Text.String(); got != "*a* &lt;!channel&gt; <@U1> &amp;" {
		t.Errorf("an old text is %q", got)
	}
	if got := old.Context[0].String(); got != "until <!date^1^{date}|then>" {
		t.Errorf("an old line is %q", got)
	}
	text := Textf("*%s* %s", "<@U2>", User("U1"))
	b, err := json.Marshal(Card{Text: text})
	var again Card
	if err != nil || json.Unmarshal(b, &again) != nil || again.Text.String() != text.String() {
		t.Errorf("%s is read as %q", b, again.Text)
	}
	if b, _ := json.Marshal(Card{}); string(b) != "{}" {
		t.Errorf("the empty card is %s", b)
	}
}
