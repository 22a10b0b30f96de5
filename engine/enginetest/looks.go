package enginetest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/go-cmp/cmp"

	"sluice/engine/history"
)

// looks are the expectations of a script.
var looks = map[string]func(d *Driver, rest string) error{
	"status":  func(d *Driver, rest string) error { return same(rest, string(d.State.Status)) },
	"outcome": func(d *Driver, rest string) error { return same(rest, outcomeWords(d)) },
	"at": func(d *Driver, rest string) error {
		var nodes []string
		for _, t := range d.State.Tokens {
			nodes = append(nodes, t.Node)
		}
		return sameWords(rest, nodes)
	},
	"deferred": func(d *Driver, rest string) error {
		var nodes []string
		for _, id := range d.State.Deferred {
			nodes = append(nodes, d.State.Token(id).Node)
		}
		return sameWords(rest, nodes)
	},
	"phase": func(d *Driver, rest string) error {
		node, phase, _ := strings.Cut(rest, " ")
		for _, t := range d.Tokens(node) {
			return same(phase, string(t.Phase))
		}
		return fmt.Errorf("no token at %s", node)
	},
	"path":     func(d *Driver, rest string) error { return sameWords(rest, d.Path()) },
	"edges":    func(d *Driver, rest string) error { return sameWords(rest, d.Edges()) },
	"output":   lookOutput,
	"result":   lookResult,
	"vars":     func(d *Driver, rest string) error { return sameJSON(rest, Variables(d.State, d.Facts)) },
	"size":     lookSize,
	"approval": lookApproval,
	"gate":     lookGate,
	"message":  lookMessage,
	"gates":    func(d *Driver, rest string) error { return same(rest, strconv.Itoa(len(d.State.Gates))) },
	"visits":   func(d *Driver, rest string) error { return same(rest, strconv.Itoa(d.State.Steps)) },
	"active":   func(d *Driver, rest string) error { return same(rest, d.State.Active.String()) },
	"acts":     func(d *Driver, rest string) error { return same(rest, strconv.Itoa(len(d.Acts))) },
	"timers": func(d *Driver, rest string) error {
		var kinds []string
		for _, tm := range d.State.Timers {
			kinds = append(kinds, string(tm.Kind))
		}
		return sameWords(rest, kinds)
	},
	"error": func(d *Driver, rest string) error {
		if e := d.State.LastError; e == nil || !strings.Contains(e.Error(), rest) {
			return fmt.Errorf("the error is %v", e)
		}
		return nil
	},
	"seen": func(d *Driver, rest string) error {
		return d.lookRoute(rest, func(b *history.RouteTaken, want string) error { return sameJSON(want, b.Seen) })
	},
	"why": func(d *Driver, rest string) error {
		return d.lookRoute(rest, func(b *history.RouteTaken, want string) error { return same(want, b.Why) })
	},
	"items": func(d *Driver, rest string) error {
		node, want, _ := strings.Cut(rest, " ")
		for _, f := range d.State.Frames {
			if e := f.Each; e != nil && f.Node == node {
				return same(want, fmt.Sprintf("%d/%d/%d/%d", e.Total, e.Next, e.Ended, e.Kept))
			}
		}
		return fmt.Errorf("%s is not open", node)
	},
	"messages":  func(d *Driver, rest string) error { return same(rest, strconv.Itoa(len(d.Messages))) },
	"children":  func(d *Driver, rest string) error { return same(rest, strconv.Itoa(len(d.Children))) },
	"cancelled": func(d *Driver, rest string) error { return same(rest, strconv.Itoa(len(d.Cancelled))) },
	"inputs": func(d *Driver, rest string) error {
		node, want, _ := strings.Cut(rest, " ")
		for _, t := range d.Tokens(node) {
			return sameJSON(want, d.Children[t.Child].Inputs)
		}
		return fmt.Errorf("no token at %s", node)
	},
	"fact": lookFact,
	"verdicts": func(d *Driver, rest string) error {
		v, err := history.NewView(d.Flow, d.Facts, d.Past...)
		if err != nil {
			return err
		}
		node, want, _ := strings.Cut(rest, " ")
		var given []string
		for _, verdict := range v.Nodes[node].Verdicts {
			word := "no"
			if verdict.Met {
				word = "yes"
			}
			given = append(given, verdict.ID+"="+word)
		}
		return sameWords(want, given)
	},
	"view": lookView,
	"nofact": func(d *Driver, rest string) error {
		for _, f := range d.Facts {
			if string(f.Kind) == rest {
				return fmt.Errorf("fact %d is one", f.Seq)
			}
		}
		return nil
	},
}

// Path lists all visits so far, in order.
func (d *Driver) Path() []string {
	var nodes []string
	for _, f := range d.Facts {
		switch b := f.Body.(type) {
		case *history.TokenMade:
			nodes = append(nodes, b.At)
		case *history.FrameOpened:
			for i, head := range b.Heads {
				if b.Tokens[i] != 0 {
					nodes = append(nodes, head)
				}
			}
		case *history.TokenSplit:
			for _, w := range b.Ways {
				nodes = append(nodes, w.To)
			}
		case *history.RoundStarted:
			nodes = append(nodes, b.Head)
		case *history.ItemStarted:
			nodes = append(nodes, b.Head)
		case *history.RouteTaken:
			if b.To != "end" {
				nodes = append(nodes, b.To)
			}
		}
	}
	return nodes
}

