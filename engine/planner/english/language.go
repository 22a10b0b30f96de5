package english

import "unicode"

var (
	common = WordSet(`the a an and or to of in on at is are was were be been it its this that these those for from by with without if then else when whenever while not no yes do does
		don't you your we our they their them he she his her me my i as into up down out over under above below after before every each all any some than more less least most
		first next finally otherwise until unless within who which what how please can could would should must will has have had there so but only also once new both between about
		day days week hour hours minute month monday tuesday wednesday thursday friday saturday sunday them us now again`)
	// foreign are the commonest words of languages that are written with the same letters, without those that are English, too.
	foreign = WordSet(`der die das und ist nicht mit ein eine einen einem einer auf für von zu wenn dann oder den dem des im bei nach wird werden bitte sie wir ich jede jeden
		le la les un une des et est pas avec pour dans sur si ou quand puis du au aux qui que ce cette nous vous il elle chaque
		el los las y es con para por del al cuando entonces o en lo se su una cada
		il lo gli e di che non per con quando poi della alla ogni nel
		het een en niet met voor van naar als dan wordt zijn elke
		os uma não com para quando então cada em
		och att det som på med för när sedan är`)
)

// Frequent reports whether a word in small letters is one of the commonest, of English or of another language.
func Frequent(low string) bool { return common[low] || foreign[low] }

// Is reports whether a text may be English; verbs are English words besides the commonest. It is not when most of its letters are those of
// another script, or when it says more of the commonest words of other languages than of English ones. A few names, or words that are in no table, pass. Each word counts once.
func Is(text string, verbs map[string]bool) bool {
	letters, other := 0, 0
	for _, r := range text {
		if unicode.IsLetter(r) {
			letters++
			if !unicode.Is(unicode.Latin, r) {
				other++
			}
		}
	}
	if other*2 > letters {
		return false
	}
	seen := map[string]bool{}
	known, strange := 0, 0
	for _, t := range Tokens(text, 0, len(text)) {
		if t.Kind != PlainWord || seen[t.Low] {
			continue
		}
		seen[t.Low] = true
		switch {
		case common[t.Low] || verbs[t.Low]:
			known++
		case foreign[t.Low]:
			strange++
		}
	}
	return strange <= known
}
