package phrase

// Corrections finds words with which an author corrects what stands before them in the same sentence: "on Tuesday, sorry, I mean Wednesday".
func Corrections(toks []Token) (out [][]Token) {
	for i := 2; i < len(toks); i++ {
		n := Starting(toks[i:], corrections)
		if n == 0 || toks[i].First || i+n == len(toks) || toks[i+n].First || toks[i].Low != "or" && !toks[i-1].Is(",", "-", "–", "—", ";", "(") {
			continue
		}
		if after := toks[i+n]; n == 1 && (!toks[i].Is("correction") && !after.Is(",", "i") && !(toks[i].Low == "actually" && (after.Kind == Number || dated[after.Low] || DayOf(after.Low) >= 0)) || Answers[toks[i-2].Low] != "") {
			continue // "no answer", "sorry for that", "yes, no, later"
		}
		end := i + n
		for end < len(toks) && !toks[end].First && !toks[end].Is(".", ";", ")") {
			end++
		}
		out = append(out, toks[i:end])
		i = end
	}
	return out
}

var (
	corrections = Phrases(`no_wait no sorry i_mean i_meant correction or_rather scratch_that make_that actually`)
	dated       = Set(`every at on in by`)
)
