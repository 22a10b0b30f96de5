package change

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"sluice/engine/planner/english"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/quantity"
	"sluice/engine/planner/tree"
)

// ErrNone means that words are no change of a tree.
var ErrNone = errors.New("these words change nothing")

// Error is a change or an answer that cannot be made, with the reason in a sentence.
type Error struct{ Text string }

// Error gives the sentence.
func (e *Error) Error() string { return e.Text }

// Cannot is an [Error] with these words.
func Cannot(format string, args ...any) error {
	return &Error{fmt.Sprintf(format, args...)}
}

// changeForm is one way to ask for a change.
type changeForm struct {
	pattern func() *regexp.Regexp // compiled when it is first tried
	do      func(c *changing, m []string) error
	example string
}

// changeForms are tried in order; the first whose pattern fits is meant. A pattern is anchored, so that nothing beside it is ignored.
var changeForms = []changeForm{
	{words(`(?:name|(?:call|name) (?:it|this|that)|rename (?:it|this|that) to)[:\s]+(.+)`), with1((*changing).rename), "name: another-name"},
	{words(`(?:(?:add|insert|put) )?(before|after) (?:step )?(NUMBER)\s*[:,]?\s+(?:add\s+)?(.+)`), with3((*changing).add), "add after 2: tell #channel"},
	{words(`(?:(?:add|insert|put) )?(before|after) ([^:"“]{1,60}?)\s*:\s+(?:add\s+)?(.+)`), with3((*changing).add), ""},
	{words(`(?:(?:add|insert|put) )?between (?:steps? )?(NUMBER) and (NUMBER)\s*[:,]?\s+(?:add\s+)?(.+)`), between, ""},
	{words(`(?:add|insert|put) at the end\s*[:,]\s*(.+)`), with1((*changing).addLast), ""},
	{words(`(?:REMOVE|stop|no|without) (?:the |a |any )?(?:trigger|schedule)(?: any ?more)?|(?:i|we|somebody|someone) (?:will )?(?:starts?|runs?) (?:it|this) (?:by hand|manually|myself|ourselves)`), func(c *changing, _ []string) error { return c.noTrigger() }, "remove the schedule"},
	{words(`(?:REMOVE|no|without) (?:the |a )?(deadline|time limit|reminder)s?|DONT remind`), with1(endless), ""},
	{words(`REMOVE (?:steps? )?(NUMBERS)`), with1((*changing).remove), "remove 3\ndrop the last step"},
	{words(`(?:steps? )?(NUMBERS) (?:is|are) (?:not|no longer) (?:needed|necessary|required)(?: any ?more)?`), with1((*changing).remove), ""},
	{words(`we (?:DONT|no longer) need (?:steps? )?(NUMBERS)(?: any ?more)?`), with1((*changing).remove), ""},
	{words(`(.+)`), with1(measured), ""},
	{words(`(?:(?:the )?(?:approval|sign-off) )?only (?:over|above) (AMOUNT)`), func(c *changing, m []string) error { return setQuantity(c, "limit", m[1]) }, ""},
	{words(`(wait|pause) (?:longer|less|shorter)[,:]? (?:for )?(DUR)`), with2(setQuantity), ""},
	{words(`REMOVE (?:everything|all|all steps) (?:after|behind) (?:step )?([0-9]+)`), with1(removeAfter), "remove everything after 3"},
	{words(`(?:ask|use|the approver is|the approver should be)? ?(NAMES)(?: instead)?`), with1((*changing).askOther), "no wait, ask @name"},
	{words(`(?:add )?(?:a )?(?:reminder|remind) (after|every) (DUR)`), with2(reminder), "add a reminder after 4 hours"},
	{words(`(?:do|run|make)? ?(?:steps? )?(NUMBER(?:,? (?:and|&)? ?(?:step )?NUMBER)+) (?:in parallel|at the same time|at once)`), with1((*changing).atOnce), "do 2 and 3 at the same time"},
	{words(`(?:(?:in |at )?(?:step )?(NUMBER)[.:,)]? +)?(?:also TELL (NAME)|TELL (NAME),? (?:too|as well|also))`), with3((*changing).tellToo), "tell #channel too"},
	{words(`(?:without|no need (?:to|for)|no|(?:nobody|no one) (?:needs to|has to|must)) (?:the |an |any |a )?(.+?)(?: it)?(?: any ?more)?`), with1((*changing).remove), "without the approval"},
	{words(`(?:REMOVE|no|without) (?:the |an |any )?(?:approval|sign-off|question) (?:below|under|for less than) (AMOUNT)`), with1((*changing).skipBelow), "skip the approval below 50"},
	{words(`(?:nobody|no one) (?:has to|needs to|must) (?:approve|sign(?: off)?|confirm)(?: it)? (?:below|under|up to|for (?:up to|less than)) (AMOUNT)`), with1((*changing).skipBelow), ""},
	{words(`no (.+?)(?: is| are)? (?:needed|necessary|required)(?: any ?more)?`), with1((*changing).remove), ""},
	{words(`(?:(?:use|make it|the channel is|(?:post|put|send|move) (?:it|that|this|the message) (?:in|into|to)|in|into|it should (?:go to|be in)) )?(#[^\s,]+)(?:,? instead|,? please)*`), with1(otherChannel), ""},
	{words(`(?:up to|below|under|for (?:up to|less than)) (AMOUNT),? (?:there is |we need |it needs )?no (?:approval|sign-off|question)(?: is)?(?: needed| necessary| required)?`), with1((*changing).skipBelow), ""},
	{words(`(NAME) (?:DONT|need not|needn't) (?:need to |have to )?(.+?)(?: any ?more)?`), with2(spared), "@name doesn't have to approve"},
	{words(`REMOVE (?:the )?(.+)`), with1((*changing).remove), "remove the reminder to @name"},
	{words(`(?:DONT|no longer|stop) (.+?)(?: any ?more)?`), with1((*changing).remove), "don't tell #channel"},
	{words(`(?:(?:give|allow) )?(.+?)(?: has| have| gets?)? (DUR),? (?:and )?(?:otherwise|or else|else|if not|after that|then),? (.+)`), func(c *changing, m []string) error { return c.allow(m[1], m[2], "", m[3]) }, ""},
	{words(`(.+?) (?:has|have|gets?|needs?|should have|(?:must|should|has to|have to|needs? to)(?: be)? (?:answer|answered|done|finished|completed?|do it|finish) (?:with)?in)(?: an?| the)?(?: deadline of| time limit of)? (DUR)(?: to .+?)?(?: instead)?(?: (?:for|in) (?:step )?(NUMBER))?(?:[,.]? (?:and )?(?:if|when) (?:NAME|no one) (?:DONT|has not|hasn't|have not|haven't)? ?(?:answers?|repl(?:y|ies)|respond|answered|replied|responded)(?: by then| in time)?,? (.+))?`), with4((*changing).allow), "@name has 2 days to answer"},
	{words(`(?:(?:set|add|move) )?(?:the )?(deadline|time limit)(?: is| to| should be)? (?:on |at |to )?((?:[0-9]+[.:][0-9]|[0-9]+ ?[ap]m|noon|midnight|tomorrow|tonight|today|(?:the )?next|(?:the )?end|(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|satur|sun)day).*)`), with2(allowUntil), ""},
	{words(`(?:give|allow|let) (NAME|the [a-z]+)(?: have)?(?: time)? (?:until|till) (.+)`), with2(allowUntil), ""},
	{words(`(.+?) (?:has|have|gets?|needs?|should have|(?:must|should|has to|have to|needs? to) (?:answer|reply|respond|decide|approve)) (?:time )?(?:until|till|by) (.+?)(?: to answer)?`), with2(allowUntil), ""},
	{words(`(?:if|when) (?:the )?(?:step )?(.+?) FAILS\s*[:,]?\s*(?:then )?(.+)`), with2((*changing).onError), "if step 1 fails tell @name"},
	{words(`(?:also )?(.+?),? (?:if|when) (?:the )?(?:step )?(.+?) FAILS`), func(c *changing, m []string) error { return c.onError(m[2], m[1]) }, ""},
	{words(`it(?: is|'s|’s) (NAME) (?:who|that) (.+?)(?: now| from now on)?`), func(c *changing, m []string) error { return takeOver(c, append(m, "", "instead")) }, ""},
	{words(`(?:(?:let|make|i want|we want|i'd like|we'd like) )?(NAME)(?: to)?(?: (?:should|will|must|has to))?(?: (?:do|does|handles?|takes? over))? (.+?)(?:(?:,? (?:and )?not| instead of) (NAME)| (instead))?`), takeOver, "@name should do step 3, not @other"},
	{words(`(?:(?:in )?step (NUMBER)[,:] +)?((?:if|when|on) .+)`), func(c *changing, m []string) error { return c.affect(m[1], m[2], "") }, ""},
	{words(`(?:in step (NUMBER),? +)?(.+?)(?: in step (NUMBER))?`), with3((*changing).affect), "remind them after 4 hours\nif nobody answers within 10 minutes ask @name\nif rejected tell #channel"},
	{words(`(?:also )?ask (NAME)(?: to approve)?,? (?:too|as well|also)`), with1((*changing).askToo), "ask @name as well"},
	{words(`(NAME) (?:must|has to|have to|should|needs to|need to|wants to)(?: (?:also|look at|check|review|approve|sign|okay|ok|agree(?: to)?|say (?:go|yes|ok|okay)|give (?:the|an|his|her|their) (?:go|ok|okay|approval)|have a look(?: at)?|confirm|see))+(?: (?:it|this|that))?,? (?:too|as well|also)`), with1((*changing).askToo), ""},
	{words(`(?:in step (NUMBER),? +)?(?:also |and |then |add: ?)*(.+?),? (when|if|once|after) (.+?)(?: in step (NUMBER))?`), (*changing).outcome, "also tell #channel when it is rejected"},
	{words(`(?:NAME )?(?:must not|cannot|should not|DONT|never) (.+?),? (?:before|until|unless) (.+)`), func(c *changing, m []string) error { return c.onlyAfter("", m[1], m[2]) }, "don't do step 3 before @name approves"},
	{words(`(?:also )?(.+?)(?: both| all| also)? (?:must|has to|have to|should|needs to|need to|can|may)(?: both| all| also)? (?:approve|agree|sign off|confirm|say yes)(?: (?:it|(?:(?:in )?step|in) (NUMBER)))?(?: too| as well)?`), with2((*changing).approvers), "both @name and @other must approve"},
	{words(`swap (?:the |steps? )?(.+?) (?:and|with) (?:the |step )?(.+)`), with2(swapNames), "swap 3 and 4\nswap @ana and @bob"},
	{words(`(?:move|put|do) (?:step )?(.+?) (before|after|behind) (?:step )?(.+)`), with3((*changing).move), "move 4 before 2"},
	{words(`(?:the )?(.+?) (?:comes|goes|(?:should|must|has to) (?:come|go|be)|is done) (before|after|behind) (?:the |step )?(.+)`), with3((*changing).move), ""},
	{words(`(NUMBER) (before|after|behind) (NUMBER)`), with3((*changing).move), ""},
	{words(`(?:do|put|move) (.+?) (first|last|(?:at|to) the (?:beginning|start|front|end))`), with2((*changing).reorder), "do the e-mail first"},
	{words(`(?:the )?([^@#\s]+(?: [^@#\s]+)??)(?: (?:comes|goes|is|should be|should come|has to be))? (first|last)`), with2((*changing).reorder), ""},
	{words(`(.+?) and (.+?) (?:swap|switch|change places)`), with2(swapNames), ""},
	{words(`(?:also |and )+(.+?)(?: too| as well)?`), with1((*changing).timeToo), "also on Fridays"},
	{words(`(?:also |and )?ask STARTER (?:also )?for (.+?)ATSTART`), with1((*changing).inputs), ""},
	{words(`(?:also |and )?ask (?:also )?for (.+?)ATSTART`), with1((*changing).inputs), "also ask for the end date"},
	{words(`(?:the )?inputs?(?: are| is)?\s*:\s*(.+?)(?:[.,;] (?:these|they|all of them) are (?:given|entered|provided) by .+)?`), with1((*changing).inputs), ""},
	{starterGives, with1((*changing).inputs), ""},
	{words(`(?:the )?(message|question)(?: (?:to|for) ([^"“]+?))?(?:(?: should be| should say| must say| is| says)(?:\s*:\s*|\s+)|:\s*)(.+)`), with3((*changing).rewordOnly), "the message should be \"hello\""},
	{words(`(?:change|set) (?:the )?(message|question|text)(?: (?:to|for) ([^"“]+?))? to(?:\s*:\s*|\s+)(["“].+)`), with3((*changing).rewordOnly), ""},
	{words(`(?:also )?(?:include|mention|add|show|put|write) (?:the )?([^:"“]+?),? (?:in|to|into) (?:the )?(message|question)(?: (?:to|for) ([^"“]+?))?(?: too| as well)?`), func(c *changing, m []string) error { return mention(c, m[2], m[3], m[1]) }, ""},
	{words(`(?:the )?(message|question)(?: (?:to|for) ([^"“]+?))?(?: should| must| has to| needs to)(?: also)? (?:include|mention|contain|show|say|name|tell) (?:the )?([^:"“]+?)(?: too| as well)?`), with3(mention), ""},
	{words(`(?:say|write|post) (["“][^"”]+["”]) instead`), func(c *changing, m []string) error { return c.rewordOnly("message", "", m[1]) }, ""},
	{words(`(?:add|insert|put)(?: (?:it|this|these|the following(?: steps?)?))?(?: at the end| to the end| last| behind all others)?\s*[:,]\s*(.+)`), with1((*changing).addLast), ""},
	{words(`at the end,? (?:add|insert|put)(?: this)?\s*[:,]\s*(.+)`), with1((*changing).addLast), ""},
	{words(`(?:add|insert|put)(?: (?:it|this|these))? (?:first|at the (?:beginning|start)|to the (?:beginning|start))\s*[:,]\s*(.+)`), func(c *changing, m []string) error { return c.add("before", "1", m[1]) }, ""},
	{words(`(?:add|insert) (?:a|an|another)(?: new| last| final)? (?:task|step)(?: at the end)?(?:\s*[.:,]\s*|\s+(?:that|which|to)\s+)(.+)`), with1((*changing).addLast), "add a step that tells #channel"},
	{words(`(?:also )?(.+?)(?: as well| too)?,? (before|after) (?:step )?(.+)`), with3(beside), "ask @name to approve before 3"},
	{words(`(?:and |also )?(before|after) (.+)`), with2((*changing).behind), "after the payment tell @name"},
	{words(`(?:also )?(.+?),? (?:at the end|when (?:it|all|everything)(?: is|'s|’s) (?:done|finished))`), with1(addBehind), "tell #channel at the end"},
	{words(`(?:also )?(TELL NAMES),? at the end,?((?: that|\s*:| ["“]).+)`), func(c *changing, m []string) error { return addBehind(c, m[1]+" "+m[2]) }, ""},
	{words(`(?:first|at the (?:beginning|start))\s*[:,]?\s+(.+)`), func(c *changing, m []string) error { return c.add("before", "1", m[1]) }, "first ask @name to approve"},
	{words(`(?:finally|also|and then|then|afterwards?|after that|at the end)\s*[:,]?\s+(.+)`), with1(addBehind), "also tell #channel"},
	{words(`(?:the )?(?:message|question|text) (?:in|of) (?:step )?(NUMBER) (?:should be|should say|should read|is|says)\s*:?\s+(.+)`), with2((*changing).reword), ""},
	{words(`(?:step )?(NUMBER) should (?:say|read|ask)\s*:?\s+(.+)`), with2((*changing).reword), "step 3 should say \"hello\""},
	{words(`(?:the )?(.+?) (?:is|must be|should be) (required|needed|optional|not needed|not required)`), with2((*changing).require), "the reason is required"},
	{words(`(?:step )?(NUMBER) (?:goes|should go) to (.+)`), with2((*changing).give), "3 goes to @name"},
	{words(`(?:the )?(.+?) (?:is|are|gets?|should be|must be|has to be) [a-z]+(?:ed|ne|en|nt|de|id) by (NAME)(?: instead| now)?`), with2((*changing).give), ""},
	{words(`(?:the )?(.+?) (?:goes|should go) to (NAMES)`), with2((*changing).give), ""},
	{words(`(?:step )?(NUMBER)\s*[.:)]\s+(.+)`), with2((*changing).rewrite), "3. new words of the step"},
	{words(`change (?:step )?(NUMBER) to\s*:?\s+(.+)`), with2((*changing).changeTo), ""},
	{words(`(?:raise|increase|lower|reduce|decrease|extend|shorten|change|move|shift|switch|bring|cut)(?: (.+?))? from (.+?) to (.+)`), with3(fromTo), ""},
	{words(`(?:make|use|ask|tell|take|do|say|post to|send it to|notify) ?(?:it |that |this )?(?:to )?(.+?)INSTEAD(?:it |to )?(.+)`), with2((*changing).instead), "make it 300 instead of 100"},
	{words(`(.+?),? (?:instead of|rather than) (.+)`), with2((*changing).instead), ""},
	{words(`not (?:to |by |on )?(.+?), (?:but )?(?:to |by |on )?(.+)`), func(c *changing, m []string) error { return notBut(c, m[2], m[1]) }, ""},
	{words(`(.+?),? (?:and |but )?(?:not(?: just| only)?|no longer|no more)(?: any ?more)? (.+?)(?: any ?more)?`), with2(notBut), ""},
	{words(`(?:change|replace|swap) (.+?) (?:to|with|by) (.+)`), with2((*changing).replace), ""},
	{words(`(?:(?:run|start|do|make) (?:it|this|that) |tell )?(.+?),? instead`), with1((*changing).retime), "every Tuesday instead"},
	{words(`(?:(?:run|start|do|make) (?:it|this|that)|(?:it|this|the (?:flow|workflow))(?: should| must)? (?:starts?|runs?|begins?)) (.+)`), with1((*changing).retime), ""},
	{words(`(?:only )?(.+)`), with1((*changing).schedule), "on weekdays"},
}

