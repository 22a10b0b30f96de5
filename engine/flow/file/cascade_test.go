package file_test

import (
	"strings"
	"testing"

	"sluice/engine/flow"
	"sluice/engine/flow/file"
)

// TestOneWrongNameGivesOneError: one mistake gives one error, and its consequences are not reported.
func TestOneWrongNameGivesOneError(t *testing.T) {
	t.Parallel()
	const good = `name: f
flow:
  entry: look
  nodes:
    - {id: look, type: say, message: a, routes: [{to: gate}]}
    - {id: gate, type: approval, message: "b?", routes: [{when: "approvals.gate == 'approve'", to: pay}, {to: sorry}]}
    - {id: pay, type: say, message: c, routes: [{to: tell}]}
    - {id: tell, type: say, message: d, routes: [{to: last}]}
    - {id: sorry, type: say, message: e, routes: [{to: last}]}
    - {id: last, type: terminal}
`
	for _, c := range []struct{ name, old, new, want string }{
		{"a wrong route", "routes: [{to: gate}]", "routes: [{to: gaet}]", "unknown target 'gaet' on flow node 'look'"},
		{"a route to something else", "routes: [{to: gate}]", "routes: [{to: nowhere}]", "unknown target 'nowhere' on flow node 'look'"},
		{"a misspelt id", "id: gate, type", "id: gat, type", "unknown target 'gate' on flow node 'look'"},
		{"an id that several routes name", "id: last, type", "id: lats, type", "unknown target 'last' on flow node 'tell', and on 'sorry'"},
		{"a wrong entry", "entry: look", "entry: lok", "entry 'lok' is not a node of the flow"},
		{"a wrong kind", "id: gate, type: approval", "id: gate, type: aproval", "aproval"},
		{"a wrong route in the middle", "to: tell}]", "to: tel}]", "unknown target 'tel' on flow node 'pay'"},
	} {
		_, problems := file.Check("f.yaml", []byte(strings.Replace(good, c.old, c.new, 1)), flow.Checks{})
		if c.name == "a route to something else" { // the nodes after it may be reported or not
			if len(problems) != 2 || problems[1].Severity != flow.SeverityWarning || !strings.Contains(problems[1].Hint, "'nowhere'") {
				t.Errorf("%s: %v", c.name, problems)
			}
			continue
		}
		if len(problems) != 1 || !strings.Contains(problems[0].Message, c.want) || problems[0].Line == 0 || problems[0].Hint == "" {
			t.Errorf("%s: %d problems, want one with %q and a hint:\n%v", c.name, len(problems), c.want, problems)
		}
	}
	_, problems := file.Check("f.yaml", []byte(strings.Replace(good, "routes: [{to: gate}]", "routes: [{to: gaet}]", 1)+"    - {id: alone, type: terminal}\n"), flow.Checks{})
	if len(problems) != 2 || !strings.Contains(problems[1].Message, "'alone' is not reachable") {
		t.Errorf("a node that nothing leads to beside a wrong route gives %v", problems)
	}
}
