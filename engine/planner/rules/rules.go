// Package rules finds rules in the text of a message or a task: words that a workflow would have to follow, and that would only be words to
// those who read them. It knows no steps: engine/planner asks about what it finds.
package rules

import (
	"regexp"
	"slices"
	"strings"

	"sluice/engine/planner/english"
)

const (
	span    = `(?:\d+(?: ?- ?\d+)?|an?|two|three|four|five|six|ten|few|couple of|other|second)`
	period  = `(?:s|secs?|seconds?|min|mins|minutes?|h|hrs?|hours?|days?|weeks?|months?)`
	day     = `(?:mon|tu(?:e|es|se)|we(?:d?nes|ns|dens)|th(?:ur|urs|rus)|fri|sat(?:ur|er)|sun)day` // also as people misspell it
	morrow  = `(?:tom{1,2}or{1,2}ow|tmrw|tmr|2moro)`
	month   = `(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)`
	date    = day + `|` + morrow + `|tonight|noon|midnight|eod|(?:the )?end of|next|\d{1,2}(?::\d\d)?(?: ?[ap]m)?\b`
	beyond  = `(?:more than|less than|over|under|above|below|up to|from|older than|newer than|younger than|larger than|bigger than|smaller than|higher than|lower than|longer than)`
	daypart = `(?:(?:working |business |week)?day|morning|afternoon|evening|night|week|weekend|month)`
	some    = `(?:at least |any )?(?:\d+|one|two|three|four|five|half|most|all|both|each|everyone|everybody|a majority|the majority)(?: (?:of )?(?:them|those|these|us|you))?`
)

