package form

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/flow/listing"
	"sluice/engine/history"
	"sluice/engine/usererror"
)

// Kind is how a field is filled in.
type Kind string

// The kinds of fields.
const (
	Text    Kind = "text"
	Long    Kind = "long" // several lines
	Number  Kind = "number"
	Integer Kind = "integer"
	Choice  Kind = "choice"  // one of Options
	Several Kind = "several" // some of Options; the value has a line for each
	YesNo   Kind = "yes_no"
	List    Kind = "list" // values of the type Item; see package listing
	JSON    Kind = "json" // an object
	Date    Kind = "date"
	Moment  Kind = "datetime"
	Person  Kind = "person"
	Channel Kind = "channel"
	File    Kind = "file"
)

// Field is one value that a person gives. It says how the value is entered; the engine checks the value.
type Field struct {
	Name     string
	Label    string
	Hint     string
	Kind     Kind
	Options  []string // of a Choice
	Item     string   // of a List: the type of its values, "" = it is not known
	Value    string   // what stands in it at first
	ID       string   // of the person or channel that Value names
	Required bool
	Hidden   bool // it is shown as dots, once it is entered
}

// Names are those of fields.
func Names(fields []Field) []string {
	out := make([]string, len(fields))
	for i, f := range fields {
		out[i] = f.Name
	}
	return out
}

// Form is a question with fields. Ref says what it belongs to, for the answer function of its owner; it comes back with the values.
type Form struct {
	Ref    Ref
	Title  string
	Submit string // the label of the button that sends it
	Text   string // what is asked, as plain text
	Fields []Field
}

// Owner is what a form's values are for.
type Owner string

// The owners of forms.
const (
	OfRun  Owner = "run"  // Subject is a flow: the values are the inputs of a new run
	OfGate Owner = "gate" // Subject is a gate: the values answer it
	OfNew  Owner = "new"  // the values describe a new flow; Subject is the answer that kept the words, "" = there are none yet
	// OfDraft: Subject is a draft, and the values answer its questions.
	OfDraft Owner = "draft"
	OfNeeds Owner = "needs" // Subject is a draft: the values say what stands here for names of its file
	// OfAnyway and OfAhead say why a run does not heed another one for the same thing. Subject is the other run, whose inputs a new one gets, or the
	// one that waits for it.
	OfAnyway Owner = "anyway"
	OfAhead  Owner = "ahead"
	// OfSchedule says when a flow starts by itself, and with which inputs; Subject is the flow, Shown a hash of the times that the person has seen.
	OfSchedule Owner = "schedule"
	OfMoves    Owner = "moves"  // Subject is an approved draft: the values name the runs that go over to its version
	OfEdit     Owner = "edit"   // Subject is the question about a failed step: the words say what should be different for this run alone
	OfChange   Owner = "change" // Subject is a flow: the words say what should be different
)

// Ref names a form. It holds ids, never what somebody entered.
type Ref struct {
	Owner   Owner  `json:"owner"`
	Subject string `json:"subject"`
	Choice  int    `json:"choice,omitempty"` // of a gate: from 1; 0 = the person chooses in the form
	Shown   string `json:"shown,omitempty"`  // hash of what the gate's card showed
}

// String writes a reference for a button or a modal; ParseRef reads it.
func (r Ref) String() string {
	b, _ := json.Marshal(r)
	return string(b)
}

// ParseRef reads what String wrote.
func ParseRef(s string) (Ref, error) {
	var r Ref
	if err := json.Unmarshal([]byte(s), &r); err != nil {
		return r, fmt.Errorf("read a form's reference: %w", err)
	}
	return r, nil
}

// Problems says what is wrong with the values of a form, by field. Err says the same in words for a person who does not see the form.
type Problems struct {
	Fields map[string]string
	Next   *Form // instead of fields: nothing is wrong, and the form goes on with this one. What was entered stays in its fields.
	Err    error
}

// Error gives the words.
func (p *Problems) Error() string { return p.Err.Error() }

// Unwrap gives the error.
func (p *Problems) Unwrap() error { return p.Err }

