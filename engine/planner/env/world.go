package env

import (
	"sluice/engine/flow"
	"sluice/engine/tool"
)

// World is what there is beside the words.
type World struct {
	Tools   []tool.Tool
	Flows   []string // flows that may be run as a step
	Agents  []string // ids of the agents of the installation
	Channel string   // where the draft is discussed, "#team"; "" = a direct message
	Author  string   // "@name" of the drafter: what "me" means
	Zone    string   // IANA zone of schedules in words; "" = the installation's
	// Kind says what a name (@group, @user, #channel) is: "user", "group", "channel", "" = there is none; nil = names are not checked.
	Kind func(name string) string
	// Member says whether a person is a member of Channel; nil = it is not known.
	Member func(name string) bool
	// Names lists people, groups and channels whose name is near the words, best first; nil = none can be suggested.
	Names func(words string) []string
	// Asked says that people are asked what a name of a written flow stands for; nothing else is said of it. nil = of none.
	Asked func(name string) bool
	// Secret reports whether a secret is set; nil = secrets are not checked.
	Secret func(name string) bool
	// Model says that a language model is configured.
	Model bool
	// Base is the approved flow that is revised; nil = it is a new one.
	Base *flow.Flow
}
