package change

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"sluice/engine/planner/outline"
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
	{words(`(?:name|call it|rename it to|rename to|name it)[:\s]+(.+)`), (*changing).rename, "name: another-name"},
	{words(`(?:remove|delete|drop|take out) (?:the )?(?:trigger|schedule)`), (*changing).noTrigger, "remove the schedule"},
	{words(`(?:(?:remove|delete|drop|take out|leave out|skip|cancel|no|without|DONT (?:need|want|send)) (?:the |an |a |any )?(deadline|time limit|reminder)s?|DONT (remind))(?: (?:(?:in|for|of|at|to) )?(?:step )?(NAME))?(?: any ?more)?`), endless, ""},
	{words(`(?:remove|delete|drop|take out|leave out) (?:steps? )?(NUMBERS)`), (*changing).remove, "remove 3\ndrop the last step"},
	{words(`(?:remove|delete|drop|take out|leave out) (?:everything|all|all steps|the rest|all the rest|what comes) (?:after|behind) (?:step )?([0-9]+)()`), (*changing).removeRange, "remove everything after 3"},
	{words(`(?:remove|delete|drop|take out|leave out) (?:steps? )?([0-9]+) ?(?:-|–|to|through) ?([0-9]+)`), (*changing).removeRange, ""},
	{words(`(?:make|set|change|raise|lower|increase|reduce|put|limit) (?:it |that |this |the (?:limit|amount|threshold|bar|maximum|minimum|value|cap|budget|sum|number) )?(?:up |down )?(?:to |at )?(AMOUNT)(?: instead)?`), (*changing).amount, ""},
	{words(`(?:the )?(?:limit|amount|threshold|bar|maximum|minimum|value|cap|budget|sum|number)(?: is| should be| must be| shall be| to|:)(?: now)? (AMOUNT)(?: instead)?`), (*changing).amount, ""},
	{words(`(AMOUNT) (?:is|should be|must be) the (?:limit|amount|threshold|bar|maximum|minimum|value|cap|budget|sum|number)(?: now)?`), (*changing).amount, ""},
	{words(`(?:the )?(?:limit|amount|threshold|bar|maximum|minimum|value|cap|budget|sum|number)(?: is| should be| must be)(?: now)? (AMOUNT),? (?:and )?(?:not|instead of|rather than) (AMOUNT)`), (*changing).instead, ""},
	{words(`(?:the )?(?:wait(?:ing time)?|pause|delay|break)(?: is| should be| must be| takes| lasts)(?: now)? (DUR)(?: instead)?`), waits, ""},
	{words(`(?:(?:step )?(NUMBER)|it) (?:should )?(?:is|be|takes?|waits?|lasts?)(?: now)? (?:for )?(DUR)(?: instead)?`), func(c *changing, m []string) error { return waits(c, []string{m[0], m[2], m[1]}) }, ""},
	{words(`(?:an? |the |after (?:an? |the )?)?(?:answer )?[“"']?(yes|no|done|APPROVED|approve|reject|approval|rejection)[”"']? (?:goes|go|leads|continues|should go)(?: on| back| straight)? (?:to|at|with) (?:step )?(NUMBER)`), func(c *changing, m []string) error { return goBack(c, []string{"", "", m[1], m[2], ""}) }, ""},
	{words(`(?:(OVER) )?(AMOUNT),? (?:and )?(?:not|instead of|rather than) (?:(OVER) )?(AMOUNT)`), func(c *changing, m []string) error { return otherAmount(c, m[1], m[2], m[3], m[4]) }, ""},
	{words(`(?:(?:wait|make it|it is|the wait is) )?([0-9]+) ((?:working |business )?(?:minutes?|hours?|days?|weeks?)),? (?:and )?(?:not|instead of|rather than) ([0-9]+)()`), func(c *changing, m []string) error { return c.exchangeWords(m[3]+" "+m[2], m[1]+" "+m[2]) }, ""},
	{words(`(DUR),? (?:and )?(?:not|instead of|rather than) (DUR)`), otherTerm, ""},
	{words(`(?:(?:ask|tell|use|post|send|put)(?: [^,.;]+?)? )??(?:in |to |on )?(NAME),? (?:and |but )?(?:not|rather than) (?:in |to |on |ask |tell )?(NAME)`), otherName, ""},
	{words(`not (?:(OVER) )?(AMOUNT),? (?:but )?(?:(OVER) )?(AMOUNT)`), func(c *changing, m []string) error { return otherAmount(c, m[3], m[4], m[1], m[2]) }, ""},
	{words(`(?:no )?(?:not|DONT)(?: [^,.;]+?)?()(?: (?:to|in|on|ask|tell|use))? (NAME)(?:,| but)(?: (?:but|rather|and|use|take|in|to|on|ask|tell|post|send|it))* (NAME)(?: instead)?`), func(c *changing, m []string) error { return otherName(c, []string{"", m[3], m[2]}) }, ""},
	{words(`(?:make|set|change|wait) (?:it |that |this |the (?:wait|deadline|time limit|time|pause) )?(?:to )?(DUR)(?: instead)?`), (*changing).onlyTerm, ""},
	{words(`(DUR) (?:is|are|should be|will be) (?:enough|plenty|sufficient|fine|ok|okay)`), (*changing).onlyTerm, ""},
	{words(`(?:ask|use|take|let|have|make it|it is|it's|it should be|should be|(?:(?:change|set|make) )?the (?:approver|reviewer|decider)s?(?: is| are| to| should be| must be|:))? ?(NAMES)(?: approve| decide| do it| do that| check it)?(?: (?:it|that|this))?(?: instead)?`), (*changing).askOther, "no wait, ask @name"},
	{words(`(?:make )?(NAMES)(?: is| are)? the (?:approver|reviewer|decider)s?()()`), (*changing).askOther, ""},
	{words(`(?:also )?add ()(NAME) as (?:an |another |a |the )?(?:second |additional )?(?:approver|reviewer)`), (*changing).askToo, ""},
	{words(`(?:add|send|set|with)? ?(?:them |him |her )?(?:a )?(?:reminders?|remind) (after|every) (DUR|day|hour|week)()`), reminder, "add a reminder after 4 hours"},
	{words(`(?:also |and )*remind (?:them all|each|all|everyone|everybody)(?: of them)? (after|every) ()(DUR)`), reminder, ""},
	{words(`(?:(?:make|do|run|have|put) )?(?:steps? )?(NUMBER) (?:and|&) (?:step )?(NUMBER)(?: should be| are| be)?(?: done)? (?:parallel|in parallel|at the same time|simultaneously|at once)`), (*changing).atOnce, "do 2 and 3 at the same time"},
	{words(`(NAME) (?:should |must |has to |can )?(?:approves?|decides?|answers?|signs off|sign off|checks?)(?: it| that| this)?,? (?:and )?(?:not|instead of|rather than) (NAME)`), (*changing).instead, ""},
	{words(`(?:(?:in|at) )?(?:step )?(NUMBER)\s*[.:,)]?\s+(?:also TELL (NAME)|TELL (NAME),? (?:too|as well|also))`), func(c *changing, m []string) error { return c.tellToo([]string{"", m[2] + m[3], m[1]}) }, ""},
	{words(`(?:also |and )*TELL (NAME)(?:,? (?:too|as well|also)|,? as well as (NAME))`), (*changing).tellToo, "tell #channel too"},
	{words(`also TELL (NAME)()`), (*changing).tellToo, ""},
	{words(`(?:the )?(.+?) (?:should |must |has to )?also (?:go |goes |be sent |is sent )(?:to|in) (NAME)`), func(c *changing, m []string) error { return c.tellToo([]string{"", m[2], m[1]}) }, ""},
	{words(`also (?:in|to) (#[\pL\pN._-]+)()`), (*changing).tellToo, ""},
	{words(`(?:without|no|(?:we |you )?(?:need no|DONT need)) (?:the |an |any |a )?(.+?)(?: (?:is |are )?(?:needed|required|necessary))?`), (*changing).remove, "without the approval"},
	{words(`(?:skip|drop|leave out|remove|no|without) (?:the |an |any )?(?:approvals?|sign-off|question|gate|(NAME))(?: is| are)?(?: needed| required)?(?: (?:if|when) (?:it is|it's|its|the amount is|it costs))? (below|under|less than|for less than|for amounts under) (AMOUNT)`), (*changing).skipBelow, "skip the approval below 50"},
	{words(`(?:(?:if|when) (?:it is|it's|its|the amount is|it costs) |for (?:amounts )?)?()(below|under|less than) (AMOUNT),? (?:then )?(?:(?:skip|no|without|leave out) (?:the |an |any )?(?:approval|sign-off|question)(?: is)?(?: needed| required)?|(?:nobody|no one|no-one) (?:needs to|has to|must) (?:be asked|approve|sign off|confirm)(?: it)?)`), (*changing).skipBelow, ""},
	{words(`(?:only )?()(?:ask|ask .+?|require approval|approval|approval is needed|needs approval|the approval is needed)(?: only| is only needed)? (above|over|from|for more than) (AMOUNT)`), (*changing).skipBelow, ""},
	{words(`(NAME) (?:DONT|need not|needn't) (?:need to |have to |needs to )?(.+?)(?: any ?more)?`), spared, "@name doesn't have to approve"},
	{words(`(?:nobody|no one|no-one) (?:needs to|has to|must|should) (?:approve|confirm|sign off)()(?: (?:it|this|that))?(?: any ?more)?`), func(c *changing, _ []string) error { return c.remove([]string{"", "approval"}) }, ""},
	{words(`(?:remove|delete|drop|take out|leave out|skip) (?:the )?(.+?) at the (?:very )?(end|beginning|start)`), removeAt, ""},
	{words(`(?:remove|delete|drop|take out|leave out|skip) (?:the )?(.+)`), (*changing).remove, "remove the reminder to @name"},
	{words(`(?:DONT|no longer|stop) (.+?)(?: any ?more| any longer)?`), (*changing).remove, "don't tell #channel"},
	{words(`(?:(?:set|make|change|put|raise|lower) )?(?:the )?(?:deadline|time limit|timeout) (?:for|of|in) (?:step )?(.+?)(?: is| are| should be| must be| to|:)? (DUR)(?: instead)?`), deadlineOf, ""},
	{words(`(?:(?:set|make|change|put|raise|lower) )?(NAME)(?:'s|’s) (?:deadline|time limit|timeout)(?: is| should be| must be| to|:)? (DUR)(?: instead)?`), deadlineOf, ""},
	{words(`(?:at most|max\.?|maximum|no more than|up to) (DUR) (?:for|to) (.+)`), func(c *changing, m []string) error { return deadlineOf(c, []string{"", m[2], m[1]}) }, ""},
	{words(`(.+?) (?:must|has to|have to|should|needs to|need to) (.+) within (DUR)`), func(c *changing, m []string) error {
		if _, err := c.find(m[1] + " " + m[2]); err != nil {
			return ErrNone
		}
		return c.allow([]string{"", m[1] + " " + m[2], m[3]})
	}, ""},
	{words(`(?:give|allow|grant) (.+?) (DUR)(?: (?:to|for) .+?)?(?: instead)?`), (*changing).allow, ""},
	{words(`(.+?) (?:has|have|gets|get|needs?|takes?|should have|must answer within|answers within|answer within|can take|may take) (DUR)(?: (?:to|for) .+?)?(?: instead)?`), (*changing).allow, "@name has 2 days to answer"},
	{words(`(?:(?:set|add|give|use) )?(?:them |him |her )?(?:the |a )?(deadline|time limit)(?: is| of| to| should be)?:? (DUR)(?: instead)?`), (*changing).allow, ""},
	{words(`(?:if|when) (?:the )?(?:step )?(.+?) (?:FAILS)\s*[:,]?\s*(?:then )?(.+)`), (*changing).onError, "if step 1 fails tell @name"},
	{words(`(?:also |and )?(.+?),? (?:if|when) (?:the )?(?:step )?(.+?) (?:FAILS)`), func(c *changing, m []string) error { return c.onError([]string{"", m[2], m[1]}) }, ""},
	{words(`(?:also |and )*()(NAME) (?:also )?(?:must|has to|have to|should|needs to|need to) (?:also )?(?:approve|agree|sign off|confirm|say yes)(?: (?:it|this|that))?(?:,? (?:too|as well|also))?`), (*changing).askToo, ""},
	{words(`(?:(?:let|have|make) )?(NAME)(?: (?:should|will|must|has to|can|shall|is going to))?(?: (?:do|does|handles?|takes? care of|takes? over))? (.+?)(?:,? (?:and )?(not) NAME)?(?: (from now on|instead))?`), takeOver, "@name should do step 3, not @other"},
	{words(`(?:also |and )?((?:re)?try) (?:step )?(.+?) ((?:again )?(?:(?:up to |at most )?(?:[0-9]{1,3}|two|three|four|five|six) (?:more )?times|once|twice)\b.*?)`), retry, ""},
	{words(`(?:(?:in|for|at) step (NUMBER),? +)?(?:if|when) (.+?),? (?:then )?(?:(?:go|jump|return|loop|start)(?: again)? )?(?:back to|from|at) (?:step )?(NUMBER)(?: again)?(?:,? (?:but )?(?:at most|up to|max\.?|maximum|no more than) ([0-9]+) times?)?`), goBack, ""},
	{words(`(?:(?:in|for|at) step (NUMBER),? +)?(.+?)(?: (?:in|for|at) step (NUMBER)\b(.*?))?`), (*changing).affect, "remind them after 4 hours\nif nobody answers within 10 minutes ask @name\nif rejected tell #channel"},
	{words(`(?:in (?:step )?(NUMBER) )?(?:also )?ask (NAME)(?: to approve)?(?:,? (?:too|as well|also))`), (*changing).askToo, "ask @name as well"},
	{words(`(?:(?:in|for|at) step (NUMBER),? +)?(?:also |and |then |add ?: ?)*(.+?),? (when|if|once|after|in case|as soon as) (.+?)(?: (?:in|for|at) step (NUMBER))?`), (*changing).outcome, "also tell #channel when it is rejected"},
	{words(`(?:also |and )*((?:NAME )??)(?:must not|may not|can't|cannot|can not|should not|shouldn't|DONT|never|not) (.+?),? (?:before|until|unless) (.+)`), notBefore, "don't do step 3 before @name approves"},
	{words(`(.+?) (?:should |must |has to )?waits? (?:for|until) (.+?) before (.+)`), func(c *changing, m []string) error { return notBefore(c, []string{"", m[1] + " ", m[3], m[2]}) }, ""},
	{words(`(.+?)(?: both| all)? (?:must|has to|have to|should|needs to|need to|can|may)(?: both| all| also)? (?:approve|agree|sign off|confirm|say yes)(?: (?:it|this|that|(?:in )?step (NUMBER)))?(?: instead)?`), (*changing).approvers, "both @name and @other must approve"},
	{words(`swap (?:the |steps? )?(.+?) (?:and|with) (?:the |step )?(.+)`), swapNames, "swap 3 and 4\nswap @ana and @bob"},
	{words(`(NAME) and (NAME) (?:swap|trade|change)(?: places| steps)?`), swapNames, ""},
	{words(`(?:move|put|do|have) (?:step )?(.+?) (before|after|behind) (?:step )?(.+)`), (*changing).move, "move 4 before 2"},
	{words(`(?:step )?(NUMBER) (before|after|behind) (?:step )?(NUMBER)`), (*changing).move, ""},
	{words(`(?:the )?(.+?) (?:comes?|goes?|happens?|(?:should|must|has to) (?:come|be|go|happen)) (before|after|behind) (?:the )?(?:step )?(.+)`), func(c *changing, m []string) error {
		if _, _, err := c.findBoth(m[1], m[3]); err != nil {
			return err
		}
		return c.move(m)
	}, ""},
	{words(`(?:add )?(.+?) between (?:steps? )?(NUMBER) and (?:step )?NUMBER`), func(c *changing, m []string) error { return c.add([]string{"", "after", m[2], m[1]}) }, ""},
	{words(`(.+?) before (?:anything|everything)(?: else)?(?: happens| starts| is done)?`), atFirst, ""},
	{words(`(?:add|insert) (?:an? )?(?:(DUR) (?:wait|pause|delay|break)|(?:wait|pause|delay|break) of (DUR)) (before|after) (.+)`), func(c *changing, m []string) error { return c.add([]string{"", m[3], m[4], "wait " + m[1] + m[2]}) }, ""},
	{words(`(?:(?:add|insert|put) )?(before|after) (?:step )?(NUMBER)\s*[:,]?\s+(?:add\s+)?(.+)`), (*changing).add, "add after 2: tell #channel"},
	{words(`(?:do|put|move|make|have|run) (.+?) (first|last|(?:at|to) the (?:very )?(?:beginning|start|top|front|end|bottom))`), (*changing).reorder, "do the e-mail first"},
	{words(`(.+?) (?:comes?|goes?|(?:should|must|has to) (?:come|be|go|happen))(?: done| made| created| sent| asked)? (first|last|(?:right )?at the (?:very )?(?:beginning|start|end))`), (*changing).reorder, ""},
	{words(`(.+?) (first|last)`), (*changing).reorder, ""},
	{words(`(?:also |and )+(?:run it |start it |do it )?(.+?)(?: too| as well)?`), (*changing).timeToo, "also on Fridays"},
	{words(`(?:run it |start it |do it )?(.+?) (?:too|as well|also)`), (*changing).timeToo, ""},
	{words(`(?:also |and )?ask (?:also |them |him |her |people |the requester |the employee |the user )*for (.+?)(?: too| as well| also)?`), (*changing).inputs, "also ask for the end date"},
	{words(`(?:also |and )?add (?:(?:an? |the )?(?:field|input)s? (?:for|called|named) (.+?)|(.+?) (?:to the (?:inputs?|form|fields?)|as (?:an? )?(?:inputs?|fields?))|(?:an? |the )?(.+?) field)`), func(c *changing, m []string) error { return c.inputs([]string{"", m[1] + m[2] + m[3]}) }, ""},
	{words(`(?:change|set) (?:the )?(ORDINAL )?(message|question|text|wording|notification)(?: (?:in|of|at|to|for) (?:step )?(NAME))? to *:?\s*(.+)`), (*changing).rewordOnly, ""},
	{words(`(?:the )?(ORDINAL )?(message|question|text|wording|notification)(?: (?:in|of|at|to|for) (?:step )?(NAME))?(?:(?: should be| should say| should read| must be| must say| is| says)(?:\s*:\s*|\s+)|:\s*)(.+)`), (*changing).rewordOnly, "the message should be \"hello\""},
	{words(`(?:add|insert)(?: at the end)?\s*[:,]\s*(.+)`), (*changing).addLast, ""},
	{words(`(?:add|insert) (?:a|an|another|one more)(?: additional| extra| new| further| last| final)? (?:task|step|action)(?: at the end| to (?:the|this) [^.:]+)?(?:\s*[.:,]\s*|\s+(?:that|which|to|where)\s+)(?:(?:the|this) (?:task|step|action|goal) (?:is|should be|must be) to )?((?:[^.]|\.\S)+)`), (*changing).addLast, "add a step that tells #channel"},
	{words(`(?:also |and )?(.+?)(?: as well| too)?,? (before|after) (?:step )?(.+)`), beside, "ask @name to approve before 3"},
	{words(`(?:and |also )?(before|after) (.+?)(?: too| as well)?`), (*changing).behind, "after the payment tell @name"},
	{words(`(?:also )?(.+?),? (?:at the (?:very )?end|when (?:it|all|everything|that|this|the flow)(?: is|'s|’s) (?:done|finished|over|through)|as the last step)(?: too| as well)?`), (*changing).addLast, "tell #channel at the end"},
	{words(`(?:first|at first|first of all|at the (?:beginning|start)|to begin with)\s*[:,]?\s+(.+)`), atFirst, "first ask @name to approve"},
	{words(`(?:finally|also|and then|then|at the end|and also)\s*[:,]?\s+(.+)`), (*changing).addLast, "also tell #channel"},
	{words(`(?:in )?(?:step )?(NUMBER) should (?:say|read|ask)\s*:?\s+(.+)`), (*changing).reword, "step 3 should say \"hello\""},
	{words(`(?:the )?(.+?) (?:is|must be|should be|are) (?:now )?(required|needed|mandatory|necessary|optional|not needed|not required|not necessary)`), (*changing).require, "the reason is required"},
	{words(`(?:step )?(NUMBER) (?:goes|should go|is for) to (.+)`), (*changing).give, "3 goes to @name"},
	{words(`(?:the )?(.+?) (?:goes|should go) to (NAMES)()()`), giveNamed, ""},
	{words(`()()(?:post|send|put) (?:the )?(.+?) (?:to|in|on) (NAMES) instead`), giveNamed, ""},
	{words(`(?:(?:it|that|this) )?(?:(?:goes|should go|must go|should be sent) )?(?:to|in) ([@#<].+?)(?: instead)?`), func(c *changing, m []string) error { return c.instead1(m[1]) }, ""},
	{words(`((?:[0-9]{1,2}[:.][0-9]{2}(?: ?[ap]m)?|[0-9]{1,2} ?[ap]m|noon|midnight))`), (*changing).reclock, ""},
	{words(`(?:step )?(NUMBER)\s*[.:)]\s*(.+)`), (*changing).rewrite, "3. new words of the step"},
	{words(`change (?:step )?(NUMBER) to\s*:?\s+(.+)`), (*changing).changeTo, ""},
	{words(`(?:make|use|ask|tell|take|do|have|say|post to|post it to|send it to|notify|set) ?(?:it |that |this )?(?:to )?(.+?),? (?:instead of|rather than|and not|not) (?:it |to )?(.+)`), (*changing).instead, "make it 300 instead of 100"},
	{words(`(.+?),? (?:instead of|rather than) (.+)`), (*changing).instead, ""},
	{words(`(?:change|replace|swap) (.+?) (?:to|with|by|->|→) (.+)`), (*changing).replace, ""},
	{words(`(.+?) ?(?:->|→) ?(.+)`), (*changing).replace, ""},
	{words(`(?:(?:start it (?:with|by) )?(?:a )?(?:react|reacts|reacting|reaction)EMOJI instead|(?:the )?(?:reactions?|emoji) (?:is|are|counts?|should be|must be)EMOJI(?: instead)?)`), react, ""},
	{words(`(?:run it |start it |do it |make it |use |ask |tell )?(.+?),? instead`), (*changing).retime, "every Tuesday instead"},
	{words(`(?:run it|start it|do it|make it|it should run|it runs|it starts|it should start|begin it|run this|start this|start|run) (.+)`), (*changing).retime, ""},
	{words(`(?:move|shift|reschedule|postpone|change) (?:it|this|that|the (?:schedule|run|report|time|day)) to (.+)`), func(c *changing, m []string) error { return c.retime([]string{"", "every " + m[1]}) }, ""},
	{words(`(?:make|do|run) it (?:on )?((?:mon|tues|wednes|thurs|fri|satur|sun)day.*)`), func(c *changing, m []string) error { return c.retime([]string{"", "every " + m[1]}) }, ""},
	{words(`at ((?:[0-9]{1,2}(?:[:.][0-9]{2})?(?: ?[ap]m)?|noon|midnight)(?: o'clock)?)`), (*changing).reclock, ""},
	{words(`(AMOUNT)`), func(c *changing, m []string) error { // "no, 300"
		if !corrects.MatchString(c.t.Texts[c.text].Words) {
			return ErrNone
		}
		return c.amount(m)
	}, ""},
	{words(`(?:only )?(.+)`), (*changing).schedule, "on weekdays"},
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
	return sync.OnceValue(func() *regexp.Regexp { return compiled(pattern) })
}

