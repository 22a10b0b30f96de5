package run

import (
	"sluice/engine/history"
)

// blockAround gives the innermost block that the token's path is inside of: not the one at whose node it is.
func blockAround(t *history.Token) *history.Block {
	n := len(t.Blocks)
	if t.Block() != nil {
		n--
	}
	if n == 0 {
		return nil
	}
	return &t.Blocks[n-1]
}
