package enginetest

import (
	"fmt"
	"maps"
	"strconv"

	"sluice/engine/history"
)

// Variables gives the variables of the run itself, with the values that its state only refers to.
func Variables(s *history.State, facts []history.Fact) map[string]any {
	if len(s.Large) == 0 {
		return s.Vars
	}
	all := maps.Clone(s.Vars)
	if all == nil {
		all = map[string]any{}
	}
	for name, seq := range s.Large {
		if b, ok := facts[seq-1].Body.(*history.VarsSet); ok {
			all[name] = b.Vars[name]
		}
	}
	return all
}

// lookSize checks that the stored state takes at most so many bytes.
func lookSize(d *Driver, rest string) error {
	most, err := strconv.Atoi(rest)
	if err != nil {
		return err
	}
	stored, err := history.EncodeState(d.State)
	if err != nil {
		return err
	}
	if len(stored) > most {
		return fmt.Errorf("it takes %d bytes", len(stored))
	}
	return nil
}
