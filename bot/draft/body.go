package draft

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/flow/approval"
	"sluice/engine/llm"
	"sluice/engine/planner"
	"sluice/engine/planner/readback"
	"sluice/engine/planner/tree"
	"sluice/storage"
)

// Statuses of a draft.
const (
	Drafting  = "drafting" // its words are being read; it belongs to no thread yet
	Open      = "open"
	Replaced  = "replaced"
	Approved  = "approved"
	Discarded = "discarded"
)

// Body is the JSON body of a draft's row.
type Body struct {
	Tree      *tree.Tree           `json:"tree,omitempty"`      // what the words say; nil = it came from a file
	Raised    json.RawMessage      `json:"raised,omitempty"`    // the flow of a file that the tree was made from; it says what steps cannot
	File      string               `json:"file,omitempty"`      // the file that it came from, or the version; then there is no tree
	Flow      json.RawMessage      `json:"flow"`                // canonical form
	Needs     []Need               `json:"needs,omitempty"`     // names of the file that are not known here; it cannot be approved while one is not settled
	Read      json.RawMessage      `json:"read,omitempty"`      // the flow as its file has it, without what stands for its names; only beside Needs
	Said      []tree.Note          `json:"said,omitempty"`      // what was said of the file when it was read; only beside Needs
	Reading   *Reading             `json:"reading,omitempty"`   // by a language model
	Questions []planner.Question   `json:"questions,omitempty"` // it cannot be approved while there is one
	Asks      map[string]int       `json:"asks,omitempty"`      // id of each question that it has ever asked -> its number, which no other one gets
	Notes     []tree.Note          `json:"notes,omitempty"`
	Open      []string             `json:"open,omitempty"` // nodes of steps with a question
	Steps     []readback.Line      `json:"steps,omitempty"`
	May       []string             `json:"may,omitempty"`
	Details   []string             `json:"details,omitempty"`
	Numbers   map[string]string    `json:"numbers,omitempty"` // node id -> the number of its step
	Authors   []string             `json:"authors"`           // user ids of everybody who edited it
	Edit      string               `json:"edit,omitempty"`
	Did       string               `json:"did,omitempty"`      // what a person did last with it; "" = Edit says it
	Allows    []approval.Allowance `json:"allows,omitempty"`   // why it needs a second person: what it newly allows, and what changes
	Newly     []string             `json:"newly,omitempty"`    // what it newly allows, in sentences
	Lock      *flow.Lock           `json:"lock,omitempty"`     // what it depended on when it was shown
	Seconds   string               `json:"seconds,omitempty"`  // who may be the second person, in words
	Previous  string               `json:"previous,omitempty"` // the draft that it replaced
	Next      string               `json:"next,omitempty"`     // the draft that replaced it
	Undo      string               `json:"undo,omitempty"`     // the draft that "undo" goes back to
	Redo      string               `json:"redo,omitempty"`     // the draft that "redo" goes forward to
	Beside    string               `json:"beside,omitempty"`   // the newest draft of the thread when this one came, of another flow
	Revision  int                  `json:"revision,omitempty"` // once approved
	ClosedBy  string               `json:"closed_by,omitempty"`
	Moves     []Moved              `json:"moves,omitempty"`  // once approved: what people decided about the runs on earlier versions
	Only      *Only                `json:"only,omitempty"`   // it changes a single run, which goes on with it
	Second    bool                 `json:"second,omitempty"` // a person who is no author must approve what it newly allows
}

// Asked are the questions that its card asks at a time. A reply never answers one that nobody sees.
func (b Body) Asked() []planner.Question {
	const most = 3
	return b.Questions[:min(len(b.Questions), most)]
}

// Chosen gives the question on the card to which a reply is the label of an option that needs nothing else, and that option; "" = none, or several.
func (b Body) Chosen(text string) (q planner.Question, option string) {
	for _, asked := range b.Asked() {
		pressed, whole := Pressed(asked, text)
		switch {
		case !whole:
		case option != "":
			return q, ""
		default:
			q, option = asked, pressed
		}
	}
	return q, option
}

// Pressed gives the option whose button words name, and whether they are its whole label, or only the beginning of one label alone: "leave it out".
// "" = none.
func Pressed(q planner.Question, words string) (option string, whole bool) {
	plain := func(label string) string {
		return strings.ReplaceAll(strings.ToLower(strings.Trim(label, " .!?…\n")), "@", "")
	}
	said := plain(words)
	var begin []string
	for _, o := range q.Options {
		switch label := plain(o.Label); {
		case o.Needs != "" || said == "":
		case label == said:
			return o.ID, true
		case strings.HasPrefix(label, said+",") || strings.HasPrefix(label, said+" "):
			begin = append(begin, o.ID)
		}
	}
	if len(begin) != 1 || len(strings.Fields(said)) < 2 {
		return "", false
	}
	return begin[0], false
}