// starterGives says what the person gives who starts a run.
var starterGives = words(`STARTER(?: and)?(?: also)?(?: must| has to| have to| should| needs to| need to| will)?(?: also)? (?:gives?|enters?|provides?|names?|specif(?:y|ies)|types?|says?|fills? in|picks?|chooses?) (.+?)(?: too| as well)?`)

// with1, with2 and with3 give what a form does the groups of its pattern, without the space around them.
func with1(do func(c *changing, a string) error) func(*changing, []string) error {
	return func(c *changing, m []string) error { return do(c, m[1]) }
}

func with2(do func(c *changing, a, b string) error) func(*changing, []string) error {
	return func(c *changing, m []string) error { return do(c, m[1], m[2]) }
}

func with3(do func(c *changing, a, b, d string) error) func(*changing, []string) error {
	return func(c *changing, m []string) error { return do(c, m[1], m[2], m[3]) }
}

func with4(do func(c *changing, a, b, d, e string) error) func(*changing, []string) error {
	return func(c *changing, m []string) error { return do(c, m[1], m[2], m[3], m[4]) }
}

// Forms shows how changes are written, a line for each.
var Forms = func() string {
	var lines []string
	for _, f := range changeForms {
		if f.example != "" {
			lines = append(lines, f.example)
		}
	}
	return strings.Join(append(lines, "undo"), "\n")
}()

