package scope

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run/compile"
)

// RoundValue is the number of a round of a for.
func RoundValue(b *history.Block, round int) any {
	return json.Number(strconv.FormatFloat(b.From+float64(round)*b.By, 'f', -1, 64))
}

// wantRounds notes what the blocks around a token read when its path ends inside them.
func (rd *Reader) wantRounds(t history.Token) {
	for i := range t.Blocks {
		b := &t.Blocks[i]
		if b.List == 0 || b.Next >= b.Total {
			continue
		}
		more := 1
		if rd.Program.PassesRounds(b.Node) {
			more = FoldMost + 1 // rounds may come and go within one decision
		}
		for part := b.Next / b.Width; part <= (min(b.Next+more, b.Total)-1)/b.Width; part++ {
			rd.want(b.List + int64(part))
		}
	}
	rd.wantPaths(t, rd.beyond(t, compile.Paths{}))
}

// beyond adds the values that the blocks around a token read when its path ends inside them.
func (rd *Reader) beyond(t history.Token, p compile.Paths) compile.Paths {
	all := p.Clone()
	for i := range t.Blocks {
		if n := rd.Program.Nodes[t.Blocks[i].Node]; n != nil {
			all.Add(n.Enter)
			all.Add(n.Ahead)
		}
	}
	return all
}

// roundName finds a name that a loop gives to the round that a token is in.
func (sc *Scope) roundName(at *history.Token, b *history.Block, name string) (v any, found bool) {
	n := sc.rd.Program.Nodes[b.Node]
	if n == nil {
		return nil, false
	}
	spec, ok := n.Spec.(*flow.LoopSpec)
	if !ok {
		return nil, false
	}
	suffix, ok := strings.CutPrefix(name, n.Rounds())
	if !ok {
		return nil, false
	}
	return sc.roundField(n, spec, at, b, suffix)
}

func (sc *Scope) roundField(n *compile.Node, spec *flow.LoopSpec, at *history.Token, b *history.Block, suffix string) (any, bool) {
	sc.rd.Note(Read{What: ReadOutput, Seq: b.Opened})
	round := roundNumber(b, at)
	switch suffix {
	case "":
		switch spec.Type {
		case flow.LoopFor:
			return RoundValue(b, round), true
		case flow.LoopEach:
			return sc.itemOf(n, b.Item), true
		}
		return round, true
	case compile.ItemIndex:
		return round, true
	case compile.ItemNumber:
		return round + 1, true
	case compile.ItemTotal:
		if spec.Type == flow.LoopWhile {
			return nil, true
		}
		return b.Total, true
	}
	return nil, false
}

// roundOf gives the round of a loop, or the item of a foreach, that the token is inside of: index, number, total, and value or
// item. It is nil outside.
func (sc *Scope) roundOf(n *compile.Node) (v any) {
	eachRepeat(sc.rd.State, &sc.t, func(at *history.Token, b *history.Block, fr *history.Frame, br *history.Branch) bool {
		switch {
		case b != nil && b.Node == n.ID:
			v = present(func(suffix string) any {
				field, _ := sc.roundField(n, n.Spec.(*flow.LoopSpec), at, b, suffix)
				return field
			})
		case fr != nil && fr.Node == n.ID:
			v = present(func(suffix string) any { return sc.itemField(n, fr, br, suffix) })
		}
		return v != nil
	})
	return v
}

// present is a round as expressions read it under the id of its node.
type present func(suffix string) any

// Member gives a part of the round.
func (p present) Member(key string) any {
	switch key {
	case "value", "item":
		return p("")
	case "index", "number", "total":
		return p("_" + key)
	}
	return nil
}

// Plain is the value of the round.
func (p present) Plain() any { return p("") }

const (
	ItemsWidth = 100 // items in one fact of the list: to read an item means to read so many, however long the list is
	openMost   = 100 // items of one foreach that are open at once, whatever the flow says: they are in the state
)

// Slots is how many items of a foreach may be open at once.
func Slots(spec *flow.ForeachSpec) int { return min(max(spec.MaxParallel, 1), openMost) }

// ListItem reads an item of a list from the part that holds it; false when that part was not given.
func (rd *Reader) ListItem(list int64, width, index int) (json.RawMessage, bool) {
	seq := list + int64(index/width)
	out, ok := rd.Load(seq)
	if !ok {
		return nil, false
	}
	part, ok := rd.Decoded[seq].([]json.RawMessage)
	if !ok {
		if err := json.Unmarshal(out.Data, &part); err != nil || index%width >= len(part) {
			rd.fault("the machine is at fault: fact %d does not hold item %d: %v", seq, index, err)
		}
		history.Put(&rd.Decoded, seq, any(part))
	}
	return part[index%width], true
}

// foreseeItems adds the values that are read when items end and others start; p is what is read behind the foreach.
func (rd *Reader) foreseeItems(fr *history.Frame, n *compile.Node, p compile.Paths) {
	for _, id := range p.Nodes {
		rd.want(fr.Each.Outputs[id].Value)
	}
	rd.wantLarge(history.Values(fr.Each.Large), p)
	if p.Bare {
		rd.want(fr.Each.LastJSON.Value)
	}
	spec := n.Spec.(*flow.ForeachSpec)
	more := Slots(spec)
	if head := rd.Program.Nodes[spec.Body]; rd.AnyToken || head == nil || head.Pure() {
		more = FoldMost + 1 // items may come and go within one decision
	}
	e := fr.Each
	for i := e.Next / e.Width; i <= (min(e.Next+more, e.Total)-1)/e.Width && e.Next < e.Total; i++ {
		rd.want(e.List + int64(i))
	}
}

// item finds a name that a foreach or a loop gave, innermost first.
func (sc *Scope) item(name string) (v any, found bool) {
	eachRepeat(sc.rd.State, &sc.t, func(at *history.Token, b *history.Block, fr *history.Frame, br *history.Branch) bool {
		if b != nil {
			v, found = sc.roundName(at, b, name)
			return found
		}
		n := sc.rd.Program.Nodes[fr.Node]
		if n == nil || n.Rounds() == "" {
			return false
		}
		suffix, ok := strings.CutPrefix(name, n.Rounds())
		if !ok {
			return false
		}
		found = slices.Contains(compile.ItemParts, suffix)
		if found {
			v = sc.itemField(n, fr, br, suffix)
		}
		return found
	})
	return v, found
}

func (sc *Scope) itemField(n *compile.Node, fr *history.Frame, br *history.Branch, suffix string) any {
	switch suffix {
	case compile.ItemIndex:
		return br.Index
	case compile.ItemNumber:
		return br.Index + 1
	case compile.ItemTotal:
		return fr.Each.Total
	}
	return sc.itemOf(n, br.Item)
}

// itemOf gives the item that a fact holds, unless people must not see it.
func (sc *Scope) itemOf(n *compile.Node, seq int64) any {
	if seq == 0 {
		return nil
	}
	out, ok := sc.rd.Load(seq)
	switch {
	case !ok:
		return nil
	case sc.mask && n.Hidden:
		return compile.Dots
	}
	v, known := sc.rd.Decoded[seq]
	if !known {
		v = history.Decode(out.Data)
		history.Put(&sc.rd.Decoded, seq, v)
	}
	return v
}
