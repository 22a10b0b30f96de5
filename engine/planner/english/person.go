package english

import (
	"regexp"
	"strings"
)

var (
	ofAuthor = map[string]string{"me": "", "myself": "", "my": "'s", "mine": "'s", "i'm": " is", "i’m": " is", "i've": " has", "i’ve": " has", "i'll": " will", "i’ll": " will"}
	// behindI are the verbs behind "I", as they are behind a name.
	behindI = map[string]string{
		"am": "is", "have": "has", "do": "does", "can": "can", "could": "could", "will": "will", "would": "would", "should": "should", "must": "must", "may": "may",
		"might": "might", "had": "had", "did": "did", "was": "was",
	}
	spokenTo = map[string]string{"he": "you", "she": "you", "his": "your", "her": "your", "him": "you", "himself": "yourself", "herself": "yourself"}
	// behindYou are the verbs behind "he", as they are behind "you".
	behindYou = map[string]string{
		"is": "are", "was": "were", "has": "have", "does": "do", "had": "had", "did": "did", "can": "can", "could": "could", "will": "will", "would": "would",
		"should": "should", "must": "must", "may": "may",
	}
	spoken = regexp.MustCompile(`[\pL'’]+`)
)

// Author puts a name into the place of "me", "my" and "I" in words that other people read. Where "I" has another verb than a few, they stay as
// they are, as do words with a text in quotes.
func Author(words, name string) string {
	if strings.ContainsAny(words, `"“`) || name == "" {
		return words
	}
	verb, certain := false, true
	out := spoken.ReplaceAllStringFunc(words, func(w string) string {
		low := strings.ToLower(w)
		if next, ok := behindI[low]; verb && ok {
			verb = false
			return next
		}
		certain, verb = certain && !verb, low == "i"
		if end, ok := ofAuthor[low]; ok {
			return name + end
		}
		if verb {
			return name
		}
		return w
	})
	if !certain || verb {
		return words
	}
	return out
}

// Addressed writes what somebody is asked of themselves as a question to them: “he can come” is “you can come”. Words that begin otherwise, or
// name others, stay as they are.
func Addressed(words string) string {
	fields := strings.Fields(strings.ToLower(words))
	if len(fields) < 3 || spokenTo[fields[0]] != "you" || behindYou[fields[1]] == "" || strings.ContainsAny(words, `@"“`) {
		return words
	}
	n := 0
	return spoken.ReplaceAllStringFunc(words, func(w string) string {
		n++
		low := strings.ToLower(w)
		if n == 2 {
			return behindYou[low]
		}
		if you, ok := spokenTo[low]; ok {
			return you
		}
		return w
	})
}
