package outline

import (
	"slices"

	"sluice/engine/planner/opening"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
	"sluice/engine/planner/values"
)

// Form is one way to say something, as in engine/planner/opening.
type Form opening.Form

// stepForm is a form of steps. Its slots say which fields it fills.
type stepForm struct {
	Form
	kind    tree.Kind
	effect  effect
	choices []string // of an Ask
}

// effect is what a form does besides making a step.
type effect int

const (
	makes    effect = iota // a step
	byPerson               // a step that a person does
	settled                // the value "decision" is "approved"
	also                   // a step as the one in the branch before
	flows                  // another flow runs
	goesOn                 // nothing: the flow goes on
	ends                   // the run ends
	jumpsTo                // goes back or on to a step
	repeats                // repeats steps
	reminds                // a reminder of the question before
	allows                 // how long people have
	escalate               // somebody else is asked when nobody answers
	votes                  // how many of those who are asked must agree
	retries                // another attempt of the step before
	tries                  // attempts of the step before, in all
	calls                  // a name for the result of the step before
	whole_                 // a deadline of the whole run
)

const (
	signOff      = "sign_off|signs_off|sign_it_off|signs_it_off|sign_this_off|sign_that_off|sign_them_off"
	approveVerbs = "approve|" + signOff + "|sign|accept|confirm|authorize|authorise|okay|ok"
	approvals    = "approval|approvals|yes|sign-off|signoff|sign_off|permission|confirmation|authorization|authorisation|consent|ok|okay|go-ahead|go|green_light|thumbs_up|blessing"
	article      = "[a|an|the|their|his|her] [written|verbal|formal|final|prior|manual|human]"
	says         = "dm|message|notify|ping|contact|send|post|write [a_message_to|a_slack_message_to|a_direct_message_to|a_message_in|a_dm_to|a_note_to] {who} [a|an|the] [slack|direct] [message|dm|note] asking [them|him|her] to "
	seek         = "get|obtain|request|require|requires|need|needs|await|wait_for|ask_for|asks_for " + article + " "
	on           = " [for|of|to|on|before] "
	must         = "is|are|am|must_be|should_be|has_to_be|have_to_be|needs_to_be|need_to_be|will_be|be|gets|get "
	may          = "[both|all|each] [must|should|has_to|have_to|needs_to|need_to|want_to|wants_to|can|will|may] [to] [both|all|each] [then|also|finally|first|now]"
	that         = "[that|:|about|saying|showing|with|w_/|of|-]"
	grants       = "[only|both] {who} " + may + " give|gives|provide|provides|grant|grants|make|makes|take|takes " + article + " approval|approvals|sign-off|signoff|sign_off|permission|consent|ok|okay|go-ahead|green_light|decision"
	message      = "message|dm|notification|notice|reminder|alert"
	sameMatter   = "the_request|the_decision|the_approval|the_review|the_question|the_task|the_case"
	deciding     = "[their|his|her|final|further|manual] [review_and] " + approvals + "|review|a_decision"
	inTime       = values.InTime
	reminding    = "remind|nudge|chase|ping"
	dueBy        = "by|no_later_than|not_later_than|due|due_by|due_on|deadline|deadline_:|deadline_is|the_deadline_is"
	toAnswer     = "[to_answer|to_decide|to_respond|to_reply|to_approve|for_it|for_this|for_that|time]"
	onceMore     = "[again|once_more|once_again|please|pls] "
	chooses      = "choose|chooses|decide|decides|pick|picks|select|selects|vote [one_of_the_following|one_of_these|one_of_the|one_of_two|one_of_three|one_of_four|one_of] [options|answers|choices] [:|between|from|among|whether_to] "
	looks        = " looks_at|look_at|reviews|review|checks|check|reads|read|examines|inspects [it|this|that|them] {text?} "
	goBack       = "go|jump|return|loop|go_back|jump_back|return_back|loop_back|goes_back|back to"
	between      = "[,] [every|with] {dur} [apart|in_between|between_tries|between_attempts]"
	anAI         = "ai|ai_agent|llm|language_model|ai_model|ai_assistant|ai_tools"
	theAI        = anAI + "|agent|bot"
	whole        = "all_of_this|all_this|everything|the_whole_process|the_process|the_run must|has_to|should be completed|done|finished "
)

