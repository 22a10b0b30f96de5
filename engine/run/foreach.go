package run

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sluice/engine/expr"
	"sluice/engine/flow"
)

const (
	itemsWidth = 100 // items in one fact of the list: who needs an item reads so many, however long the list is
	openMost   = 100 // items of one foreach that are open at once, whatever the flow says: they are in the state
	keepErrors = "keep"
)

// foreach evaluates its list and lets the first items in. A foreach that is tried again goes on where it stopped.
func (m *machine) foreach(n *node, t Token, spec *flow.ForeachSpec) {
	if fr := m.s.fork(t.ID); fr != nil {
		if slices.ContainsFunc(fr.Branches, func(br Branch) bool { return br.Failed }) {
			m.forkAgain(t, *fr)
			return
		}
		m.setTimeout(n, t)
		m.items(t, fr.ID)
		return
	}
	list, nerr := m.list(n, t)
	if nerr == nil {
		nerr = m.tooMany(t, len(list))
	}
	switch {
	case nerr != nil:
		m.fail(t.ID, *nerr)
	case len(list) == 0:
		m.keep(t, &StepFinished{Output: Output{Data: []byte("[]")}})
		m.leave(t.ID)
	default:
		b := &ItemsOpened{Frame: m.s.NextFrame, Total: len(list), List: m.s.Seq + 1, Width: itemsWidth}
		for part := range slices.Chunk(list, itemsWidth) {
			b := &ItemsListed{Items: part}
			m.fresh[m.emit(t, b)] = b.output()
		}
		m.emit(t, b)
		m.setTimeout(n, t)
		m.items(m.tok(t.ID), b.Frame)
	}
}

// list gives the items as they are stored: those of a list, else one, and none for what is missing.
func (m *machine) list(n *node, t Token) ([]json.RawMessage, *NodeError) {
	inside := false
	m.s.items(&t, func(fr *Frame, _ *Branch) bool {
		inside = inside || fr.Node == n.ID
		return inside
	})
	if inside {
		return nil, &NodeError{
			Node: t.Node, Type: ErrorLimit, Permanent: true,
			Message: fmt.Sprintf("an item of %q leads back to %q: end its path with 'to: end' instead", n.ID, n.ID),
		}
	}
	sc := &scope{m: m, t: t}
	v, nerr := m.evaluate(t, n.ahead0, func() (any, error) { return n.value.expr.Eval(sc, m.options(t)) })
	if nerr != nil {
		return nil, nerr
	}
	var list []json.RawMessage
	switch v := normal(v).(type) {
	case nil:
	case []any:
		for _, item := range v {
			list = append(list, json.RawMessage(expr.JSON(item)))
		}
	default:
		list = append(list, json.RawMessage(expr.JSON(v)))
	}
	if spec, ok := n.Spec.(*flow.ForeachSpec); ok && m.c.Trial != nil {
		list = m.tryList(t, spec, list)
	}
	return list, nil
}

// tooMany checks limits.items, before the first item.
func (m *machine) tooMany(t Token, items int) *NodeError {
	most := cmp.Or(m.p.flow.Limits.Items, itemsMost)
	if items <= most {
		return nil
	}
	m.emit(t, &LimitReached{Limit: LimitItems, Action: flow.LimitFail, Value: int64(items)})
	return &NodeError{
		Node: t.Node, Type: ErrorLimit, Permanent: true,
		Message: fmt.Sprintf("the list has %d items; limits.items allows %d", items, most),
	}
}

// items takes a foreach on: it notes the items that have ended, lets the next ones in, and finishes when all are over. After an
// error that is not kept nobody is let in any more, and once nothing moves the foreach fails.
func (m *machine) items(parent Token, frame int) {
	n := m.node(parent)
	spec := n.Spec.(*flow.ForeachSpec)
	m.itemsEnded(parent, spec, frame)
	live, failed := 0, 0
	for _, br := range m.s.frame(frame).Branches {
		switch {
		case br.Failed:
			failed++
		case br.Live > 0:
			live++
		}
	}
	if failed == 0 {
		var l *limitHit
		if live, l = m.letIn(parent, spec, frame, live); l != nil && live == 0 {
			m.itemsAtLimit(parent, frame, *l)
			return
		}
	}
	switch {
	case live > 0:
	case failed > 0:
		m.fail(parent.ID, itemError(parent, *m.s.frame(frame)))
	default:
		m.itemsOver(parent, frame)
		m.dispatch(parent.ID) // what is read from here on can be loaded only once the results are stored
	}
}