// words is a pattern of changeForms: NUMBER is the number of a step. All of them together take 20 ms to compile, which no start of the
// program should wait for.
func words(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return Pattern(pattern) })
}

// patternParts stand in patterns under their names.
var patternParts = strings.NewReplacer(
	"NUMBERS", aNumber+`(?:\s*(?:,|and|&)\s*`+aNumber+`)*`, "NUMBER", aNumber, "NAMES", aName+`(?:(?:,? (?:and|or) |, ?)`+aName+`){0,4}`, "NAME", aName,
	"TELL", `(?:tell|inform|notify|message|remind|ping|dm|(?:post|send)(?: it)? (?:to|in))`,
	"AMOUNT", `[$€£¥]?[0-9][0-9.,]*k?(?: ?(?:eur|euros?|usd|dollars?|gbp|pounds?|%|[$€£¥]))?`,
	"DUR", `(?:[0-9]+|an?|one|two|three|four|five|six|seven|eight|nine|ten|half an) ?(?:working |business )?(?:minutes?|mins?|hours?|hrs?|h|days?|d|weeks?)`,
	"REMOVE", `(?:remove|delete|drop|take out|leave out|skip|never mind|forget(?: about)?)`, "DONT", `(?:do not|don't|don’t|dont|does not|doesn't|doesn’t|doesnt)`,
	"STARTER", `(?:(?:the )?(?:requester|submitter)|(?:who(?:so)?ever|(?:the |a )?(?:person|one|user|somebody|someone|people)(?: (?:who|that))?) (?:starts?|runs?|begins?|triggers?) (?:it|this|that|a run|(?:the|this) (?:flow|workflow)))`,
	"ATSTART", `(?:,? (?:too|as well|also|first|(?:right )?(?:at|in) the (?:very )?(?:beginning|start|form)|in the first step|when (?:starting|it starts|(?:somebody|someone) starts it)))*`,
	"FAILS", `(?:fails?|failed|goes wrong|does not work|doesn't work)`, "INSTEAD", `,? (?:and )?(?:not|instead of|rather than) `,
)

