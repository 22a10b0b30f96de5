package phrase

// Overdue is the condition that the whole run takes too long.
var Overdue = Compile("[the|this] process|request|case|order|ticket|run|workflow|report|claim|application|it|everything|all is|has_been|was not [yet] completed|finished|done|closed|processed|resolved|handled within|in|after {dur}")

// Finished are words that only state the end of the step before. Steps follow each other anyway.
var Finished = Phrases(`it_is_done it's_done it_is_finished it's_finished it_is_complete it_is_completed that_is_done that's_done that_is_finished this_is_done
	this_is_finished they_are_done they're_done everything_is_done all_is_done all_of_this_is_done all_of_that_is_done finished`)

// SomeAnswered are words for some of the answers, behind which a flow cannot go on yet.
var SomeAnswered = Compile("[at_least|any] {n} [of] [them|us|the_three|the_four|people|members] [has|have] answered|replied|responded|voted|reacted|given_an_answer|answer|answers|reply|replies|respond|vote|votes")

// Approved say that somebody has approved.
var Approved = Compile("[only] once|after|when {who} has|have approved|agreed|signed_off|given_their_ok|given_the_ok|given_their_approval|given_the_go-ahead [on] {text?}")

// Arrived are words for input that was received.
var Arrived = Set(`received registered submitted recorded created arrived filed placed entered sent`)

// Begun are verbs of what starts a flow, in a first clause that no other word marks as such: "an order arrives", "new lead comes in".
var Begun = Phrases(`arrives arrive comes_in come_in comes come joins join reacts signs_up is_created is_received is_submitted is_uploaded is_added is_opened is_won is_closed is_posted is_filed
	is_reported is_registered is_placed is_raised has_been_created has_been_received has_been_submitted appears occurs happens submits submit files reports requests sends raises places
	fills_in fills_out wants needs would_like`)

// Intransitive are those of Begun that need no object.
var Intransitive = Set(`arrives arrive comes come joins join reacts appears occurs happens`)

// Outsiders are roles of people who are not asked to do something in a first clause: it says what starts the flow.
var Outsiders = Set(`customer client user guest visitor parent student patient applicant candidate tenant buyer lead`)

// AllDone are words that state the end of several steps, and AllAgreed that people have agreed: without that the run ends.
var (
	AllDone   = Compile("both|all|all_of_them|both_of_them|both_of_these|all_of_these|both_steps|all_steps|everyone|everybody|he|she|he's|she's|they've|they_both|they_all|they|all_of_that|this|that|it [are|is|have|has|have_been|has_been|is_all] [all] done|finished|complete|completed|answered|replied|responded")
	AllAgreed = Compile("both|all|all_of_them|both_of_them|everyone|everybody|they_both|they_all|they|all_three|the_two [of] [them|us] [have|has] [all|both] approve|approved|agree|agreed|accepted|confirmed|signed|signed_off|said_yes|okayed|given_their_ok")
)

// Giving are the sentences that name the inputs of a run.
var Giving = CompileAll(
	"inputs|input|given : {list}",
	"[the] user|users|requester|employee|person|somebody|someone|people will|must|can|should|then provide|provides|enter|enters|give|gives|submit|submits {list} as input|inputs",
	"[it|the_flow|the_workflow|the_form|the_run] asks|asking [the_requester|the_user|them|whoever_starts_it|for_input] for {list}",
	"ask for {list}",
	"[start|starts|begin|begins|open|opens|show|shows] [with|by] [a|the] form asking|that_asks|which_asks|to_ask|asks|with|for [for] {list}",
	"[it|the_flow|the_workflow] takes {list}",
	"[it|the_flow|the_workflow] takes|needs|has|with inputs|as_inputs|the_inputs|as_input {list}",
)

// Outputs name what a run gives.
var Outputs = Compile("[the|a|an] workflow|flow|process needs_to|must|should|has_to|will [also|additionally] output|return [the_final] {list}")

// Processes are words for the beginning of the whole process.
var Processes = CompileAll(
	"[the|this|our|a|an] {subject?} process|workflow|flow|procedure [is] begins|starts|started|triggered|initiated|launched|kicked_off|kicks_off|commences|begun [off] when|once|after|as_soon_as|whenever|with|by|upon|if",
	"a|an|the {subject} [is] begins|starts|started when|whenever|as_soon_as|once",
)
