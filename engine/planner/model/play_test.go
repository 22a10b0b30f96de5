package model_test

import (
	"slices"
	"strings"
	"testing"

	"sluice/engine/flow"
	"sluice/engine/llm/llmtest"
	"sluice/engine/planner"
	"sluice/engine/planner/env"
	"sluice/engine/planner/model"
	"sluice/engine/planner/raise"
	"sluice/engine/planner/readback"
	"sluice/engine/planner/tree"
	"sluice/engine/tool"
)

// Parts of answers that models gave, and what they have to become.
var (
	check  = say{"kind": "agent", "label": "c", "text": "check the text and give an urgency (low or high) and a score", "fields": []any{say{"quote": "urgency", "name": "urgency", "type": "string", "enum": []any{"low", "high"}}, say{"quote": "score", "name": "score", "type": "integer"}}}
	update = say{"kind": "agent", "text": "improve it"}

	plausible = say{"kind": "agent", "label": "p", "text": "check the text and say whether it is plausible", "fields": []any{say{"quote": "plausible", "name": "plausible", "type": "boolean"}}}
)

var over8 = say{"quote": "the amount is over 8", "op": ">", "left": value("the amount", "value", "step:a", "amount"), "right": value("8", "number", "", "")}

func scored(quote, op string) say {
	return say{"quote": quote, "op": op, "left": value("the score", "value", "step:c", "score"), "right": value("8", "number", "", "")}
}

func agreed(label string) say {
	return say{"quote": "agreed", "op": "==", "left": value("", "value", "step:"+label, ""), "right": value("agreed", "text", "", "")}
}

func rounds(until say) say {
	return answer(say{"kind": "repeat", "until": until, "steps": []any{check, update}})
}

// message is one whose text stands behind "tell" and who is told, if it does.
func message(text string, to say, values ...any) say {
	lead := "tell " + to["words"].(string)
	if rest, ok := strings.CutPrefix(text, lead+" "); ok {
		return say{"kind": "tell", "also": []any{lead}, "text": rest, "to": []any{to}, "values": values}
	}
	return say{"kind": "tell", "text": text, "to": []any{to}, "values": values}
}

