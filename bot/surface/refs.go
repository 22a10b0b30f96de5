package surface

import (
	"encoding/json"
	"fmt"
	"strings"

	"sluice/bot/card"
	"sluice/engine/history"
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

// version names a revision of a flow. One that was approved for a single run has a number below zero.
func version(number int) string {
	if number < 0 {
		return "a version of its own"
	}
	return fmt.Sprintf("version %d", number)
}

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

// ChoiceLabel is how a choice looks on a button.
func ChoiceLabel(choice string) string {
	s := strings.ReplaceAll(choice, "_", " ")
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// ChoiceWords is how a question ended: the label of the choice, or what happened when nobody chose.
func ChoiceWords(choice string) string {
	switch choice {
	case history.ChoiceTimeout:
		return "Nobody answered in time"
	case history.ChoiceSuperseded:
		return "Not asked any more"
	}
	return ChoiceLabel(choice)
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