const (
	aNumber = `[0-9]+(?:[a-z]+(?:[0-9]+[a-z]*)*)?`
	aName   = `(?:[@#]?[\pL\pN][\pL\pN._-]*|<[@#][^>]+>)`
)

// Pattern compiles what a reply is, between the words of courtesy around it.
func Pattern(pattern string) *regexp.Regexp {
	return regexp.MustCompile(`(?is)^\s*(?:(?:please|pls|can you|could you|can we|could we|shall we|should we|can|could|ok|okay|oh|and|no wait|no,|nope|wait,|actually|sorry|let's|just)[,.…-]* +)*(?:` + patternParts.Replace(pattern) + `)[.!?]*\s*$`)
}

// changing is a change in progress: its effects on the draft and its messages.
type changing struct {
	draft
	said []string
}

// Apply gives the tree that words about a tree ask for, and one sentence per difference. ErrNone: the words are no change. An
// *Error says why a change cannot be made. What the words do not name stays as it is. people are words of the text that are names of people.
func Apply(t *tree.Tree, text, author string, people ...string) (*tree.Tree, []string, error) {
	if wishes.MatchString(text) {
		text = strings.TrimRight(text, "?! ")
	} else if asks.MatchString(text) {
		return nil, nil, ErrNone
	}
	if nothing.MatchString(quotedText.ReplaceAllString(text, "")) {
		return nil, nil, Cannot("To have nothing done there, say which step goes away, such as “remove %s”.", lastNumber(t))
	}
	if wish, why := beforeReason(text); why != "" {
		if next, said, err := Apply(t, wish, author, people...); err == nil {
			return next, append(said, fmt.Sprintf("“%s” was taken for the reason alone.", why)), nil
		}
	}
	next, said, err := one(t, text, author, people)
	if err != nil && len(text) <= longestReason {
		if rest := withoutReason(newDraft(t, text, author, people), text); rest != "" {
			if n, s, why := one(t, rest, author, people); why == nil || errors.Is(err, ErrNone) {
				next, said, err = n, s, why
			}
		}
	}
	if err != nil {
		var why *Error
		if next, said, several := together(t, text, author, people); several == nil || !errors.As(err, &why) {
			return next, said, several
		}
	}
	return next, said, err
}

