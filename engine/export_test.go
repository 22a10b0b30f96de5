package engine

// Held says how many runs are kept in memory.
func (e *Engine) Held() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.runs)
}

// Turn says which fire takes place.
var Turn = turn
