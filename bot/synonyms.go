package bot

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"

	"sluice/bot/draft"
	"sluice/bot/request"
	"sluice/storage"
)

// everyday are whole texts that mean a command, in small letters and without signs.
var everyday = texts(map[string]string{
	"runs running": "status, running, whats running, what is running, what runs, what is running now, whats running now, whats going on, what is going on, whats happening, whats up",
	"list":         "flows, my flows, all flows, list flows, list my flows, list all flows, show flows, show my flows, show me my flows, workflows, my workflows, list workflows, show workflows, what flows are there, which flows are there, which flows do i have, what can i run, what can i start",
	"runs":         "list runs, show runs, my runs, recent runs, last runs, latest runs, what ran, what has run, show my runs, list my runs",
	"runs failed":  "failed, failed runs, failures, errors, what failed, whats failed, what has failed, what went wrong",
	"approvals":    "waiting, pending, todo, to do, todos, inbox, my approvals, my questions, open questions, questions, whats waiting, what is waiting, what waits, whats waiting for me, what is waiting for me, what waits for me, whats pending, what is pending, what do i have to do, what do i need to do, what should i do, what do i have to approve, what needs me, what needs my approval, anything for me, list approvals, show approvals",
	"schedules":    "my schedules, list schedules, show schedules, whats scheduled, what is scheduled, whats next, what is next, what comes next, what runs next, timetable, calendar",
	"help":         "commands, what can you do, what can i do, what can i say, how does this work, how do you work, usage, info, menu",
	"tools":        "list tools, show tools, what tools are there, which tools are there, what can you use, what can flows use, actions",
	"pause all":    "pause everything, stop everything, hold everything",
	"resume all":   "resume everything, continue everything",
	"audit":        "who did what, log, audit log, who did this",
})

// greeting are words in front of what somebody wants. "hello: tell #ops hi" names a flow.
var greeting = regexp.MustCompile(`(?i)^(?:(?:hello|hi|hiya|hey|good (?:morning|afternoon|evening|day))(?: (?:there|all|everyone|everybody|team|sluice))?(?:[\s,.!–-]+|$))+`)

// instead are words that may replace the name of a command, before the one thing that it is about.
var instead = texts(map[string]string{
	"run":      "start, launch, trigger, execute",
	"cancel":   "stop, abort, kill, end, terminate",
	"show":     "status, view, open, describe, details, display, see",
	"resume":   "continue, unpause, unhold",
	"pause":    "hold, halt, freeze",
	"history":  "versions, revisions, changes",
	"find":     "search, lookup, where",
	"export":   "download",
	"delegate": "reassign, forward",
})

// asked are questions about one run, flow or person, each with the command that answers it.
var asked = []struct {
	words   *regexp.Regexp
	command string
}{
	{oneThing(`who (?:has |had )?(?:approved|decided|answered|rejected|changed|started|stopped|cancelled|paused|made|wrote)`), "audit"},
	{oneThing(`who did what (?:in|with|to)`), "audit"},
	{oneThing(`why (?:did|has|is|does|was)`, `(?:fail|failed|stop|stopped|wait|waiting|stuck|not done|not finished|rejected)`), "show"},
	{oneThing(`what happened (?:to|with|in)`), "show"},
	{oneThing(`what (?:is|are)`, `(?:waiting for|doing)`), "show"},
	{oneThing(`what does`, `(?:do|wait for)`), "show"},
	{oneThing(`how is`, `(?:doing|going)`), "show"},
	{oneThing(`how much (?:did|does|has)`, `(?:cost)`), "show"},
	{regexp.MustCompile(`(?i)^what (?:did|has) (@\S+) (?:do|done|decide|decided|approve|approved|reject|rejected|change|changed|start|started)$`), "audit"},
}

