package plan

import (
	"sluice/engine/flow"
	"sluice/engine/tool"
)

// Outline is a flow in words: a name and numbered steps. It is what a draft keeps and what people edit line by line.
type Outline struct {
	Name  string `json:"name"` // of the flow; "" when the words gave none
	Lines []Line `json:"lines"`
}

// Line is one step in words.
type Line struct {
	Number int    `json:"n"` // as people call it, 1, 2, ...
	Text   string `json:"text"`
}

// Proposal is what an outline means: a flow, and what must or should be said about it.
type Proposal struct {
	Flow  *flow.Flow
	Notes []Note
	// Nodes says which nodes each line became, by line number.
	Nodes map[int][]string
}

// Blocked reports whether the proposal may not be approved yet.
func (p *Proposal) Blocked() bool {
	for _, n := range p.Notes {
		if n.Blocks {
			return true
		}
	}
	return false
}

// Note is a warning or a blocker, in words for the drafter.
type Note struct {
	Line    int      // 0 = the whole flow
	Code    string   // unknown_tool, ambiguous_tool, not_understood, missing_secret, nobody_can_approve, missing_value, two_people, ...
	Text    string   // one sentence; quotes what was not understood
	Blocks  bool     // Approve is refused until it is resolved
	Nearest []string // tools that come nearest
}

// Options is what the planner may know beside the words.
type Options struct {
	Tools   []tool.Tool
	Channel string // where the draft is discussed, "#team"; what "tell us" means
	Zone    string // IANA zone of schedules in words; "" = the installation's
	// Exists reports whether a name (@group, @user, #channel) is known; nil = do not check.
	Exists func(name string) bool
	// Kind says what a name is, "user", "group" or "channel"; nil or "" = not known.
	Kind func(name string) string
	// Secret reports whether a secret is set; nil = do not check.
	Secret func(name string) bool
	// NoModel says that no language model answers for agents.
	NoModel bool
	// Base is the flow that is being revised; its name, triggers and anything that words do not express are kept. May be nil.
	Base *flow.Flow
}
