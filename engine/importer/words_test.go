package importer_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"sluice/engine/flow"
	"sluice/engine/importer"
	"sluice/engine/importer/document"
	"sluice/engine/planner/change"
	"sluice/engine/planner/direct"
	"sluice/engine/planner/readback"
)

// TestWordsChangeTheSource changes steps of documents by words: the document has the new words in the place of the old ones.
func TestWordsChangeTheSource(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, words, old, new string }{
		{"agentgraph/complaints.json", "rename 2 to Triage", `"Sorter"`, `"Triage"`},
		{"agentgraph/complaints.json", "5 should say: Send it?", "May this offer be sent to the customer?", "Send it?"},
		{"agentgraph/complaints.json", "in step 4 change 50 to 80", "at most 50 euros", "at most 80 euros"},
		{"agentgraph/complaints.json", `in kind-1 change "damage" to "loss"`, `"value": "Damage"`, `"value": "loss"`},
		{"agentgraph/complaints.json", "step 7 should say Say sorry twice.", "Say sorry for the delay.", "Say sorry twice."},
		{"agentgraph/complaints.json", "set the model of 2 to gpt-5", "gpt-5-mini", "gpt-5"},
		{"agentgraph/older.json", "boss should ask: Is this right?", "This is a long holiday. Is it all right?", "Is this right?"},
		{"agentgraph/older.json", "make it 20 instead of 10", "more than 10", "more than 20"},
		{"routing/hotel.json", "rename 1 to Front desk", `"nodeName": "Desk"`, `"nodeName": "Front desk"`},
		{"routing/hotel.json", "change refund to discount", "Never promise a refund.", "Never promise a discount."},
		{"routing/hotel.json", "set the instructions of 2 to You book tables and taxis.", `"You book tables."`, `"You book tables and taxis."`},
		{"routing/pipeline.json", "rename Collect to Gather", `"Collect"`, `"Gather"`},
		{"app/library.yaml", "gate should say: Really order it?", `"Order this book?\n{{order.output}}"`, `"Really order it?"`},
		{"app/library.yaml", "set the copies of 5 to 2", "copies: 1", "copies: 2"},
		{"app/library.yaml", "set the instructions of order to Order at the shop.", "Write an order for the book shop.", "Order at the shop."},
		{"app/priority.yaml", "3 should ask: Who is on duty?", `'Who takes "{{input.title}}"?'`, `"Who is on duty?"`},
		{"visualflow/claims.json", "question should ask: Which colour?", "What was in the suitcase?", "Which colour?"},
		{"visualflow/claims.json", "rename Paid to Good news", `"Paid"`, `"Good news"`},
		{"visualflow/claims.json", `change "7" to "9"`, "{{7}}", "{{9}}"},
		{"visualflow/claims.json", "set the temperature of classify to 0.5", "0.10", "0.5"},
		{"visualflow/report.json", "set the title of node-3 to Paper", `"title":"Report"`, `"title":"Paper"`},
		{"visualflow/countdown.json", "in step A moment change 5 to 6", `"duration": 5`, `"duration": 6`},
		{"draftchart/refund.json", "Pay should do: Pay by card", `"Pay the amount back"`, `"Pay by card"`},
		{"draftchart/refund.json", "change 30 days to 14 days", "30 days?", "14 days?"},
		{"draftchart/refund.json", "rename decline to No", `"Decline"`, `"No"`},
		{"draftchart/triage.agent.json", "ask should say Ask two questions.", `"Ask one question."`, `"Ask two questions."`},
		{"draftchart/triage.agent.json", "change None to null", "team == None", "team == null"},
	} {
		t.Run(c.file+" "+c.words, func(t *testing.T) {
			t.Parallel()
			src, doc, err := reworded(t, c.file, c.words)
			if err != nil {
				t.Fatal(err)
			}
			if want := strings.Replace(src, c.old, c.new, 1); want != doc {
				head, tail := common([]byte(want), []byte(doc))
				t.Errorf("%s\n... %s ...", c.words, doc[max(0, head-60):min(len(doc), len(doc)-tail+60)])
			}
		})
	}
}