// oneThing reads a question that names one thing, between its first words and its last.
func oneThing(first string, last ...string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)^` + first + ` (?:the |my |our )?(?:run |flow |workflow )?([\w-]+)(?: run| flow| workflow)?` + strings.Join(append([]string{""}, last...), " ") + `$`)
}

// question gives the command that answers a question about one thing; "" = it is none.
func question(text string) string {
	text = strings.Join(strings.Fields(strings.TrimRight(text, "?!. ")), " ")
	for _, q := range asked {
		if m := q.words.FindStringSubmatch(text); m != nil && !slices.Contains(these, strings.ToLower(m[1])) {
			return q.command + " " + m[1]
		}
	}
	return ""
}

// texts inverts the table: from each wording to the command that it means.
func texts(list map[string]string) map[string]string {
	out := map[string]string{}
	for meant, ways := range list {
		for way := range strings.SplitSeq(ways, ", ") {
			out[way] = meant
		}
	}
	return out
}

// about are commands about one thing; fillers are words that may stand before its name.
var (
	about   = []string{"run", "runs", "show", "cancel", "pause", "resume", "export", "history", "retry", "schedule"}
	fillers = []string{"me", "the", "my", "our", "of", "run", "flow", "workflow", "process", "for"}
)

// meant gives the command that a text in everyday words means, or the text. whole says that all of the text is a way to say it.
func meant(text string) (command string, whole bool) {
	plain := strings.NewReplacer("’", "", "'", "").Replace(strings.ToLower(text))
	plain = strings.Join(strings.Fields(strings.TrimRight(plain, "?!. ")), " ")
	for _, polite := range []string{"please ", "pls ", "hey ", "can you ", "could you "} {
		plain = strings.TrimPrefix(plain, polite)
	}
	plain = strings.TrimSuffix(strings.TrimSuffix(plain, " please"), " pls")
	if command, ok := everyday[plain]; ok {
		return command, true
	}
	if command := question(text); command != "" {
		return command, false
	}
	words := strings.Fields(text)
	if len(words) < 2 {
		return text, false
	}
	verb := strings.ToLower(words[0])
	command, other := instead[verb]
	if !other {
		command = verb
	}
	if !slices.Contains(about, command) && !other {
		return text, false
	}
	rest := strings.TrimSpace(text[len(words[0]):])
	for len(words) > 2 && slices.Contains(fillers, strings.ToLower(words[1])) {
		rest = strings.TrimSpace(rest[len(words[1]):])
		words = slices.Delete(words, 1, 2)
	}
	if other && !single(rest) {
		return text, false // it may describe a flow: "start the refund when ..."
	}
	if !strings.Contains(rest, "=") {
		rest = strings.TrimRight(rest, "?!")
	}
	return command + " " + rest, false
}

// single reports whether a text has one plain word besides name=value.
func single(text string) bool {
	c, err := request.ParseCommand("x " + text)
	return err == nil && len(c.Args) == 1
}

// these are words for what a thread is about.
var these = []string{"it", "this", "that", "this run", "that run"}

// here are commands that can be about the run of a thread.
var here = []string{"show", "cancel", "pause", "resume", "retry", "skip", "reopen", "move"}

// say gives what a person means by what they said to the bot. In the thread of an open draft a few words may be a change of it.
func (b *Bot) say(ctx context.Context, in request.Incoming, text string) (string, error) {
	command, whole := meant(text)
	verb, rest, _ := strings.Cut(command, " ")
	thread := slices.Contains(here, verb) && slices.Contains(these, strings.ToLower(rest))
	if whole || command == text && !thread {
		return command, nil
	}
	if drafting, err := b.drafting(ctx, in); err != nil || drafting {
		return text, err
	}
	if !thread {
		return command, nil
	}
	name, err := b.lists.RunHere(ctx, in, verb)
	return verb + " " + name, err
}

// drafting reports whether a delivery belongs to the thread of a draft that is not decided yet.
func (b *Bot) drafting(ctx context.Context, in request.Incoming) (bool, error) {
	if in.Thread == "" {
		return false, nil
	}
	d, err := b.store.DraftInThread(ctx, in.Channel, in.Thread)
	return err == nil && (d.Status == draft.Open || d.Status == draft.Drafting), storage.IgnoreMissing(err)
}

// names are the words with which commands can begin.
func (b *Bot) names() []string {
	var out []string
	for _, v := range b.verbs() {
		out = append(out, v.name)
	}
	out = slices.AppendSeq(out, maps.Keys(instead))
	for way := range everyday {
		if !strings.Contains(way, " ") {
			out = append(out, way)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
