package bot

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"sluice/bot/card"
	"sluice/bot/drafts"
	"sluice/bot/request"
	"sluice/engine/flow"
	"sluice/engine/planner/change"
	"sluice/engine/planner/outline"
	"sluice/engine/usererror"
	"sluice/storage"
)

// topic is a part of the help: commands that belong together.
type topic struct {
	name  string
	about string
	verbs []string
}

// topics are in the order of the help. A command that no topic names is listed in the last one.
var topics = []topic{
	{"start", "run flows, and see where they stand", []string{"run", "runs", "show", "list", "find"}},
	{"answer", "answer what waits for you", []string{"approvals", "answer", "delegate", "reopen"}},
	{"draft", "make a flow in words, change it and remove it", []string{"new", "change", "try", "replay", "undo", "redo", "approve", "remove", "agents", "tools"}},
	{"clock", "start flows by the clock", []string{"schedule", "schedules", "skip", "pause", "resume"}},
	{"repair", "end, mend, move and repeat runs", []string{"cancel", "retry", "fork", "move"}},
	{"past", "versions, and who did what", []string{"history", "rollback", "upgrade", "audit", "export"}},
	{"more", "what else there is", []string{"help"}},
}

// help answers with one screen, with a topic, or with a command.
func (b *Bot) help(ctx context.Context, in request.Incoming, c request.Command) error {
	switch name := strings.ToLower(strings.TrimPrefix(c.Arg(0), b.Command)); {
	case c.Verb != "help" || name == "":
		return b.replies.Say(ctx, in, b.firstScreen())
	case name == "words":
		return b.helpWords(ctx, in)
	default:
		return b.helpAbout(ctx, in, name)
	}
}

// firstScreen is the help that fits on one screen.
func (b *Bot) firstScreen() card.Card {
	var lines []card.Text
	for _, t := range b.topics() {
		lines = append(lines, card.Textf("• *%s*: %s.  `%s help %s`", strings.Join(t.verbs, ", "), t.about, b.Command, t.name))
	}
	return card.Card{
		Text: card.Textf("I turn steps you write into a flowchart, and run it once it is approved. I can use: %s.", b.connected()),
		Sections: []card.Section{
			{Title: "Try it", Text: card.Block("@" + b.Name + " new " + drafts.Example(b.Tools.All()))},
			{Title: "Commands", Text: card.Join("\n", lines...)},
		},
		Context: []card.Text{
			card.Textf("Everyday words do, too: “what is running?”, “what's waiting for me?”, “stop it” in a run's thread. In threads, where Slack refuses slash commands, write @%s first. `%s help words`: what steps and changes can say.", b.Name, b.Command),
		},
	}
}

// topics are the topics with the commands that there are.
func (b *Bot) topics() []topic {
	out := slices.Clone(topics)
	last := &out[len(out)-1]
	for i := range out {
		out[i].verbs = slices.DeleteFunc(slices.Clone(out[i].verbs), func(name string) bool { _, ok := b.verb(name); return !ok })
	}
	for _, v := range b.verbs() {
		if !slices.ContainsFunc(out, func(t topic) bool { return slices.Contains(t.verbs, v.name) }) {
			last.verbs = append(last.verbs, v.name)
		}
	}
	return slices.DeleteFunc(out, func(t topic) bool { return len(t.verbs) == 0 })
}

// helpAbout says more about a topic, or a command.
func (b *Bot) helpAbout(ctx context.Context, in request.Incoming, name string) error {
	out := card.Card{}
	var names []string
	all := b.topics()
	for _, t := range all {
		names = append(append(names, t.name), t.verbs...)
	}
	if i := slices.IndexFunc(all, func(t topic) bool { return t.name == name }); i >= 0 {
		out.Title = strings.ToUpper(all[i].about[:1]) + all[i].about[1:]
		var lines []card.Text
		for _, verb := range all[i].verbs {
			v, _ := b.verb(verb)
			lines = append(lines, b.usage(v))
		}
		out.Text = card.Join("\n", lines...)
		if name == "draft" {
			out.Context = []card.Text{
				card.Textf("Steps may begin with what starts them: “every Monday at 9, …”, “when a message in #refunds says refund <order_id>, …”, “when somebody reacts with :moneybag:, …”. `%s help words` has all.", b.Command),
				card.Textf("A flow file (YAML or JSON) that you drop with @%s, or in a direct message to me, becomes a draft, too. *Edit as file* on a draft's card gives it back. More tools are declared in the actions file (--tools).", b.Name),
			}
		}
		return b.replies.Say(ctx, in, out)
	}
	if command, _ := meant(name); command != name {
		name, _, _ = strings.Cut(command, " ")
	} else if other, ok := instead[name]; ok {
		name = other
	}
	v, ok := b.verb(name)
	if !ok {
		hint := request.DidYouMean(name, names, "`/flow help` lists what there is.")
		return &usererror.Error{Code: "no_topic", Text: "I have no help about “" + card.Shorten(name, 40) + "”.", Hint: hint}
	}
	out.Text = b.usage(v)
	if ways := b.ways(v.name); len(ways) > 0 {
		out.Context = []card.Text{card.Textf("Or: %s.", strings.Join(ways, ", "))}
	}
	return b.replies.Say(ctx, in, out)
}

