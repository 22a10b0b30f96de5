//go:build chaos

package engine_test

import "time"

// outage is how long the database stays away: longer than it takes to be thought dead, and as long as a failover may take.
const outage = 20 * time.Second
