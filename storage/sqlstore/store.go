package sqlstore

import "sluice/storage"

// Store is the storage contract without Serve and Lock, which are a matter of each database. It is safe for concurrent use. Each subject of
// the contract is a type of its own, which knows its tables; all of them share the database.
type Store struct {
	*database
	writer
	runStore
	gateStore
	timerStore
	leaseStore
	flowStore
	triggerStore
	deliveryStore
	surfaceStore
	auditStore
	tokenStore
	agentStore
	usageStore
	removalStore
}

// New makes a store of a migrated database. It owns the pools from then on.
func New(read, write *DB, dialect Dialect) *Store {
	d := &database{read: read, write: write, dialect: dialect}
	s := &Store{
		database: d, writer: writer{database: d}, runStore: runStore{database: d}, gateStore: gateStore{d}, timerStore: timerStore{d},
		leaseStore: leaseStore{d}, flowStore: flowStore{d}, triggerStore: triggerStore{d}, deliveryStore: deliveryStore{database: d},
		surfaceStore: surfaceStore{database: d}, auditStore: auditStore{d}, tokenStore: tokenStore{d}, agentStore: agentStore{d}, usageStore: usageStore{d}, removalStore: removalStore{d},
	}
	s.deliveryStore.writer, s.surfaceStore.writer = &s.writer, &s.writer
	return s
}

// What the contract has by subject is what the types have.
var (
	_ storage.Runs       = (*runStore)(nil)
	_ storage.Gates      = gateStore{}
	_ storage.Timers     = timerStore{}
	_ storage.Leases     = leaseStore{}
	_ storage.Flows      = flowStore{}
	_ storage.Triggers   = triggerStore{}
	_ storage.Deliveries = deliveryStore{}
	_ storage.Surfaces   = surfaceStore{}
	_ storage.AuditLog   = auditStore{}
	_ storage.Tokens     = tokenStore{}
	_ storage.Agents     = agentStore{}
	_ storage.Usage      = usageStore{}
	_ storage.Removals   = removalStore{}
)
