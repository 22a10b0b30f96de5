package flow

// KindAsk is the kind of AskSpec.
const KindAsk Kind = "ask"

// AskSpec asks a question that is answered with free text or a form.
type AskSpec struct {
	Message  string               `json:"message"`
	Who      *Who                 `json:"who,omitempty"`
	Choices  []string             `json:"choices,omitempty"`
	Form     map[string]FormField `json:"form,omitempty"`
	Deadline *Deadline            `json:"deadline,omitempty"`
}

// Kind is KindAsk.
func (*AskSpec) Kind() Kind { return KindAsk }

func (s *AskSpec) check(v *Checker, a At, _ *Node) {
	if v.Required(a.In("message"), "message", s.Message) {
		v.Template(a.In("message"), s.Message, false)
	}
	v.choices(a, s.Choices)
	v.who(a.In("who"), s.Who)
	v.form(a.In("form"), s.Form, s.Choices)
	v.deadline(a.In("deadline"), s.Deadline)
}

func (s *AskSpec) describe(_ *Node) string {
	return askWords(s.Who, s.Message)
}

func (*AskSpec) chartType(_ *Flow, n *Node) FlowchartType {
	return questionType(n)
}

func (*AskSpec) waits() bool { return true }

func (*AskSpec) does() int { return works }

func (s *AskSpec) question() *Question {
	return &Question{Who: s.Who, Choices: s.Choices, Form: s.Form, Deadline: s.Deadline}
}

func (s *AskSpec) fill(n *Node) {
	s.Deadline = n.settleDeadline(s.Deadline)
	s.Who = settleWho(s.Who)
	fillForm(s.Form)
}

func (s *AskSpec) drop() { dropWho(s.Who) }

func (s *AskSpec) parts() []Part { return []Part{{Key: "message", Form: FormText, Text: s.Message}} }