// Wrong makes a refusal of what is wrong with fields: beside them, and as one sentence each with the name of the field.
func Wrong(code string, fields []Field, wrong map[string]string) *Problems {
	var lines []string
	for _, f := range fields {
		if text, ok := wrong[f.Name]; ok {
			lines = append(lines, f.Label+": "+text)
		}
	}
	return &Problems{Fields: wrong, Err: &usererror.Error{Code: code, Text: strings.Join(lines, "\n")}}
}

// Names of the fields that are no field of the flow's author. The dot keeps them apart: a name in a flow has none.
const (
	FieldChoice = ".choice"
	FieldNote   = ".note"
	FieldText   = ".text"
	FieldValue  = ".value"
	FieldWhen   = ".when"
	FieldPlace  = ".channel"
	FieldRuns   = ".runs"
)

// New asks for the description of a new flow, and for the channel where its draft is to be. Without a channel it is where the form was asked
// for, unless one must be chosen.
func New(words, channel string, choose bool) Form {
	place := Field{Name: FieldPlace, Label: "Where", Hint: "The channel where the draft is discussed, and where the flow lives. Without one it is a direct message with me.", Kind: Channel, ID: channel, Required: choose}
	if choose {
		place.Hint = "The channel where the draft is discussed, and where the flow lives."
	}
	return Form{
		Ref: Ref{Owner: OfNew}, Title: "New workflow", Submit: "Draft it",
		Fields: []Field{
			{Name: FieldText, Label: "What should happen?", Hint: "In your own words, step by step. For example: every Monday at 9 ask @ana for the numbers, then tell #team.", Kind: Long, Value: words, Required: true},
			place,
		},
	}
}

// Inputs asks for the inputs of a run, with what is given already.
func Inputs(f *flow.Flow, given map[string]any) Form {
	out := Form{Ref: Ref{Owner: OfRun, Subject: f.Name}, Title: flow.Words(f.Name), Submit: "Start", Text: f.Description}
	for _, in := range f.Inputs {
		field := Field{
			Name: in.Name, Label: flow.Words(in.Name), Hint: in.Description, Kind: kindOf(in.Type), Required: in.Required && in.Default == nil, Item: in.Item(),
			Hidden: in.Sensitive, Value: shown(cmp.Or(given[in.Name], in.Default)),
		}
		if len(in.Enum) > 0 {
			field.Kind, field.Options = Choice, words(in.Enum)
		}
		example := ""
		if in.Example != nil && !in.Sensitive {
			example = shown(in.Example)
		}
		field.Hint = hint(field.entry(example), in.Sensitive)
		out.Fields = append(out.Fields, field)
	}
	return out
}

// Schedule asks when a flow starts by itself, and for the inputs of the runs.
func Schedule(f *flow.Flow) Form {
	out := Inputs(f, nil)
	out.Ref.Owner, out.Title, out.Submit = OfSchedule, "Schedule "+flow.Words(f.Name), "Show the next times"
	when := Field{Name: FieldWhen, Label: "When", Hint: "For example: every Monday at 9, weekdays at 8:30, first Monday of the month at 10", Kind: Text, Required: true}
	out.Fields = append([]Field{when}, out.Fields...)
	return out
}

// Change asks in words what should be different. text is what there is now.
func Change(ref Ref, title, text string) Form {
	return Form{Ref: ref, Title: title, Submit: "Show the change", Text: text, Fields: []Field{{
		Name: FieldText, Label: "What should be different?", Hint: "In your own words, for example: ask @finance only above 100; remove 3; add after 2: tell #general", Kind: Long, Required: true,
	}}}
}

