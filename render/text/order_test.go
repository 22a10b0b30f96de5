package text

import "testing"

func TestWordsToTheLeftAreSeenInOrder(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain (text)":      "plain (text)",
		"שלום":              "םולש",
		"שלום עולם":         "םלוע םולש",
		"ask אבג now":       "ask גבא now",
		"אבג 123 דהו":       "והד 123 גבא",
		"אבג 10:30":         "10:30 גבא",
		"ok אבג 1.5 דהו ok": "ok והד 1.5 גבא ok",
		"אבג (דהו)":         "(והד) גבא",
		"ok אבג 12 cd":      "ok 12 גבא cd",
		"ok אבג 50% cd":     "ok 50% גבא cd",
		"ok 12 אבג":         "ok 12 גבא",
		"אבג shop.get דהו":  "והד shop.get גבא",
		"n. אבג":            "n. גבא",
		"سلام":              "\ufee1\ufefc\ufeb3",        // meem alone, lam-alef joined, seen at the start
		"باب":               "\ufe8f\ufe8e\ufe91",        // beh alone, alef joined, beh at the start
		"نعم 5":             "5 \ufee2\ufecc\ufee7",      // the middle form in the middle
		"گچ":                "\ufb7b\ufb94",              // Persian letters
		"يوم":               "\ufee1\ufeee\ufef3",        // waw joins only backwards
		"مـم":               "\ufee2\u0640\ufee3",        // tatweel joins on both sides
		"ءا":                "\ufe8d\u0621",              // hamza joins nothing
		"وافق؟":             "؟\ufed6\ufed3\ufe8d\ufeed", // the question mark is the end
	} {
		if got := string(inSight(in)); got != want {
			t.Errorf("%q is seen as %+q, want %+q", in, got, want)
		}
	}
}

func TestFontsHaveTheFormsOfArabicLetters(t *testing.T) {
	t.Parallel()
	for r, f := range forms {
		last := f.first + 1
		if f.forward {
			last += 2
		}
		for g := f.first; g <= last; g++ {
			if !spare(g).known {
				t.Errorf("%c has no form %x", r, g)
			}
		}
	}
	if forms['ي'].first != 0xfef1 || forms['ا'].first != 0xfe8d || forms['ل'].first != 0xfedd {
		t.Errorf("the table of forms is out of step: yeh is %x", forms['ي'].first)
	}
}