func (b *Bot) usage(v verb) card.Text {
	return card.Textf("• `%s %s`  %s", b.Command, v.usage, v.help)
}

// ways are a few everyday words for a command.
func (b *Bot) ways(name string) (out []string) {
	const most = 5
	for way, command := range everyday {
		if verb, _, _ := strings.Cut(command, " "); verb == name {
			out = append(out, "“"+way+"”")
		}
	}
	for way, command := range instead {
		if command == name {
			out = append(out, "“"+way+" …”")
		}
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
	return out[:min(most, len(out))]
}

// wordsMost is how many characters of examples a section of a message takes.
const wordsMost = 2400

// helpWords lists the phrases that are understood with an example for each, and how a draft is changed, in as many messages as needed.
func (b *Bot) helpWords(ctx context.Context, in request.Incoming) error {
	var pages []card.Card
	page, room := card.Card{Text: card.Textf("What I can read, with an example for each. Steps may be numbered, or sentences one after the other.")}, wordsMost
	add := func(title, text string) {
		if room -= len([]rune(title + text)); room < 0 && len(page.Sections) > 0 {
			pages, page, room = append(pages, page), card.Card{}, wordsMost-len([]rune(title+text))
		}
		page.Sections = append(page.Sections, card.Section{Title: title, Text: card.Block(text)})
	}
	for _, s := range outline.Phrasebook() {
		add(s.Title, strings.Join(s.Lines, "\n"))
	}
	add("Change a draft, in its thread", change.Forms)
	batch := &storage.Batch{}
	for _, c := range append(pages, page) {
		batch.Surfaces = append(batch.Surfaces, b.replies.Private(in, c))
	}
	return b.replies.Write(ctx, in, batch)
}

// toolsMost is how many tools a list shows.
const toolsMost = 60

// listTools says what flows can use: what only reads, and what changes something.
func (b *Bot) listTools(ctx context.Context, in request.Incoming, _ request.Command) error {
	out := card.Card{Context: []card.Text{card.Textf("A step names a tool by what it does, such as “get the order”. What no tool does, people can do. More tools are declared in the actions file (--tools).")}}
	all := b.Tools.All()
	for _, kind := range []struct {
		title  string
		writes bool
	}{{"What flows can read or compute", false}, {"What flows can do", true}} {
		var lines []card.Text
		for _, t := range all[:min(len(all), toolsMost)] {
			if (t.Effects != flow.EffectsRead) == kind.writes {
				lines = append(lines, card.Textf("• %s  `%s`", cmp.Or(t.Description, t.Name), t.Name))
			}
		}
		if len(lines) > 0 {
			out.Sections = append(out.Sections, card.Section{Title: kind.title, Text: card.Join("\n", lines...)})
		}
	}
	if more := len(all) - toolsMost; more > 0 {
		out.Context = append(out.Context, card.Textf("%d more are not shown. The select *Use a tool…* of a draft's question has all of them.", more))
	}
	return b.replies.Say(ctx, in, out)
}

// connected names the modules that tools come from.
func (b *Bot) connected() string {
	var mods []string
	for _, t := range b.Tools.All() {
		m, _, _ := strings.Cut(t.Name, ".")
		if !slices.Contains(mods, m) {
			mods = append(mods, m)
		}
	}
	if len(mods) == 0 {
		return "nothing yet"
	}
	return strings.Join(mods, ", ")
}
