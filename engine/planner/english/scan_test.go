package english

import (
	"slices"
	"strings"
	"testing"

	"sluice/engine/growth"
)

func TestScan(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{`pay $5k to @finance, then #ops!`, `plain:pay number:$5k plain:to name:@finance sign:, plain:then name:#ops sign:!`},
		{`say "hello there" and ‘bye’`, `plain:say quoted:hello there plain:and quoted:bye`},
		{`order A-1001 of <order_id> or {order id}`, `plain:order plain:A-1001 plain:of input:order_id plain:or input:order id`},
		{`see https://a.example/x?y=1.`, `plain:see url:https://a.example/x?y=1 sign:.`},
		{`it's 20% >= 1,000.50 €`, `plain:it's number:20% sign:>= number:1,000.50 sign:€`},
		{`ask a.b@c.example at 14:30`, `plain:ask plain:a.b@c.example plain:at plain:14:30`},
		{`the fields 'Tax Rate' and 'Tax'`, `plain:the plain:fields quoted:Tax Rate plain:and quoted:Tax`},
		{"an \" alone and “ alone", "plain:an sign:\" plain:alone plain:and sign:“ plain:alone"},
	} {
		kinds := []string{"plain", "number", "name", "emoji", "quoted", "url", "input", "sign"}
		var got []string
		for _, w := range Scan(c.in) {
			got = append(got, kinds[w.Kind]+":"+w.Text)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("scan(%q)\n got %s\nwant %s", c.in, s, c.want)
		}
	}
}

func TestWhole(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, part string
		want       bool
	}{
		{"pay 300 to her", "300", true},
		{"pay _300_ to her", "300", true},
		{"pay 3000 to her", "300", false},
		{"pay 300 to her", "he", false},
		{"pay 300 to her", "pay 300 to her", true},
		{"$300", "$300", true},
		{"für Ümit", "mit", false},
	} {
		from := strings.LastIndex(c.text, c.part)
		if got := Whole(c.text, from, from+len(c.part)); got != c.want {
			t.Errorf("%q in %q: %v", c.part, c.text, got)
		}
	}
}

func TestStemsMeet(t *testing.T) {
	t.Parallel()
	for _, same := range [][]string{
		{"create", "creates", "created", "creating"},
		{"notify", "notifies", "notified", "notifying"},
		{"plan", "plans", "planned", "planning"},
		{"process", "processes", "processing"},
		{"order", "orders", "order's", "ordered"},
		{"box", "boxes"},
		{"approve", "approving"},
	} {
		for _, w := range same[1:] {
			if Stem(w) != Stem(same[0]) {
				t.Errorf("%s has the stem %s, %s has %s", w, Stem(w), same[0], Stem(same[0]))
			}
		}
	}
	if all := []string{Stem("order"), Stem("status"), Stem("this"), Stem("need"), Stem("bring")}; slices.Contains(all, "") || len(slices.Compact(all)) != 5 {
		t.Errorf("different words have one stem: %q", all)
	}
}

func TestScanGrowsWithTheText(t *testing.T) {
	growth.Texts(t, 1<<15, func(text string) { Scan(text) })
}

// FuzzScan: the words of a text stand in it in order and do not overlap.
func FuzzScan(f *testing.F) {
	f.Add(`ask "a" <b> {c d} 'e f' @g #h 1,000.5€ https://i.j`)
	f.Fuzz(func(t *testing.T, text string) {
		at := 0
		for _, w := range Scan(text) {
			if w.From < at || w.To <= w.From || w.To > len(text) {
				t.Fatalf("the word %q is at %d to %d, behind one that ends at %d", w.Text, w.From, w.To, at)
			}
			at = w.To
		}
	})
}

func TestPhrases(t *testing.T) {
	t.Parallel()
	var got []string
	for _, p := range Phrases("can|could you [set_up]\nhi") {
		got = append(got, strings.Join(p, " "))
	}
	if want := []string{"can you set up", "could you set up", "can you", "could you", "hi"}; !slices.Equal(got, want) {
		t.Errorf("the phrases are %q, not %q", got, want)
	}
}

// TestDenied says the opposite of statements.
func TestDenied(t *testing.T) {
	t.Parallel()
	for statement, want := range map[string]string{
		"it is Friday":                     "it is not Friday",
		"the customer was refunded before": "the customer was not refunded before",
		"it rains":                         "it is not so that it rains",
		"the order wasn't paid":            "it is not so that the order wasn't paid",
		"nobody has answered":              "it is not so that nobody has answered",
	} {
		if got := Denied(statement); got != want {
			t.Errorf("%q: %q, want %q", statement, got, want)
		}
	}
}

// Numbers of lines are those of a list; numbers in a sentence are none.
func TestListNumber(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, word string
		want       bool
	}{
		{"1. get it 2. pay it", "2", true},
		{"1. get it. 2a. pay it. 2b. close it", "2b", true},
		{"1. get it. 2a. pay it. 3. close it", "3", true},
		{"1. get it. 2a. pay it. 3. close it", "2a", true},
		{"first\n2a) pay it", "2a", true},
		{"give it a mark from 0 to 100. Then stop", "100", false},
		{"pay the 2b. Then stop", "2b", false},
		{"pay 12", "12", false},
	} {
		at := strings.Index(c.text, c.word)
		if got := ListNumber(c.text, at, at+len(c.word)); got != c.want {
			t.Errorf("%q in %q: %t", c.word, c.text, got)
		}
	}
}
