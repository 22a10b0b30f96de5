package flow

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"sluice/engine/naming"
)

// KindApproval is the kind of ApprovalSpec.
const KindApproval Kind = "approval"

// ApprovalSpec asks people to choose.
type ApprovalSpec struct {
	Message  string               `json:"message"`
	Choices  []string             `json:"choices,omitempty"` // default approve, reject
	Veto     []string             `json:"veto,omitempty"`    // choices that decide alone under a quorum; nil = all but the first
	Refuses  []string             `json:"refuses,omitzero"`  // choices that reject the run; nil = see Flow.Refusal
	Who      *Who                 `json:"who,omitempty"`
	Show     []string             `json:"show,omitempty"` // expressions: what the deciders see
	Form     map[string]FormField `json:"form,omitempty"`
	Deadline *Deadline            `json:"deadline,omitempty"`
}

// Kind is KindApproval.
func (*ApprovalSpec) Kind() Kind { return KindApproval }

func (s *ApprovalSpec) check(v *Checker, a At, n *Node) {
	if v.Required(a.In("message"), "message", s.Message) {
		v.Template(a.In("message"), s.Message, false)
	}
	if len(s.Choices) < 2 {
		v.Error(a.In("choices"), "too-few-choices", "an approval needs at least 2 choices"+a.On, "")
	}
	v.choices(a, s.Choices)
	for i, c := range s.Veto {
		if !slices.Contains(s.Choices, c) {
			v.Error(a.Item("veto", i), "unknown-choice", fmt.Sprintf("'%s' is not a choice%s", c, a.On), naming.Suggest(c, s.Choices))
		}
	}
	for i, c := range s.Refuses {
		if !slices.Contains(s.Choices, c) {
			v.Error(a.Item("refuses", i), "unknown-choice", fmt.Sprintf("'%s' is not a choice%s", c, a.On), naming.Suggest(c, s.Choices))
		}
	}
	for i, e := range s.Show {
		v.Expression(a.Item("show", i), e)
	}
	v.who(a.In("who"), s.Who)
	v.form(a.In("form"), s.Form, s.Choices)
	v.deadline(a.In("deadline"), s.Deadline)
	if _, handled := n.AfterTimeout(); s.Deadline.Ends() && !handled {
		v.Warn(a.In("deadline"), "timeout-unhandled", fmt.Sprintf("nothing says what happens when '%s' times out: the run stops there with a question", n.ID),
			fmt.Sprintf("add a route such as {when: \"approvals.%s == 'timeout'\", to: ...}; a default does not take it", n.ID))
	}
}

func (s *ApprovalSpec) describe(_ *Node) string {
	return askWords(s.Who, s.Message)
}

func (*ApprovalSpec) chartType(_ *Flow, n *Node) FlowchartType {
	return questionType(n)
}

func (*ApprovalSpec) waits() bool { return true }

func (*ApprovalSpec) does() int { return works }

func (s *ApprovalSpec) question() *Question {
	choices := s.Choices
	if len(choices) == 0 {
		choices = DefaultChoices()
	}
	return &Question{Who: s.Who, Choices: choices, Form: s.Form, Deadline: s.Deadline}
}

func (s *ApprovalSpec) fill(n *Node) {
	if len(s.Choices) == 0 {
		s.Choices = DefaultChoices()
	}
	s.Deadline = n.settleDeadline(s.Deadline)
	s.Who = settleWho(s.Who)
	fillForm(s.Form)
}

func (s *ApprovalSpec) drop() {
	if slices.Equal(s.Choices, DefaultChoices()) {
		s.Choices = nil
	}
	dropWho(s.Who)
}

// AfterTimeout gives the node where a run goes on when nobody answers in time, by a route that names the timeout or by an error route. handled is
// false when none may take it; to is empty when the conditions do not show where.
func (n *Node) AfterTimeout() (to string, handled bool) {
	for _, r := range n.Routes {
		if strings.Contains(r.When, ChoiceTimeout) {
			if strings.Contains(r.When, "!=") {
				return "", true
			}
			return r.To, true
		}
	}
	for _, r := range n.OnError {
		if re, err := regexp.Compile(r.Match); r.Default || err == nil && r.Match != "" && re.MatchString("GateTimeout") {
			return r.To, true
		}
	}
	return "", false
}

func (s *ApprovalSpec) parts() []Part {
	all := []Part{{Key: "message", Form: FormText, Text: s.Message}}
	for i, shown := range s.Show {
		all = append(all, Part{Key: fmt.Sprintf("show[%d]", i), Form: FormShown, Text: shown})
	}
	return all
}