// Message find rules in the text of a message: what a workflow would have to do, and no reader of the message.
// They fit the first words of a rule, which goes on to the next comma.
var Message = []*regexp.Regexp{
	regexp.MustCompile(`^(?:to |please )?(?:every (?:` + span + ` )?` + period + `|(?:hourly|daily|nightly|weekly|monthly)|(?:\d+|once|twice|three times) (?:times )?(?:an?|per) ` + period + `)\b`),
	regexp.MustCompile(`^(?:at \d|(?:today|` + morrow + `|tonight)\b|(?:on )?(?:the |that )?(?:next|nxt|same|following) ` + daypart + `\b|(?:on |next |nxt )` + day + `\b|(?:in|after) ` + span + ` ?` + period + `\b)`),
	regexp.MustCompile(`(?:,| and) ` + span + ` ?` + period + ` (?:later|after|before)\b`),
	regexp.MustCompile(`\b(?:once|when|after|if|as soon as|unless|until) (?:it is |it's |they are |they're |this is |that is )?(?:approved|signed|confirmed|accepted|agreed|rejected|declined|ok|okay)\b`),
	regexp.MustCompile(`^(?:before|after|during|while|until|till|as soon as|once|whenever) [a-z@#0-9][a-z0-9._-]*(?: [a-z]+)?`),
	regexp.MustCompile(`^(?:within|in less than|not later than|no later than) ` + span + ` ?` + period + `\b`),
	regexp.MustCompile(`^(?:on )?(?:the )?(?:\d{1,2}(?:st|nd|rd|th)? (?:of )?` + month + `|` + month + ` \d{1,2})\b`),
	regexp.MustCompile(`\bevery (?:` + day + `|weekday|workday|morning|evening|night)\b`),
	regexp.MustCompile(`\bin (?:which|that|this) case\b|^(?:on )?the \d{1,2}(?:st|nd|rd|th)\b`),
	regexp.MustCompile(`(?:^|,|;| and) ?(?:at )?\d{1,2}[:.]\d\d,? (?:ping|tell|ask|call|remind|page|notify|write|send|post|escalate)\b`),
	regexp.MustCompile(`\b(?:either way|in either case|in both cases|in any case|no matter (?:what|whether|how))\b`),
	// a time that hangs on another one: "a day before the start date", "on their first day"
	regexp.MustCompile(`\b(?:` + span + `|the) (?:` + period + `|evening|night|morning) (?:before|prior to|ahead of)\b`),
	regexp.MustCompile(`^(?:` + span + `|the) (?:` + period + `|evening|night|morning) (?:after|later|of)\b`),
	regexp.MustCompile(`\b(?:the (?:same|next|following) ` + daypart + `|(?:the|` + span + `) ` + daypart + `s? (?:after|later))$`),
	regexp.MustCompile(`^(?:on|by|before|after|until) (?:the|his|her|their|its|that|this|each) (?:[a-z]+ )?(?:day|date|morning|evening|deadline|weekend)\b`),
	regexp.MustCompile(`\bevery ` + span + ` ?` + period + `\b`),
	regexp.MustCompile(`\buntil (?:i|we|you|it|its|it['’]s|they|everything|somebody|someone|he|she|nobody)\b`),
	regexp.MustCompile(`, ?(?:and )?(?:by|before|not later than|no later than) (?:` + date + `)`),
	regexp.MustCompile(`, ?(?:and )?(?:(?:within|in less than) ` + span + ` ?` + period + `\b|` + span + ` ?` + period + `$)`),
	regexp.MustCompile(`\b(?:after|once|when|if|until|before|as soon as) (?:(?:he|she|they|it|everybody|somebody) |@[a-z0-9._-]+ )(?:has |have |is |are |was )?(?:approv|agree|confirm|sign|accept|reject|declin|decid|object|says? |said )`),
	regexp.MustCompile(`^(?:and|but|or) .*|, and (?:at|on|after|before) (?:the|that|this|each|every) `),
	regexp.MustCompile(`^(?:the |their |his |her )?(?:answer|reply|decision|result|verdict|choice|vote|response)s? (?:of|from|by) (?:[@#][a-z0-9._-]+|[a-z0-9._-]{4,})`),
	regexp.MustCompile(`(?:^|, ?)(?:but |just |though )?not$`),
	regexp.MustCompile(`\b(?:as soon as|once) (?:i|we|you|he|she|they|it|@[a-z0-9._-]+|the [a-z]+) [a-z]`),
	regexp.MustCompile(`\b(?:until|till) (?:the )?(?:\d{1,2}(?:st|nd|rd|th)? (?:of )?` + month + `|` + month + `|end of)\b`),
	regexp.MustCompile(`(?:,| and|, and) [@#][a-z0-9._-]+ (?:that|to|about|the|his|her|their|for|if|whether|what|which|who|when|where|why|how)\b`),
	regexp.MustCompile(`(?:,| and|, and) (?:(?:only|also|not|just) (?:for |to )?[@#]|on (?:` + day + `)s?\b)`),
	regexp.MustCompile(`\band again\b|^again\b`),
	regexp.MustCompile(`\bunless\b|\bexcept (?:on|for|when|if|in|at|during|weekends?|(?:public )?holidays?|(?:` + day + `)s?)\b|\bbut (?:not|never|only) (?:on|for|when|if|in|at|during|after|before)\b`),
	regexp.MustCompile(`\b` + some + ` (?:must|have to|has to|need to|needs to|should) (?:agree|approve|accept|confirm|sign|say yes)\b`),
	regexp.MustCompile(`^(?:to )?(?:once(?:,|$)|twice|thrice|(?:\d+|two|three|four|five) times)\b`),
	regexp.MustCompile(`\b(?:he|she|they) (?:can|may|could) (?:also |either )?(?:ask|request|reject|decline|approve|choose|decide)\b`),
	regexp.MustCompile(`, (?:and )?(?:he|she|they) [a-z ]{2,40}\b(?:before|by|until|within) `),
	regexp.MustCompile(`\b(?:they|he|she|each|both|all) (?:has|have|gets|get) ` + span + ` ?` + period + `\b`),
	regexp.MustCompile(`\bif (?:nobody|no one|none of them|(?:he|she|they|it) (?:doesn['’]t|does not|don['’]t|do not|didn't|hasn['’]t|haven['’]t)) (?:ever )?(?:answer|repl|respond|react)`),
	regexp.MustCompile(`\bif there(?:['’]s| is) no (?:answer|reply|response|reaction)\b`),
}

