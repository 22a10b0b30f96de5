package enginetest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run"
)

func effects(word string) flow.Effects {
	if word == "" {
		return flow.EffectsRead
	}
	return flow.Effects(word)
}

// option finds where a named part of an answer begins.
var option = regexp.MustCompile(`(?:^| )(by|note|text|form|value|shown|gate)=`)

// answer parses "NODE CHOICE [by=U] [note=..] ..."; a value reaches to the next option.
func (p *player) answer(rest string) error {
	node, rest, _ := strings.Cut(rest, " ")
	in := run.Answer{At: p.d.Now, Actor: history.Actor{User: "U1", Via: history.ViaButton}}
	if g := p.d.gate(node); g != nil {
		in.Gate, in.Shown = g.ID, g.Shown
	}
	starts := option.FindAllStringSubmatchIndex(rest, -1)
	head := rest
	if len(starts) > 0 {
		head = rest[:starts[0][0]]
	}
	in.Choice = strings.TrimSpace(head)
	for i, at := range starts {
		end := len(rest)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		if err := p.option(&in, rest[at[2]:at[3]], rest[at[1]:end]); err != nil {
			return err
		}
	}
	_, err := p.d.Feed(in)
	return err
}

func (p *player) option(in *run.Answer, name, value string) error {
	switch name {
	case "by":
		in.Actor.User = value
	case "note":
		in.Note = value
	case "text":
		in.Text = value
	case "form":
		return json.Unmarshal([]byte(value), &in.Form)
	case "value":
		in.Value = json.RawMessage(value)
	case "gate":
		if _, err := fmt.Sscan(value, &in.Gate); err != nil {
			return fmt.Errorf("read the gate's number: %w", err)
		}
	case "shown":
		in.Shown = value
		if g := p.d.State.Gate(in.Gate); value == "ok" && g != nil {
			in.Shown = g.Shown
		}
	}
	return nil
}

// edit parses "NODE JSON [shown=HASH]".
func (p *player) edit(rest string) error {
	node, rest, _ := strings.Cut(rest, " ")
	values, shown, other := strings.Cut(rest, " shown=")
	in := run.Edit{At: p.d.Now, Actor: history.Actor{User: "U1", Via: history.ViaModal}, Shown: shown}
	if g := p.d.gate(node); g != nil {
		if in.Gate = g.ID; !other {
			in.Shown = g.Shown
		}
	}
	if err := json.Unmarshal([]byte(values), &in.Set); err != nil {
		return err
	}
	_, err := p.d.Feed(in)
	return err
}
