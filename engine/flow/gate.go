package flow

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"sluice/engine/naming"
)

// Who lists the people who may answer a gate. A name is "@group", "@user" or an id.
type Who struct {
	Groups       []string `json:"groups,omitempty"`
	Users        []string `json:"users,omitempty"`
	Quorum       int      `json:"quorum,omitempty"`        // default 1
	SelfApproval *bool    `json:"self_approval,omitempty"` // may the requester decide; default true
}

// settleWho fills a who; an empty one becomes nil.
func settleWho(w *Who) *Who {
	if w == nil {
		return nil
	}
	w.Quorum = cmp.Or(w.Quorum, 1)
	if w.SelfApproval != nil && *w.SelfApproval {
		w.SelfApproval = nil
	}
	if len(w.Groups) == 0 && len(w.Users) == 0 && w.Quorum == 1 && w.SelfApproval == nil {
		return nil
	}
	return w
}

func dropWho(w *Who) {
	if w != nil && w.Quorum == 1 {
		w.Quorum = 0
	}
}

// names lists the people, and how many of them must agree.
func (w *Who) names() string {
	switch names := slices.Concat(w.Groups, w.Users); {
	case w.all():
		return naming.List(names, "and")
	case w.Quorum > 1:
		return fmt.Sprintf("%d of %s", w.Quorum, naming.List(names, "or"))
	default:
		return naming.List(names, "or")
	}
}

// all reports whether each of the people who are named has to agree.
func (w *Who) all() bool { return w.Quorum > 1 && len(w.Groups) == 0 && w.Quorum == len(w.Users) }

// Words says who may answer.
func (w *Who) Words() string {
	if w == nil || len(w.Groups)+len(w.Users) == 0 {
		return "any member of the channel"
	}
	words := w.names()
	if w.all() {
		words += " (each of them has to agree)"
	}
	if w.NotRequester() {
		words += " (never the requester)"
	}
	return words
}

// NotRequester reports whether the person who asked for the run may not answer.
func (w *Who) NotRequester() bool { return w != nil && w.SelfApproval != nil && !*w.SelfApproval }

// Weaker says what was harder to fulfil before: other people may answer, fewer votes decide, somebody is not excluded any more.
func (w *Who) Weaker(before *Who) []string {
	was, is := before.orAll(), w.orAll()
	var out []string
	if people := morePeople(was, is); people != "" {
		out = append(out, "may be decided by "+people)
	}
	if is.Quorum < was.Quorum {
		out = append(out, fmt.Sprintf("needs %d instead of %d votes", is.Quorum, was.Quorum))
	}
	if was.SelfApproval != nil && is.SelfApproval == nil {
		out = append(out, "may be decided by the person who asked")
	}
	return out
}

func (w *Who) orAll() Who { return *cmp.Or(w, &Who{Quorum: 1}) }

// morePeople names who may decide now and could not before.
func morePeople(was, is Who) string {
	if len(was.Groups)+len(was.Users) == 0 {
		return "" // every member of the channel could
	}
	if len(is.Groups)+len(is.Users) == 0 {
		return "anybody in the channel"
	}
	groups := slices.DeleteFunc(slices.Clone(is.Groups), func(name string) bool { return slices.Contains(was.Groups, name) })
	users := slices.DeleteFunc(slices.Clone(is.Users), func(name string) bool { return slices.Contains(was.Users, name) })
	return naming.List(slices.Concat(groups, users), "and")
}

// FormField is one field asked with a gate.
type FormField struct {
	Type        string   `json:"type,omitempty"` // default string
	Description string   `json:"description,omitempty"`
	Enum        []any    `json:"enum,omitempty"`
	Required    bool     `json:"required,omitempty"`
	RequiredFor []string `json:"required_for,omitempty"` // choices that need it
	Sensitive   bool     `json:"sensitive,omitempty"`    // what is entered is shown as dots everywhere
	Order       int      `json:"order,omitempty"`        // its place in the form, from 1; see InOrder
}

// InOrder gives the names of a form's fields in the order in which they are asked: that in which they were declared. Fields without a number
// come last, by their names.
//
// The number is part of the field: a form keeps its order in each flow, fact and question that it is copied to. It is part of the canonical
// form and so of the hash, because an approval is about what people will see. It is written only where the order is not that of the names:
// a form of a release that knew no order keeps its hash, and looks as it did.
func InOrder(form map[string]FormField) []string {
	return slices.SortedFunc(maps.Keys(form), func(a, b string) int {
		x, y := form[a].Order, form[b].Order
		if (x == 0) != (y == 0) {
			return cmp.Compare(y, x)
		}
		return cmp.Or(cmp.Compare(x, y), cmp.Compare(a, b))
	})
}

// noteField is the field that is the note of a decision.
const noteField = "note"

// SensitiveFields are the names of the fields of a form that are shown as dots.
func SensitiveFields(form map[string]FormField) map[string]bool {
	out := map[string]bool{}
	for name, field := range form {
		if field.Sensitive {
			out[name] = true
		}
	}
	return out
}

// Deadline bounds how long a gate waits: so long, or until a time.
type Deadline struct {
	After      Duration  `json:"after,omitzero"`
	Until      string    `json:"until,omitempty"` // a time as engine/calendar reads it: 17:00, tomorrow 12:00, friday 16:00, 2026-12-01 09:00
	Remind     Duration  `json:"remind,omitzero"`
	RemindOnce bool      `json:"remind_once,omitempty"`
	Escalate   *Escalate `json:"escalate,omitempty"`
}

