package storage

import "time"

// Gate is a question's row, written by the run's transition and never elsewhere.
type Gate struct {
	ID      string // "run-id/number"
	Run     string
	Num     int
	Node    string
	Kind    string
	Status  string // open, decided
	Choice  string
	By      string
	Opened  time.Time
	Due     time.Time
	Decided time.Time
	Body    []byte // JSON: what is asked, who may answer, votes
	Asked   string // the people that it is for, as one text: the same for gates that are for the same people; "" = not known
}

// AskedCount is how many open gates are for the same people.
type AskedCount struct {
	Asked string
	Open  int
}

// GateQuery narrows a list of gates.
type GateQuery struct {
	Run   string
	Open  bool
	Limit int
	// Asked narrows to the open gates that are for these, when it is given: the oldest first, without the first Skip. Run does not
	// matter then.
	Asked []string
	Skip  int
}