func compiled(pattern string) *regexp.Regexp {
	pattern = strings.ReplaceAll(pattern, "ORDINAL", `(?:`+strings.Join(slices.Sorted(maps.Keys(ordinals)), "|")+`)`)
	const number = `[0-9]+(?:[a-z]+(?:[0-9]+[a-z]*)*)?`
	pattern = strings.ReplaceAll(pattern, "NUMBERS", number+`(?:\s*(?:,|and|&)\s*`+number+`)*`)
	pattern = strings.ReplaceAll(pattern, "NAMES", `NAME(?:(?:,? (?:and|or) |, ?)NAME){0,4}`)
	pattern = strings.NewReplacer("NUMBER", number, "EMOJI", `(?: (?:with )?(:[\pL\pN_+-]+:))?(?: (?:to|on) (?:a |any )?messages?)?(?: (?:only )?in (#[\pL\pN._-]+))?`, "NAME", `(?:[@#]?[\pL\pN][\pL\pN._-]*|<[@#][^>]+>)`, "TELL", `(?:tell|inform|notify|message|(?:post|send)(?: it)? (?:to|in))`, "AMOUNT", `[$€£¥]?[0-9][0-9.,]*k?(?: ?(?:eur|euros?|usd|dollars?|gbp|pounds?|%|[$€£¥]))?`, "APPROVED", `approved|accepted|rejected|declined|denied|refused|ok|no|yes`,
		"DONT", `(?:do not|does not|don't|don’t|dont|doesn't|doesn’t|doesnt)`, "FAILS", `fails?|failed|goes wrong|go wrong|breaks?|does not work|doesn't work|do not work|don't work`,
		"OVER", `(?:over|above|under|below|from|more than|less than|at least|at most)`, "DUR", `(?:[0-9]+|an?|one|two|three|four|five|six|seven|eight|nine|ten|half an) ?(?:working |business )?(?:minutes?|mins?|hours?|hrs?|h|days?|d|weeks?)`).Replace(pattern)
	return regexp.MustCompile(`(?is)^\s*(?:(?:please|pls|can you|could you|can we|ok|okay|oh|and|hi|hey|no wait|no,|nope|wait,|nah|actually|sorry|oops|rather|hmm?|i mean|i meant|better|let's|let us|lets|just|maybe|also,)[,.…-]* +)*` + pattern + `[.!?]*\s*$`)
}

