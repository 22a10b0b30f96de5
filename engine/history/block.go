package history

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Block is a loop or a sequence that a token is inside of. Its rounds, or parts, follow each other on the same token and in the
// same scope: a block has no variables or outputs of its own, and does not grow with its rounds.
type Block struct {
	Node     string  `json:"node"`
	Edge     string  `json:"edge,omitempty"` // the token came to it by
	Step     int     `json:"step"`           // the visit to the block, which goes on through all rounds
	Next     int     `json:"next"`           // number of the next round, from 0
	Total    int     `json:"total,omitempty"`
	From     float64 `json:"from,omitempty"`     // value of the first round of a for
	By       float64 `json:"by,omitempty"`       // and how it changes
	Opened   int64   `json:"opened"`             // fact that opened it
	List     int64   `json:"list,omitempty"`     // first of the facts that hold the list of an each
	Width    int     `json:"width,omitempty"`    // items in one of them
	Item     int64   `json:"item,omitempty"`     // fact that holds the item of the present round
	Visits   int     `json:"visits,omitempty"`   // node visits of the present round, the count that max_iterations caps
	Sequence bool    `json:"sequence,omitempty"` // its parts are no rounds: visits count where they count without it
}

// The facts about blocks.
type (
	// BlockOpened puts a token inside the block at whose node it is.
	BlockOpened struct {
		Total    int     `json:"total,omitempty"`
		From     float64 `json:"from,omitempty"`
		By       float64 `json:"by,omitempty"`
		List     int64   `json:"list,omitempty"`
		Width    int     `json:"width,omitempty"`
		Sequence bool    `json:"sequence,omitempty"`
	}
	// RoundStarted moves a token from the block's node to the head of its body or of one of its parts. With an item that is
	// the token's previous output.
	RoundStarted struct {
		Round int             `json:"round"`
		Head  string          `json:"head"`
		Edge  string          `json:"edge"`
		Item  json.RawMessage `json:"item,omitempty"`
	}
	// RoundEnded ends a path inside a block: the token is back at the block's node, in the same visit as before.
	RoundEnded struct {
		Reason string `json:"reason"` // as in PathEnded
		Back   string `json:"back"`   // the block's node
		Step   int    `json:"step"`   // and visit
	}
)

// Block gives the block at whose node the token is, in the visit that opened it, or nil.
func (t *Token) Block() *Block {
	if n := len(t.Blocks); n > 0 && t.Blocks[n-1].Step == t.Step {
		return &t.Blocks[n-1]
	}
	return nil
}

// close leaves the block at whose node the token is.
func (t *Token) close(step int) {
	if n := len(t.Blocks); n > 0 && t.Blocks[n-1].Step == step {
		t.Blocks = t.Blocks[:n-1]
	}
}

// Restart leaves a block that the token comes to by an edge although it is inside of it, with all blocks inside that one.
func (t *Token) Restart(node string) {
	if i := slices.IndexFunc(t.Blocks, func(b Block) bool { return b.Node == node }); i >= 0 {
		t.Blocks = t.Blocks[:i]
	}
}

// Read is the item as the previous output of the first node of the body.
func (b *RoundStarted) Read() Output { return itemOutput(b.Item) }

func (b *BlockOpened) apply(s *State, f Fact) error {
	t, err := s.need(f.Token)
	if err != nil {
		return err
	}
	if t.Block() != nil {
		return fmt.Errorf("the token is inside block %s already", t.Node)
	}
	t.Blocks = append(t.Blocks, Block{
		Node: t.Node, Edge: t.Edge, Step: t.Step, Opened: f.Seq, Total: b.Total, From: b.From, By: b.By, List: b.List, Width: b.Width, Sequence: b.Sequence,
	})
	return nil
}

func (b *RoundStarted) apply(s *State, f Fact) error {
	t, err := s.need(f.Token)
	if err != nil {
		return err
	}
	block := t.Block()
	if block == nil || b.Round < block.Next {
		return fmt.Errorf("round %d cannot follow", b.Round)
	}
	block.Next, block.Visits = b.Round+1, 0
	if b.Item != nil {
		block.Item, t.Prev, t.PrevNode = f.Seq, f.Seq, t.Node
	}
	s.arrive(t, b.Edge, b.Head)
	return nil
}

func (b *RoundEnded) apply(s *State, f Fact) error {
	t, err := s.need(f.Token)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(t.Blocks, func(o Block) bool { return o.Step == b.Step })
	if i < 0 {
		return fmt.Errorf("the token is not inside block %s", b.Back)
	}
	t.Blocks = t.Blocks[:i+1]
	t.place(t.Blocks[i].Edge, b.Back, b.Step)
	return nil
}

// blocks lists the visits to the blocks that the token is inside of, from the one at a node on; "" = all.
func (t *Token) blocks(from string) []int {
	var steps []int
	for _, b := range t.Blocks {
		if (b.Node == from || from == "" || len(steps) > 0) && b.Step != t.Step {
			steps = append(steps, b.Step)
		}
	}
	return steps
}

// leftBlocks lists the visits to blocks that a fact makes the token leave before they are over.
func (t *Token) leftBlocks(f Fact) []int {
	switch b := f.Body.(type) {
	case *RouteTaken:
		return t.blocks(b.To)
	case *RoundStarted:
		return t.blocks(b.Head)
	case *PathEnded:
		return t.blocks("")
	}
	return nil
}

// Counted gives the count that max_iterations caps for a token: that of its innermost round of a loop or item of a foreach, or nil for the run
// itself. scope is what is counted, in words.
func (s *State) Counted(t *Token) (visits *int, scope string) {
	for {
		for i := len(t.Blocks) - 1; i >= 0; i-- {
			if !t.Blocks[i].Sequence {
				return &t.Blocks[i].Visits, "round"
			}
		}
		fr := s.Frame(t.Frame)
		if t.Frame == 0 || fr == nil || t.Branch < 0 || t.Branch >= len(fr.Branches) {
			return nil, "run"
		}
		if fr.Each != nil {
			return &fr.Branches[t.Branch].Visits, "item"
		}
		if t = s.Token(fr.Token); t == nil {
			return nil, "run"
		}
	}
}
