package slacksim

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/slack-go/slack"
)

// bare is a workspace that nobody serves.
func bare(t testing.TB) *Server {
	t.Helper()
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func many(n int, one string) string { return strings.TrimSuffix(strings.Repeat(one+",", n), ",") }

func x(n int) string { return strings.Repeat("x", n) }

const (
	plainX    = `{"type":"plain_text","text":"x"}`
	optionX   = `{"text":` + plainX + `,"value":"x"}`
	dividerX  = `{"type":"divider"}`
	markdownX = `{"type":"mrkdwn","text":"x"}`
)

func header(n int) string {
	return `{"type":"header","text":{"type":"plain_text","text":"` + x(n) + `"}}`
}

func section(n int) string {
	return `{"type":"section","text":{"type":"mrkdwn","text":"` + x(n) + `"}}`
}

func actions(elements string) string { return `{"type":"actions","elements":[` + elements + `]}` }

func button(fields string) string { return `{"type":"button","text":` + plainX + fields + `}` }

func field1(name string, n int) string { return `,"` + name + `":"` + x(n) + `"` }

func input(element string) string {
	return `{"type":"input","label":` + plainX + `,"element":` + element + `}`
}

func rich(elements string) string { return `{"type":"rich_text","elements":[` + elements + `]}` }

func task1(id, more string) string {
	return `{"type":"task_card","task_id":"` + id + `","title":"x"` + more + `}`
}

// limits pairs what just fits with what just does not, and where the refusal points.
var limits = map[string]struct{ fits, not, says string }{
	"50 blocks":                   {many(50, dividerX), many(51, dividerX), "no more than 50 items allowed [input:51] [json-pointer:/blocks]"},
	"header 150":                  {header(150), header(151), "must be less than 151 characters [json-pointer:/blocks/0/text/text]"},
	"header not empty":            {header(1), header(0), "must be more than 0 characters [json-pointer:/blocks/0/text/text]"},
	"section 3000":                {section(3000), section(3001), "less than 3001 characters"},
	"section has text or fields":  {section(1), `{"type":"section"}`, "missing required field: text or fields"},
	"10 fields":                   {`{"type":"section","fields":[` + many(10, markdownX) + `]}`, `{"type":"section","fields":[` + many(11, markdownX) + `]}`, "[json-pointer:/blocks/0/fields]"},
	"field 2000":                  {`{"type":"section","fields":[{"type":"mrkdwn","text":"` + x(2000) + `"}]}`, `{"type":"section","fields":[{"type":"mrkdwn","text":"` + x(2001) + `"}]}`, "/blocks/0/fields/0/text"},
	"10 context elements":         {`{"type":"context","elements":[` + many(10, markdownX) + `]}`, `{"type":"context","elements":[` + many(11, markdownX) + `]}`, "no more than 10 items"},
	"25 actions":                  {actions(many(25, button(""))), actions(many(26, button(""))), "no more than 25 items"},
	"at least one action":         {actions(button("")), actions(""), "no fewer than 1 items"},
	"button text 75":              {actions(`{"type":"button","text":{"type":"plain_text","text":"` + x(75) + `"}}`), actions(`{"type":"button","text":{"type":"plain_text","text":"` + x(76) + `"}}`), "/blocks/0/elements/0/text/text"},
	"button text is plain":        {actions(button("")), actions(`{"type":"button","text":` + markdownX + `}`), "must be one of plain_text"},
	"button value 2000":           {actions(button(field1("value", 2000))), actions(button(field1("value", 2001))), "/elements/0/value"},
	"button style":                {actions(button(`,"style":"danger"`)), actions(button(`,"style":"loud"`)), "must be one of primary, danger"},
	"action_id 255":               {actions(button(field1("action_id", 255))), actions(button(field1("action_id", 256))), "/elements/0/action_id"},
	"action_id unique":            {actions(button(`,"action_id":"a"`) + "," + button(`,"action_id":"b"`)), actions(button(`,"action_id":"a"`) + "," + button(`,"action_id":"a"`)), `action_id "a" already exists`},
	"block_id 255":                {`{"type":"divider"` + field1("block_id", 255) + `}`, `{"type":"divider"` + field1("block_id", 256) + `}`, "/blocks/0/block_id"},
	"block_id unique":             {`{"type":"divider","block_id":"a"},{"type":"divider","block_id":"b"}`, many(2, `{"type":"divider","block_id":"a"}`), `block_id "a" already exists`},
	"confirm title 100":           {actions(button(confirmOf(100, 300))), actions(button(confirmOf(101, 300))), "/confirm/title/text"},
	"confirm text 300":            {actions(button(confirmOf(1, 300))), actions(button(confirmOf(1, 301))), "/confirm/text/text"},
	"alt text 2000":               {imageOf(2000, ""), imageOf(2001, ""), "/blocks/0/alt_text"},
	"alt text there":              {imageOf(1, ""), `{"type":"image","image_url":"http://example.com/x.png"}`, "missing required field: alt_text"},
	"image from one place":        {imageOf(1, ""), imageOf(1, `,"slack_file":{"id":"F1"}`), "exactly one of image_url and slack_file"},
	"no unknown file":             {dividerX, `{"type":"image","alt_text":"x","slack_file":{"id":"F0NOFILE"}}`, "invalid slack file [json-pointer:/blocks/0/slack_file]"},
	"known block types":           {dividerX, `{"type":"banner"}`, "unsupported type: banner [json-pointer:/blocks/0/type]"},
	"known element types":         {actions(button("")), actions(`{"type":"lever"}`), "unsupported element type: lever"},
	"no typing among actions":     {input(`{"type":"plain_text_input"}`), actions(`{"type":"plain_text_input"}`), "unsupported element type: plain_text_input"},
	"known fields":                {dividerX, `{"type":"divider","colour":"red"}`, "invalid additional property: colour"},
	"option text 75":              {selectOf(`{"text":{"type":"plain_text","text":"` + x(75) + `"},"value":"v"}`), selectOf(`{"text":{"type":"plain_text","text":"` + x(76) + `"},"value":"v"}`), "/options/0/text/text"},
	"option value 150":            {selectOf(`{"text":` + plainX + field1("value", 150) + `}`), selectOf(`{"text":` + plainX + field1("value", 151) + `}`), "/options/0/value"},
	"100 options":                 {selectOf(many(100, optionX)), selectOf(many(101, optionX)), "no more than 100 items"},
	"5 overflow options":          {actions(`{"type":"overflow","options":[` + many(5, optionX) + `]}`), actions(`{"type":"overflow","options":[` + many(6, optionX) + `]}`), "no more than 5 items"},
	"the initial option is one":   {initially("x"), initially("y"), "must be one of the options"},
	"10 checkboxes":               {input(`{"type":"checkboxes","options":[` + many(10, optionX) + `]}`), input(`{"type":"checkboxes","options":[` + many(11, optionX) + `]}`), "no more than 10 items"},
	"numbers say if decimal":      {input(`{"type":"number_input","is_decimal_allowed":false}`), input(`{"type":"number_input"}`), "missing required field: is_decimal_allowed"},
	"min below max":               {input(`{"type":"plain_text_input","min_length":1,"max_length":2}`), input(`{"type":"plain_text_input","min_length":3,"max_length":2}`), "must not be more than max_length"},
	"dates":                       {actions(`{"type":"datepicker","initial_date":"2026-01-31"}`), actions(`{"type":"datepicker","initial_date":"31.1.2026"}`), "must be a date as YYYY-MM-DD"},
	"times":                       {actions(`{"type":"timepicker","initial_time":"09:30"}`), actions(`{"type":"timepicker","initial_time":"9am"}`), "must be a time as HH:mm"},
	"markdown 12000 in all":       {markdownOf(6000) + "," + markdownOf(6000), markdownOf(6000) + "," + markdownOf(6001), "all markdown blocks together"},
	"one table":                   {tableOf(1, 1), tableOf(1, 1) + "," + tableOf(1, 1), "only one table"},
	"100 rows":                    {tableOf(100, 1), tableOf(101, 1), "no more than 100 items"},
	"20 columns":                  {tableOf(1, 20), tableOf(1, 21), "no more than 20 items"},
	"plan tasks are unique":       {planOf(task1("a", "") + "," + task1("b", "")), planOf(task1("a", "") + "," + task1("a", "")), `task_id "a" already exists`},
	"task status":                 {planOf(task1("a", `,"status":"in_progress"`)), planOf(task1("a", `,"status":"waiting"`)), "must be one of pending, in_progress, complete, error"},
	"task details are rich text":  {task1("a", `,"details":`+rich(sectionOf("x"))), task1("a", `,"details":"x"`), "/details/type"},
	"rich text runs":              {rich(sectionOf("x")), rich(`{"type":"rich_text_section","elements":[{"type":"sparkle"}]}`), "unsupported rich text element: sparkle"},
	"rich text lists":             {rich(`{"type":"rich_text_list","style":"bullet","elements":[` + sectionOf("x") + `]}`), rich(`{"type":"rich_text_list","style":"stars","elements":[` + sectionOf("x") + `]}`), "must be one of bullet, ordered"},
	"13200 characters in all":     {many(4, section(3000)) + "," + section(1200-4*6-6), many(4, section(3000)) + "," + section(1300), "characters of blocks"},
	"types are right":             {dividerX, `{"type":"divider","block_id":7}`, "must be a string"},
	"blocks are objects":          {dividerX, `"divider"`, "must be an object"},
	"verbatim is for mrkdwn only": {`{"type":"section","text":{"type":"mrkdwn","text":"x","verbatim":true}}`, `{"type":"header","text":{"type":"plain_text","text":"x","verbatim":true}}`, "invalid additional property: verbatim"},
}

func confirmOf(title, text int) string {
	return fmt.Sprintf(`,"confirm":{"title":{"type":"plain_text","text":%q},"text":{"type":"mrkdwn","text":%q},"confirm":%s,"deny":%s}`,
		x(title), x(text), plainX, plainX)
}

func imageOf(alt int, more string) string {
	return `{"type":"image","image_url":"http://example.com/x.png"` + field1("alt_text", alt) + more + `}`
}

func selectOf(options string) string {
	return actions(`{"type":"static_select","options":[` + options + `]}`)
}

func initially(value string) string {
	return actions(`{"type":"static_select","options":[` + optionX + `],"initial_option":{"text":` + plainX + `,"value":"` + value + `"}}`)
}

func markdownOf(n int) string { return `{"type":"markdown","text":"` + x(n) + `"}` }

func tableOf(rows, columns int) string {
	row := "[" + many(columns, `{"type":"raw_text","text":"x"}`) + "]"
	return `{"type":"table","rows":[` + many(rows, row) + `]}`
}

func planOf(tasks string) string { return `{"type":"plan","title":"x","tasks":[` + tasks + `]}` }

func sectionOf(text string) string {
	return `{"type":"rich_text_section","elements":[{"type":"text","text":"` + text + `","style":{"bold":true}}]}`
}

func TestLimitsOfBlocks(t *testing.T) {
	t.Parallel()
	s := bare(t)
	for name, c := range limits {
		t.Run(name, func(t *testing.T) {
			filled, err := s.checkBlocks(json.RawMessage("["+c.fits+"]"), inMessage)
			if err != nil {
				t.Errorf("what fits is refused: %v", err)
			}
			var known slack.Blocks
			if err := json.Unmarshal(filled, &known); err != nil {
				t.Errorf("the client cannot read what fits: %v", err)
			}
			_, err = s.checkBlocks(json.RawMessage("["+c.not+"]"), inMessage)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want %q", err, c.says)
			}
		})
	}
}

