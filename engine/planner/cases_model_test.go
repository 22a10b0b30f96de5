package planner_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"sluice/engine/llm"
	"sluice/engine/planner/change"
	"sluice/engine/planner/env"
	"sluice/engine/planner/model"
	"sluice/engine/planner/tree"
)

// roundsDir holds what models answered: a directory for each round, with a file for each description.
const roundsDir = "model/testdata/rounds"

// TestModelCases makes the table of TestCases with a language model. It replays the rounds that are recorded. With OPENAI_BASE_URL set it
// asks that service instead, for all descriptions at once (-parallel 40 -timeout 0), and records its answers as the round that SLUICE_ROUND
// names; a request that is recorded there already is not asked again.
func TestModelCases(t *testing.T) {
	t.Parallel()
	cases, w := readCases(t)
	w.Model = true
	if url := os.Getenv("OPENAI_BASE_URL"); url != "" {
		m := llm.NewOpenAI(llm.OpenAIOptions{
			BaseURL: url, Key: os.Getenv("OPENAI_API_KEY"), Model: os.Getenv("OPENAI_MODEL"), Timeout: 6 * time.Hour, Attempts: 2,
		})
		dir := t.TempDir()
		if name := os.Getenv("SLUICE_ROUND"); name != "" {
			dir = filepath.Join(roundsDir, name)
		}
		count := modelRound(t, cases, w, dir, m)
		writeCounts(t, filepath.Join(dir, "counts"), count)
		return
	}
	rounds, err := filepath.Glob(filepath.Join(roundsDir, "*", "counts"))
	if err != nil {
		t.Fatal(err)
	}
	for _, counts := range rounds {
		dir := filepath.Dir(counts)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			compareCounts(t, counts, modelRound(t, cases, w, dir, nil))
		})
	}
}

// modelRound makes the table of one round. Without a model it is replayed.
func modelRound(t *testing.T, cases []described, w env.World, dir string, m llm.Model) map[string]int {
	t.Helper()
	all, differ := make([][]measured, len(cases)), make([]int, len(cases))
	t.Run("cases", func(t *testing.T) {
		for i, c := range cases {
			t.Run(c.ID, func(t *testing.T) {
				t.Parallel()
				r := newRecorder(t, c, dir, m)
				all[i] = measure(t, c, w, modelReader(t, r, w))
				differ[i] = r.differ
			})
		}
	})
	count := map[string]int{}
	for i := range cases {
		for _, m := range all[i] {
			t.Logf("%-32s %-18s %d  %s", m.id, m.outcome, m.answers, m.why)
			count[group(m.id)+", "+m.outcome]++
		}
		if differ[i] > 0 {
			t.Logf("%-32s %d requests are others than those that were recorded", cases[i].ID, differ[i])
		}
	}
	return count
}

// modelReader reads as the bot does: a draft is read and compared, a change is tried without the model first.
func modelReader(t *testing.T, r *recorder, w env.World) reader {
	drafts := 0
	return reader{
		answers: maxModelAnswers,
		stale:   func() bool { return r.other },
		draft: func(words string) (*tree.Tree, error) {
			r.stage("draft")
			made, _, err := model.Draft(t.Context(), r, words, "U1", w)
			return made.Tree, err
		},
		change: func(before *tree.Tree, words string) (*tree.Tree, error) {
			drafts++
			r.other = false
			next, _, err := change.Apply(before, words, "U1")
			if err == nil {
				return next, nil
			}
			r.stage(fmt.Sprintf("change %d", drafts))
			next, _, readErr := model.Read(t.Context(), r, words, "U1", w, before)
			return next, readErr
		},
	}
}

var errUnrecorded = errors.New("no answer to this request is recorded")

// Chat answers with what is recorded, else asks the model and records its answer.
func (r *recorder) Chat(ctx context.Context, req llm.Request) (llm.Response, error) {
	kind, asked := r.kindOf(req), hashOf(req.System, req.Schema, req.Messages)
	name := kind + "." + strconv.Itoa(r.asked[kind])
	r.asked[kind]++
	found := r.find(kind, name, asked)
	switch {
	case found != nil:
		text, err := unfold(found.Answer, r.texts)
		return llm.Response{Text: text, Stop: llm.StopEnd}, err
	case r.model == nil:
		return llm.Response{}, &llm.Error{Type: "ModelError", Permanent: true, Message: errUnrecorded.Error(), Err: errUnrecorded}
	}
	res, err := r.model.Chat(ctx, req)
	if err != nil {
		return res, err
	}
	return res, r.record(turn{Name: name, Asked: asked, Answer: fold(res.Text, r.texts)})
}