// TestWhatModelsAnswer: words that models quote in ordinary ways become what they say; what cannot be goes back with what would be right.
func TestWhatModelsAnswer(t *testing.T) {
	t.Parallel()
	const loop = "check the text and give an urgency (low or high) and a score. as long as the score is below 8 improve it"
	support := name("#support", "#support")
	for title, c := range map[string]struct {
		words       string
		answer      say
		want, never string
		back        string // what goes back; "" = nothing
		asks        string // a question; "" = none
	}{
		"a quoted message": {
			`get the order. post "it is on its way" in #support`, answer(get, message(`post "it is on its way" in #support`, support)), `"kind":"tell"`, `"text":"post`, "holds who is told", "I did not understand “post \"it is on its way\" in”. What should happen with it?",
		},
		"a message without words": {
			"ask @finance to approve. let @bob know", answer(ask(nil), message("let @bob know", name("@bob", "@bob"))), `"kind":"tell"`, `"text":"let`, "holds who is told", "I did not understand “let”. What should happen with it?",
		},
		"a value of a message that is not known": {
			"get the order. tell #support it is done, with both papers", answer(get, message("tell #support it is done, with both papers", support, value("both papers", "value", "", ""))), `"both papers"`, "nothing", "", "Which value is “both papers”?",
		},
		"two values of a message": {
			"get the order. tell #support the two of them", answer(get, message("tell #support the two of them", support, value("the two of them", "value", "step:a", "amount"), value("the two of them", "value", "step:a", "order_id"))),
			`"literal":"\n\n"},{"words":"the two of them","ref":{"step":"s1","field":"order_id"}`, "nothing", "", "",
		},
		"as long as": {loop, rounds(scored("the score is below 8", ">=")), `"until":{"op":"\u003e="`, "nothing", "", ""},
		"for as long as people say so": {
			"check the text and give an urgency (low or high) and a score. for as long as it is raining improve it", rounds(say{"quote": "for as long as it is raining", "op": "decide"}),
			`"until":{"op":"not"`, "nothing", "", "Who decides whether “for as long as it is raining”?",
		},
		"what follows any answer of a form": {
			"ask @finance for the amount. every answer is told to #support: it is there",
			answer(say{"kind": "ask", "text": "for the amount", "also": []any{"ask @finance"}, "who": []any{name("@finance", "@finance")}, "fields": []any{say{"quote": "the amount", "name": "amount", "type": "number"}}, "branches": []any{
				say{"quote": "every answer", "choice": "approve", "steps": []any{say{"kind": "tell", "text": "it is there", "also": []any{"is told to #support:"}, "to": []any{support}}}},
			}}),
			`"kind":"ask"`, `"choice":"approve"`, "A form has no choices", "I did not understand “every answer is told to #support: it is there”. What should happen with it?",
		},
		"nothing more after an answer": {
			"ask @finance to approve it. if they reject it tell #support sorry and nothing more. otherwise get the order",
			answer(say{"kind": "ask", "text": "approve it", "also": []any{"ask @finance to"}, "who": []any{name("@finance", "@finance")}, "branches": []any{
				say{"quote": "if they reject it", "choice": "reject", "steps": []any{message("tell #support sorry", support), say{"kind": "stop", "also": []any{"and nothing more"}}}},
			}}, say{"kind": "tool", "text": "get the order", "also": []any{"otherwise"}, "tool": "shop.get_order"}),
			`"kind":"stop"`, `"kind":"agent"`, "", "",
		},
		"as long as, the wrong way round": {
			loop, rounds(scored("as long as the score is below 8", "<")), `"until":{"op":"not"`, `"until":{"op":"\u003c"`, "until says when they are not", "Who decides whether “as long as the score is below 8”?",
		},
		"a field that nothing gives": {
			"get the order. if it has more than 8 parts refund it",
			answer(get, decide(say{"quote": "if it has more than 8 parts", "when": say{"quote": "it has more than 8 parts", "op": ">", "left": value("parts", "value", "step:a", "parts"), "right": value("8", "number", "", "")}, "steps": []any{refund}})),
			`"literal":8`, `"field":"parts"`, `it gives amount, order_id`, "Who decides whether “it has more than 8 parts”?",
		},
		"a text on the left of a comparison": {
			"get the order. if the part costs more than 8 refund it",
			answer(get, decide(say{"quote": "if the part costs more than 8", "when": say{"quote": "the part costs more than 8", "op": ">", "left": value("the part costs", "text", "", ""), "right": value("8", "number", "", "")}, "steps": []any{refund}})),
			`"literal":8`, `"literal":"the part costs"`, "", "Who decides whether “the part costs more than 8”?",
		},
		"a value with a capital letter": {
			"check the text and give an urgency (low or high) and a score. Low ones: tell #support it is done",
			answer(check, decide(say{"quote": "Low ones", "when": say{"quote": "Low", "op": "==", "left": value("", "value", "step:c", "urgency"), "right": value("Low", "text", "", "")}, "steps": []any{message("tell #support it is done", support)}})),
			`"literal":"low"`, `"literal":"Low"`, "", "",
		},
		"an answer that no words name": {
			"ask @finance to approve. if they have objections tell #support it is done",
			answer(ask(nil), decide(say{"quote": "if they have objections", "when": say{"quote": "they have objections", "op": "==", "left": value("", "value", "step:q", ""), "right": value("reject", "text", "", "")}, "steps": []any{message("tell #support it is done", support)}})),
			`"literal":"reject"`, "nothing", "", "",
		},
		"a list that an agent makes": {
			"write a list of titles. for each title tell #support it is done",
			answer(say{"kind": "agent", "label": "l", "text": "write a list of titles"}, say{"kind": "each", "also": []any{"for each title"}, "over": value("title", "value", "step:l", ""), "as": "title", "steps": []any{message("tell #support it is done", support)}}),
			`"over":{"words":"title","ref":{"step":"s1"}`, "nothing", "", "",
		},
		"both again": {
			"@finance and @bob approve it at the same time. then both check again until both agreed",
			answer(say{"kind": "repeat", "also": []any{"then both check again"}, "until": say{"quote": "both agreed", "op": "and", "parts": []any{agreed("a"), agreed("b")}}, "steps": []any{
				say{"kind": "parallel", "also": []any{"at the same time"}, "branches": []any{
					say{"quote": "@finance", "steps": []any{say{"kind": "ask", "label": "a", "text": "approve it", "who": []any{name("@finance", "@finance")}}}},
					say{"quote": "@bob", "steps": []any{say{"kind": "ask", "label": "b", "text": "approve it", "who": []any{name("@bob", "@bob")}}}},
				}},
			}}), `"judges":true`, "nothing", "", "",
		},
		"if one of them refuses": {
			"@finance and @bob approve it at the same time. if one has objections refund it",
			answer(say{"kind": "parallel", "also": []any{"at the same time"}, "branches": []any{
				say{"quote": "@finance", "steps": []any{say{"kind": "ask", "label": "a", "text": "approve it", "who": []any{name("@finance", "@finance")}}}},
				say{"quote": "@bob", "steps": []any{say{"kind": "ask", "label": "b", "text": "approve it", "who": []any{name("@bob", "@bob")}}}},
			}}, decide(say{"quote": "if one has objections", "steps": []any{refund}, "when": say{"quote": "one has objections", "op": "or", "parts": []any{
				say{"quote": "objections", "op": "==", "left": value("", "value", "step:a", ""), "right": value("reject", "text", "", "")},
				say{"quote": "objections", "op": "==", "left": value("", "value", "step:b", ""), "right": value("reject", "text", "", "")},
			}}})), `"judges":true`, "nothing", "", "",
		},
		"words that two agents share": {
			"two agents get the text. at the same time one argues for it and the other against it, each in under 200 words",
			say{"also": []any{"two agents get the text"}, "steps": []any{say{"kind": "parallel", "also": []any{"at the same time"}, "branches": []any{
				say{"quote": "one", "steps": []any{say{"kind": "agent", "text": "argues for it … in under 200 words"}}},
				say{"quote": "the other", "steps": []any{say{"kind": "agent", "text": "argues … against it, each in under 200 words"}}},
			}}}},
			`"text":"argues against it, each in under 200 words"`, `"text":"argues for it"`, "", "",
		},
		"but not on": {
			"every weekday at 9, but not on Fridays, post the amount in #support",
			say{"triggers": []any{say{"quote": "every weekday at 9, but not on Fridays", "kind": "schedule", "cron": "0 9 * * 1-4"}}, "steps": []any{say{"kind": "tell", "text": "the amount", "also": []any{"post", "in #support"}, "to": []any{support}}}},
			`"triggers"`, `"cron"`, "", "What starts this: “every weekday at 9, but not on Fridays”?",
		},
		"not on": {
			"post the amount in #support, not on Fridays",
			say{"triggers": []any{say{"quote": "not on Fridays", "kind": "schedule", "cron": "0 9 * * 1-4"}}, "steps": []any{say{"kind": "tell", "text": "the amount", "also": []any{"post", "in #support"}, "to": []any{support}}}},
			`"triggers"`, `"cron"`, "", "What starts this: “not on Fridays”?",
		},
		"what the model cannot say, within another quote": {
			"get the order, wait until tomorrow 9am, refund it",
			say{"not_expressible": []any{"tomorrow"}, "steps": []any{get, say{"kind": "wait", "also": []any{"wait until tomorrow 9am"}, "time": "09:00"}, refund}},
			`"kind":"wait"`, `"time"`, `The time "09:00" is not what`, "I did not understand “wait until tomorrow 9am”. What should happen with it?",
		},
		"a message in the passive": {
			"ask @finance to approve. @bob is informed", answer(ask(nil), message("is informed", name("@bob", "@bob"))), `"kind":"tell"`, `"text":"is`, "holds who is told", "I did not understand “is informed”. What should happen with it?",
		},
		"what has to be so": {
			"get the order. the amount must be at least 8, else refund it",
			answer(get, decide(say{"quote": "the amount must be at least 8, else", "when": say{"quote": "the amount must be at least 8", "op": "<", "left": value("the amount", "value", "step:a", "amount"), "right": value("8", "number", "", "")}, "steps": []any{refund}})),
			`"kind":"decide"`, `"op"`, "say >= 8", "Who decides whether “the amount must be at least 8”?",
		},
		"a loop that no words ask for": {
			"get the order. if the amount is over 8 refund it",
			answer(get, decide(say{"quote": "if the amount is over 8", "when": over8, "steps": []any{refund}}), say{"kind": "repeat", "until": over8, "steps": []any{say{"kind": "repeat", "until": over8, "steps": []any{}}}}),
			`"kind":"decide"`, `"kind":"repeat"`, "No words of the description are left", "",
		},
		"the result of a loop": {
			loop + ". tell #support the result",
			answer(say{"kind": "repeat", "label": "r", "until": scored("the score is below 8", ">="), "steps": []any{check, update}}, message("tell #support the result", support, value("the result", "value", "step:r", ""))),
			`"kind":"repeat"`, "nothing", "gives no value", "",
		},
		"a parameter that stands twice": {
			"get the order of 5 and 6",
			answer(say{"kind": "tool", "text": "get the order of 5 and 6", "tool": "shop.get_order", "params": []any{say{"name": "order_id", "value": value("5", "text", "", "")}, say{"name": "order_id", "value": value("6", "text", "", "")}}}),
			`"kind":"do"`, `"literal":"6"`, "stands twice", "Step 1 calls “Get an order”, which says nothing of “and 6”. What should happen with these words?",
		},
		"words that the tool of a step does not explain": {
			"get the order 5 with love",
			answer(say{"kind": "tool", "text": "get the order 5 with love", "tool": "shop.get_order", "params": []any{say{"name": "order_id", "value": value("5", "text", "", "")}}}),
			`"kind":"do"`, "nothing", "The tool shop.get_order, which the step \"get the order 5 with love\" calls, says nothing of", "Step 1 calls “Get an order”, which says nothing of “with love”. What should happen with these words?",
		},
		"a number at the end of a sentence": {
			"check the text and give a score from 0 to 100. tell #support it is done",
			answer(say{"kind": "agent", "text": "check the text and give a score from 0 to 100"}, message("tell #support it is done", support)), `"kind":"tell"`, `"no":100`, "", "",
		},
		"a reason that goes with an approval": {
			"ask @finance to approve. if approved refund it. on a no tell #support the reason",
			answer(ask(say{"fields": []any{say{"quote": "the reason", "name": "reason", "type": "string"}}, "branches": []any{
				say{"quote": "if approved", "choice": "approve", "steps": []any{refund}},
				say{"quote": "on a no", "choice": "reject", "steps": []any{message("tell #support the reason", support, value("the reason", "value", "step:q", "reason"))}},
			}})), `"choice":"reject"`, "nothing", "", "",
		},
		"an answer that a later step asks for": {
			"ask @finance to approve. tell #support it is done. if they said no refund it",
			answer(ask(nil), message("tell #support it is done", support), decide(say{"quote": "if they said no", "steps": []any{refund}, "when": say{"quote": "they said no", "op": "==", "left": value("", "value", "step:q", ""), "right": value("no", "text", "", "")}})),
			`"literal":"reject"`, "nothing", "", "What follows when @finance said no?",
		},
		"a value that is set by its own words": {
			"get the order. it is handled by a person. return whether a person was involved",
			answer(get, say{"kind": "set", "over": value("it is handled by a person", "yes", "", ""), "result": "involved"}, say{"kind": "set", "also": []any{"return"}, "over": value("whether a person was involved", "value", "", ""), "result": "involved"}),
			`"literal":true`, "nothing", "", "Which value is “whether a person was involved”?",
		},
		"if it is so, again": {
			"check the text and give an urgency (low or high) and a score. if the score is below 8 improve it and check it again",
			answer(say{"kind": "repeat", "also": []any{"and check it again"}, "until": say{"quote": "if the score is below 8", "op": "not", "parts": []any{scored("the score is below 8", "<")}}, "steps": []any{check, update}}),
			`"kind":"repeat"`, `"until"`, "when the steps are done again", "I did not understand “is below 8”. What should happen with it?",
		},
		"if it is so, it ends": {
			"check the text and give an urgency (low or high) and a score. if the score is at least 8 stop, else improve it again",
			answer(say{"kind": "repeat", "also": []any{"stop, else", "again"}, "until": scored("if the score is at least 8", "<"), "steps": []any{check, update}}),
			`"kind":"repeat"`, `"until"`, "say >= 8", "I did not understand “is at least 8”. What should happen with it?",
		},
		"both values": {
			"check the text and give an urgency (low or high) and a score. improve it until the score and the rank are both at least 8",
			answer(say{"kind": "repeat", "until": say{"quote": "the score and the rank are both at least 8", "op": "and", "parts": []any{scored("the score and the rank are both at least 8", ">="), scored("both at least 8", ">=")}}, "steps": []any{check, update}}),
			`"op":"and"`, "nothing", "", "",
		},
		"one of both values": {
			"check the text and give an urgency (low or high) and a score. improve it until the score and the rank are both at least 8",
			answer(say{"kind": "repeat", "until": say{"quote": "the score and the rank are both at least 8", "op": "or", "parts": []any{scored("the score and the rank are both at least 8", ">="), scored("both at least 8", ">=")}}, "steps": []any{check, update}}),
			`"op":"or"`, "nothing", "No field holds all of these words (mind numbers, names and negations): \"until\"", "I did not understand “until”. What should happen with it?",
		},
		"behind the rounds": {
			"check the text and give an urgency (low or high) and a score. improve it until the score is at least 8, at most five times. if it is still not so after five rounds tell #support it is late",
			answer(
				say{"kind": "repeat", "also": []any{"at most five times"}, "max": 5, "any": true, "until": scored("the score is at least 8", ">="), "steps": []any{check, update}},
				decide(say{"quote": "if it is still not so after five rounds", "when": say{"quote": "it is still not so after five rounds", "op": "not", "parts": []any{scored("the score is at least 8", ">=")}}, "steps": []any{message("tell #support it is late", support)}}),
			), `"kind":"decide"`, "nothing", "", "",
		},
		"no more than": {
			"check the text and give an urgency (low or high) and a score. improve it no more than five times until the score is at least 8",
			answer(say{"kind": "repeat", "also": []any{"no more than five times"}, "max": 5, "any": true, "until": scored("the score is at least 8", ">="), "steps": []any{check, update}}),
			`"max":5`, "nothing", "", "",
		},
		"no more than, and not on": {
			"check the text and give an urgency (low or high) and a score. improve it no more than five times, not on Fridays, until the score is at least 8",
			answer(say{"kind": "repeat", "also": []any{"no more than five times, not on Fridays,"}, "max": 5, "any": true, "until": scored("the score is at least 8", ">="), "steps": []any{check, update}}),
			`"max":5`, "nothing", "not on Fridays", "I did not understand “no more than five times, not on Fridays”. What should happen with it?",
		},
		"a value that says stop": {
			"check the text and say whether production has to stop. tell #support it is done if it has",
			answer(say{"kind": "agent", "label": "p", "text": "check the text and say whether production has to stop", "fields": []any{say{"quote": "production has to stop", "name": "production_stop", "type": "boolean"}}},
				decide(say{"quote": "if it has", "when": say{"quote": "it has", "op": "true", "left": value("", "value", "step:p", "production_stop")}, "steps": []any{message("tell #support it is done", support)}})),
			`"kind":"decide"`, `"op":"true"`, "do not say", "Who decides whether “it has”?",
		},
		"the opposite of a value": {
			"check the text and say whether it is plausible. tell #support it is done if it is implausible",
			answer(plausible, decide(say{"quote": "if it is implausible", "when": say{"quote": "implausible", "op": "not", "parts": []any{say{"quote": "implausible", "op": "true", "left": value("", "value", "step:p", "plausible")}}}, "steps": []any{message("tell #support it is done", support)}})),
			`"kind":"decide"`, `"op":"not"`, "do not say", "Who decides whether “implausible”?",
		},
		"the opposite of a value, the wrong way round": {
			"check the text and say whether it is plausible. tell #support it is done if it is implausible",
			answer(plausible, decide(say{"quote": "if it is implausible", "when": say{"quote": "implausible", "op": "true", "left": value("", "value", "step:p", "plausible")}, "steps": []any{message("tell #support it is done", support)}})),
			`"kind":"decide"`, `"op":"true"`, "say the opposite", "Who decides whether “implausible”?",
		},
		"a message to nobody": {
			"get the order. say it is done", answer(get, say{"kind": "tell", "also": []any{"say"}, "text": "it is done", "to": []any{name("", "thread")}}), `"kind":"tell"`, `"to":`, "", "",
		},
		"as often as an input says": {
			"the input is rounds (number). " + loop,
			say{"inputs": []any{say{"quote": "rounds (number)", "name": "rounds", "type": "integer"}}, "also": []any{"the input is"}, "steps": []any{say{"kind": "repeat", "until": scored("the score is below 8", ">="), "max_input": "rounds", "steps": []any{check, update}}}},
			`"times":"rounds"`, "nothing", "", "",
		},
		"an input that may say how often": {
			"the input is rounds (number). " + loop,
			say{"inputs": []any{say{"quote": "rounds (number)", "name": "rounds", "type": "integer"}}, "also": []any{"the input is"}, "steps": []any{say{"kind": "repeat", "until": scored("the score is below 8", ">="), "steps": []any{check, update}}}},
			`"kind":"repeat"`, `"times"`, "", "How often is it done at most, while it is not so that “the score is below 8”?",
		},
		"a pronoun": {
			"ask @bob to approve. she reads it", answer(say{"kind": "ask", "text": "approve", "also": []any{"ask"}, "who": []any{name("@bob", "@bob")}}, say{"kind": "person", "text": "reads it", "who": []any{name("she", "@bob")}}),
			`"words":"she"`, `"words":"she","is"`, "", "Who is meant by “she”?",
		},
		"an amount in words": {
			"get the order. if the amount is over five thousand refund it",
			answer(get, decide(say{"quote": "if the amount is over five thousand", "when": amount("the amount is over five thousand", ">", "five thousand"), "steps": []any{refund}})),
			`"kind":"decide"`, `"literal":5`, "are not one number", "Who decides whether “the amount is over five thousand”?",
		},
		"rounds until an answer": {
			"get the order. ask @finance to approve, until they have accepted",
			answer(get, say{"kind": "repeat", "until": say{"quote": "until they have accepted", "op": "decide"}, "steps": []any{ask(nil)}}),
			`"kind":"repeat"`, "nothing", "", "Who decides whether “until they have accepted”?",
		},
		"months": {
			"get the order, wait three months, refund it", answer(get, say{"kind": "wait", "also": []any{"wait three months"}, "for": "90d"}, refund),
			`"kind":"wait"`, `"for"`, `The duration "90d"`, "I did not understand “wait three months”. What should happen with it?",
		},
		"a pronoun before its name": {
			"she approves it. tell @bob it is done", answer(say{"kind": "ask", "text": "approves it", "who": []any{name("she", "@bob")}}, message("tell @bob it is done", name("@bob", "@bob"))),
			`"words":"she"`, `"words":"she","is"`, "", "Who is meant by “she”?",
		},
		"in every case": {
			"ask @finance to approve. in every case tell #support it is done", answer(ask(say{"either_way": "in every case"}), message("tell #support it is done", support)), `"judges":true`, "nothing", "", "",
		},
	} {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			got, text, second := read(t, c.words, c.answer)
			if strings.Contains(second, "problems") != (c.back != "") || !strings.Contains(second, c.back) {
				t.Errorf("this went back: %s", second)
			}
			if !strings.Contains(text, c.want) || strings.Contains(text, c.never) {
				t.Errorf("the tree is %s", text)
			}
			all := planner.Plan(got, world()).Questions
			if slices.ContainsFunc(all, func(q planner.Question) bool { return q.Text == c.asks }) != (c.asks != "") || c.asks == "" && len(all) > 0 {
				t.Errorf("it asks %+v", all)
			}
		})
	}
}

