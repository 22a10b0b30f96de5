package flow

import (
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode"
)

const maxQuorum = 100 // votes that a gate may ask for

func (v *validator) approval(a at, n *Node, s *ApprovalSpec) {
	if v.required(a.in("message"), "message", s.Message) {
		v.template(a.in("message"), s.Message, false)
	}
	if len(s.Choices) < 2 {
		v.error(a.in("choices"), "too-few-choices", "an approval needs at least 2 choices"+a.on, "")
	}
	v.choices(a, s.Choices)
	for i, c := range s.Veto {
		if !slices.Contains(s.Choices, c) {
			v.error(a.item("veto", i), "unknown-choice", fmt.Sprintf("'%s' is not a choice%s", c, a.on), didYouMean(nearest(c, s.Choices)))
		}
	}
	for i, e := range s.Show {
		v.expression(a.item("show", i), e)
	}
	v.who(a.in("who"), s.Who)
	v.form(a.in("form"), s.Form, s.Choices)
	v.deadline(a.in("deadline"), s.Deadline)
	if s.Deadline != nil && !s.Deadline.After.IsZero() && !v.handlesTimeout(n) {
		v.warn(a.in("deadline"), "timeout-unhandled", fmt.Sprintf("nothing says what happens when '%s' times out: the run stops there with a question", n.ID),
			fmt.Sprintf("add a route such as {when: \"approvals.%s == 'timeout'\", to: ...}; a default does not take it", n.ID))
	}
}

// handlesTimeout reports whether a route names the timeout, or an error route may take it.
func (v *validator) handlesTimeout(n *Node) bool {
	for _, r := range n.Routes {
		if strings.Contains(r.When, "timeout") {
			return true
		}
	}
	for _, r := range n.OnError {
		if re, err := regexp.Compile(r.Match); r.Default || err == nil && r.Match != "" && re.MatchString("GateTimeout") {
			return true
		}
	}
	return false
}

func (v *validator) choices(a at, choices []string) {
	for i, c := range choices {
		place := a.item("choices", i)
		switch {
		case strings.TrimSpace(c) == "":
			v.error(place, "empty", "a choice must not be empty"+a.on, "")
		case slices.Contains(reservedChoices, c):
			v.error(place, "reserved-choice", fmt.Sprintf("choice '%s' is reserved%s", c, a.on),
				"it is what a gate becomes by itself ("+strings.Join(reservedChoices, ", ")+"); choose another word")
		case slices.Index(choices, c) < i:
			v.error(place, "duplicate-choice", fmt.Sprintf("choice '%s' is there twice%s", c, a.on), "")
		}
	}
}

func (v *validator) ask(a at, s *AskSpec) {
	if v.required(a.in("message"), "message", s.Message) {
		v.template(a.in("message"), s.Message, false)
	}
	v.choices(a, s.Choices)
	v.who(a.in("who"), s.Who)
	v.form(a.in("form"), s.Form, s.Choices)
	v.deadline(a.in("deadline"), s.Deadline)
}

func (v *validator) who(a at, w *Who) {
	if w == nil {
		return
	}
	for i, name := range w.Groups {
		v.person(a.item("groups", i), name, "@finance")
	}
	for i, name := range w.Users {
		v.person(a.item("users", i), name, "@ana")
	}
	switch {
	case w.Quorum < 1 || w.Quorum > maxQuorum:
		v.error(a.in("quorum"), "out-of-range", fmt.Sprintf("'quorum' must be 1 to %d%s", maxQuorum, a.on), "")
	case len(w.Groups) == 0 && len(w.Users) > 0 && w.Quorum > len(w.Users):
		v.error(a.in("quorum"), "out-of-range", fmt.Sprintf("'quorum' is %d, but only %d may answer%s", w.Quorum, len(w.Users), a.on), "")
	}
}

func (v *validator) person(a at, name, example string) {
	if strings.TrimPrefix(name, "@") == "" || strings.ContainsFunc(name, unicode.IsSpace) {
		v.error(a, "bad-name", fmt.Sprintf("'%s' names nobody%s", name, a.on), "write for example "+example)
	}
}

func (v *validator) form(a at, form map[string]FormField, choices []string) {
	names := make([]string, 0, len(form))
	for name := range form {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		field, place := form[name], a.in(name)
		if !identifier.MatchString(name) {
			v.error(place, "bad-name", fmt.Sprintf("'%s' is not a name of a field%s", name, a.on), "use letters, digits and _")
		}
		for i, value := range field.Enum {
			if !ofType(field.Type, value) {
				v.error(place.item("enum", i), "wrong-type", fmt.Sprintf("'%v' is no %s, as field '%s' must be%s", value, field.Type, name, a.on), "")
			}
		}
		for i, c := range field.RequiredFor {
			if !slices.Contains(choices, c) {
				v.error(place.item("required_for", i), "unknown-choice", fmt.Sprintf("'%s' is not a choice%s", c, a.on), didYouMean(nearest(c, choices)))
			}
		}
	}
}

func (v *validator) deadline(a at, d *Deadline) {
	if d == nil {
		return
	}
	if d.After.IsZero() && d.Remind.IsZero() && d.Escalate == nil && v.intact(a) {
		v.error(a, "empty", "'deadline' says nothing"+a.on, "write for example deadline: {after: 2 working days}")
	}
	if longer(d.Remind, d.After) {
		v.warn(a.in("remind"), "out-of-range", "'remind' is longer than the deadline"+a.on, "")
	}
	if e := d.Escalate; e != nil {
		v.person(a.in("escalate.to"), e.To, "@cfo")
		switch {
		case e.After.IsZero() && v.intact(a.in("escalate")):
			v.error(a.in("escalate"), "missing-key", "'after' is missing in escalate"+a.on, "write for example escalate: {after: 1 working day, to: \"@cfo\"}")
		case longer(e.After, d.After):
			v.error(a.in("escalate.after"), "out-of-range", "'escalate' comes after the deadline"+a.on, "")
		}
	}
}

// longer compares durations of the same sort; clock time and working days cannot be compared without a calendar.
func longer(d, than Duration) bool {
	if than.IsZero() {
		return false
	}
	if d.WorkingDays > 0 && than.WorkingDays > 0 {
		return d.WorkingDays > than.WorkingDays
	}
	return than.WorkingDays == 0 && d.WorkingDays == 0 && d.Clock > than.Clock
}