func TestLimitsOfViews(t *testing.T) {
	t.Parallel()
	s := bare(t)
	modal := func(title int, more, blocks string) string {
		return `{"type":"modal","title":{"type":"plain_text","text":"` + x(title) + `"}` + more + `,"blocks":[` + blocks + `]}`
	}
	submit := `,"submit":` + plainX
	cases := map[string]struct{ kind, fits, not, says string }{
		"title 24":              {"modal", modal(24, "", ""), modal(25, "", ""), "/view/title/text"},
		"100 blocks":            {"modal", modal(1, "", many(100, dividerX)), modal(1, "", many(101, dividerX)), "no more than 100 items"},
		"private_metadata 3000": {"modal", modal(1, field1("private_metadata", 3000), ""), modal(1, field1("private_metadata", 3001), ""), "/view/private_metadata"},
		"inputs need a submit":  {"modal", modal(1, submit, input(`{"type":"plain_text_input"}`)), modal(1, "", input(`{"type":"plain_text_input"}`)), "missing required field: submit"},
		"no plan":               {"modal", modal(1, "", dividerX), modal(1, "", planOf("")), "plan blocks are not allowed here"},
		"no table in Home":      {"home", `{"type":"home","blocks":[]}`, `{"type":"home","blocks":[` + tableOf(1, 1) + `]}`, "table blocks are not allowed here"},
		"Home has no title":     {"home", `{"type":"home","blocks":[]}`, `{"type":"home","title":` + plainX + `,"blocks":[]}`, "invalid additional property: title"},
		"one focus": {
			"modal", modal(1, submit, input(`{"type":"plain_text_input","focus_on_load":true}`)),
			modal(1, submit, many(2, input(`{"type":"plain_text_input","focus_on_load":true}`))), "only one element",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if _, err := s.checkView(json.RawMessage(c.fits), c.kind); err != nil {
				t.Errorf("what fits is refused: %v", err)
			}
			_, err := s.checkView(json.RawMessage(c.not), c.kind)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want %q", err, c.says)
			}
		})
	}
}