// Edges lists all edges taken so far, in order.
func (d *Driver) Edges() []string {
	var edges []string
	for _, f := range d.Facts {
		switch b := f.Body.(type) {
		case *history.FrameOpened:
			for i, edge := range b.Edges {
				if b.Tokens[i] != 0 {
					edges = append(edges, edge)
				}
			}
		case *history.TokenSplit:
			for _, w := range b.Ways {
				edges = append(edges, w.Edge)
			}
		case *history.ItemStarted:
			edges = append(edges, b.Edge)
		case *history.RoundStarted:
			edges = append(edges, b.Edge)
		case *history.RouteTaken:
			if b.Edge != "" {
				edges = append(edges, b.Edge)
			}
		}
	}
	return edges
}

func same(want, got string) error {
	if want != got {
		return fmt.Errorf("it is %q", got)
	}
	return nil
}

func sameWords(want string, got []string) error {
	if words := strings.Fields(want); !slices.Equal(words, got) {
		return fmt.Errorf("it is: %s", strings.Join(got, " "))
	}
	return nil
}

func sameJSON(want string, got any) error {
	var wanted, given any
	if err := json.Unmarshal([]byte(want), &wanted); err != nil {
		return err
	}
	raw, err := json.Marshal(got)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, &given); err != nil {
		return err
	}
	if diff := cmp.Diff(wanted, given); diff != "" {
		return fmt.Errorf("it is %s:\n%s", raw, diff)
	}
	return nil
}

func sameOutput(want string, out history.Output) error {
	if len(out.Data) > 0 && json.Valid([]byte(want)) {
		return sameJSON(want, out.Data)
	}
	return same(want, out.Text)
}

func lookOutput(d *Driver, rest string) error {
	node, want, _ := strings.Cut(rest, " ")
	out, ok := d.Output(node)
	if !ok {
		return fmt.Errorf("%s has no output", node)
	}
	return sameOutput(want, out)
}

func lookResult(d *Driver, rest string) error {
	if d.State.Output == 0 {
		return same(rest, "")
	}
	out, _ := d.output(d.State.Output)
	return sameOutput(rest, out)
}

func lookApproval(d *Driver, rest string) error {
	node, choice, _ := strings.Cut(rest, " ")
	return same(choice, d.State.Approvals[node].Choice)
}

func lookGate(d *Driver, rest string) error {
	words := strings.Fields(rest)
	if g := d.gate(words[0]); g != nil {
		return sameWords(strings.Join(words[1:], " "), append([]string{string(g.Kind)}, g.Choices...))
	}
	return fmt.Errorf("no gate at %s", words[0])
}

func lookMessage(d *Driver, rest string) error {
	node, want, _ := strings.Cut(rest, " ")
	if g := d.gate(node); g != nil {
		return same(want, d.Facts[g.Opened-1].Body.(*history.GateOpened).Message)
	}
	return fmt.Errorf("no gate at %s", node)
}

func (d *Driver) lookRoute(rest string, look func(b *history.RouteTaken, want string) error) error {
	edge, want, _ := strings.Cut(rest, " ")
	for _, f := range slices.Backward(d.Facts) {
		if b, ok := f.Body.(*history.RouteTaken); ok && b.Edge == edge {
			return look(b, want)
		}
	}
	return fmt.Errorf("the edge was not taken")
}

// lookFact compares the fields that are named.
func lookFact(d *Driver, rest string) error {
	kind, want, _ := strings.Cut(rest, " ")
	for _, f := range slices.Backward(d.Facts) {
		if string(f.Kind) != kind {
			continue
		}
		if want == "" {
			return nil
		}
		var wanted map[string]any
		if err := json.Unmarshal([]byte(want), &wanted); err != nil {
			return err
		}
		_, body, err := history.Encode(f)
		if err != nil {
			return err
		}
		var given map[string]any
		if err := json.Unmarshal(body, &given); err != nil {
			return err
		}
		for name, v := range wanted {
			if diff := cmp.Diff(v, given[name]); diff != "" {
				return fmt.Errorf("the fact is %s", body)
			}
		}
		return nil
	}
	return fmt.Errorf("no such fact")
}

// Print writes facts one a line, for messages of tests.
func Print(facts []history.Fact) string {
	var b strings.Builder
	for _, f := range facts {
		_, body, err := history.Encode(f)
		if err != nil {
			body = []byte(err.Error())
		}
		fmt.Fprintf(&b, "%4d %-14s token %d %s/%d %s\n", f.Seq, f.Kind, f.Token, f.Node, f.Step, body)
	}
	return b.String()
}

func lookView(d *Driver, rest string) error {
	v, err := history.NewView(d.Flow, d.Facts, d.Past...)
	if err != nil {
		return err
	}
	words := append(strings.Fields(rest), "", "")
	n := v.Nodes[words[0]]
	if words[2] != "" {
		if err := same(words[2], strconv.Itoa(n.Visits)); err != nil {
			return err
		}
	}
	if c := n.Items; words[3] != "" {
		if err := same(words[3], fmt.Sprintf("%d/%d/%d/%d", c.Total, c.Started, c.Ended, c.Failed)); err != nil {
			return err
		}
	}
	return same(words[1], string(n.State))
}

// outcomeWords is how a run has ended, and by which decision.
func outcomeWords(d *Driver) string {
	last, ok := d.Facts[len(d.Facts)-1].Body.(*history.RunEnded)
	if !ok {
		return string(d.State.Outcome)
	}
	if e := last.Ending; e != nil {
		words := []string{string(last.Outcome), e.Node, e.Choice, e.By.User, e.Note}
		for i, w := range words {
			if w == "" {
				words[i] = "-"
			}
		}
		return strings.Join(words, " ")
	}
	return string(last.Outcome)
}