// nothing finds words by which nothing is done in some case. Those that say what happens instead are a change.
var (
	nothing    = regexp.MustCompile(`(?i)^[^"“]*\b(?:if|when|in case)\b.*\b(?:do )?nothing\b`)
	quotedText = regexp.MustCompile(`"[^"]*"|“[^”]*”`)
)

// lastNumber is the number of the last step.
func lastNumber(t *tree.Tree) (number string) {
	names := t.Numbers()
	for s := range t.Walk {
		number = names[s.ID]
	}
	return number
}

// asks finds a question about the draft.
var asks = regexp.MustCompile(`(?is)^\s*(?:what|why|who|how|when|where|which|is|are|does|do|did|will|has|can|could|should|would)\b.*\?\s*$`)

// wishes finds a change that is asked for politely: "can you remove 3?", "could @bob sign instead?".
var wishes = regexp.MustCompile(`(?is)^\s*(?:(?:can|could|shall|would) (?:you|we)\b|(?:can|could) [@<]\S+ .*\binstead\b)`)

// courtesy finds courtesies behind a wish. Without a comma they may be what is said, as in "tell #ops thanks".
var courtesy = regexp.MustCompile(`(?i)(?:[,.!] *(?:please|pls|thanks|thank you|thx)| +(?:please|pls))+[.!]*\s*$`)

