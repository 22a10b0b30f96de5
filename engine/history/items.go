package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sluice/engine/expr"
)

// Items says whose results make the output of a foreach: they are facts, so that neither the state nor one fact grows with
// their number.
type Items struct {
	Frame int   `json:"frame"`
	Total int   `json:"total"`
	After int64 `json:"after"` // the results are among the item_ended facts behind this one
}

// ItemsOf reports whether the output of a fact is to be gathered, and from which items.
func ItemsOf(f Fact) (Items, bool) {
	b, ok := f.Body.(*StepFinished)
	if !ok || b.Items == nil {
		return Items{}, false
	}
	return *b.Items, true
}

// Needs lists the facts that hold the items' outputs, in order of the items. The facts given may hold others than the items'
// own. One of the facts that it lists may itself be gathered.
func (it Items) Needs(facts []Fact) []int64 {
	var needs []int64
	for _, b := range it.ended(facts) {
		if b.Output != 0 {
			needs = append(needs, b.Output)
		}
	}
	return needs
}

// ended picks the results out of facts, in order of the items.
func (it Items) ended(facts []Fact) []*ItemEnded {
	var all []*ItemEnded
	for _, f := range facts {
		if b, ok := f.Body.(*ItemEnded); ok && b.Frame == it.Frame && b.Index >= 0 && b.Index < it.Total {
			all = append(all, b)
		}
	}
	slices.SortStableFunc(all, func(a, b *ItemEnded) int { return a.Index - b.Index })
	return all
}

// Gather makes the output of a foreach out of facts and outputs that are at hand.
func (it Items) Gather(facts []Fact, outputs map[int64]Output) Output {
	g := it.Gathering()
	for _, b := range it.ended(facts) {
		g.Add(*b, outputs[b.Output])
	}
	return g.Output()
}

// Gathering makes the output of a foreach, result by result: the list of the items' results in order of the items, and their texts.
// The result of an item is what expressions read as .result of its last output, null when there is none or when it did not run, and
// {"error": {node, type, message}} when its error was kept.
type Gathering struct {
	list  []json.RawMessage
	texts []string
}

// Gathering begins without any results.
func (it Items) Gathering() *Gathering { return &Gathering{list: make([]json.RawMessage, it.Total)} }

// Add takes the result of an item and its last output. Results come in order of the items.
func (g *Gathering) Add(b ItemEnded, out Output) {
	if b.Error != nil {
		g.list[b.Index] = json.RawMessage(expr.JSON(map[string]any{"error": errorValue(b.Error)}))
		return
	}
	switch {
	case len(out.Data) > 0:
		g.list[b.Index] = out.Data
	case out.Text != "":
		g.list[b.Index] = json.RawMessage(expr.JSON(out.Text))
	}
	if strings.TrimSpace(out.Text) != "" {
		g.texts = append(g.texts, out.Text)
	}
}

// Output is the list as one output. An item's output that is no JSON makes it text alone.
func (g *Gathering) Output() Output {
	data, err := json.Marshal(g.list)
	if err != nil {
		data = nil
	}
	return Output{Text: strings.Join(g.texts, "\n\n"), Data: data}
}

func errorValue(e *NodeError) map[string]any {
	return map[string]any{"node": e.Node, "type": e.Type, "message": e.Message}
}

// Read is the part of the list as one output.
func (b *ItemsListed) Read() Output { return Output{Data: []byte("[" + join(b.Items) + "]")} }

func join(raw []json.RawMessage) string {
	parts := make([]string, len(raw))
	for i, r := range raw {
		parts[i] = string(r)
	}
	return strings.Join(parts, ",")
}

// Read is the item as the previous output of the body's first node.
func (b *ItemStarted) Read() Output { return itemOutput(b.Item) }

func itemOutput(item json.RawMessage) Output {
	return Output{Text: expr.Text(Decode(item)), Data: item}
}

func (b *ItemsListed) apply(s *State, f Fact) error {
	_, err := s.need(f.Token)
	return err
}

func (b *ItemsOpened) apply(s *State, f Fact) error {
	t, err := s.need(f.Token)
	if err != nil {
		return err
	}
	if b.Frame < s.NextFrame {
		return fmt.Errorf("frame %d was opened before", b.Frame)
	}
	t.Phase = PhaseJoin
	s.Frames = append(s.Frames, Frame{
		ID: b.Frame, Parent: t.Frame, Token: t.ID, Node: t.Node, Each: &Each{List: b.List, Width: b.Width, Total: b.Total},
	})
	s.NextFrame = max(s.NextFrame, b.Frame+1)
	return nil
}