// changing is a change in progress: its effects on the draft and its messages.
type changing struct {
	draft
	said []string
}

// Apply gives the tree that words about a tree ask for, and one sentence per difference. ErrNone: the words are no change. An
// *Error says why a change cannot be made. What the words do not name stays as it is. people are words of the text that are names of people.
func Apply(t *tree.Tree, text, author string, people ...string) (*tree.Tree, []string, error) {
	if asks.MatchString(text) {
		return nil, nil, ErrNone
	}
	next, said, err := one(t, text, author, people)
	if err != nil {
		var why *Error
		if next, said, several := together(t, text, author, people); several == nil || !errors.As(err, &why) {
			return next, said, several
		}
	}
	return next, said, err
}

// asks finds a question about the draft.
var asks = regexp.MustCompile(`(?is)^\s*(?:what|why|who|how|when|where|which|is|are|does|do|did|will|has|can|could|should|would)\b.*\?\s*$`)

// courtesy finds courtesies behind a wish, comma those behind a comma: without one they may be what is said, as in "tell #ops thanks".
var (
	courtesy = regexp.MustCompile(`(?i)(?: +(?:please|pls|plz|for now|for the moment))+[.!]*\s*$`)
	comma    = regexp.MustCompile(`(?i)(?:[,.!] +(?:please|pls|plz|thanks|thank you|thx|ok\?|okay\?))+[.!]*\s*$`)
)

