package outline_test

import (
	"fmt"
	"strconv"
	"strings"

	"sluice/engine/planner/tree"
)

// printed writes a tree on a few lines, and what no quote holds.
func printed(t *tree.Tree) string {
	p := printer{t: t}
	if t.Name != "" || t.About != "" {
		p.line(0, "name %s%s", t.Name, opt(" about %q", t.About))
	}
	for _, in := range t.Inputs {
		p.line(0, "input %s%s%s", in.Name, opt(" %s", in.Type), map[bool]string{true: " optional"}[in.Optional])
	}
	for _, g := range t.Triggers {
		p.line(0, "trigger %q%s%s%s%s%s%s%s", g.Words, opt(" cron=%s", g.Cron), opt(" zone=%s", g.Zone), opt(" in=%s", g.Channel), opt(" match=%s", g.Match), opt(" emoji=%s", g.Emoji), opt(" path=%s", g.Path), map[bool]string{true: " by hand"}[g.By])
	}
	p.steps(0, t.Steps)
	if d := t.Deadline; d != nil {
		p.line(0, "limit%s%s", opt(" after %s", d.After), opt(" at %s", d.Time))
		p.steps(1, d.Steps)
	}
	if rest := unquoted(t); rest != "" {
		p.line(0, "unread: %s", rest)
	}
	return p.String()
}

type printer struct {
	strings.Builder
	t *tree.Tree
}

func (p *printer) line(depth int, format string, args ...any) {
	p.WriteString(strings.Repeat("  ", depth) + fmt.Sprintf(format, args...) + "\n")
}

func opt(format, value string) string {
	if value == "" {
		return ""
	}
	return fmt.Sprintf(format, value)
}

func (p *printer) steps(depth int, steps []tree.Step) {
	for i := range steps {
		s := &steps[i]
		var b strings.Builder
		if s.No > 0 {
			fmt.Fprintf(&b, "%d. ", s.No)
		}
		b.WriteString(string(s.Kind))
		b.WriteString(opt(" by %s", string(s.Doer)) + opt(" %s", s.Tool) + names(" who", s.Who) + names(" to", s.To))
		if s.Quorum > 0 {
			fmt.Fprintf(&b, " quorum %d", s.Quorum)
		}
		if len(s.Choices) > 0 {
			fmt.Fprintf(&b, " choices %s", strings.Join(s.Choices, "|"))
		}
		for _, f := range s.Fields {
			fmt.Fprintf(&b, " field %s%s", f.Name, opt(":%s", f.Type))
		}
		if s.Free {
			b.WriteString(" free")
		}
		if s.Text != "" {
			fmt.Fprintf(&b, " %q", s.Text)
		}
		if d := s.Deadline; d != nil {
			b.WriteString(opt(" within %s", d.After) + opt(" remind %s", d.Remind) + opt(" escalate %s", d.EscalateAfter))
			if d.EscalateTo != nil {
				b.WriteString(" to " + d.EscalateTo.Words)
			}
		}
		b.WriteString(opt(" for %s", s.For) + opt(" until %s", s.Time) + opt(" event %q", s.Event) + opt(" over %q", s.Over.Words) + opt(" as %s", s.As) + opt(" result %s", s.Result))
		if s.Retry > 0 {
			fmt.Fprintf(&b, " attempts %s", strings.TrimSpace(strconv.Itoa(s.Retry)+" "+s.Pause))
		}
		if s.Until != nil {
			b.WriteString(" until " + cond(*s.Until))
		}
		p.line(depth, "%s", b.String())
		for _, br := range s.Branches {
			label := "branch"
			switch {
			case br.When != nil:
				label = "when " + cond(*br.When)
			case br.Else:
				label = "else"
			case br.Choice != "":
				label = "on " + br.Choice
			}
			p.line(depth+1, "%s:", label)
			p.steps(depth+2, br.Steps)
		}
		if len(s.OnError) > 0 {
			p.line(depth+1, "on error:")
			p.steps(depth+2, s.OnError)
		}
	}
}

func names(label string, all []tree.Name) string {
	var out strings.Builder
	for _, n := range all {
		out.WriteString(label + " " + n.Words + opt("=%s", n.Is))
		if n.DM {
			out.WriteString("(dm)")
		}
		label = ","
	}
	return out.String()
}

func cond(c tree.Cond) string {
	switch {
	case len(c.Parts) > 0:
		var parts []string
		for _, p := range c.Parts {
			parts = append(parts, cond(p))
		}
		return c.Op + "(" + strings.Join(parts, ", ") + ")"
	case c.Op == "":
		return fmt.Sprintf("?%q", c.Words)
	}
	out := "[" + c.Left.Words
	if c.Left.Ref != (tree.Ref{}) {
		out += "=" + c.Left.Ref.Step
	}
	out += " " + c.Op
	if c.Right.Literal != nil {
		out += fmt.Sprintf(" %#v", c.Right.Literal)
	} else if c.Right.Words != "" {
		out += " " + c.Right.Words
	}
	return out + "]"
}

// held calls visit with each quote of a tree.
func held(t *tree.Tree, visit func(kind string, q tree.Quote)) {
	all := func(kind string, qs []tree.Quote) {
		for _, q := range qs {
			visit(kind, q)
		}
	}
	var conds func(c *tree.Cond)
	conds = func(c *tree.Cond) {
		if c == nil {
			return
		}
		all("cond", c.At)
		for i := range c.Parts {
			conds(&c.Parts[i])
		}
	}
	all("tree", t.At)
	for _, in := range t.Inputs {
		all("input", in.At)
	}
	for _, g := range t.Triggers {
		all("trigger", g.At)
	}
	if t.Deadline != nil {
		all("limit", t.Deadline.At)
	}
	t.Walk(func(s *tree.Step) bool {
		all(s.ID, s.At)
		visit("said", s.Said)
		for _, b := range s.Branches {
			all(s.ID+"b", b.At)
			conds(b.When)
		}
		conds(s.Until)
		return true
	})
}

// unquoted gives the words of a tree that no quote holds, without signs.
func unquoted(t *tree.Tree) string {
	text := []byte(t.Texts[0].Words)
	held(t, func(_ string, q tree.Quote) {
		for i := q.From; i < q.To; i++ {
			text[i] = ' '
		}
	})
	var out []string
	for f := range strings.FieldsSeq(string(text)) {
		if f = strings.Trim(f, ",.:;!?–-\"“”()→>*•"); f != "" {
			out = append(out, f)
		}
	}
	return strings.Join(out, " ")
}