// Ask gives the draft its open questions. One that was asked before keeps its number; new ones get the next numbers.
func (b *Body) Ask(open []planner.Question) {
	asks, last := map[string]int{}, 0
	for _, q := range b.Questions {
		asks[q.ID] = b.Number(q.ID)
	}
	maps.Copy(asks, b.Asks)
	for _, n := range asks {
		last = max(last, n)
	}
	for _, q := range open {
		if asks[q.ID] == 0 {
			last++
			asks[q.ID] = last
		}
	}
	b.Questions, b.Asks = slices.Clone(open), asks
	slices.SortStableFunc(b.Questions, func(x, y planner.Question) int { return cmp.Compare(asks[x.ID], asks[y.ID]) })
}

// Number is the number of an open question on the draft's cards. A draft of an earlier release has none: it is counted there.
func (b Body) Number(id string) int {
	if n := b.Asks[id]; n > 0 {
		return n
	}
	return 1 + slices.IndexFunc(b.Questions, func(q planner.Question) bool { return q.ID == id })
}

// named finds a reply that names the question which it answers.
var named = regexp.MustCompile(`(?is)^\s*question ([1-9][0-9]{0,3})\s*[:.)]\s*(.*\S)`)

// Named gives the open question that a reply names by its number, and the answer to it: "question 2: Your parcel is on its way"; an answer without a
// question = none of that number is open, "" = the reply names none.
func (b Body) Named(text string) (q planner.Question, answer string) {
	m := named.FindStringSubmatch(text)
	if m == nil || len(b.Questions) == 0 {
		return q, ""
	}
	for _, open := range b.Questions {
		if strconv.Itoa(b.Number(open.ID)) == m[1] {
			q = open
		}
	}
	return q, m[2]
}

// AsksForSteps reports whether a question on the card is answered by steps in words.
func (b Body) AsksForSteps() bool {
	return slices.ContainsFunc(b.Asked(), func(q planner.Question) bool { return q.Free && (q.Kind == "clause" || q.Kind == "doer") })
}

// Only limits a draft to one run, in which a step has failed. The run goes on with the approved draft.
type Only struct {
	Run  string `json:"run"`
	Name string `json:"name"` // of the run
	Gate string `json:"gate"` // the question about the failed step
	By   string `json:"by"`   // the user who asked for it, and may say what becomes of that step
}

// Moved is a person's decision about runs that waited on earlier versions when a version was approved.
type Moved struct {
	By   string `json:"by"`             // user id
	Runs int    `json:"runs,omitempty"` // that went over
	Left bool   `json:"left,omitempty"` // the others stay where they are
}

// Reading is the result of reading words with a language model.
type Reading struct {
	Tries int       `json:"tries,omitempty"` // how often it was begun
	Usage llm.Usage `json:"usage,omitzero"`
	Note  string    `json:"note,omitempty"` // why the model did not read all of it
	None  bool      `json:"none,omitempty"` // no draft came of it
}

// Decode reads a draft row's body and its flow.
func Decode(d storage.Draft) (Body, *flow.Flow, error) {
	var b Body
	if err := json.Unmarshal(d.Body, &b); err != nil {
		return b, nil, fmt.Errorf("read draft %s: %w", d.ID, err)
	}
	f, err := flow.FromJSON(b.Flow)
	if err != nil {
		return b, nil, fmt.Errorf("read the flow of draft %s: %w", d.ID, err)
	}
	return b, f, nil
}

// Blocked reports whether a draft cannot be approved yet: something has to be answered or changed.
func (b Body) Blocked() bool {
	return len(b.Questions) > 0 || b.unsettled() > 0 || slices.ContainsFunc(b.Notes, func(n tree.Note) bool { return n.Blocks })
}

// Last is what a person did last with the draft: "undo" takes it back.
func (b Body) Last() string { return cmp.Or(b.Did, b.Edit) }

// Version is the origin of a draft that was made of an approved version: nobody has its file.
func Version(n int) string { return fmt.Sprintf("version %d", n) }

// Dropped reports whether a person gave the draft as a file.
func (b Body) Dropped() bool { return b.File != "" && !strings.HasPrefix(b.File, "version ") }

// Settled reports whether a person has left the other runs on their versions.
func (b Body) Settled() bool { return len(b.Moves) > 0 && b.Moves[len(b.Moves)-1].Left }

// Value is the value of a draft's buttons: the draft, and the hash of what was shown.
func Value(d storage.Draft) string { return d.ID + " " + d.Hash }

// Title numbers the drafts of a thread, and says of which version one may become the next.
func Title(d storage.Draft) string {
	if d.Status == Drafting {
		return "a draft"
	}
	title := fmt.Sprintf("%s, draft %d", flow.Words(d.Flow), d.Number)
	if d.Base > 0 {
		title += fmt.Sprintf(": change to version %d", d.Base)
	}
	return title
}