// TestANameThatEachBranchSets: "the result" is what each branch has called so, and not what the step before gave.
func TestANameThatEachBranchSets(t *testing.T) {
	t.Parallel()
	verdict := func(also, is string) say {
		return say{"kind": "set", "also": []any{also}, "over": value(is, "text", "", ""), "result": "result"}
	}
	got, _, _ := read(t, `get the order. if the amount is over 8 the result is "late", otherwise it is "fine". tell #support the result`,
		answer(get, decide(say{"quote": "if the amount is over 8", "steps": []any{verdict("the result is", "late")}, "when": say{"quote": "the amount is over 8", "op": ">", "left": value("the amount", "value", "step:a", "amount"), "right": value("8", "number", "", "")}},
			say{"quote": "otherwise", "else": true, "steps": []any{verdict("it is", "fine")}}),
			message("tell #support the result", name("#support", "#support"), value("the result", "value", "", ""))))
	p := planner.Plan(got, world())
	last := p.Tree.Steps[len(p.Tree.Steps)-1]
	if len(last.Parts) != 1 {
		t.Fatalf("the message has the parts %+v", last.Parts)
	}
	if set := p.Tree.Step(last.Parts[0].Ref.Step); set == nil || set.Kind != tree.Set {
		t.Errorf("the result is %+v", last.Parts[0].Ref)
	}
}