// reworded changes a document by words.
func reworded(t *testing.T, file, words string) (before, after string, err error) {
	t.Helper()
	src, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	doc, _, err := importer.Read(file, src)
	if err != nil {
		t.Fatal(err)
	}
	next, err := direct.Apply(doc.Flow, readback.Numbers(doc.Flow), words)
	if err != nil {
		return string(src), "", err
	}
	changed, err := importer.Changed(next.Flows...)
	if err != nil {
		return string(src), "", err
	}
	if errs := changed.Check(flow.Checks{}).Errors(); len(errs) > 0 {
		t.Errorf("it is not valid: %v", errs)
	}
	out, _ := document.Original(changed.Flow)
	return string(src), string(out), nil
}

// TestStepsComeAndGo adds steps to documents by words, and takes some out.
func TestStepsComeAndGo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, words, path string }{
		{"agentgraph/complaints.json", "add after 7: Offer a voucher", "sorry-1 offer-a-voucher"},
		{"agentgraph/complaints.json", "add before 6: Check the tone", "sign-1 check-the-tone letter-1"},
		{"agentgraph/complaints.json", "remove 4", "kind-1 sign-1"},
		{"agentgraph/briefing.json", "remove short", "editor translate"},
		{"agentgraph/complaints.json", "add after 8: ask for approval: Is that good?", ""},
		{"routing/pipeline.json", "remove Write", "one three"},
		{"routing/hotel.json", "add after Concierge: Check the bill", "n-concierge check-the-bill n-desk"},
		{"app/library.yaml", "add after look again: Be polite", ""},
		{"app/library.yaml", "remove order", "look gate"},
		{"app/gather.yaml", "add after write: Check it", "write check-it"},
		{"app/gather.yaml", "add after write: ask for approval: Publish it?", "write approval"},
		{"draftchart/refund.json", "add after read-claim: Thank the customer", ""},
		{"draftchart/refund.json", "remove decline", ""},
		{"draftchart/triage.agent.json", "remove ask", "read file"},
		{"draftchart/triage.agent.json", "add after file: Tell the team", "file tell-the-team"},
		{"draftchart/triage.agent.json", "add before file: Ask the boss", "read ask-the-boss file"},
		{"draftchart/newsletter.json", "add after send: Count the answers", "send count-the-answers"},
		{"draftchart/newsletter.json", "remove write", "collect send"},
		{"visualflow/claims.json", "remove paid", "way done"},
		{"visualflow/claims.json", "add after paid: Thank them", "paid thank-them done"},
		{"visualflow/claims.json", "add before question: Say hello", "way say-hello question"},
		{"visualflow/claims.json", "add after paid: say: All is {well}!", "paid all-is-well done"},
		{"visualflow/claims.json", "add before question: ask: Who are you?", "way who-are-you question"},
		{"agentgraph/complaints.json", "add after 7: say: Goodbye", "sorry-1 say-goodbye"},
		{"visualflow/claims.json", "remove refused", "way done"},
	} {
		t.Run(c.file+" "+c.words, func(t *testing.T) {
			t.Parallel()
			_, out, err := reworded(t, c.file, c.words)
			if c.path == "" {
				var refused *document.NotWritableError
				var why *change.Error
				if !errors.As(err, &refused) && !errors.As(err, &why) {
					t.Errorf("it is not refused: %v\n%s", err, out)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			doc, _, err := importer.Read(c.file, []byte(out))
			if err != nil {
				t.Fatal(err)
			}
			path := strings.Fields(c.path)
			for i := range path[1:] {
				if n := doc.Flow.Node(path[i]); n == nil || !strings.Contains(" "+strings.Join(ways(n), " ")+" ", " "+path[i+1]+" ") {
					t.Errorf("%s does not lead to %s:\n%s", path[i], path[i+1], out)
				}
			}
		})
	}
}

// TestWhatAFormatCannotSay is refused by its name.
func TestWhatAFormatCannotSay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, words, want string }{
		{"agentgraph/complaints.json", "rename kind-1 to Which kind", "'name' of the step 'kind-1'"},
		{"routing/pipeline.json", "step 1 should say Find news.", "done by the agent “collector”"},
		{"app/library.yaml", "rename gate to The gate", "'name' of the step 'gate'"},
		{"visualflow/claims.json", "remove way", "Several ways lead on"},
		{"visualflow/claims.json", "remove classify", "'value' of the step 'parts"},
		{"visualflow/claims.json", "add before done: ask for approval: Close it?", "has no place for"},
	} {
		t.Run(c.file+" "+c.words, func(t *testing.T) {
			t.Parallel()
			if _, out, err := reworded(t, c.file, c.words); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("it is refused with %v\n%s", err, out)
			}
		})
	}
}