func (b *ItemStarted) apply(s *State, f Fact) error {
	fr := s.Frame(b.Frame)
	if fr == nil || fr.Each == nil {
		return fmt.Errorf("no open foreach %d", b.Frame)
	}
	t, err := s.need(fr.Token)
	if err != nil {
		return err
	}
	switch {
	case b.Index != fr.Each.Next || b.Index >= fr.Each.Total:
		return fmt.Errorf("item %d cannot follow %d of %d", b.Index, fr.Each.Next, fr.Each.Total)
	case b.Slot < 0 || b.Slot > len(fr.Branches) || b.Slot < len(fr.Branches) && fr.Branches[b.Slot].Item != 0:
		return fmt.Errorf("slot %d is not free", b.Slot)
	case b.Token < s.NextToken:
		return fmt.Errorf("token %d was made before", b.Token)
	}
	if b.Slot == len(fr.Branches) {
		fr.Branches = append(fr.Branches, Branch{})
	}
	fr.Branches[b.Slot] = Branch{Head: b.Head, Edge: b.Edge, Live: 1, Item: f.Seq, Index: b.Index}
	fr.Each.Next++
	t.Phase = PhaseJoin
	s.insertChild(*t, Token{ID: b.Token, Frame: b.Frame, Branch: b.Slot, Prev: f.Seq, PrevNode: t.Node}, b.Edge, b.Head)
	return nil
}

func (b *ItemEnded) apply(s *State, _ Fact) error {
	fr := s.Frame(b.Frame)
	if fr == nil || fr.Each == nil {
		return fmt.Errorf("no open foreach %d", b.Frame)
	}
	slot := slices.IndexFunc(fr.Branches, func(br Branch) bool { return br.Item != 0 && br.Index == b.Index })
	if slot < 0 {
		return fmt.Errorf("item %d is not open", b.Index)
	}
	if b.Error == nil && !fr.Branches[slot].Done {
		return errors.New("the item has not come to its end")
	}
	s.endBranch(b.Frame, slot)
	fr = s.Frame(b.Frame)
	fr.Each.Ended++
	if b.Error != nil {
		fr.Each.Kept++
	}
	fr.Each.take(fr.Branches[slot])
	if b.Error == nil {
		fr.Each.refused(fr.Branches[slot].Ending)
	}
	fr.Branches[slot] = Branch{Done: true}
	return nil
}

// refused counts an item that a decision ended. The run is refused by its items when all of them are.
func (e *Each) refused(ending *Ending) {
	if ending != nil {
		e.Refused++
		e.Ending = ending
	}
}

// take records the values of an item that has ended: outputs and answers in any case, variables only when it reached its end.
func (e *Each) take(br Branch) {
	latest(&e.Outputs, br.Outputs, br.Index)
	latest(&e.Approvals, br.Approvals, br.Index)
	if !br.Done {
		return
	}
	e.takeVars(br)
	if br.LastJSON != 0 && (e.LastJSON.Value == 0 || e.LastJSON.Item <= br.Index) {
		e.LastJSON = Latest[int64]{br.Index, br.LastJSON}
	}
}

// latest keeps, of each name, the value of the item with the highest index.
func latest[T any](into *map[string]Latest[T], values map[string]T, item int) {
	for name, v := range values {
		if old, known := (*into)[name]; !known || old.Item <= item {
			Put(into, name, Latest[T]{item, v})
		}
	}
}

// leaves gives the values of all items as one branch, which merges into the scope of the foreach.
func (e *Each) leaves(open []Branch) []Branch {
	all := e.clone()
	for _, br := range open {
		if br.Item != 0 {
			all.take(br)
		}
	}
	if all.Total == 0 {
		return nil
	}
	ending := all.Ending
	if all.Refused < all.Total {
		ending = nil
	}
	return []Branch{{
		Ending:  ending,
		Outputs: Values(all.Outputs), Vars: Values(all.Vars), Large: Values(all.Large), Approvals: Values(all.Approvals),
		LastJSON: all.LastJSON.Value, Done: true,
	}}
}

// Values leaves out which item each value comes from.
func Values[T any](from map[string]Latest[T]) map[string]T {
	into := make(map[string]T, len(from))
	for name, v := range from {
		into[name] = v.Value
	}
	return into
}

func (e *Each) clone() *Each {
	if e == nil {
		return nil
	}
	c := *e
	c.Outputs, c.Vars, c.Approvals = maps.Clone(e.Outputs), maps.Clone(e.Vars), maps.Clone(e.Approvals)
	c.Large = maps.Clone(e.Large)
	return &c
}
