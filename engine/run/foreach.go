package run

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run/compile"
	"sluice/engine/run/scope"
)

// keepErrors is the value of on_item_error that keeps errors in the place of results.
const keepErrors = "keep"

// enterForeach evaluates the list and starts the first items. A foreach that is tried again continues with the items that are left.
func enterForeach(m *machine, n *compile.Node, t history.Token, spec *flow.ForeachSpec) {
	if fr := m.State.FrameOf(t.ID); fr != nil {
		if slices.ContainsFunc(fr.Branches, func(br history.Branch) bool { return br.Failed }) {
			retryBranches(m, t, *fr)
			return
		}
		m.setTimeout(n, t)
		continueForeach(m, t, fr.ID)
		return
	}
	list, nerr := listItems(m, n, t)
	if nerr == nil {
		nerr = tooManyItems(m, t, len(list))
	}
	switch {
	case nerr != nil:
		m.fail(t.ID, *nerr)
	case len(list) == 0:
		m.storeOutput(t, &history.StepFinished{Output: history.Output{Data: []byte("[]")}})
		m.leave(t.ID)
	default:
		b := &history.ItemsOpened{Frame: m.State.NextFrame, Total: len(list), List: m.State.Seq + 1, Width: scope.ItemsWidth}
		for part := range slices.Chunk(list, scope.ItemsWidth) {
			b := &history.ItemsListed{Items: part}
			m.Fresh[m.emit(t, b)] = b.Read()
		}
		m.emit(t, b)
		m.setTimeout(n, t)
		continueForeach(m, m.Token(t.ID), b.Frame)
	}
}

// listItems gives the items as they are stored: those of a list, else one, and none for what is missing.
func listItems(m *machine, n *compile.Node, t history.Token) ([]json.RawMessage, *history.NodeError) {
	inside := false
	eachItemAround(m.State, &t, func(fr *history.Frame, _ *history.Branch) bool {
		inside = inside || fr.Node == n.ID
		return inside
	})
	if inside {
		return nil, &history.NodeError{
			Node: t.Node, Type: history.ErrorLimit, Permanent: true,
			Message: fmt.Sprintf("an item of %q leads back to %q: end its path with 'to: end' instead", n.ID, n.ID),
		}
	}
	sc := m.Scope(t)
	v, nerr := m.Evaluate(t, n.AheadOnEntry, func() (any, error) { return n.Value.Expr.Eval(sc, m.Options(t)) })
	if nerr != nil {
		return nil, nerr
	}
	var list []json.RawMessage
	switch v := history.Normal(v).(type) {
	case nil:
	case []any:
		for _, item := range v {
			list = append(list, json.RawMessage(expr.JSON(item)))
		}
	default:
		list = append(list, json.RawMessage(expr.JSON(v)))
	}
	if spec, ok := n.Spec.(*flow.ForeachSpec); ok && m.Trial != nil {
		list = tryList(m, t, spec, list)
	}
	return list, nil
}

// tooManyItems checks limits.items, before the first item.
func tooManyItems(m *machine, t history.Token, items int) *history.NodeError {
	most := cmp.Or(m.Program.Flow().Limits.Items, itemsMost)
	if items <= most {
		return nil
	}
	m.emit(t, &history.LimitReached{Limit: history.LimitItems, Action: flow.LimitFail, Value: int64(items)})
	return &history.NodeError{
		Node: t.Node, Type: history.ErrorLimit, Permanent: true,
		Message: fmt.Sprintf("the list has %d items; limits.items allows %d", items, most),
	}
}

// continueForeach stores the results of the items that have ended, starts the next ones, and finishes the foreach when all have ended. After
// an error that is not kept no further item starts, and the foreach fails once no item moves any more.
func continueForeach(m *machine, parent history.Token, frame int) {
	n := m.Node(parent)
	spec := n.Spec.(*flow.ForeachSpec)
	noteEndedItems(m, parent, spec, frame)
	live, failed := 0, 0
	for _, br := range m.State.Frame(frame).Branches {
		switch {
		case br.Failed:
			failed++
		case br.Live > 0:
			live++
		}
	}
	if failed == 0 {
		var l *limitHit
		if live, l = startItems(m, parent, spec, frame, live); l != nil && live == 0 {
			foreachAtLimit(m, parent, frame, *l)
			return
		}
	}
	switch {
	case live > 0:
	case failed > 0:
		m.fail(parent.ID, itemError(parent, *m.State.Frame(frame)))
	default:
		finishForeach(m, parent, frame)
		m.dispatch(parent.ID) // what is read from here on can be loaded only once the results are stored
	}
}