// Ends reports whether the gate ends by itself.
func (d *Deadline) Ends() bool { return d != nil && (!d.After.IsZero() || d.Until != "") }

// Escalate asks other people after a time.
type Escalate struct {
	After Duration `json:"after,omitzero"`
	To    string   `json:"to"`
}

const maxQuorum = 100 // votes that a gate may ask for

func (v *Checker) choices(a At, choices []string) {
	for i, c := range choices {
		place := a.Item("choices", i)
		switch {
		case strings.TrimSpace(c) == "":
			v.Error(place, "empty", "a choice must not be empty"+a.On, "")
		case slices.Contains(reservedChoices, c):
			v.Error(place, "reserved-choice", fmt.Sprintf("choice '%s' is reserved%s", c, a.On),
				"it is what a gate becomes by itself ("+strings.Join(reservedChoices, ", ")+"); choose another word")
		case slices.Index(choices, c) < i:
			v.Error(place, "duplicate-choice", fmt.Sprintf("choice '%s' is there twice%s", c, a.On), "")
		}
	}
}

func (v *Checker) who(a At, w *Who) {
	if w == nil {
		return
	}
	for i, name := range w.Groups {
		v.person(a.Item("groups", i), name, "@finance")
	}
	for i, name := range w.Users {
		v.person(a.Item("users", i), name, "@ana")
	}
	switch {
	case w.Quorum < 1 || w.Quorum > maxQuorum:
		v.Error(a.In("quorum"), "out-of-range", fmt.Sprintf("'quorum' must be 1 to %d%s", maxQuorum, a.On), "")
	case len(w.Groups) == 0 && len(w.Users) > 0 && w.Quorum > len(w.Users):
		v.Error(a.In("quorum"), "out-of-range", fmt.Sprintf("'quorum' is %d, but only %d may answer%s", w.Quorum, len(w.Users), a.On), "")
	}
}

func (v *Checker) person(a At, name, example string) {
	if strings.TrimPrefix(name, "@") == "" || strings.ContainsFunc(name, unicode.IsSpace) {
		v.Error(a, "bad-name", fmt.Sprintf("'%s' names nobody%s", name, a.On), "write for example "+example)
	}
}

func (v *Checker) form(a At, form map[string]FormField, choices []string) {
	for _, name := range InOrder(form) {
		field, place := form[name], a.In(name)
		if !identifier.MatchString(name) {
			v.Error(place, "bad-name", fmt.Sprintf("'%s' is not a name of a field%s", name, a.On), "use letters, digits and _")
		}
		if field.Sensitive && name == noteField {
			v.Error(place, "bad-name", "'note' cannot be sensitive: it stands beside the decision"+a.On, "give the field another name")
		}
		for i, value := range field.Enum {
			if !ofType(field.Type, value) {
				v.Error(place.Item("enum", i), "wrong-type", fmt.Sprintf("'%v' is no %s, as field '%s' must be%s", value, field.Type, name, a.On), "")
			}
		}
		for i, c := range field.RequiredFor {
			if !slices.Contains(choices, c) {
				v.Error(place.Item("required_for", i), "unknown-choice", fmt.Sprintf("'%s' is not a choice%s", c, a.On), naming.Suggest(c, choices))
			}
		}
	}
}

func (v *Checker) deadline(a At, d *Deadline) {
	if d == nil {
		return
	}
	if d.Until != "" && (!d.After.IsZero() || v.Checks.Time != nil && !v.Checks.Time(d.Until)) {
		v.Error(a.In("until"), "bad-time", fmt.Sprintf("'%s' is no time, or 'after' stands beside it%s", d.Until, a.On), "write for example deadline: {until: friday 16:00}")
	}
	if !d.Ends() && d.Remind.IsZero() && d.Escalate == nil && v.Intact(a) {
		v.Error(a, "empty", "'deadline' says nothing"+a.On, "write for example deadline: {after: 2 working days}")
	}
	if d.RemindOnce && d.Remind.IsZero() && v.Intact(a.In("remind")) {
		v.Error(a.In("remind_once"), "missing-key", "'remind' is missing beside remind_once"+a.On, "write for example deadline: {remind: 4h, remind_once: true}")
	}
	if d.Remind.Longer(d.After) {
		v.Warn(a.In("remind"), "out-of-range", "'remind' is longer than the deadline"+a.On, "")
	}
	if e := d.Escalate; e != nil {
		v.person(a.In("escalate.to"), e.To, "@cfo")
		switch {
		case e.After.IsZero() && v.Intact(a.In("escalate")):
			v.Error(a.In("escalate"), "missing-key", "'after' is missing in escalate"+a.On, "write for example escalate: {after: 1 working day, to: \"@cfo\"}")
		case e.After.Longer(d.After):
			v.Error(a.In("escalate.after"), "out-of-range", "'escalate' comes after the deadline"+a.On, "")
		}
	}
}

// reservedChoices are the values of approvals.<id> that no person chose.
var reservedChoices = []string{ChoiceTimeout, "superseded", "cancelled"}

// ChoiceTimeout is the choice of a gate whose deadline passed.
const ChoiceTimeout = "timeout"