// one is Apply for words that ask for one thing.
func one(t *tree.Tree, text, author string, people []string) (*tree.Tree, []string, error) {
	wish, unread := courtesy.ReplaceAllString(text, ""), ErrNone
	for _, f := range changeForms {
		m := f.pattern().FindStringSubmatch(wish)
		if m == nil {
			continue
		}
		for i := range m {
			m[i] = strings.TrimSpace(m[i])
		}
		c := &changing{draft: newDraft(t, text, author, people)}
		switch err := f.do(c, m); {
		case errors.Is(err, ErrNone): // another form may fit
			continue
		case err != nil:
			return nil, nil, err
		}
		c.cover()
		if clause := dropped(c, t); clause != "" {
			unread = Cannot("I can read one part of this, and not %s, so nothing has changed: write one thing at a time, in other words.", english.Quote(clause))
			continue
		}
		c.t.Forget()
		c.ungated(t)
		c.twice(t)
		return c.t, c.said, nil
	}
	return nil, nil, unread
}

// together applies several changes that stand in one text: "drop 3 and ask @bob instead". Each of them must be one, with as many of the parts of
// the text as can be read together. An *Error says why one of them cannot be made.
func together(t *tree.Tree, text, author string, people []string) (*tree.Tree, []string, error) {
	text = strings.TrimSpace(text)
	next, said, err := inParts(t, cuts(text), text, author, people)
	if err != nil {
		if n, s, none := inParts(t, clauseCuts(text), text, author, people); none == nil {
			return n, s, nil
		}
	}
	return next, said, err
}