// Deed find rules in what people do or decide: by when, and what somebody else does or decides.
var Deed = append(slices.Clone(Message),
	regexp.MustCompile(`(?:,|^| )or @[a-z0-9._-]+$`),
	regexp.MustCompile(`\bat \d{1,2}(?::\d\d)?(?: ?[ap]m)?(?:$|,| and\b)`),
	regexp.MustCompile(`(?:,| and) (?:at \d[\d:]*(?: ?[ap]m)?|on `+day+`s?|in `+span+` `+period+`) @`),
	regexp.MustCompile(`\bfor `+span+` ?`+period+`\b`),
	regexp.MustCompile(`\bin `+span+` ?`+period+`$|\bafter `+span+` ?`+period+`\b`),
	regexp.MustCompile(`\b(?:on )?(?:the |that )?(?:same|next|following) `+daypart+`(?:$|[,;.!)]| (?:and|to|with|by|at)\b)`),
	regexp.MustCompile(`\b(?:while|whilst) (?:@|the |i |we |he |she |they )|\b(?:meanwhile|in the meantime)\b|\bas @[a-z0-9._-]+ [a-z]+s\b|\bonly (?:then|after that|afterwards)\b`),
	regexp.MustCompile(`(?:^|\b)(?:within|in less than) `+span+` ?`+period+`\b`),
	regexp.MustCompile(`\b(?:on|by|before|after|until) (?:the|his|her|their|its) (?:[a-z]+ )?(?:day|date|deadline|weekend)\b`),
	regexp.MustCompile(`(?:^|\b)(?:by|not later than|no later than) (?:`+date+`)`),
	regexp.MustCompile(`(?:,| and|, and) (?:(?:i|we|he|she|they) (?:also |then |will |must )?[a-z]+|(?:(?:the|our|my) [a-z]+ )?@[a-z0-9._-]+ (?:(?:also |then |will |must )?[a-z]+s|to [a-z]+|the|a|an))\b`),
	regexp.MustCompile(`\b(?:is|are|be) [a-z]+ed by (?:@|the )`),
	regexp.MustCompile(`(?:,| and|, and) (?:#[a-z0-9._-]+|somebody|everyone|everybody|the [a-z]+) (?:is|are|gets?|will|should|must) [a-z]`),
	regexp.MustCompile(`\b(?:starts?|begins?|goes|does it all|all) (?:all )?(?:over|again|anew|from the (?:top|beginning|start))\b|\b(?:goes|go|jumps?|returns?) back to\b|\brepeats? (?:this|that|it|the)\b`),
	regexp.MustCompile(`(?:,|;| and| but) (?:all (?:the )?other|the other|any other|every other|everything else|everybody else|everyone else|the rest|the others)\b`),
	regexp.MustCompile(`, (?:which|who|whom) (?:@|the |a |he |she |they |we |is |are |must |should |will |has to )`),
	regexp.MustCompile(` and (?:both|all|each|everybody|everyone)(?: of (?:them|us|you))? [a-z]`),
	regexp.MustCompile(`\b(?:to|from|by) (?:@[a-z0-9._-]+|the [a-z]+|legal|finance|hr) for (?:an? |the |their |his |her |final )?(?:approval|review|sign-off|signoff|confirmation|ok|okay|decision|signature)\b`),
	regexp.MustCompile(`\b(?:decides?|chooses?|picks?):? (?:[^.;]*,? )?or [a-z]`),
	regexp.MustCompile(`\bin parallel\b|\bat the same time\b|\bsimultaneously\b`),
	regexp.MustCompile(`^(?:re-?)?try(?: it| this| that)? again\b`),
	// one case of several: "orders over 100", "the rest is done", "small ones"
	regexp.MustCompile(`(?:^|\b)(?:(?:all )?(?:the )?(?:rest|others|remaining [a-z]+s)|all other [a-z]+s|(?:any|every)(?:thing|one|body) (?:else|more|less|other|above|below|larger|smaller))(?:$|,| (?:is|are|goes|go|gets?|needs?|has|have|to|by)\b)`),
	regexp.MustCompile(`(?:^|\b)(?:(?:the|all|any) )?[a-z]+ ones\b`),
	regexp.MustCompile(`\bkeeps? (?:on )?[a-z]+ing\b|\bcontinues? (?:to|with)\b|^(?:before|after|until|once|as soon as) @[a-z0-9._-]+`),
	regexp.MustCompile(`\b(?:too|as well)$|^also\b|, (?:one|two|any|each|most|none) of (?:them|us|you)\b|\b(?:one|single|first|any) (?:yes|ok|okay|approval|vote|answer|reply)\b|, (?:the first|whoever|either|any|one) `),
)

// Amount finds the amounts for which people are asked, or do something: "amounts over 100", "signs contracts below 10k".
var Amount = regexp.MustCompile(`(?:^|\b(?:[a-z]{3,}s|(?:every|any|each|an?) [a-z]+|anything|everything|amount) )` + beyond + ` [$€£]?\d[\d.,]*k?|^the rest$`)

// In gives the rules in a text, without those in quotation marks.
func In(text string, forms []*regexp.Regexp) (out []string) {
	low := []byte(text) // in small letters, each byte in its place
	for i, c := range low {
		if 'A' <= c && c <= 'Z' {
			low[i] = c + 'a' - 'A'
		} else if c == '\n' {
			low[i] = ' '
		}
	}
	for _, w := range english.Scan(text) {
		if w.Kind == english.QuotedWord {
			copy(low[w.Start:w.End], strings.Repeat("\"", w.End-w.Start))
		}
	}
	done := 0
	for done < len(low) {
		from, end := len(low), len(low)
		for _, form := range forms {
			if at := form.FindIndex(low[done:]); at != nil && done+at[0] < from && (done == 0 || form.String()[0] != '^') {
				from, end = done+at[0], done+at[1]
			}
		}
		if from == len(low) {
			break
		}
		if from > 0 { // the first words of a text are a rule by themselves: "every 30 minutes that we are on it"
			if i := strings.IndexAny(string(low[end:]), ",;.!?"); i >= 0 {
				end += i
			} else {
				end = len(low)
			}
		}
		out = append(out, strings.TrimLeft(strings.Trim(text[from:end], " \t\n.,;:!?"), ", "))
		done = end
	}
	return out
}