// one is Apply for words that ask for one thing.
func one(t *tree.Tree, text, author string, people []string) (*tree.Tree, []string, error) {
	wish := comma.ReplaceAllString(text, "")
	if Speaks(wish) || !telling.MatchString(wish) {
		wish = courtesy.ReplaceAllString(wish, "")
	}
	for _, f := range changeForms {
		m := f.pattern().FindStringSubmatch(wish)
		if m == nil {
			continue
		}
		c := &changing{draft: newDraft(t, text, author, people)}
		switch err := f.do(c, m); {
		case errors.Is(err, ErrNone): // another form may fit
			continue
		case err != nil:
			return nil, nil, err
		}
		c.cover()
		c.t.Forget()
		c.ungated(t)
		twice(&c.draft, t)
		return c.t, c.said, nil
	}
	return nil, nil, ErrNone
}

// aboutDraft finds words that speak of the draft.
var aboutDraft = regexp.MustCompile(`(?i)^\s*(?:please )?(?:make|move|put|change|set|add|rename|replace|use|start|run|give|leave)\b.*\b(?:steps?|approvals?|deadlines?|limits?|schedules?|triggers?|questions?|thresholds?|reminders?|gates?|draft|flow|workflow|by hand|everything|parallel|approvers?|optional|required|(?:the|that|this) (?:message|text|wording)|out again)\b` +
	`|^\s*(?:(?:and|also|please|pls|kindly|ok|but) )*(?:swap|move|remind|go back|remove|drop|delete|skip|raise|lower|undo|nvm|never ?mind|forget|not|no|only|without|instead)\b|\b(?:instead|rather than|any ?more)\b|^\s*(?:please )?(?:make|change|improve|fix|redo|simplify|shorten|update|adjust|rewrite|rework|clean|tidy|keep|let|stop|pause) (?:it|this|that|them|everything|all|these|those)\b` +
	`|\b(?:goes?|leads?|continues?)(?: on| back| straight)? (?:to|at|with) (?:step )?[0-9]`)