// inParts applies the changes of a text that is cut into parts. None: the first of them cannot be read.
func inParts(t *tree.Tree, parts []quantity.Place, text, author string, people []string) (*tree.Tree, []string, error) {
	if len(parts) < 2 || len(parts) > mostTogether {
		return nil, nil, ErrNone
	}
	var said []string
	for i := 0; i < len(parts); {
		next, sentences, size, err := longest(t, parts[i:], text, author, people)
		switch {
		case err != nil && i == 0: // the others were not read
			return nil, nil, ErrNone
		case errors.Is(err, ErrNone) && speaksAt(t, text):
			return nil, nil, Cannot("I can read “%s”, and not “%s”, so nothing has changed: write them one at a time.", text[:parts[i-1].To], text[parts[i].From:])
		case err != nil:
			return nil, nil, err
		}
		t, said, i = next, append(said, sentences...), i+size
	}
	if starts := func(s string) bool { return strings.HasPrefix(s, "It starts ") }; len(said) > 1 && starts(said[0]) && starts(said[1]) {
		return nil, nil, Cannot("The last one would take the place of the first, so nothing has changed: write the whole schedule anew, such as “every Monday at 9 and 15 instead”.")
	}
	return t, said, nil
}

// longest applies the change that as many parts of a text as possible are together, from the first of them on. The whole text is none.
func longest(t *tree.Tree, parts []quantity.Place, text, author string, people []string) (next *tree.Tree, said []string, size int, err error) {
	err = ErrNone
	for size = len(parts); size > 0; size-- {
		words := text[parts[0].From:parts[size-1].To]
		if len(words) == len(text) {
			continue
		}
		if next, said, err = one(t, words, author, people); err == nil {
			return next, said, size, nil
		}
	}
	return nil, nil, 0, err
}

// speaksAt reports whether words are more than steps of the flow.
func speaksAt(t *tree.Tree, text string) bool {
	d := newDraft(t, text, "", nil)
	return Speaks(text) || !outline.OnlySteps(d.t, d.quote(text))
}

const mostTogether = 6 // changes in one text

// verbs finds where another change begins: behind a sentence, or with its verb.
var verbs = regexp.MustCompile(`(?i)(?:[.!;]\s+|\n+|(?:[,;]|,?\s+(?:and then|and|then))\s+(?:also\s+)?(change|replace|swap|remove|drop|delete|skip|make|ask|tell|post|send|move|add|run|start|call|set|give|use|wait|remind|if|when|in step)\b)`)

// apart cuts a text where another change begins: "swap 3 and 4 and drop 1".
func apart(text string) (parts []string) {
	for _, p := range cuts(text) {
		parts = append(parts, text[p.From:p.To])
	}
	return parts
}

func cuts(text string) (parts []quantity.Place) {
	from := 0
	for _, m := range verbs.FindAllStringSubmatchIndex(text, -1) {
		parts = append(parts, quantity.Place{From: from, To: m[0]})
		if from = m[1]; m[2] >= 0 {
			from = m[2]
		}
	}
	return append(parts, quantity.Place{From: from, To: len(text)})
}