// TestGeneralVerbs: a verb that leaves open how something is done is said by the tool that the model chose, any other verb is not.
func TestGeneralVerbs(t *testing.T) {
	t.Parallel()
	tools := []tool.Tool{
		{Name: "drive.create_doc", Description: "Create a document", Words: []string{"create a document", "start a doc"}},
		{Name: "shop.get_order", Description: "Get an order", Words: []string{"get order"}, Effects: flow.EffectsRead},
		{Name: "shop.refund", Description: "Refund an order", Words: []string{"refund order"}},
		{Name: "mail.send", Description: "Send an e-mail", Words: []string{"send an e-mail"}},
	}
	for words, c := range map[string]struct{ tool, lost string }{
		"put it into a new document":               {"drive.create_doc", ""},
		"which is saved as a document":             {"drive.create_doc", ""},
		"the order is read":                        {"shop.get_order", ""},
		"decide whether the order":                 {"shop.get_order", "decide whether"},
		"a large document is written":              {"drive.create_doc", "a large"},
		"an e-mail is sent":                        {"mail.send", ""},
		"delete the document":                      {"drive.create_doc", "delete"},
		"update the document":                      {"drive.create_doc", "update"},
		"read the document":                        {"drive.create_doc", "read"},
		"cancel the order":                         {"shop.get_order", "cancel"},
		"the document is locked":                   {"drive.create_doc", "is locked"},
		"create the document which is then locked": {"drive.create_doc", "which is then locked"},
		"get the order":                            {"shop.refund", "get"},
		"put the order there":                      {"shop.refund", "put"},
		"save the winner":                          {"drive.create_doc", "save the winner"},
		"the customer gets an e-mail":              {"mail.send", "the customer"},
		"the e-mail goes out":                      {"mail.send", ""},
		"creation of a document":                   {"drive.create_doc", ""},
	} {
		for _, outline := range []bool{false, true} {
			said := tree.Quote{To: len(words)}
			tr := &tree.Tree{Texts: []tree.Text{{Words: words, Outline: outline}}, Steps: []tree.Step{{ID: "a", Kind: tree.Do, Doer: tree.DoerTool, Tool: c.tool, Text: words, Said: said}}}
			var lost []string
			for _, l := range planner.Plan(tr, env.World{Tools: tools, Channel: "#team"}).Account {
				if l.State == "not_understood" {
					lost = append(lost, strings.TrimSpace(tr.Words(l.Quote)))
				}
			}
			if got := strings.Join(lost, ", "); !outline && got != c.lost || outline && got == "" {
				t.Errorf("%q (without a model: %v): not understood is %q, want %q", words, outline, got, c.lost)
			}
		}
	}
}

