package dryrun

import "context"

// TrialsMost is how many trials and replays there may be at the same time.
const TrialsMost = trialsMost

// Reserve takes a slot for one.
func (d *Dryruns) Reserve(ctx context.Context) (leave func(), err error) { return d.reserve(ctx) }
