package storage

import "time"

// Agent is one of the installation, which flows name by id.
type Agent struct {
	ID      string
	Source  string // a file of this agent alone
	Updated time.Time
}
