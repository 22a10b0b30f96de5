package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sluice/engine/llm/llmtest"
)

// report is what the model answers, and topic what a person gives: both hold marks.
const (
	report = "### Week 12\n\n**Paid** on time:\n- `A-1` to <!channel>\n  - see [the bill](https://evil.example/a_b_c)\n\n```sql\nselect * from t;\n```\n| order | sum |\n|---|--:|\n| A-1 | 250 |"
	topic  = "**bold** <@U0ANA> `x`"
	// reportShown is the report without the marks of a quotation.
	reportShown = "*Week 12*\n*Paid* on time:\n• `A-1` to &lt;!channel&gt;\n    ◦ see the bill (https://evil.example/a_b_c)\n\n_sql_\n```select * from t;```\n```order  sum\n-----  ---\nA-1    250```"
)

const reportFlow = `
name: weekly
inputs: {topic: {type: string}}
agents: [{id: clerk, description: Writes, instructions: Write the report}]
flow:
  entry: write
  nodes:
    - {id: write, name: Write, type: agent, agent: clerk, input: {about: "{{inputs.topic}}"}, routes: [{to: tell}]}
    - {id: tell, name: Tell, type: say, message: "About {{inputs.topic}}: {{write}}\nEnd of *it*", routes: [{to: check}]}
    - {id: check, name: Check, type: approval, message: "Post it? {{write}}", show: [write, inputs.topic], who: {users: ["@ana"]}, routes: [{when: "approvals.check == 'approve'", to: post}, {to: end}]}
    - {id: post, name: Post, type: tool, tool: slack.post_message, params: {channel: "#finance", text: "{{write}}"}, routes: [{to: last}]}
    - {id: last, name: Last, type: agent, agent: clerk, input: {about: "the end"}, routes: [{to: end}]}
`

// TestMarkdownOfAModel shows what a model wrote as it meant it, in messages, in a question and as the result. What a person gave stays as it
// was written, also beside it.
func TestMarkdownOfAModel(t *testing.T) {
	t.Parallel()
	model := llmtest.New(t)
	model.Reply(llmtest.Text(report), llmtest.Text("All is **done**."))
	w := newWorld(t, setup{apart: true, settings: []string{"OPENAI_BASE_URL=" + model.URL, "OPENAI_API_KEY=key", "OPENAI_MODEL=scripted"}})
	file := filepath.Join(t.TempDir(), "flow.yaml")
	if err := os.WriteFile(file, []byte(reportFlow), 0o600); err != nil {
		t.Fatal(err)
	}
	publish(w, file)
	w.flow("ana", "#support", "run weekly topic=\""+topic+"\"")
	told := w.untilMessage("#support", "the report", func(m message) bool { return strings.Contains(m.shown(), "End of") })
	for _, part := range []string{"**bold**", "• ", "<!channel>", "End of *it*"} {
		if !strings.Contains(told.shown(), part) {
			t.Errorf("the message does not show %q:\n%s", part, told.shown())
		}
	}
	if strings.Contains(told.shown(), "###") || len(told.Blocks) == 0 || told.Blocks[0].Type != "rich_text" {
		t.Errorf("the message is:\n%s\n%+v", told.shown(), told.Blocks)
	}
	gate := w.untilMessage("#support", "the question", func(m message) bool { return strings.Contains(m.shown(), "[Approve]") })
	quoted := quotedLines(reportShown)
	if got := gate.shown(); strings.Count(got, quoted) != 2 || !strings.Contains(got, ">Post it? \n"+quoted) {
		t.Errorf("the question shows\n%s\nwant\n%s", got, quoted)
	}
	w.click("ana", gate, "Approve")
	w.untilMessage("#finance", "the report", func(m message) bool { return len(m.Blocks) == 0 && m.Text == reportShown })
	w.untilMessage("#support", "the result", func(m message) bool { return strings.Contains(m.shown(), "*Result*\nAll is *done*.") })
}

// quotedLines has the mark of a quotation before each line that is in no block.
func quotedLines(s string) string {
	var out []string
	block := false
	for line := range strings.SplitSeq(s, "\n") {
		if block = block || strings.HasPrefix(line, "```"); block {
			out = append(out, line)
		} else {
			out = append(out, ">"+line)
		}
		block = block && !strings.HasSuffix(line, "```")
	}
	return strings.Join(out, "\n")
}
