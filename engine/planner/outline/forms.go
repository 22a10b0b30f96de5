package outline

import (
	"sluice/engine/planner/opening"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
)

// Form is one way to say something, as in engine/planner/opening.
type Form opening.Form

// stepForm is a form of steps. Its slots say which fields it fills.
type stepForm struct {
	Form
	kind    tree.Kind
	effect  effect
	choices []string // of an Ask
	pattern []phrase.Part
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
	jumpsTo                // goes back or on to a step
	repeats                // repeats steps
	reminds                // a reminder of the question before
	allows                 // how long people have
	escalate               // somebody else is asked when nobody answers
	votes                  // how many of those who are asked must agree
	retries                // another attempt of the step before
	tries                  // attempts of the step before, in all
	calls                  // a name for the result of the step before
	doneBy                 // who does the step before
	sides                  // the steps before are done at the same time
	whole_                 // a deadline of the whole run
)

const (
	signOff      = "sign_off|signs_off|sign_it_off|signs_it_off|sign_this_off|signs_this_off|sign_that_off|signs_that_off|sign_them_off|signs_them_off"
	approveVerbs = "approve|approves|" + signOff + "|sign|accept|accepts|review|reviews|confirm|confirms|authorize|authorise|okay|ok"
	approvals    = "approval|approvals|yes|a_yes|the_yes|an_approval|the_approval|sign-off|signoff|sign_off|permission|confirmation|authorization|authorisation|consent|ok|okay|go-ahead|the_ok|an_ok|the_go-ahead|a_go-ahead|go|a_go|the_go|green_light|a_green_light|the_green_light|thumbs_up|a_thumbs_up|blessing"
	may          = "[must|should|has_to|have_to|needs_to|need_to|want_to|wants_to|can|will|may] [to] [then|also|finally]"
	seek         = "get|obtain|request|require|requires|need|needs|seek|await|wait_for|ask_for|asks_for [a|an|the|written|their] "
	that         = "[that|:|about|saying|with|of|-]"
	deciding     = "[their|his|her|final|further|manual] [review_and] " + approvals + "|review|a_decision"
	toAnswer     = "[to_answer|to_decide|to_respond|to_reply|to_approve|for_it|for_this|for_that|time]"
	theAI        = "ai|ai_agent|agent|llm|language_model|ai_model|ai_assistant|bot|ai_tools"
)