// clauseCuts cuts a text at each sign and each "and"; none: it holds a quoted text, or a part of it is a word alone.
func clauseCuts(text string) (parts []quantity.Place) {
	if strings.ContainsAny(text, `"“`) {
		return nil
	}
	for _, clause := range clausesOf(text) {
		if len(clause) < 2 {
			return nil
		}
		parts = append(parts, quantity.Place{From: clause[0].From, To: clause[len(clause)-1].To})
	}
	return parts
}

// aboutDraft finds words that speak of the draft.
var aboutDraft = regexp.MustCompile(`(?i)^\s*(?:please )?(?:make|move|put|change|set|add|rename|replace|use|start|run|give|leave)\b.*\b(?:steps?|approvals?|deadlines?|limits?|schedules?|triggers?|questions?|reminders?|draft|flow|workflow|everything|parallel|approvers?|optional|required|(?:the|that|this) (?:message|text))\b` +
	`|^\s*(?:(?:and|also|please|ok|but) )*(?:swap|move|remind|retry|go back|remove|drop|delete|skip|undo|never ?mind|forget|not|don't|dont|no|only|without|instead)\b|\b(?:instead|rather than|any ?more|(?:more|less) time|longer)\b|^\s*(?:please )?(?:make|change|improve|fix|redo|simplify|shorten|update|rewrite|keep|let|stop|pause|run|start|begin|launch|schedule) (?:it|this|that|them|everything|all|these|those)\b` +
	`|^\s*(?:please )?(?:add|insert)\b[^:]{0,40}:|^\s*(?:the )?inputs?(?: are| is)?\s*:` +
	`|\b(?:goes?|leads?|continues?)(?: on| back| straight)? (?:to|at|with) (?:step )?[0-9]`)

// Speaks reports whether words speak of the draft, so that they are neither a new step of it nor a text in it.
func Speaks(text string) bool { return aboutDraft.MatchString(text) || asks.MatchString(text) }

// AtEnd gives the tree with the steps behind its last one that words are which name no place: "ask @ana to approve". A person confirms that.
// ErrNone: not all of the words are steps.
func AtEnd(t *tree.Tree, text, author string, people ...string) (*tree.Tree, []string, error) {
	c := &changing{draft: newDraft(t, text, author, people)}
	q := c.quote(text)
	if Speaks(text) || stepNamed.MatchString(text) || !outline.OnlySteps(c.t, q) {
		return nil, nil, ErrNone
	}
	unclear := func(s tree.Step) bool { // nobody knows who or what does several clauses: "wait a day, no, two days"
		several := s.Kind == tree.Do && s.Doer == tree.DoerOpen && len(clausesOf(s.Text)) > 1
		return s.Said.Text == c.text && (several || s.Kind == tree.Tell && leftOver.MatchString(s.Text))
	}
	if earlier.MatchString(text) {
		return nil, nil, ErrNone
	}
	if err := c.addLast(strings.TrimSpace(text)); err != nil || slices.ContainsFunc(c.t.Steps, unclear) {
		return nil, nil, ErrNone
	}
	confirmEnd(c)
	c.cover()
	c.twice(t)
	return c.t, c.said, nil
}

var (
	earlier  = regexp.MustCompile(`(?i)\b(?:first|before(?:hand)?|before (?:that|it|this)|too|as well)[.!]*\s*$`) // the step does not stand at the end
	leftOver = regexp.MustCompile(`(?i)^(?:too|instead|as well|also|nobody)\b`)                                   // words of a change that were left for a message
)

// cover accounts for the words of the change around what was read from it, such as "add after 2:". Words that were read stay: a person is
// asked about those of them that became nothing.
func (c *changing) cover() {
	whole := tree.Quote{Text: c.text, To: len(c.t.Texts[c.text].Words)}
	other := func(q tree.Quote) bool { return q.Text != c.text || q.Empty() || q == whole }
	inside := slices.DeleteFunc(c.read, func(q tree.Quote) bool { return q.Text != c.text || q.Empty() })
	if len(inside) == 0 { // what stands between those that were taken over is accounted for as any other words
		inside = []tree.Quote{tree.Span(slices.DeleteFunc(tree.Quotes(c.t), other))}
	}
	c.t.Replaced = append(c.t.Replaced, whole.Without(inside...)...)
}

func (c *changing) say(format string, args ...any) {
	c.said = append(c.said, fmt.Sprintf(format, args...))
}
