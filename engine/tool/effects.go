package tool

import "sluice/engine/flow"

// Effects gives what holds for a call: the node's own word if it has one, else the tool's, else once, the safest.
func Effects(t Tool, override flow.Effects) flow.Effects {
	for _, e := range []flow.Effects{override, t.Effects} {
		if knownEffects(e) {
			return e
		}
	}
	return flow.EffectsOnce
}

func knownEffects(e flow.Effects) bool {
	return e == flow.EffectsRead || e == flow.EffectsIdempotent || e == flow.EffectsOnce
}