// noteEndedItems stores the results of items that are over. An error that is kept ends its item.
func noteEndedItems(m *machine, parent history.Token, spec *flow.ForeachSpec, frame int) {
	for slot, br := range slices.Clone(m.State.Frame(frame).Branches) {
		switch {
		case br.Item != 0 && br.Failed && spec.OnItemError == keepErrors:
			m.clear(m.within(frame, slot), nil, history.ChoiceSuperseded)
			m.emit(parent, &history.ItemEnded{Frame: frame, Index: br.Index, Error: br.Error})
			m.Queue = slices.DeleteFunc(m.Queue, func(id int) bool { return m.State.Token(id) == nil })
		case br.Item != 0 && br.Done:
			m.emit(parent, &history.ItemEnded{Frame: frame, Index: br.Index, Output: br.Last})
		}
	}
}

// startItems starts items while there are slots, and gives how many are open then. A limit stops it.
func startItems(m *machine, parent history.Token, spec *flow.ForeachSpec, frame, open int) (int, *limitHit) {
	for ; open < scope.Slots(spec); open++ {
		fr := m.State.Frame(frame)
		if fr.Each.Next >= fr.Each.Total {
			break
		}
		if l := limitsOf(m).after(0, 1); l != nil {
			return open, l
		}
		slot := slices.IndexFunc(fr.Branches, func(br history.Branch) bool { return br.Item == 0 })
		if slot < 0 {
			slot = len(fr.Branches)
		}
		m.Unknown = false
		id := m.State.NextToken
		b := &history.ItemStarted{
			Frame: frame, Slot: slot, Index: fr.Each.Next, Token: id, Head: spec.Body, Edge: flow.BodyEdge(parent.Node),
			Item: nextItem(m, parent, fr.Each),
		}
		m.Fresh[m.emit(parent, b)] = b.Read()
		m.made[id] = true
		m.Queue = append(m.Queue, id)
	}
	return open, nil
}

// nextItem reads the next item from its part of the list.
func nextItem(m *machine, parent history.Token, e *history.Each) json.RawMessage {
	item, ok := m.ListItem(e.List, e.Width, e.Next)
	if !ok {
		m.WantAtJoin(m.State.FrameOf(parent.ID).ID)
		m.Demand()
	}
	return item
}

// finishForeach closes the frame and makes the results the output of the foreach.
func finishForeach(m *machine, parent history.Token, frame int) {
	e := m.State.Frame(frame).Each
	out := &history.Items{Frame: frame, Total: e.Total, After: e.List}
	m.closeFrame(parent.ID, joinItems)
	m.emit(m.Token(parent.ID), &history.StepFinished{Items: out})
}

// foreachAtLimit applies the flow's rule for a limit that keeps the rest of the items from starting. If a person is asked, the frame stays
// open, and a retry starts the rest; else the foreach ends with the results that it has. Later nodes may read these results, so they are
// stored first: the foreach leaves by its routes in another transition, in which the limit still holds.
func foreachAtLimit(m *machine, parent history.Token, frame int, l limitHit) {
	if l.action == flow.LimitInterrupt || l.action == flow.LimitFail {
		m.atLimit(m.Token(parent.ID), l)
		return
	}
	finishForeach(m, parent, frame)
	t := m.Token(parent.ID)
	m.emit(t, &history.LimitReached{Limit: l.name, Action: l.action, Value: l.value})
	if l.action == flow.LimitHandoff {
		m.emit(t, handedOff(m, t, l))
	}
	m.dispatch(t.ID)
}

// itemError says which items failed.
func itemError(parent history.Token, fr history.Frame) history.NodeError {
	failed := slices.DeleteFunc(slices.Clone(fr.Branches), func(br history.Branch) bool { return !br.Failed })
	slices.SortFunc(failed, func(a, b history.Branch) int { return a.Index - b.Index })
	parts := make([]string, len(failed))
	for i, br := range failed {
		parts[i] = fmt.Sprintf("item %d of %d: %s", br.Index+1, fr.Each.Total, br.Error.Error())
	}
	return history.NodeError{Node: parent.Node, Type: history.ErrorItem, Message: strings.Join(parts, "; ")}
}