func TestRefusedBlockTypesOfAWorkspace(t *testing.T) {
	t.Parallel()
	s := bare(t)
	s.world.seed.Workspace.RefuseBlocks = []string{"plan"}
	_, err := s.checkBlocks(json.RawMessage("["+planOf("")+"]"), inMessage)
	if refused, ok := errors.AsType[*apiError](err); !ok || refused.code != "invalid_blocks" {
		t.Errorf("a plan was answered %v", err)
	}
}

// FuzzCheckBlocks: whatever comes, the check ends; what it accepts is stored as JSON that it accepts again unchanged, and
// that the app's client can read.
func FuzzCheckBlocks(f *testing.F) {
	for _, c := range limits {
		if len(c.fits)+len(c.not) < 2000 {
			f.Add([]byte("[" + c.fits + "]"))
			f.Add([]byte("[" + c.not + "]"))
		}
	}
	s := bare(f)
	f.Fuzz(func(t *testing.T, raw []byte) {
		filled, err := s.checkBlocks(raw, inMessage)
		if err != nil {
			return
		}
		again, err := s.checkBlocks(filled, inMessage)
		if err != nil {
			t.Fatalf("%s was accepted as %s, then refused: %v", raw, filled, err)
		}
		if string(again) != string(filled) {
			t.Fatalf("%s became %s", filled, again)
		}
		var known slack.Blocks
		if err := json.Unmarshal(filled, &known); err != nil {
			t.Fatalf("the client cannot read %s: %v", filled, err)
		}
		findElements(filled)
		initialValues(filled)
		keepCachedImages(filled, filled)
	})
}
