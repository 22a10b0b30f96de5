package surface

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"sluice/bot/card"
	"sluice/engine/flow"
	"sluice/engine/flow/approval"
	"sluice/engine/llm"
	"sluice/engine/planner"
	"sluice/engine/planner/readback"
	"sluice/engine/planner/tree"
	"sluice/storage"
)

// DraftRef is the reference of a draft's surface.
func DraftRef(id string) string { return "draft:" + id }

// RunRef is the reference of a run's surfaces.
func RunRef(id string) string { return "run:" + id }

// gateSurface is the id of the surface that is the card of a gate.
func gateSurface(id string) string { return "gate-" + id }

// GateRef is the reference of a gate's surface.
func GateRef(id string) string { return "gate:" + id }

// CopyID is the surface of a gate's copy for a person, or in a channel.
func CopyID(gate, place string) string { return "copy-" + gate + "-" + place }

// HomeRef is the reference of a person's Home.
func HomeRef(user string) string { return "home:" + user }

// AskID is the surface that tells a person with a copy of a question that they were asked by name.
func AskID(gate, user string) string { return "ask-" + gate + "-" + user }

// RefID gives the id in a reference.
func RefID(ref string) string {
	_, id, _ := strings.Cut(ref, ":")
	return id
}

// Statuses of a draft.
const (
	DraftDrafting  = "drafting" // its words are being read; it belongs to no thread yet
	DraftOpen      = "open"
	DraftReplaced  = "replaced"
	DraftApproved  = "approved"
	DraftDiscarded = "discarded"
)

// DraftBody is the JSON body of a draft's row.
type DraftBody struct {
	Tree      *tree.Tree           `json:"tree,omitempty"`      // what the words say; nil = it came from a file or from an earlier release
	Raised    json.RawMessage      `json:"raised,omitempty"`    // the flow of a file that the tree was made from; it says what steps cannot
	Outline   Outline              `json:"outline,omitzero"`    // the words of a draft of an earlier release
	File      string               `json:"file,omitempty"`      // the file that it came from; then there is no tree
	Flow      json.RawMessage      `json:"flow"`                // canonical form
	Needs     []Need               `json:"needs,omitempty"`     // names of the file that are not known here; it cannot be approved while one is not settled
	Read      json.RawMessage      `json:"read,omitempty"`      // the flow as its file has it, without what stands for its names; only beside Needs
	Said      []tree.Note          `json:"said,omitempty"`      // what was said of the file when it was read; only beside Needs
	Reading   *Reading             `json:"reading,omitempty"`   // by a language model
	Questions []planner.Question   `json:"questions,omitempty"` // it cannot be approved while there is one
	Notes     []tree.Note          `json:"notes,omitempty"`
	Open      []string             `json:"open,omitempty"` // nodes of steps with a question
	Steps     []readback.Line      `json:"steps,omitempty"`
	May       []string             `json:"may,omitempty"`
	Details   []string             `json:"details,omitempty"`
	Numbers   map[string]string    `json:"numbers,omitempty"` // node id -> the number of its step
	Authors   []string             `json:"authors"`           // user ids of everybody who edited it
	Edit      string               `json:"edit,omitempty"`
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

// Only limits a draft to one run, in which a step has failed. The run goes on with the approved draft.
type Only struct {
	Run  string `json:"run"`
	Name string `json:"name"` // of the run
	Gate string `json:"gate"` // the question about the failed step
	By   string `json:"by"`   // the user who asked for it, and may say what becomes of that step
}

// Version names a revision of a flow. One that was approved for a single run has a number below zero.
func Version(number int) string {
	if number < 0 {
		return "a version of its own"
	}
	return fmt.Sprintf("version %d", number)
}

// Reading is the result of reading words with a language model.
type Reading struct {
	Tries int       `json:"tries,omitempty"` // how often it was begun
	Usage llm.Usage `json:"usage,omitzero"`
	Note  string    `json:"note,omitempty"` // why the model did not read all of it
	None  bool      `json:"none,omitempty"` // no draft came of it
}

// Outline is what drafts of earlier releases held instead of a tree: a name and numbered steps.
type Outline struct {
	Name  string `json:"name"`
	Lines []struct {
		Number int    `json:"n"`
		Text   string `json:"text"`
	} `json:"lines"`
}

// Words writes an outline as a person would type it; "" = there is none.
func (o Outline) Words() string {
	var lines []string
	for _, l := range o.Lines {
		lines = append(lines, fmt.Sprintf("%d. %s", l.Number, l.Text))
	}
	words := strings.Join(lines, "\n")
	if o.Name != "" && words != "" {
		words = o.Name + ":\n" + words
	}
	return words
}

// DecodeDraft reads a draft row's body and its flow.
func DecodeDraft(d storage.Draft) (DraftBody, *flow.Flow, error) {
	var b DraftBody
	if err := json.Unmarshal(d.Body, &b); err != nil {
		return b, nil, fmt.Errorf("read draft %s: %w", d.ID, err)
	}
	if len(b.Steps) == 0 {
		b.readOld(d.Body)
	}
	f, err := flow.FromJSON(b.Flow)
	if err != nil {
		return b, nil, fmt.Errorf("read the flow of draft %s: %w", d.ID, err)
	}
	return b, f, nil
}

// readOld fills in what drafts of earlier releases wrote under other names.
func (b *DraftBody) readOld(body []byte) {
	var old struct {
		ReadBack []string         `json:"read_back"`
		Lines    map[int][]string `json:"lines"`
	}
	if json.Unmarshal(body, &old) != nil {
		return
	}
	for _, l := range old.ReadBack {
		b.Steps = append(b.Steps, readback.Line{Text: l})
	}
	for number, nodes := range old.Lines {
		for _, id := range nodes {
			if b.Numbers == nil {
				b.Numbers = map[string]string{}
			}
			b.Numbers[id] = strconv.Itoa(number)
		}
	}
}

// DraftValue is the value of a draft's buttons: the draft, and the hash of what was shown.
func DraftValue(d storage.Draft) string { return d.ID + " " + d.Hash }

// GateValue is the value of a gate's button: the gate, which choice, and the hash of what the card shows. Never the content.
func GateValue(id string, choice int, shown string) string {
	return fmt.Sprintf("%s %d %s", id, choice, shown)
}

// PrivateBody is the body of a private line.
type PrivateBody struct {
	Card  card.Card `json:"card"`
	Reply string    `json:"reply,omitempty"` // an address for the answer that works where the bot is no member
	// Again is a delivery to repeat elsewhere: its result cannot be shown in the conversation where it was typed.
	Again json.RawMessage `json:"again,omitempty"`
	// Proposed is what a button of the card stores when it is pressed.
	Proposed json.RawMessage `json:"proposed,omitempty"`
}

// choiceLabel is how a choice looks on a button.
func choiceLabel(choice string) string {
	s := strings.ReplaceAll(choice, "_", " ")
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// choiceStyle makes the first choice primary and a refusal red.
func choiceStyle(i int, choice string) card.Style {
	switch strings.ToLower(choice) {
	case "reject", "deny", "abort":
		return card.Danger
	}
	if i == 0 {
		return card.Primary
	}
	return card.Default
}

// longName says whether a choice may have no room on a button.
func longName(choice string) bool { return len([]rune(choice)) > 40 }