// Gate asks for the answer to a question. choice is the choice that was pressed, from 1, and 0 where the form asks for it, too.
func Gate(id string, o history.GateOpened, choice int) Form {
	out := Form{Ref: Ref{Owner: OfGate, Subject: id, Choice: choice, Shown: o.Shown()}, Title: "Answer", Submit: "Send", Text: o.Message}
	if o.Error != nil { // its kind is for programs
		out.Text = o.Error.Message
	}
	chosen := ""
	if choice > 0 && choice <= len(o.Choices) {
		chosen = o.Choices[choice-1]
		out.Title, out.Submit = flow.Words(chosen), flow.Words(chosen)
	} else if len(o.Choices) > 0 {
		out.Fields = append(out.Fields, Field{Name: FieldChoice, Label: "Your answer", Kind: Choice, Options: o.Choices, Required: true})
	}
	for _, name := range flow.InOrder(o.Form) {
		field := o.Form[name]
		f := Field{
			Name: name, Label: flow.Words(name), Hint: field.Description, Kind: kindOf(field.Type), Options: words(field.Enum),
			Required: field.Required || slices.Contains(field.RequiredFor, chosen), Hidden: field.Sensitive,
		}
		if len(f.Options) > 0 {
			f.Kind = Choice
		}
		f.Hint = hint(f.entry(""), field.Sensitive)
		out.Fields = append(out.Fields, f)
	}
	_, asksNote := o.Form["note"]
	switch {
	case TakesValue(o.Kind, chosen):
		out.Fields = append(out.Fields, Field{Name: FieldValue, Label: "Value", Hint: "The result of the step from here on: a text, a number or JSON.", Kind: Long})
	case len(o.Choices) == 0 && len(o.Form) == 0:
		out.Fields = append(out.Fields, Field{Name: FieldText, Label: "Your answer", Kind: Long, Required: true})
	case len(o.Choices) > 0 && !asksNote:
		out.Fields = append(out.Fields, Field{Name: FieldNote, Label: "Note", Hint: "It is kept with the decision.", Kind: Long})
	}
	return out
}

// NeedsForm says whether a choice of a gate cannot count without values that a button alone does not give.
func NeedsForm(o history.GateOpened, choice string) bool {
	for _, field := range o.Form {
		if field.Required || slices.Contains(field.RequiredFor, choice) {
			return true
		}
	}
	return false
}

// TakesValue says whether a choice lets a run go on with a value that a person gives.
func TakesValue(kind history.GateKind, choice string) bool {
	return kind == history.GateFailure && choice == history.ChoiceSkip || kind == history.GateUnknown && choice == history.ChoiceDone
}

// hint adds to what is said below a field what becomes of the value.
func hint(text string, sensitive bool) string {
	if !sensitive {
		return text
	}
	return strings.TrimSpace(sentence(text) + " Shown as dots afterwards.")
}

// entry is the hint of a field with how its value is written, where that is no plain word, and an example.
func (f Field) entry(example string) string {
	parts := []string{f.Hint}
	switch {
	case f.Kind == List:
		parts = append(parts, listing.HintFor(f.Item))
	case f.Kind == JSON && example == "":
		example = `{"name": "value"}`
		parts = append(parts, "A JSON object.")
	}
	if example != "" {
		parts = append(parts, "For example: "+example)
	}
	for i, part := range parts[:len(parts)-1] {
		parts[i] = sentence(part)
	}
	return strings.TrimSpace(strings.Join(parts, " "))
}

// sentence ends a text, behind which another one comes.
func sentence(text string) string {
	if text = strings.TrimSpace(text); text == "" || strings.ContainsAny(text[len(text)-1:], ".!?:;") {
		return text
	}
	return text + "."
}

func kindOf(kind string) Kind {
	switch kind {
	case "number":
		return Number
	case "integer":
		return Integer
	case "boolean":
		return YesNo
	case "object":
		return JSON
	case "array":
		return List
	case flow.TypeDate, flow.TypeTime, flow.TypePerson, flow.TypeChannel, flow.TypeFile:
		return Kind(kind)
	}
	return Text
}

func words(values []any) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = shown(v)
		if list, ok := v.([]any); ok {
			b, _ := json.Marshal(list)
			out[i] = string(b)
		}
	}
	return out
}

// shown writes a value as a person would enter it.
func shown(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case bool:
		if v {
			return "yes"
		}
		return "no"
	}
	return listing.Sample(v)
}
