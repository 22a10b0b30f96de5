package planner_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sluice/engine/llm"
)

// recorder is a model that answers with what is recorded of one description.
type recorder struct {
	model  llm.Model // nil = only what is recorded
	file   string
	texts  []string // the words of the description and of its follow-ups
	conv   conversation
	now    string         // what is being asked for
	asked  map[string]int // how often, until now, by what was asked for
	differ int            // requests that are others than those that were recorded
	other  bool           // the request of the last change is one of them
}

// conversation is what a model was asked about one description, and answered.
type conversation struct {
	Words string `json:"words"` // the hash of the words
	Turns []turn `json:"turns"`
}

// turn is one answer. Its strings that stand in the words are the places where they do.
type turn struct {
	Name   string          `json:"turn"`  // "draft.0", "compare.0", "change 1.0"
	Asked  string          `json:"asked"` // the hash of the request
	Answer json.RawMessage `json:"answer"`
}

// newRecorder reads what is recorded, or begins a new record where a model is given.
func newRecorder(t *testing.T, c described, dir string, m llm.Model) *recorder {
	t.Helper()
	r := &recorder{model: m, file: filepath.Join(dir, c.ID+".json"), texts: []string{c.Text}}
	for _, f := range c.Rounds {
		r.texts = append(r.texts, f.Text)
	}
	words := hashOf(r.texts)
	src, err := os.ReadFile(r.file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		r.conv.Words = words
		return r
	case err == nil:
		err = json.Unmarshal(src, &r.conv)
	}
	if err != nil {
		t.Fatalf("%s: %v", r.file, err)
	}
	if r.conv.Words != words {
		t.Skipf("%s was recorded with other words", r.file)
	}
	return r
}

func (r *recorder) stage(name string) { r.now, r.asked = name, map[string]int{} }

// kindOf is what a request asks for: to compare, or what the stage is about.
func (r *recorder) kindOf(req llm.Request) string {
	if strings.HasPrefix(req.System, "You compare") {
		return "compare"
	}
	return r.now
}

// find gives the answer to a request. A replay takes the one of the same turn, also when the request is another one by now, and the last one
// of its kind where fewer were recorded: a model that repeats itself.
func (r *recorder) find(kind, name, asked string) *turn {
	var found *turn
	for i := range r.conv.Turns {
		switch got := &r.conv.Turns[i]; {
		case got.Name == name && got.Asked == asked:
			return got
		case r.model == nil && (got.Name == name || (found == nil || found.Name != name) && strings.HasPrefix(got.Name, kind+".")):
			found = got
		}
	}
	if found != nil {
		r.differ++
		r.other = true
	}
	return found
}

// record stores an answer, in place of an earlier one to the same turn.
func (r *recorder) record(t turn) error {
	r.conv.Turns = slices.DeleteFunc(r.conv.Turns, func(old turn) bool { return old.Name == t.Name })
	r.conv.Turns = append(r.conv.Turns, t)
	body, err := json.Marshal(r.conv)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(r.file), 0o750)
	}
	if err == nil {
		err = os.WriteFile(r.file, append(body, '\n'), 0o600)
	}
	return err
}

func hashOf(parts ...any) string {
	body, err := json.Marshal(parts)
	if err != nil {
		panic(err)
	}
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:8])
}

// foldedMark begins a string that says where the words of a string stand.
const foldedMark = "§"

// fold gives an answer in which each string that stands in the texts is the place where it does, so that no words of others are stored.
func fold(answer string, texts []string) json.RawMessage {
	var v any
	if json.Unmarshal([]byte(answer), &v) != nil {
		v = answer
	}
	return mapped(v, func(s string) string {
		if mark, ok := foldedPart(s, texts); ok && len(s) > 3 {
			return mark
		}
		var out strings.Builder
		for words := strings.Fields(s); len(words) > 0; { // a sentence that differs in a few words
			n := len(words)
			mark, ok := "", false
			for ; n > 1 && !ok; n-- {
				mark, ok = foldedPart(strings.Join(words[:n], " "), texts)
			}
			if n++; !ok {
				mark, n = words[0], 1
			}
			out.WriteString(" " + mark)
			words = words[n:]
		}
		if strings.Join(strings.Fields(s), " ") != s || len(s) < 40 {
			return s
		}
		return out.String()[1:]
	})
}

// foldedPart gives the place of words in one of the texts.
func foldedPart(words string, texts []string) (string, bool) {
	for i, text := range texts {
		if at := strings.Index(text, words); at >= 0 {
			return fmt.Sprintf("%s%d.%d.%d", foldedMark, i, at, at+len(words)), true
		}
	}
	return "", false
}

var folded = regexp.MustCompile(foldedMark + `[0-9]+\.[0-9]+\.[0-9]+`)

// unfold is the reverse of fold.
func unfold(answer json.RawMessage, texts []string) (string, error) {
	var v any
	if err := json.Unmarshal(answer, &v); err != nil {
		return "", err
	}
	if s, ok := v.(string); ok {
		return s, nil
	}
	return string(mapped(v, func(s string) string {
		return folded.ReplaceAllStringFunc(s, func(s string) string {
			var i, from, to int
			if n, _ := fmt.Sscanf(s, foldedMark+"%d.%d.%d", &i, &from, &to); n == 3 && i < len(texts) && from <= to && to <= len(texts[i]) {
				return texts[i][from:to]
			}
			return s
		})
	})), nil
}

// mapped is JSON of a value whose strings are changed.
func mapped(v any, change func(string) string) json.RawMessage {
	var walk func(v any) any
	walk = func(v any) any {
		switch v := v.(type) {
		case string:
			return change(v)
		case []any:
			for i := range v {
				v[i] = walk(v[i])
			}
		case map[string]any:
			for k := range v {
				v[k] = walk(v[k])
			}
		}
		return v
	}
	body, err := json.Marshal(walk(v))
	if err != nil {
		panic(err)
	}
	return body
}

// An answer is the same after it was stored, and what is stored has no words of the texts.
func TestAnswersAreStoredWithoutWords(t *testing.T) {
	t.Parallel()
	texts := []string{"ask @finance to approve", "then tell #support"}
	const answer = `{"steps":[{"kind":"ask","text":"approve","who":[{"words":"@finance"}]},{"kind":"tell","text":"no such words","n":3},
		{"text":"you ask @finance to approve it, and then tell #support"}]}`
	stored := fold(answer, texts)
	got, err := unfold(stored, texts)
	if err != nil || !sameJSON(t, got, answer) || strings.Contains(string(stored), "finance") || strings.Contains(string(stored), "approve") {
		t.Errorf("stored %s, read %s, %v", stored, got, err)
	}
	if got, err := unfold(fold("Sure!", texts), texts); err != nil || got != "Sure!" {
		t.Errorf("read %q, %v", got, err)
	}
}

func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var x, y any
	if err := errors.Join(json.Unmarshal([]byte(a), &x), json.Unmarshal([]byte(b), &y)); err != nil {
		t.Fatal(err)
	}
	return hashOf(x) == hashOf(y)
}
