package phrase

// Corrections finds words with which an author corrects what stands before them in the same sentence: "on Tuesday, sorry, I mean Wednesday".
func Corrections(toks []Token) (out [][]Token) {
	for i := 2; i < len(toks); i++ {
		n := Starting(toks[i:], corrections)
		inside := n > 0 && i+n < len(toks) && !toks[i].First && !toks[i+n].First
		if !inside || toks[i].Low != "or" && !toks[i-1].Is(",", "-", "–", "—", ";", "(") || n == 1 && !corrects(toks, i) {
			continue
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

// corrects reports whether one word of corrections is none of what else it can be: "no answer", "sorry for that", "yes, no, later".
func corrects(toks []Token, i int) bool {
	after := toks[i+1]
	switch toks[i].Low {
	case "correction":
		return true
	case "actually":
		return after.Is(",", "i") || after.Kind == Number || dated[after.Low] || DayOf(after.Low) >= 0
	}
	return after.Is(",", "i") && Answers[toks[i-2].Low] == ""
}

var (
	corrections = Phrases(`no_wait no sorry i_mean i_meant correction or_rather scratch_that make_that actually`)
	dated       = Set(`every at on in by`)
)
