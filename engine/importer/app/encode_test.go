package app_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/engine/flow"
	"sluice/engine/flow/names"
	"sluice/engine/importer/app"
	"sluice/engine/importer/document"
)

const desk = `# The desk.
app: {app_id: desk}   # its name
agents:
  - id: helper
    specialty: 'It helps'
    system_prompt: &words |
      Help people.

      Be kind.
    # nothing else
flow:
  id: main
  entry: gate
  max_iterations: 9 # enough
  nodes:
    - id: gate
      type: approval
      message: "Close it?"
      choices: [approve, reject]
      routes:
        - { when: "approvals.gate == 'approve'", to: closed }  # go on
        - { default: true, to: end }
    - {id: closed, type: tool, tool: http.post, params: {url: https://a.example, n: 1}, on_error: [{match: Time, to: end}]}
`

func ExampleEncode() {
	doc, err := app.Decode("desk.yaml", []byte("flow:\n  id: hi # a greeting\n  entry: a\n  nodes:\n    - {id: a, type: terminal, output: Hello}\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	doc.Flow.Node("a").Spec.(*flow.TerminalSpec).Output = "Good morning"
	src, err := app.Encode(doc.Flow)
	fmt.Println(string(src), err)
	// Output:
	// flow:
	//   id: hi # a greeting
	//   entry: a
	//   nodes:
	//     - {id: a, type: terminal, output: Good morning}
	//  <nil>
}

func TestChangesAreWrittenInTheirPlaces(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change   func(f *flow.Flow)
		old, new string
	}{
		"a quoted text":       {func(f *flow.Flow) { f.Node("gate").Spec.(*flow.ApprovalSpec).Message = "Really \"close\" it?" }, `"Close it?"`, `"Really \"close\" it?"`},
		"single quotes":       {func(f *flow.Flow) { f.Agents[0].Description = "It does" }, `'It helps'`, `"It does"`},
		"a bare word":         {func(f *flow.Flow) { f.Node("gate").Spec.(*flow.ApprovalSpec).Choices[1] = "deny it" }, "reject]", "deny it]"},
		"a word that is none": {func(f *flow.Flow) { f.Node("gate").Spec.(*flow.ApprovalSpec).Choices[1] = "no" }, "reject]", `"no"]`},
		"a block":             {func(f *flow.Flow) { f.Agents[0].Instructions = "Be brief.\n\n  Then stop.\n" }, "Help people.\n\n      Be kind.", "Be brief.\n\n        Then stop."},
		"a number":            {func(f *flow.Flow) { f.MaxVisits = 12 }, "9 #", "12 #"},
		"a condition":         {func(f *flow.Flow) { f.Node("gate").Routes[0].When = "approvals.gate != 'reject'" }, `"approvals.gate == 'approve'"`, `"approvals.gate != 'reject'"`},
		"a target":            {func(f *flow.Flow) { f.Node("gate").Routes[1].To = "closed" }, "true, to: end", "true, to: closed"},
		"a parameter":         {func(f *flow.Flow) { f.Node("closed").Spec.(*flow.ToolSpec).Params["n"] = 2.0 }, "n: 1", "n: 2"},
		"a new description":   {func(f *flow.Flow) { f.Description = "A desk" }, "to: end}]}\n", "to: end}]}\n  description: A desk\n"},
		"a step that is gone": {func(f *flow.Flow) { f.Nodes, f.Nodes[0].Routes[0].To = f.Nodes[:1], "end" }, "", ""},
		"a new step": {func(f *flow.Flow) {
			f.Nodes = append(f.Nodes, flow.Node{ID: "more", Spec: &flow.TerminalSpec{Output: "Well: done"}})
			f.Node("closed").Routes = []flow.Route{{To: "more"}}
		}, ", on_error: [{match: Time, to: end}]}\n", ", on_error: [{match: Time, to: end}], routes: [{to: more}]}\n    - id: more\n      type: terminal\n      output: \"Well: done\"\n"},
		"an address": {func(f *flow.Flow) { f.Node("closed").Spec.(*flow.ToolSpec).Params["url"] = "https://b.example?a=1" }, "https://a.example", `"https://b.example?a=1"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := read(t, desk).Flow
			c.change(f)
			got, err := app.Encode(f)
			if err != nil {
				t.Fatal(err)
			}
			want := strings.Replace(desk, c.old, c.new, 1)
			if name == "a step that is gone" {
				want = strings.Replace(desk[:strings.Index(desk, "    - {id: closed")], "to: closed", "to: end", 1)
			}
			if diff := cmp.Diff(want, string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWhatTheFileCannotSayIsRefused(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(f *flow.Flow){
		"another kind": func(f *flow.Flow) { f.Nodes[1].Spec = &flow.SaySpec{Message: "hi"} },
		"another name": func(f *flow.Flow) { f.Node("gate").Name = "The gate" },
		"rules":        func(f *flow.Flow) { f.Rules.PauseAll = true },
		"no source":    func(f *flow.Flow) { f.Raw = nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := read(t, desk).Flow
			change(f)
			var refused *document.NotWritableError
			if src, err := app.Encode(f); !errors.As(err, &refused) {
				t.Errorf("it gives %v\n%s", err, src)
			}
		})
	}
}

// TestChannelsStay: the file is given back with its channels, whatever stands for them here, also of a flow that an earlier release has read.
func TestChannelsStay(t *testing.T) {
	t.Parallel()
	src := "app: {app_id: a}\nflow: {id: f, entry: x, nodes: [{id: x, type: terminal, output: hi}]}\ntools: {modules: {channels: {config: {providers: {mail: {adapter: email}, nightly: {adapter: cron}}}}}}\n"
	for _, stands := range []string{"", "#support", "none said"} {
		doc, err := app.Decode("a.yaml", []byte(src))
		if err != nil || len(doc.Flow.Triggers) != 1 || doc.Flow.Triggers[0].Message.Channel != "channels.mail" {
			t.Fatalf("%+v, %v", doc.Flow, err)
		}
		f := doc.Flow
		if stands == "none said" {
			f.Triggers = nil
		} else {
			f = document.With(f, names.Table{"channel:channels.mail": stands})
		}
		if starts := len(f.Triggers) > 0; starts != (stands == "#support") {
			t.Errorf("%q: it starts by %+v", stands, f.Triggers)
		}
		if back, err := app.Encode(f); err != nil || string(back) != src {
			t.Errorf("%q: it comes back as\n%s\n%v", stands, back, err)
		}
		f.Node("x").Spec.(*flow.TerminalSpec).Output = "ho"
		if back, err := app.Encode(f); err != nil || string(back) != strings.Replace(src, "hi}", "ho}", 1) {
			t.Errorf("%q: changed, it comes back as\n%s\n%v", stands, back, err)
		}
	}
}