// itemsEnded stores the results of items that are over. An error that is kept ends its item.
func (m *machine) itemsEnded(parent Token, spec *flow.ForeachSpec, frame int) {
	for slot, br := range slices.Clone(m.s.frame(frame).Branches) {
		switch {
		case br.Item != 0 && br.Failed && spec.OnItemError == keepErrors:
			m.clear(m.within(frame, slot), nil, ChoiceSuperseded)
			m.emit(parent, &ItemEnded{Frame: frame, Index: br.Index, Error: br.Error})
			m.todo = slices.DeleteFunc(m.todo, func(id int) bool { return m.s.Token(id) == nil })
		case br.Item != 0 && br.Done:
			m.emit(parent, &ItemEnded{Frame: frame, Index: br.Index, Output: br.Last})
		}
	}
}

// letIn starts items while there are slots, and gives how many are open then. A limit stops it.
func (m *machine) letIn(parent Token, spec *flow.ForeachSpec, frame, open int) (int, *limitHit) {
	for ; open < slots(spec); open++ {
		fr := m.s.frame(frame)
		if fr.Each.Next >= fr.Each.Total {
			break
		}
		if l := m.limitAfter(0, 1); l != nil {
			return open, l
		}
		slot := slices.IndexFunc(fr.Branches, func(br Branch) bool { return br.Item == 0 })
		if slot < 0 {
			slot = len(fr.Branches)
		}
		m.doubt = false
		id := m.s.NextToken
		b := &ItemStarted{
			Frame: frame, Slot: slot, Index: fr.Each.Next, Token: id, Head: spec.Body, Edge: flow.BodyEdge(parent.Node),
			Item: m.itemAt(parent, fr.Each),
		}
		m.fresh[m.emit(parent, b)] = b.output()
		m.made[id] = true
		m.todo = append(m.todo, id)
	}
	return open, nil
}

func slots(spec *flow.ForeachSpec) int { return min(max(spec.MaxParallel, 1), openMost) }

// itemAt reads the next item from its part of the list.
func (m *machine) itemAt(parent Token, e *Each) json.RawMessage {
	item, ok := m.listed(e.List, e.Width, e.Next)
	if !ok {
		m.foreseeJoin(m.s.fork(parent.ID).ID)
		m.demand()
	}
	return item
}

// listed reads an item of a list from the part that holds it; false when that part was not given.
func (m *machine) listed(list int64, width, index int) (json.RawMessage, bool) {
	seq := list + int64(index/width)
	out, ok := m.load(seq)
	if !ok {
		return nil, false
	}
	part, ok := m.decoded[seq].([]json.RawMessage)
	if !ok {
		if err := json.Unmarshal(out.Data, &part); err != nil || index%width >= len(part) {
			m.fault("the machine is at fault: fact %d does not hold item %d: %v", seq, index, err)
		}
		put(&m.decoded, seq, any(part))
	}
	return part[index%width], true
}

// foreseeItems adds what is read when items end and others are let in; p is what is read behind the foreach.
func (m *machine) foreseeItems(fr *Frame, n *node, p paths) {
	for _, id := range p.nodes {
		m.want(fr.Each.Outputs[id].Value)
	}
	m.wantLarge(values(fr.Each.Large), p)
	if p.bare {
		m.want(fr.Each.LastJSON.Value)
	}
	spec := n.Spec.(*flow.ForeachSpec)
	more := slots(spec)
	if head := m.p.nodes[spec.Body]; m.c.Follow || head == nil || head.pure() {
		more = foldMost + 1 // items may come and go within one decision
	}
	e := fr.Each
	for i := e.Next / e.Width; i <= (min(e.Next+more, e.Total)-1)/e.Width && e.Next < e.Total; i++ {
		m.want(e.List + int64(i))
	}
}

// itemsOver closes the frame and makes the results the output of the foreach.
func (m *machine) itemsOver(parent Token, frame int) {
	e := m.s.frame(frame).Each
	out := &Items{Frame: frame, Total: e.Total, After: e.List}
	m.closeFork(parent.ID, joinItems)
	m.emit(m.tok(parent.ID), &StepFinished{Items: out})
}

