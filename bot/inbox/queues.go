package inbox

import (
	"maps"
	"sync"

	"sluice/storage"
)

// queues holds the rows of every thread that is being worked on. Every look at the inbox is a pass over all rows that are not
// done, because rows of concurrent deliveries may become visible out of order.
type queues struct {
	mu      sync.Mutex
	rows    map[string][]storage.Inbox
	current int           // number of the pass
	seen    map[int64]int // rows taken: 0 while worked on, else the pass in which they were finished
}

// pass begins another look. A row that was finished in an earlier pass is done in the store, so no later look can show it.
func (q *queues) pass() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.current++
	maps.DeleteFunc(q.seen, func(_ int64, finished int) bool { return finished > 0 && finished < q.current })
}

// finished marks a row as done.
func (q *queues) finished(id int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.seen[id] = q.current
}

// add queues a row and reports whether its thread needs a worker.
func (q *queues) add(r storage.Inbox) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if _, dup := q.seen[r.ID]; dup {
		return false
	}
	q.seen[r.ID] = 0
	rows, running := q.rows[r.Thread]
	q.rows[r.Thread] = append(rows, r)
	return !running
}

// next takes the first row of a thread.
func (q *queues) next(thread string) (storage.Inbox, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	rows := q.rows[thread]
	if len(rows) == 0 {
		return storage.Inbox{}, false
	}
	q.rows[thread] = rows[1:]
	return rows[0], true
}

// leave ends the thread's worker, unless rows have come in meanwhile.
func (q *queues) leave(thread string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.rows[thread]) > 0 {
		return false
	}
	delete(q.rows, thread)
	return true
}