// steps are the forms of steps; the first that fits is taken.
var steps = phrase.Table([]stepForm{
	{Form: Form{"AI", "let|have|ask|get|tell [the|an|a|our] " + theAI + " [to] {text}", "ask the AI agent to summarize the ticket", "an AI agent does it"}, kind: tree.Agent},
	{Form: Form{"AI", "use|using [an|a|the|this|our|my] " + theAI + " to {text}", "use AI to sort the tickets by topic", "an AI agent does it"}, kind: tree.Agent},
	{Form: Form{"AI", "[the|an|our] ai|ai_agent|llm|language_model|ai_model|ai_assistant|ai_tools|ai_tool [should|will|must|can] [then|also|automatically] {deed}", "AI summarizes the ticket", "an AI agent does it"}, kind: tree.Agent},
	{Form: Form{"AI", "[the|an] " + theAI + " : {text}", "AI: summarize the ticket", "an AI agent does it"}, kind: tree.Agent},

	{Form: Form{"Ask", "ask|get|have|want {who} to choose|decide|pick [between|from|whether_to|among] {choices}", "ask @ops to choose reboot or wait", "a question with these answers"}, kind: tree.Ask},
	{Form: Form{"Ask", "ask|get|have|want {who} [to|whether_to] {acts}", "ask @finance to approve, ask for changes or reject", "a question with these answers"}, kind: tree.Ask},
	{Form: Form{"Ask", "ask|get|want|need|remind {who} to " + approveVerbs + " [on] {text?}", "ask @finance to approve the refund", "an approval: approve or reject"}, kind: tree.Ask},
	{Form: Form{"Ask", "ask {who} for [an|their|his|her|the] " + approvals + " [for|of|to|on|before] {text?}", "ask @finance for approval of the plan", "an approval"}, kind: tree.Ask},
	{Form: Form{Pattern: seek + approvals + " for|of|on|to|before {matter} from|by|with {who}"}, kind: tree.Ask},
	{Form: Form{"Ask", seek + approvals + " from|by|of|with {who} [for|of|to|on|before] {text?}", "get approval from @legal for the contract", "an approval"}, kind: tree.Ask},
	{Form: Form{"Ask", "[it|this|that] needs|need|require|requires|get|obtain|request|ask_for|asks_for|with [at_least] {n} approvals|sign-offs|signoffs|oks|okays|yeses|votes from|of|by|in|out_of {who} [for|of|to|on|before] {text?}", "get 2 approvals from @ops", "so many of them decide"}, kind: tree.Ask},
	{Form: Form{Pattern: "[at_least] {n} people|members|persons|colleagues of|from|in {who} must|should|has_to|have_to|needs_to|need_to approve|agree|" + signOff + "|confirm|accept|say_yes [it|this] {text?}"}, kind: tree.Ask},
	{Form: Form{"Ask", "wait|pause for|until|till {role} to|has|have|had approve|approved|confirm|confirmed|accept|accepted|agree|agreed|ok|okay|okayed|sign|signed|sign_off|signed_off|say_yes|said_yes [it|this|that|on|off] {text?}", "wait until @ops has approved", "an approval"}, kind: tree.Ask},
	{Form: Form{"Ask", "get|obtain|request|require|requires|need|needs|await|wait_for|ask_for {who} ['s] " + approvals + " [for|of|to|on|before] {text?}", "get @legal's sign-off", "an approval"}, kind: tree.Ask},
	{Form: Form{"Ask", "it|this|that needs|requires " + approvals + " from|by|of {who}", "this needs approval from @legal", "an approval"}, kind: tree.Ask},
	{Form: Form{Pattern: "{thing} needs|requires|need|require [the] " + approvals + " from|by|of {who}"}, kind: tree.Ask},
	{Form: Form{Pattern: "{thing} needs|requires|need|require {role} ['s] " + approvals}, kind: tree.Ask},
	{Form: Form{"Tell", "send|post|write a|an|another|this [slack|direct|short|private|chat] message|dm|notification|reminder|alert|note to|in {who} " + that + " {text?}", "send a message to the storehouse that it is sold", "a message"}, kind: tree.Tell},
	{Form: Form{"Tell", "send [slack|direct] notification|message|reminder|alert to|in {who} " + that + " {text?}", "send notification to the finance team", "a message"}, kind: tree.Tell},
	{Form: Form{"Ask", "send|submit [an|the] approval_request|request_for_approval to {who} {text?}", "send an approval request to the finance team", "an approval"}, kind: tree.Ask},
	{Form: Form{Pattern: "route|forward|submit|goes [it|this|that] [on] to {who} for " + deciding}, kind: tree.Ask},
	{Form: Form{"Ask", "send|route|forward|submit|give|pass {text} to|on_to {who} for " + deciding, "send the contract to @legal for review", "an approval"}, kind: tree.Ask},
	{Form: Form{"Ask", "[also|then|and] {role}", "under 100 @ana approves, over 100 also @cfo", "an approval"}, kind: tree.Ask, effect: also},
	{Form: Form{"Ask", "needs|need|requires|require [also|additionally|then] {addr} [both|too|as_well]", "over 100 needs @cfo", "an approval"}, kind: tree.Ask, effect: also},
	{Form: Form{Pattern: "have|let|make {who} pick|choose|decide|select|vote [:|between|from|among|whether] {choices}"}, kind: tree.Ask},
	{Form: Form{"Ask", "have|let|make {who} " + approveVerbs + " [on] {text?}", "have @bob approve it", "an approval"}, kind: tree.Ask},
	{Form: Form{"Ask", "require|requires|request|get|obtain|need|needs|ask_for|asks_for|ask [manual|human|an|a|the] " + approvals + "|to_approve [before|for|of|to|on] {matter?}", "require approval before the release", "an approval; you are asked by whom"}, kind: tree.Ask},
	{Form: Form{"Ask", "ask|check_with|ask_with|verify_with|find_out_from {who} whether|if {text}", "ask @ops whether the parcel is there", "a question: yes or no"}, kind: tree.Ask, choices: []string{"yes", "no"}},
	{Form: Form{"Ask", "ask {who} : {question}", "ask @ops: what is the colour?", "a question with a free answer"}, kind: tree.Ask},
	{Form: Form{"Ask", "ask {who} [:] {picks}", "ask @ana pizza or salad", "a question with these answers"}, kind: tree.Ask},
	{Form: Form{"Ask", "ask {who} {question}", `ask @ops "Which host?"`, "a question with a free answer"}, kind: tree.Ask},
	{Form: Form{"Ask", "ask {who} for {fields}", "ask @ana for the date and a reason", "a form with these fields"}, kind: tree.Ask},
	{Form: Form{"Ask", "escalate|escalates|hand_over|hands_over [it|this|that] to {who}", "if the amount is over 100 escalate to @cfo", "an approval"}, kind: tree.Ask},
	{Form: Form{Pattern: "get {role} to {text}"}, kind: tree.Do, effect: byPerson},
	{Form: Form{"Do", "ask|have {who} to {text}", "ask @bob to pack the parcel", "a step that a person does: Done, or I can't"}, kind: tree.Do, effect: byPerson},
	{Form: Form{Pattern: "have|let|make {addr} {deed}"}, kind: tree.Do, effect: byPerson},
	{Form: Form{Pattern: "{role} is|are [then|also] asked|requested|required|instructed to " + approveVerbs + " [on] {text?}"}, kind: tree.Ask},
	{Form: Form{Pattern: "{role} is|are [then|also] asked_to|requested_to|required_to|instructed_to|expected_to|responsible_for {deed}"}, kind: tree.Do, effect: byPerson},
	{Form: Form{"Ask", "ask|check_with|consult|confirm_with {who} [instead]", "check with @ops", "an approval"}, kind: tree.Ask},

	{Form: Form{"Ask", phrase.SomeAgree, "ask @ana, @bob and @cfo to approve. Two of them must agree", "so many of them decide"}, effect: votes},
	{Form: Form{Pattern: phrase.FirstAgrees}, effect: votes},
	{Form: Form{Pattern: phrase.FirstCounts}, effect: votes},
	{Form: Form{"Ask", phrase.AllAgree, "ask @ana and @bob to approve. Both must agree", "each of them decides"}, effect: votes},
	{Form: Form{"Ask", phrase.OneAgrees, "ask @ana and @bob to approve. Either of them is enough", "one of them decides"}, effect: votes},

	{Form: Form{"Deadlines", "remind|nudge|ping {who} [again] after|every {dur}", "ask @ops to approve, remind them after 4 hours", "a reminder of the question before"}, effect: reminds},
	{Form: Form{"Deadlines", "[send] [them|him|her] a_reminder|reminders|reminder|remind|nudge [again] after|every {dur}", "ask @ops to approve, send a reminder after 4 hours", "a reminder of the question before"}, effect: reminds},
	{Form: Form{Pattern: "remind|nudge|ping {who} [again] daily|every_day|each_day"}, effect: reminds},
	{Form: Form{"Deadlines", "{role} has|have|gets|get {dur} " + toAnswer, "ask @ops to approve. They have 2 days", "how long those who are asked have"}, effect: allows},
	{Form: Form{Pattern: "give|allow {role} {dur} " + toAnswer}, effect: allows},
	{Form: Form{"Deadlines", "escalate [it|this] to {who} after {dur}", "ask @ops to approve, escalate to @cfo after 1 day", "somebody else is asked when nobody has answered"}, effect: escalate},
	{Form: Form{"Deadlines", "after {dur} escalate [it|this] to {who}", "ask @ops to approve, after 1 day escalate to @cfo", "somebody else is asked when nobody has answered"}, effect: escalate},
	{Form: Form{"Deadlines", "all_of_this|all_this|everything|the_whole_process|the_process|the_run must|has_to|should be completed|done|finished by {clock}", "ask @ops to approve. Everything must be done by 14:30", "a deadline of the whole run"}, effect: whole_},
	{Form: Form{"Deadlines", "all_of_this|all_this|everything|the_whole_process|the_process|the_run must|has_to|should be completed|done|finished within|in {dur}", "ask @ops to approve. Everything must be done within 3 days", "a deadline of the whole run"}, effect: whole_},

	{Form: Form{"Tell", "let {who} know " + that + " {text?}", "let @ana know that it is done", "a message"}, kind: tree.Tell},
	{Form: Form{"Tell", "post|write|reply|answer|respond|send|announce|say|share|report|publish [a_message|message|an_update|a_note] to|in|on|into|at {addr} " + that + " {text?}", "post to #orders: the order is out", "a message"}, kind: tree.Tell},
	{Form: Form{"Tell", "send|give|write {addr} [a_direct_message|a_message|a_dm|a_note|a_reminder|a_notification|the_message|direct_message|message|dm|reminder|notification] " + that + " {text?}", "send me a summary", "a message"}, kind: tree.Tell},
	{Form: Form{"Tell", "send|post a|an|the [slack|direct|chat] message|dm|notification|reminder|alert " + that + " {text?}", "send a slack message", "a message; you are asked to whom"}, kind: tree.Tell},
	{Form: Form{"Tell", "post|write|send|announce|say|share|report|publish|put|drop {text} to|in|on|into|at|with {addr}", "post the summary to #analytics", "a message"}, kind: tree.Tell},
	{Form: Form{"Tell", "tell|inform|notify|alert|remind|remember|ping|warn|message|dm|write_to|reply_to {who} [in_a_dm|by_dm|via_dm|in_a_direct_message|by_direct_message|in_private|privately] [that|:|about|saying|with|of|-] {text?}", "tell #support the order is late", "a message"}, kind: tree.Tell},
	{Form: Form{"Tell", "page {addr} " + that + " {text?}", "page @ana that the server is down", "a message"}, kind: tree.Tell},
	{Form: Form{"Tell", "{who} is|are|must_be|should_be|gets|get|will_be informed|notified|told|alerted|reminded " + that + " {text?}", "the storehouse is informed", "a message"}, kind: tree.Tell},
	{Form: Form{"Tell", "a|an|the alert|message|notification|notice|reminder is|should_be|must_be|will_be|has_to_be|gets sent|given to {who} " + that + " {text?}", "an alert should be sent to the supervisor", "a message"}, kind: tree.Tell},
	{Form: Form{"Tell", "message|note|notification|update|announcement|info in|to|at {addr} " + that + " {text?}", "if yes, message in #team", "a message"}, kind: tree.Tell},
	{Form: Form{"Tell", "[a|an] reminder|message|notification for|to {who} {text}", "a reminder for @ana to write the report", "a message"}, kind: tree.Tell},
	{Form: Form{"Ask", "{who} [will|must|should|can] [then] receives|receive|gets|get {received} to_approve_or_deny|to_approve_or_reject|to_approve_or_decline|to_accept_or_reject|to_accept_or_decline|to_review_and_approve|to_approve|for_approval {text?}", "@ana receives two buttons to approve or deny the request", "an approval"}, kind: tree.Ask},
	{Form: Form{Pattern: "{who} [will|must|should|can] [then] receives|receive|gets|get|sees|see {received} with [an] approve|accept and|or|/ [a] reject|deny|decline [button|buttons|option|options]"}, kind: tree.Ask},
	{Form: Form{"Tell", "{who} [must|should|will|also] receives|receive|gets|get [a|an|the] message|notification|reminder|note|dm|update " + that + " {text?}", "the requester gets a message that it is done", "a message"}, kind: tree.Tell},
	{Form: Form{"Ask", "{who} [must|should|will|then|also] decides|decide|chooses|choose|picks|selects [:|between|from|among|whether_to] {choices}", "@ops decides: refund or call", "a question with these answers"}, kind: tree.Ask},
	{Form: Form{Pattern: "{who} " + may + " looks_at|look_at|reviews|review|checks|check|examines|inspects|considers [it|this|that|them] {text?} and decides|decide|chooses|choose|picks|pick [:|between|from|among|whether_to] {choices}"}, kind: tree.Ask},
	{Form: Form{"Ask", "{who} [must|should|will|then|also|has_to|can] [then|now|next] decides|decide if|whether {text}", "@ops decides whether we restart", "a question: yes or no"}, kind: tree.Ask, choices: []string{"yes", "no"}},
	{Form: Form{Pattern: "{role} [must|should|will|then|also|can|may|has_to] decides|decide [it|this|that|about_it]"}, kind: tree.Ask},
	{Form: Form{Pattern: "{role} [must|should|will|then|also] says|say|answers|answer [:|either] {choices}"}, kind: tree.Ask},
	{Form: Form{"Tell", "reply|respond [:|with|that] {text}", "reply with a summary", "a message in the run's thread"}, kind: tree.Tell},
	{Form: Form{"Tell", "say|announce : {text}", "say: good morning", "a message in the run's thread"}, kind: tree.Tell},
	{Form: Form{"Tell", "say|announce {text}", "say hello", "a message in the run's thread"}, kind: tree.Tell},

	{Form: Form{"Wait", "wait|pause [again|once_more] [for] [another] {dur}", "wait 2 days", "waits so long"}, kind: tree.Wait},
	{Form: Form{"Wait", "wait|pause until|till {moment}", "wait until 2030-12-01 09:00", "waits until then"}, kind: tree.Wait},
	{Form: Form{"Wait", "wait for|until|till {happening}", "wait for the delivery", "waits until it happens"}, kind: tree.Wait},

	{Form: Form{"Do", "the|this process|workflow|flow|procedure concludes|ends|closes|continues|begins|starts|finishes with [a|an|the] {text}", "the process ends with a survey", "a step"}, kind: tree.Do},
	{Form: Form{"Stop", "{who?} finishes|ends|closes|concludes|terminates|completes the|this process|process_instance|workflow|flow|run", "tell #ops hello. Then @ana closes the process", "the run ends here"}, kind: tree.Stop},
	{Form: Form{"Stop", "a|the|this [new] process_instance|process|workflow|instance|run is created|started|initiated|triggered|launched", "when a complaint comes in, a new process is started. Tell #ops hello", "nothing: that is what a run is"}, effect: goesOn},
	{Form: Form{"Stop", "stop|end|finish|cancel|exit|abort|terminate [the|this|here|there] [flow|run|workflow|process|here]", "stop", "the run ends here"}, kind: tree.Stop},
	{Form: Form{"Stop", "the|this [whole] process|run|workflow|flow|process_instance [then|finally|also|thus] ends|stops|completes|is_finished|is_over|will_end|concludes|is_complete|is_completed|is_ended|is_terminated|is_stopped|is_cancelled|is_closed|terminates", "the process ends", "the run ends here"}, kind: tree.Stop},
	{Form: Form{"Results", "[is|are|gets|be] approve_it_automatically|approve_this_automatically|approve_them_automatically|auto_ok|auto_okay|auto_approve|auto_approved|auto-approve|auto-approved|approve_automatically|automatically_approve|approved_automatically|automatically_approved [it|them]", "under 100 auto-approve, over 100 ask @ana to approve", "the decision is noted: approved"}, kind: tree.Set, effect: settled},
	{Form: Form{Pattern: "is|are fine|ok|okay|allowed [automatically|without_asking|without_approval]"}, kind: tree.Set, effect: settled},
	{Form: Form{"Stop", "[in_which_case|in_that_case] [needs|requires] no [further] approval|approvals|sign-off|action|steps [is|are] [needed|required|necessary]", "under 100 no approval needed, over 100 ask @ana to approve", "nothing is done: the flow goes on"}, effect: goesOn},
	{Form: Form{Pattern: "nobody|no_one has_to|needs_to|must approve|approve_it|approve_this|approve_that|be_asked|sign|agree"}, effect: goesOn},
	{Form: Form{"Stop", "[the_process|the_workflow|the_flow] go_on|goes_on|continue|continues|carry_on|proceed|proceeds|go_ahead|move_on|do_nothing|nothing_to_do|nothing_happens|nothing|skip_it [normally|as_usual|with_the_next_step|with_the_rest]", "if the amount is over 5 go on, otherwise stop", "nothing is done: the flow goes on"}, effect: goesOn},

	{Form: Form{"Again", "go|jump|return|loop|go_back|jump_back|return_back|loop_back|goes_back|back to [step] {n}", "1. get the order 2. ask @ops to approve 3. if the amount is over 5 go back to 1", "goes back to a step, or on to a later one"}, effect: jumpsTo},
	{Form: Form{Pattern: "go|jump|return|loop|go_back|jump_back|return_back|loop_back|goes_back|back to [step] {n} [again] [,] [but] at_most|up_to|max|maximum|no_more_than {last} times|time"}, effect: jumpsTo},
	{Form: Form{"Again", "start|starts|begin|begins [all] over|again|over_again|from_the_beginning|from_the_start|from_scratch|from_the_top [again] [from_the_beginning|from_the_start|from_scratch]", "ask @ops to approve. If rejected, start over", "goes back to a step, or on to a later one"}, effect: jumpsTo},
	{Form: Form{"Again", "repeat steps {n} to|-|–|and|through {last} until {cond}", "1. get the order 2. tell #ops hello 3. repeat steps 1 to 2 until the order is paid", "repeats steps"}, effect: repeats},
	{Form: Form{"Again", "repeat [this|it|that|the_step] until {cond}", "get the order, repeat this until the order is paid", "repeats the step before"}, effect: repeats},
	{Form: Form{"Again", "[this|it|that|all_this|all_of_this|this_procedure|the_procedure|this_cycle] [is|are|gets] repeated until {cond}", "get the order, ask @ops to check it. This is repeated until the order is paid", "repeats the steps of the sentence before"}, effect: repeats},
	{Form: Form{"Again", "retry [it|this|that] [up_to|at_most] {n} [times|time]", "get the order, retry up to 3 times", "more attempts of the step before"}, effect: retries},
	{Form: Form{"Again", "try again|it_again [up_to|at_most] {n} [more] [times|time]", "get the order, try again up to 3 times", "more attempts of the step before"}, effect: retries},
	{Form: Form{"Again", "try [it|this|that] [up_to|at_most] {n} times", "get the order and try 3 times", "so many attempts of the step before"}, effect: tries},
	{Form: Form{"Parallel", "both|all|these|this [of] [the|these|them] {n?} [steps|of_them|things|tasks] [can|should|must|may] [be] [is|are] [done|happen|happens|run] at_the_same_time|in_parallel|simultaneously|in_any_order", "get the order. Check the stock. Both are done in parallel", "steps at the same time"}, effect: sides},
	{Form: Form{Pattern: "this|it|that|this_task|this_step|this_work is [usually|always] done|performed|carried_out|handled|executed by {who}"}, effect: doneBy},
	{Form: Form{"Results", "call it|the_result {item}", "summarize the ticket and call it summary", "a name for the result of the step before"}, effect: calls},

	{Form: Form{"Do", "run|start|call|execute|trigger|launch [the|my|our] flow|subflow|workflow {flow}", "run the flow onboarding", "another flow runs as a step"}, kind: tree.Do, effect: flows},
	{Form: Form{"Ask", "{who} " + may + " [either] {acts}", "the supervisor either approves, asks for a change, or rejects the request", "a question with these answers"}, kind: tree.Ask},
	{Form: Form{"Ask", "[only] {who} " + may + " [first] approve|approves|ok|okay|okays|say_yes|says_yes|say_ok|says_ok|say_okay|says_okay|give_ok|gives_ok|give_the_ok|gives_the_ok|accept|agree|agrees|" + signOff + "|confirms|accepts|authorizes|authorises|give_approval|gives_approval [on] {text?}", "@legal approves the contract", "an approval"}, kind: tree.Ask},
	{Form: Form{"Ask", "upon|after|with|subject_to|following [the|an] {who} ['s] {accord}", "get the contract. Upon customer acceptance, tell #ops hello", "an approval"}, kind: tree.Ask},
	{Form: Form{"Ask", "upon|after|with|subject_to|following [the|an] " + approvals + "|acceptance of|by|from {who}", "get the contract. After approval by @legal, tell #ops hello", "an approval"}, kind: tree.Ask},
	{Form: Form{"Ask", "{thing} [then] must_be|should_be|will_be|has_to_be|needs_to_be|be|get|gets|is|are [then|first|also|automatically] routed|forwarded|passed|passed_on|handed|handed_over|sent|sent_on|submitted|assigned|escalated|referred|given to {who} for " + deciding, "the request is forwarded to @ana for approval", "an approval"}, kind: tree.Ask},
	{Form: Form{"Ask", "{thing} is|are|must_be|should_be|has_to_be|have_to_be|needs_to_be|need_to_be|gets|can_be [then|first] [reviewed_and] [either] {verdicts} by {who}", "the report is either accepted or sent back by @legal", "a question with these answers"}, kind: tree.Ask},
	{Form: Form{Pattern: "be [then|first] approved|reviewed|signed_off|accepted|confirmed by {who}"}, kind: tree.Ask},
	{Form: Form{"Ask", "{thing} is|are|must_be|should_be|has_to_be|have_to_be|needs_to_be|need_to_be|gets|will_be [then|first] approved|reviewed|signed_off|accepted|confirmed by {who}", "the contract is reviewed by @legal", "an approval"}, kind: tree.Ask},
}, func(f *stepForm) { f.pattern = phrase.Compile(f.Pattern) })