// Speaks reports whether words speak of the draft, so that they are neither a new step of it nor a text in it.
func Speaks(text string) bool { return aboutDraft.MatchString(text) || asks.MatchString(text) }

// AtEnd gives the tree with the steps behind its last one that words are which name no place: "ask @ana to approve". A person confirms that.
// ErrNone: not all of the words are steps.
func AtEnd(t *tree.Tree, text, author string, people ...string) (*tree.Tree, []string, error) {
	c := &changing{draft: newDraft(t, text, author, people)}
	q := c.quote(text)
	if Speaks(text) || !outline.OnlySteps(c.t, q) {
		return nil, nil, ErrNone
	}
	if err := c.addLast([]string{text, text}); err != nil {
		return nil, nil, ErrNone
	}
	c.object("end", "the new steps stand at the end")
	c.cover()
	twice(&c.draft, t)
	return c.t, c.said, nil
}

// cover accounts for the words of the change around what was read from it, such as "add after 2:". Words that were read stay: a person is
// asked about those of them that became nothing.
func (c *changing) cover() {
	whole := tree.Quote{Text: c.text, To: len(c.t.Texts[c.text].Words)}
	other := func(q tree.Quote) bool { return q.Text != c.text || q.Empty() || q == whole }
	inside := slices.DeleteFunc(c.read, func(q tree.Quote) bool { return q.Text != c.text || q.Empty() })
	if taken := slices.DeleteFunc(tree.Quotes(c.t), other); len(inside) == 0 && len(taken) > 0 { // what stands between them is accounted for as any other words
		inside = []tree.Quote{{Text: c.text, From: whole.To}}
		for _, q := range taken {
			inside[0].From, inside[0].To = min(inside[0].From, q.From), max(inside[0].To, q.To)
		}
	}
	slices.SortFunc(inside, func(a, b tree.Quote) int { return a.From - b.From })
	from := 0
	for _, q := range append(inside, tree.Quote{From: whole.To, To: whole.To}) {
		if from < q.From {
			c.t.Replaced = append(c.t.Replaced, tree.Quote{Text: c.text, From: from, To: q.From})
		}
		from = max(from, q.To)
	}
}

func (c *changing) say(format string, args ...any) {
	c.said = append(c.said, fmt.Sprintf(format, args...))
}