// steps are the forms of steps; the first that fits is taken.
var steps = []stepForm{
	{Form: Form{"AI", "let|have|ask|get|tell|use|using [the|an|a|our|my] " + theAI + " [to] {text}", "ask the AI agent to summarize the ticket", "an AI agent does it"}, kind: tree.Agent},
	{Form: Form{Pattern: "[the|an|our] " + anAI + " [should|will|must|can] [then|also|automatically] {deed}"}, kind: tree.Agent},

	{Form: Form{"Ask", "ask|get|have|want|let|make {who} [to] " + chooses + "{choices}", "ask @ops to choose reboot or wait", "a question with these answers"}, kind: tree.Ask},
	{Form: Form{Pattern: "ask|get|have|want {who} [to|whether_to] {acts}"}, kind: tree.Ask},
	{Form: Form{"Ask", "[i|we|i'd|we'd] [would] ask|get|want|like|need|remind|have|let|make {who} " + onceMore + "[to] " + approveVerbs + " [on] {text?}", "ask @finance to approve the refund", "an approval: approve or reject"}, kind: tree.Ask},
	{Form: Form{"Ask", "ask {who} for " + article + " " + approvals + on + "{text?}", "ask @finance for approval of the plan", "an approval"}, kind: tree.Ask},
	{Form: Form{Pattern: seek + approvals + " for|of|on|to|before {matter} from|by|with {who}"}, kind: tree.Ask},
	{Form: Form{Pattern: seek + approvals + " from|by|of|with {who}" + on + "{text?}"}, kind: tree.Ask},
	{Form: Form{"Ask", seek + "[at_least] {n} approvals|sign-offs|signoffs|oks|okays|yeses|votes from|of|by|in|out_of {who}" + on + "{text?}", "get 2 approvals from @ops", "so many of them decide"}, kind: tree.Ask},
	{Form: Form{Pattern: "wait|pause for|until|till {role} to|has|have|had approve|approved|confirm|confirmed|accept|accepted|agree|agreed|ok|okay|okayed|sign|signed|sign_off|signed_off|say_yes|said_yes [it|this|that|on|off] {text?}"}, kind: tree.Ask},
	{Form: Form{Pattern: "get|obtain|request|require|requires|need|needs|await|wait_for|ask_for {who} ['s] " + approvals + on + "{text?}"}, kind: tree.Ask},
	{Form: Form{Pattern: "[the|a|an] [final|legal|formal|written] " + approvals + " by|from|of {who}"}, kind: tree.Ask},
	{Form: Form{Pattern: "{thing} needs|requires|need|require " + article + " " + approvals + " from|by|of {who}"}, kind: tree.Ask},
	{Form: Form{Pattern: "{thing} needs|requires|need|require {role} ['s] " + approvals}, kind: tree.Ask},
	{Form: Form{Pattern: says + approveVerbs + " [on] {text?}"}, kind: tree.Ask},
	{Form: Form{Pattern: says + "{text}"}, kind: tree.Do, effect: byPerson},
	{Form: Form{Pattern: "send|post|write [a|an|another|this] [slack|direct|short|private|chat|confirmation|follow-up] " + message + "|note to|in {who} " + that + " {text?}"}, kind: tree.Tell},
	{Form: Form{Pattern: "send|submit [an|the] approval_request|request_for_approval to {who} {text?}"}, kind: tree.Ask},
	{Form: Form{Pattern: "send|route|forward|submit|give|pass|go|goes {text?} to|on_to {who} for " + deciding}, kind: tree.Ask},
	{Form: Form{Pattern: "send|route|forward|submit|give|pass {text?} for " + article + " " + approvals + " of|by|from {who}"}, kind: tree.Ask},
	{Form: Form{Pattern: "[also|then|and] {role}"}, kind: tree.Ask, effect: also},
	{Form: Form{Pattern: "needs|need|requires|require [also|additionally|then] {addr} [both|too|as_well]"}, kind: tree.Ask, effect: also},
	{Form: Form{"Ask", seek + approvals + on + "{matter?}", "require approval before the release", "an approval; you are asked by whom"}, kind: tree.Ask},
	{Form: Form{"Ask", "ask|check_with|verify_with|find_out_from {who} " + onceMore + "whether|if {text}", "ask @ops whether the parcel is there", "a question: yes or no"}, kind: tree.Ask, choices: []string{"yes", "no"}},
	{Form: Form{Pattern: "ask {who} : {question}"}, kind: tree.Ask},
	{Form: Form{Pattern: "ask {who} : {brief}"}, kind: tree.Ask},
	{Form: Form{Pattern: "ask {who} [:] {picks}"}, kind: tree.Ask},
	{Form: Form{"Ask", "ask {who} {question}", `ask @ops "Which host?"`, "a question with a free answer"}, kind: tree.Ask},
	{Form: Form{"Ask", "ask {who} for {fields}", "ask @ana for the date and a reason", "a form with these fields"}, kind: tree.Ask},
	{Form: Form{Pattern: "run|clear|check [it|this|that|them|everything] by|past|with {who}"}, kind: tree.Ask},
	{Form: Form{Pattern: "run {thing} past {who}"}, kind: tree.Ask},
	{Form: Form{Pattern: "escalate|escalates|hand_over|hands_over [it|this|that|" + sameMatter + "] to {who}"}, kind: tree.Ask},
	{Form: Form{Pattern: "it|this|that|" + sameMatter + " [then|also] " + must + "escalated|handed_over to {who}"}, kind: tree.Ask},
	{Form: Form{Pattern: "ask|get|have|want {who} [to]" + looks + "and [then] " + approveVerbs + "|agree [it|this|that|them]"}, kind: tree.Ask},
	{Form: Form{"Do", "ask|have|get {who} " + onceMore + "to {text}", "ask @bob to pack the parcel", "a step that a person does: Done, or I can't"}, kind: tree.Do, effect: byPerson},
	{Form: Form{Pattern: "have|let|make {addr} {deed}"}, kind: tree.Do, effect: byPerson},
	{Form: Form{Pattern: "have {addr} {task}"}, kind: tree.Do, effect: byPerson},
	{Form: Form{Pattern: "{role} is|are [then|also] asked|requested|required|instructed to " + approveVerbs + " [on] {text?}"}, kind: tree.Ask},
	{Form: Form{Pattern: "{role} is|are [then|also] asked_to|requested_to|required_to|instructed_to|expected_to|responsible_for {deed}"}, kind: tree.Do, effect: byPerson},
	{Form: Form{Pattern: "ask|check_with|consult|confirm_with {who} [instead|too|also|as_well]"}, kind: tree.Ask},

	{Form: Form{Pattern: phrase.SomeAgree}, effect: votes},
	{Form: Form{"Ask", phrase.AllAgree, "ask @ana and @bob to approve. Both must agree", "each of them decides"}, effect: votes},
	{Form: Form{"Ask", phrase.OneAgrees, "ask @ana and @bob to approve. Either of them is enough", "one of them decides"}, effect: votes},

	{Form: Form{"Deadlines", reminding + " {who} [again|please|pls] after|every {dur}", "ask @ops to approve, remind them after 4 hours", "a reminder of the question before"}, effect: reminds},
	{Form: Form{Pattern: "[send] [them|him|her] a_reminder|reminders|reminder|" + reminding + " [again] after|every {dur}"}, effect: reminds},
	{Form: Form{Pattern: reminding + " [again] daily|every_day|each_day"}, effect: reminds},
	{Form: Form{Pattern: reminding + " {who} [again] daily|every_day|each_day"}, effect: reminds},
	{Form: Form{Pattern: "after {dur} [,] " + reminding + " {who} [again]"}, effect: reminds},
	{Form: Form{"Deadlines", "{role} has|have|gets|get {dur} " + toAnswer, "ask @ops to approve. They have 2 days", "how long those who are asked have"}, effect: allows},
	{Form: Form{Pattern: "{role} has|have|gets|get {dur} for|to {matter}"}, effect: allows},
	{Form: Form{Pattern: inTime + " {dur}"}, effect: allows},
	{Form: Form{Pattern: dueBy + " {due} [at_the_latest|latest]"}, effect: allows},
	{Form: Form{Pattern: "before {sharp}"}, effect: allows},
	{Form: Form{Pattern: "{role} has|have|gets|get [time] until|till|by {due} " + toAnswer}, effect: allows},
	{Form: Form{Pattern: "wait|waits [for] {dur} for [a|an|the|his|her|their|any] answer|reply|response|reaction|answers|replies"}, effect: allows},
	{Form: Form{Pattern: "give|allow {role} {dur} " + toAnswer}, effect: allows},
	{Form: Form{"Deadlines", "escalate [it|this] to {who} after {dur}", "ask @ops to approve, escalate to @cfo after 1 day", "somebody else is asked when nobody has answered"}, effect: escalate},
	{Form: Form{Pattern: "after {dur} [,] escalate [it|this] to {who}"}, effect: escalate},
	{Form: Form{"Deadlines", whole + "by {clock}", "ask @ops to approve. Everything must be done by 14:30", "a deadline of the whole run"}, effect: whole_},
	{Form: Form{Pattern: whole + "within|in {dur}"}, effect: whole_},

	{Form: Form{Pattern: "let {who} know " + that + " {text?}"}, kind: tree.Tell},
	{Form: Form{Pattern: "post|write|reply|answer|respond|send|announce|say|share|report|publish [a_message|message|an_update|a_note] to|in|on|into|at {addr} " + that + " {text?}"}, kind: tree.Tell},
	{Form: Form{Pattern: "send|give|write {addr} [a_message|a_dm|a_direct_message|a_note|a_reminder|a_notification|the_message|message|dm|reminder|notification] " + that + " {text?}"}, kind: tree.Tell},
	{Form: Form{"Tell", "send|post a|an|the [slack|direct|chat|confirmation|follow-up] " + message + " " + that + " {text?}", "send a slack message", "a message; you are asked to whom"}, kind: tree.Tell},
	{Form: Form{Pattern: "post|write|send|announce|say|share|report|publish|put|drop {text} to|in|on|into|at|with {addr}"}, kind: tree.Tell},
	{Form: Form{"Tell", "tell|inform|notify|alert|remind|remember|ping|warn|message|dm|write_to|reply_to {who} [in_a_dm|by_dm|via_dm|in_a_direct_message|by_direct_message|in_private|privately] " + that + " {text?}", "tell #support the order is late", "a message"}, kind: tree.Tell},
	{Form: Form{Pattern: "page {addr} " + that + " {text?}"}, kind: tree.Tell},
	{Form: Form{Pattern: "nudge|chase {addr} [again|up]"}, kind: tree.Tell},
	{Form: Form{Pattern: "{who} " + must + "informed|notified|told|alerted|reminded " + that + " {text?}"}, kind: tree.Tell},
	{Form: Form{Pattern: "a|an|the " + message + " " + must + "sent|given to {who} " + that + " {text?}"}, kind: tree.Tell},
	{Form: Form{Pattern: "a|an|the [formatted|short|slack|direct] [slack] " + message + " goes|go [out] to {who} " + that + " {text?}"}, kind: tree.Tell},
	{Form: Form{Pattern: "{who} " + may + " receives|receive|gets|get {received} to_approve_or_deny|to_approve_or_reject|to_accept_or_reject|to_approve|for_approval {text?}"}, kind: tree.Ask},
	{Form: Form{Pattern: "{who} " + may + " receives|receive|gets|get [a|an|the] [slack|direct] " + message + "|note|update " + that + " {text?}"}, kind: tree.Tell},
	{Form: Form{Pattern: "{who} " + may + " " + chooses + "{choices}"}, kind: tree.Ask},
	{Form: Form{Pattern: "{who} " + may + " decides|decide|says|say|judges|judge if|whether {text}"}, kind: tree.Ask, choices: []string{"yes", "no"}},
	{Form: Form{Pattern: "{who} " + may + " decides|decide [it|this|that|about_it|about_this|on_it|on_this] alone|on_their_own|on_his_own|on_her_own|by_themselves|by_himself|by_herself|themselves|himself|herself"}, kind: tree.Ask},
	{Form: Form{Pattern: "{role} " + may + " decides|decide [it|this|that|about_it]"}, kind: tree.Ask},
	{Form: Form{Pattern: "{role} " + may + " says|say|answers|answer [:|either] {choices}"}, kind: tree.Ask},
	{Form: Form{"Tell", "reply|respond [:|with|that] {text}", "reply with a summary", "a message in the run's thread"}, kind: tree.Tell},
	{Form: Form{Pattern: "say|announce [:] {text}"}, kind: tree.Tell},

	{Form: Form{"Wait", "wait|pause [again|once_more] [for] {dur}", "wait 2 days", "waits so long"}, kind: tree.Wait},
	{Form: Form{"Wait", "wait|pause [for] [another] {span}", "wait <days> days", "waits as long as a value says"}, kind: tree.Wait},
	{Form: Form{"Wait", "wait|pause until|till {moment}", "wait until 2030-12-01 09:00", "waits until then"}, kind: tree.Wait},
	{Form: Form{Pattern: "wait|pause [for|out] {period}"}, kind: tree.Wait},
	{Form: Form{"Wait", "wait for|until|till {happening}", "wait for the delivery", "waits until it happens"}, kind: tree.Wait},

	{Form: Form{"Stop", "stop|end|finish|cancel|exit|abort|terminate [the|this|here|there] [flow|run|workflow|process|here]", "stop", "the run ends here"}, kind: tree.Stop},
	{Form: Form{Pattern: "the|this [whole] process|run|workflow|flow|process_instance [then|finally|also|thus] ends|stops|completes|concludes|terminates|is_finished|is_over|is_complete|is_completed|is_ended|is_stopped|is_cancelled|is_closed"}, kind: tree.Stop},
	{Form: Form{Pattern: "nothing else|more|further [happens|follows|is_done|is_needed|to_do]"}, effect: ends},
	{Form: Form{Pattern: "that's_it|that's_all|that_is_it|that_is_all"}, effect: ends},
	{Form: Form{"Results", "[it|this|that] [is|are|gets|be] auto_ok|auto_approve|auto_approved|auto-approve|auto-approved|approve_automatically|approve_it_automatically|automatically_approve|approved_automatically|automatically_approved [it|them]", "under 100 auto-approve, over 100 ask @ana to approve", "the decision is noted: approved"}, kind: tree.Set, effect: settled},
	{Form: Form{Pattern: "is|are fine|ok|okay|allowed [automatically|without_asking|without_approval]"}, kind: tree.Set, effect: settled},
	{Form: Form{"Stop", "[need|needs|require|requires] no [further] approval|approvals|sign-off|action|steps [is|are] [needed|required|necessary]", "under 100 no approval needed, over 100 ask @ana to approve", "nothing is done: the flow goes on"}, effect: goesOn},
	{Form: Form{Pattern: "nobody|no_one has_to|needs_to|must approve|be_asked|sign|agree [it|this|that]"}, effect: goesOn},
	{Form: Form{Pattern: "[the_process|the_workflow|the_flow] go_on|goes_on|continue|continues|carry_on|proceed|proceeds|go_ahead|move_on|do_nothing|send_nothing|publish_nothing|post_nothing|change_nothing|nothing_to_do|nothing_happens|nothing|skip_it [normally|as_usual|with_the_next_step|with_the_rest]"}, effect: goesOn},

	{Form: Form{"Again", goBack + " [step] {n}", "1. get the order 2. ask @ops to approve 3. if the amount is over 5 go back to 1", "goes back to a step, or on to a later one"}, effect: jumpsTo},
	{Form: Form{Pattern: goBack + " [step] {n} [again] [,] [but] at_most|up_to|max|maximum|no_more_than {last} times|time"}, effect: jumpsTo},
	{Form: Form{Pattern: "start|starts|begin|begins [all] over|again|over_again|from_the_beginning|from_the_start|from_scratch [again] [from_the_beginning|from_the_start|from_scratch]"}, effect: jumpsTo},
	{Form: Form{"Again", "repeat [this|it|that|the_step] until {cond}", "get the order, repeat this until the order is paid", "repeats the step before"}, effect: repeats},
	{Form: Form{"Again", "retry|try_again|try_it_again [it|this|that] [up_to|at_most] {n} [more] [times|time] " + between, "get the order, retry 3 times 5 minutes apart", "more attempts, and the time between them"}, effect: retries},
	{Form: Form{"Again", "retry|try_again|try_it_again [it|this|that] [up_to|at_most] {n} [more] [times|time]", "get the order, retry up to 3 times", "more attempts of the step before"}, effect: retries},
	{Form: Form{Pattern: "try [it|this|that] [up_to|at_most] {n} times " + between}, effect: tries},
	{Form: Form{Pattern: "try [it|this|that] [up_to|at_most] {n} times"}, effect: tries},
	{Form: Form{"Results", "call it|the_result {item}", "summarize the ticket and call it summary", "a name for the result of the step before"}, effect: calls},

	{Form: Form{"Do", "run|start|call|execute|trigger|launch [the|my|our] flow|subflow|workflow {flow}", "run the flow onboarding", "another flow runs as a step"}, kind: tree.Do, effect: flows},
	{Form: Form{Pattern: "{who} " + may + looks + "and [either|then] {acts}"}, kind: tree.Ask},
	{Form: Form{Pattern: "{who} " + may + looks + "and [then] approve|approves|accept|accepts|confirm|confirms|agree|agrees|" + signOff + " [it|this|that|them]"}, kind: tree.Ask},
	{Form: Form{Pattern: "{who} " + may + looks + "and [then] " + chooses + "{choices}"}, kind: tree.Ask},
	{Form: Form{Pattern: "{who} " + may + " [either] {acts}"}, kind: tree.Ask},
	{Form: Form{Pattern: "[only|both] {who} " + may + " approve|approves|allow|allows|permit|permits|ok|okay|okays|say_yes|says_yes|say_ok|says_ok|accept|accepts|agree|agrees|" + signOff + "|confirms|authorizes|authorises [on] {text?}"}, kind: tree.Ask},
	{Form: Form{Pattern: grants}, kind: tree.Ask},
	{Form: Form{Pattern: grants + " for|of|on|about|regarding {text}"}, kind: tree.Ask},
	{Form: Form{Pattern: "upon|after|with|following [the|an] {who} ['s] {accord}"}, kind: tree.Ask},
	{Form: Form{Pattern: "{thing} [then] " + must + "[then|first|also|automatically] routed|forwarded|passed|handed|handed_over|sent|submitted|assigned|escalated|referred|given to {who} for " + deciding}, kind: tree.Ask},
	{Form: Form{Pattern: must + "[then|first] approved|reviewed|signed_off|accepted|confirmed by {who} [first|beforehand]"}, kind: tree.Ask},
	{Form: Form{Pattern: "{thing} " + must + "[then|first] approved|reviewed|signed_off|accepted|confirmed by {who} [first|beforehand]"}, kind: tree.Ask},
}

// Forms lists the ways to say things that are read, section by section.
func Forms() (out []Form) {
	add := func(f Form) {
		if f.Section != "" && !slices.ContainsFunc(out, func(o Form) bool { return o.Section == f.Section && o.Example == f.Example }) {
			out = append(out, f)
		}
	}
	for _, f := range opening.Forms() {
		add(Form(f))
	}
	for i := range steps {
		add(steps[i].Form)
	}
	for i := range modifierForms {
		add(modifierForms[i].Form)
	}
	for _, f := range controls {
		add(f)
	}
	return out
}

// phrases is one section of the phrasebook.
type phrases struct {
	Title string
	Lines []string // an example of each form, without those that mean the same as the one before
}

// Phrasebook lists an example of what can be said, section by section, in the order of Forms.
func Phrasebook() (out []phrases) {
	seen := map[string]bool{}
	for _, f := range Forms() {
		at := slices.IndexFunc(out, func(p phrases) bool { return p.Title == f.Section })
		if at < 0 {
			out, at = append(out, phrases{Title: f.Section}), len(out)
		}
		if key := f.Section + f.Meaning; !seen[key] {
			seen[key] = true
			out[at].Lines = append(out[at].Lines, f.Example)
		}
	}
	return out
}