// itemsAtLimit does what the flow says about a limit that keeps the rest of the items out. If a person is asked, the frame stays
// open, and a retry goes on with the rest; else the foreach is over with the results that it has. What its path comes to then may read
// them, and they must be stored before: at the end of a path it leaves by its routes in another transition, where the limit still holds.
func (m *machine) itemsAtLimit(parent Token, frame int, l limitHit) {
	if l.action == flow.LimitInterrupt || l.action == flow.LimitFail {
		m.atLimit(m.tok(parent.ID), l)
		return
	}
	m.itemsOver(parent, frame)
	t := m.tok(parent.ID)
	m.emit(t, &LimitReached{Limit: l.name, Action: l.action, Value: l.value})
	if l.action == flow.LimitHandoff {
		m.emit(t, m.handedOff(t, l))
	}
	m.dispatch(t.ID)
}

// itemError says which items failed.
func itemError(parent Token, fr Frame) NodeError {
	failed := slices.DeleteFunc(slices.Clone(fr.Branches), func(br Branch) bool { return !br.Failed })
	slices.SortFunc(failed, func(a, b Branch) int { return a.Index - b.Index })
	parts := make([]string, len(failed))
	for i, br := range failed {
		parts[i] = fmt.Sprintf("item %d of %d: %s", br.Index+1, fr.Each.Total, br.Error.Error())
	}
	return NodeError{Node: parent.Node, Type: ErrorItem, Message: strings.Join(parts, "; ")}
}

// What a foreach gives to the expressions of its items besides the item, after its name: item, item_index, ...
const (
	itemIndex  = "_index"  // from 0, as in <foreach>.result.0
	itemNumber = "_number" // from 1, as people count
	itemTotal  = "_total"
)

// itemParts are the endings of the names.
var itemParts = []string{"", itemIndex, itemNumber, itemTotal}

func itemName(spec *flow.ForeachSpec) string { return cmp.Or(spec.As, flow.DefaultItemName) }

// compileForeach notes the names of the items, and whether people may see them.
func (p *Program) compileForeach(n *node, spec *flow.ForeachSpec) {
	for _, suffix := range itemParts {
		p.items[itemName(spec)+suffix] = true
	}
	p.hide(n)
}

// hide notes whether a list or a decision's value is made of inputs that people may not see.
func (p *Program) hide(n *node) {
	if n.value.expr == nil {
		return
	}
	for _, path := range n.value.expr.Reads() {
		if (path[0] == "inputs" || path[0] == "input") && len(path) > 1 && p.sensitive[path[1]] {
			n.hidden = true
		}
	}
}

// item finds a name that a foreach or a loop gave, innermost first.
func (sc *scope) item(name string) (v any, found bool) {
	sc.m.s.repeats(&sc.t, func(at *Token, b *Block, fr *Frame, br *Branch) bool {
		if b != nil {
			v, found = sc.roundName(at, b, name)
			return found
		}
		n := sc.m.p.nodes[fr.Node]
		if n == nil {
			return false
		}
		spec, ok := n.Spec.(*flow.ForeachSpec)
		if !ok {
			return false
		}
		suffix, ok := strings.CutPrefix(name, itemName(spec))
		if !ok {
			return false
		}
		found = slices.Contains(itemParts, suffix)
		if found {
			v = sc.itemField(n, fr, br, suffix)
		}
		return found
	})
	return v, found
}

func (sc *scope) itemField(n *node, fr *Frame, br *Branch, suffix string) any {
	switch suffix {
	case itemIndex:
		return br.Index
	case itemNumber:
		return br.Index + 1
	case itemTotal:
		return fr.Each.Total
	}
	return sc.itemOf(n, br.Item)
}

// itemOf gives the item that a fact holds, unless people must not see it.
func (sc *scope) itemOf(n *node, seq int64) any {
	if seq == 0 {
		return nil
	}
	out, ok := sc.m.load(seq)
	switch {
	case !ok:
		return nil
	case sc.mask && n.hidden:
		return dots
	}
	v, known := sc.m.decoded[seq]
	if !known {
		v = decode(out.Data)
		put(&sc.m.decoded, seq, v)
	}
	return v
}