// TestOnlyTheEndOfALoopChanges: its new end can compare what a step in it gives, which stays as it was.
func TestOnlyTheEndOfALoopChanges(t *testing.T) {
	t.Parallel()
	old, _, _ := read(t, "check the text and give an urgency (low or high) and a score. as long as the score is below 8 improve it", rounds(scored("the score is below 8", ">=")))
	until := say{"quote": "a score of at least 9", "op": ">=", "left": value("a score", "value", "step:1a", "score"), "right": value("9", "number", "", "")}
	r := llmtest.JSON(say{"also": []any{"end only at"}, "steps": []any{say{"kind": "repeat", "was": "1", "until": until}}})
	s, m := newModel(t, r, r, r, r)
	got, _, err := model.Read(t.Context(), m, "end only at a score of at least 9", "ana", world(), old)
	if err != nil || len(s.Requests()) != 1 {
		t.Fatalf("%v; this went back: %s", err, s.Requests()[len(s.Requests())-1].Last())
	}
	if loop := got.Steps[0]; loop.Until.Right.Literal != 9.0 || loop.Until.Left.Ref.Step != old.Steps[0].Branches[0].Steps[0].ID || len(loop.Branches[0].Steps) != 2 {
		t.Errorf("the loop is %+v", loop)
	}
}

// TestRoundsAlone: a number of rounds without a condition ends a loop by itself, and nobody is asked whether it is done.
func TestRoundsAlone(t *testing.T) {
	t.Parallel()
	got, _, back := read(t, "check the text and give an urgency (low or high) and a score. improve it. do this three times. ask @finance to approve",
		answer(say{"kind": "repeat", "also": []any{"do this three times"}, "max": 3, "until": nil, "steps": []any{check, update}}, ask(nil)))
	p := planner.Plan(got, world())
	var lines []string
	for _, l := range readback.Lines(p.Flow, world().Tools, p.NodeNumbers()) {
		lines = append(lines, l.Text)
	}
	if text := strings.Join(lines, "\n"); back != "" || len(p.Questions) > 0 || !strings.Contains(text, "After each round: if it was done 3 times → 2. Otherwise: once more.") || strings.Contains(text, "yes, no") {
		t.Errorf("%s\n%+v; this went back: %s", text, p.Questions, back)
	}
	again, err := raise.Tree(p.Flow)
	if err != nil || again.Steps[0].Kind != tree.Repeat || again.Steps[0].Until != nil || again.Steps[0].Max != 3 || !again.Steps[0].Any {
		t.Errorf("it is raised as %+v, %v", again, err)
	}
}
