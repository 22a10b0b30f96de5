package expr

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// maxReplyStarts limits how many braces JSONIn tries, so that its time stays small on a long text of braces.
const maxReplyStarts = 100

// JSONIn finds the first JSON object in an agent's text: the text itself, or an object inside a code
// fence or between words. Numbers in it are json.Number, so that none loses digits.
func JSONIn(text string) (map[string]any, bool) {
	for range maxReplyStarts {
		start := strings.IndexByte(text, '{')
		if start < 0 {
			return nil, false
		}
		text = text[start:]
		if object, ok := decodeObject(text); ok {
			return object, true
		}
		text = text[1:]
	}
	return nil, false
}

// decodeObject reads one object at the front of text and ignores the rest.
func decodeObject(text string) (map[string]any, bool) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var object map[string]any
	if err := decoder.Decode(&object); err != nil && !errors.Is(err, io.EOF) {
		return nil, false
	}
	return object, object != nil
}

// replyKeys are the keys under which an agent's JSON reply has its text for people, the likeliest first.
var replyKeys = []string{"reply", "message", "text", "answer", "response", "content", "output", "body"}

// DisplayText gives the text for people in an agent's JSON reply: the first non-blank text among
// reply, message, text, answer, response, content, output and body. It reports false when
// there is none; the reply's raw JSON is shown then.
func DisplayText(obj map[string]any) (string, bool) {
	for _, key := range replyKeys {
		if text, ok := obj[key].(string); ok && strings.TrimSpace(text) != "" {
			return text, true
		}
	}
	return "", false
}
