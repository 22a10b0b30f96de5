package slack

import (
	"encoding/json"
	"strings"
	"testing"

	"sluice/bot/card"
)

// TestStepsBelowOthersAreLists: each level keeps its margin, and a step its number.
func TestStepsBelowOthersAreLists(t *testing.T) {
	t.Parallel()
	text := card.Textf("*Steps*\n2. get the order\n3. ask %s\n\u2003\u20033a. tell\n\u2003\u2003\u2003\u20033a1. wait\n5. end\nA run is given order id.", card.User("U1"))
	if !nests(linesOf(text.Runs())) {
		t.Fatal("the steps do not nest")
	}
	body, err := json.Marshal(nestedList(linesOf(text.Runs())))
	if err != nil {
		t.Fatal(err)
	}
	var block struct {
		Elements []struct {
			Style          string
			Indent, Offset int
			Elements       []json.RawMessage
		}
	}
	if err := json.Unmarshal(body, &block); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range block.Elements {
		line, _ := json.Marshal([]any{e.Style, e.Indent, e.Offset, len(e.Elements)})
		got = append(got, string(line))
	}
	want := `["",0,0,2] ["ordered",0,1,2] ["bullet",1,0,1] ["bullet",2,0,1] ["ordered",0,4,1] ["",0,0,2]`
	if all := strings.Join(got, " "); all != want {
		t.Errorf("the parts are %s", all)
	}
	for _, words := range []string{`"get the order"`, `"user_id":"U1"`, `"3a. tell"`, `"3a1. wait"`, `"end"`} {
		if !strings.Contains(string(body), words) {
			t.Errorf("%s is not in %s", words, body)
		}
	}
	if nests(linesOf(card.Textf("1. get the order\n2. refund it").Runs())) {
		t.Error("steps on one level nest")
	}
}
