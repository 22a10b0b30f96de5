package project

import (
	"encoding/json"
	"fmt"
	"strings"

	"sluice/bot/card"
	"sluice/engine/flow"
	"sluice/engine/plan"
	"sluice/storage"
)

// Kinds of surfaces.
const (
	KindDraft   = "draft"   // a draft's card
	KindStatus  = "status"  // a run's status message, the root of its thread
	KindGate    = "gate"    // a question
	KindRemind  = "remind"  // a reminder of a question
	KindPicture = "picture" // the final picture and result of a run
	KindNotice  = "notice"  // a fixed text, engine.NoticeBody
	KindPrivate = "private" // a line that one person sees, PrivateBody
	KindFile    = "file"    // a file to take away, FileBody; without a channel it goes to its user alone
)

// DraftRef is what a draft's surface shows.
func DraftRef(id string) string { return "draft:" + id }

// RunRef is what a run's surfaces show.
func RunRef(id string) string { return "run:" + id }

// GateRef is what a gate's surface shows.
func GateRef(id string) string { return "gate:" + id }

// refID gives the id in a reference.
func refID(ref string) string {
	_, id, _ := strings.Cut(ref, ":")
	return id
}

// Statuses of a draft.
const (
	DraftOpen      = "open"
	DraftReplaced  = "replaced"
	DraftApproved  = "approved"
	DraftDiscarded = "discarded"
)

// DraftBody is what a draft's row holds beside its columns.
type DraftBody struct {
	Outline  plan.Outline     `json:"outline"`
	File     string           `json:"file,omitempty"` // the file that it came from; then there is no outline
	Flow     json.RawMessage  `json:"flow"`           // canonical form
	Notes    []plan.Note      `json:"notes,omitempty"`
	ReadBack []string         `json:"read_back,omitempty"`
	Lines    map[int][]string `json:"lines,omitempty"` // the nodes that each line of the outline became
	Authors  []string         `json:"authors"`         // user ids of everybody who edited it
	Edit     string           `json:"edit,omitempty"`
	Allows   []flow.Allowance `json:"allows,omitempty"`   // what the revision newly allows
	Previous string           `json:"previous,omitempty"` // the draft that it replaced
	Next     string           `json:"next,omitempty"`     // the draft that replaced it
	Beside   string           `json:"beside,omitempty"`   // the newest draft of the thread when this one came, of another flow
	Revision int              `json:"revision,omitempty"` // once approved
	ClosedBy string           `json:"closed_by,omitempty"`
	Second   bool             `json:"second,omitempty"` // somebody else than the authors must approve what it newly allows
}

// DecodeDraft reads a draft row's body and its flow.
func DecodeDraft(d storage.Draft) (DraftBody, *flow.Flow, error) {
	var b DraftBody
	if err := json.Unmarshal(d.Body, &b); err != nil {
		return b, nil, fmt.Errorf("read draft %s: %w", d.ID, err)
	}
	f, err := flow.FromJSON(b.Flow)
	if err != nil {
		return b, nil, fmt.Errorf("read the flow of draft %s: %w", d.ID, err)
	}
	return b, f, nil
}

// DraftValue is what a draft's buttons carry: the draft, and the hash of what was shown.
func DraftValue(d storage.Draft) string { return d.ID + " " + d.Hash }

// GateValue is what a gate's button carries: the gate, which choice, and the hash of what the card shows. Never the content.
func GateValue(id string, choice int, shown string) string {
	return fmt.Sprintf("%s %d %s", id, choice, shown)
}

// PrivateBody is the body of a private line.
type PrivateBody struct {
	Card  card.Card `json:"card"`
	Reply string    `json:"reply,omitempty"` // an address for the answer that works where the bot is no member
}

// ChoiceLabel is how a choice looks on a button.
func ChoiceLabel(choice string) string {
	s := strings.ReplaceAll(choice, "_", " ")
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// ChoiceStyle makes the first choice primary and a refusal red.
func ChoiceStyle(i int, choice string) card.Style {
	switch strings.ToLower(choice) {
	case "reject", "deny", "abort":
		return card.Danger
	}
	if i == 0 {
		return card.Primary
	}
	return card.Plain
}

// GateButtons are the buttons of an open gate, one per choice. Labels may be told apart by a suffix.
func GateButtons(id string, choices []string, shown, suffix string) []card.Button {
	var out []card.Button
	for i, choice := range choices {
		out = append(out, card.Button{
			Action: fmt.Sprintf("gate.choose:%s:%d", id, i), Label: strings.TrimSpace(ChoiceLabel(choice) + " " + suffix),
			Value: GateValue(id, i, shown), Style: ChoiceStyle(i, choice),
		})
	}
	return out
}
