package chaos_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"sluice/engine/llm/llmtest"
)

// task is the task of an agent. The model reads the run, node and item from it.
func task(node, run, item string) string { return fmt.Sprintf("work|%s|%s|%s|", run, node, item) }

func askedBy(words string) question {
	parts := append(strings.SplitN(words, "|", 5), "", "", "", "")
	return question{Run: parts[1], Node: parts[2], Item: parts[3]}
}

// calls are the tools that an agent with tools calls, in this order.
var calls = []string{"out__put", "out__post"}

// says is the last answer of an agent.
func (q question) says() string {
	n := chance(q.Run, "/", q.Node, "/", q.Item, " says")
	if n%3 == 0 {
		return fmt.Sprint("words ", n%100)
	}
	b, _ := json.Marshal(map[string]any{"n": n % 10, "tag": fmt.Sprint("tag", n%5), "text": "from " + q.Node})
	return string(b)
}

// newModel is a model that makes each agent call its tools in order, and then answer.
func newModel(t testing.TB) *llmtest.Server {
	s := llmtest.New(t)
	s.Script(func(r llmtest.Request) llmtest.Reply {
		turns, first := 0, ""
		for _, m := range r.Messages {
			switch {
			case m.Role == "assistant":
				turns++
			case m.Role == "user" && first == "":
				first = m.Text()
			}
		}
		q := askedBy(first)
		if len(r.Offered()) > 0 && turns < len(calls) {
			args := map[string]any{"run": q.Run, "at": fmt.Sprint(q.Node, ".", turns+1), "item": q.Item}
			return llmtest.Calls(llmtest.Call{Name: calls[turns], Args: args})
		}
		return llmtest.Text(q.says())
	})
	return s
}
