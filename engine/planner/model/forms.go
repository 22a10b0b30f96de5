package model

import (
	"maps"
	"slices"

	"sluice/engine/planner/tree"
)

var quote, quotes, steps = ref("Quote"), list{ref("Quote")}, list{ref("Step")}

// stepKind is what a step of one kind has.
type stepKind struct {
	kind   string
	fields []field
	left   bool // there is none of it here
}

func (b *brief) stepKinds() []stepKind {
	params := list{object{{"name", text, ""}, {"value", ref("Value"), ""}}}
	onError := field{"on_error", steps, "what is done instead when it fails"}
	retry := field{"retry", number, "attempts in all; 0: not said"}
	result := field{"result", text, "a name that the description gives to the result, as small_letters; else \"\""}
	deadline := field{"deadline", maybe{ref("Deadline")}, ""}
	branches := field{"branches", list{ref("Branch")}, ""}
	phrase := field{"text", quote, ""}
	return []stepKind{
		{"tool", []field{phrase, {"tool", ref("Tool"), ""}, {"params", params, "only those that the description gives"}, result, retry, onError}, len(b.tools) == 0},
		{"flow", []field{phrase, {"flow", ref("Flow"), ""}, {"params", params, ""}, retry, onError}, len(b.flows) == 0},
		{"person", []field{phrase, {"who", list{ref("Name")}, "[]: not said"}, deadline, onError}, false},
		{"open", []field{phrase}, false},
		{"agent", []field{phrase, {"tools", list{ref("Tool")}, "that it may use"}, {"fields", list{ref("Field")}, "of its answer"}, result, retry, onError}, false},
		{"ask", []field{
			phrase,
			{"who", list{ref("Name")}, ""},
			{"quorum", number, "how many of them must agree; 0: not said"},
			{"choices", quotes, "[]: approve and reject"},
			{"fields", list{ref("Field")}, "of a form that they fill in"},
			{"free", yes, "the answer is a free text"},
			{"show", list{ref("Value")}, "values that they must see"},
			deadline, branches,
		}, false},
		{"tell", []field{phrase, {"to", list{ref("Name")}, ""}, {"values", list{ref("Value")}, "words of text that stand for a value of the run"}}, false},
		{"decide", []field{branches}, false},
		{"each", []field{{"over", ref("Value"), "the list"}, {"as", text, "what an item is called"}, {"steps", steps, ""}}, false},
		{"parallel", []field{branches, {"any", yes, "the first branch that is done ends it"}}, false},
		{"repeat", []field{{"steps", steps, ""}, {"until", maybe{ref("Cond")}, ""}, {"max", number, "times; 0: not said"}}, false},
		{"wait", []field{{"for", text, "a duration"}, {"time", text, "\"14:30\" or a date"}, {"event", quote, "what has to happen"}}, false},
		{"set", []field{{"over", ref("Value"), ""}, {"result", text, "the name of the value"}}, false},
		{"stop", nil, false},
	}
}

// step is the form of one step.
func (b *brief) step() form {
	var all oneOf
	for _, k := range b.stepKinds() {
		if k.left {
			continue
		}
		o := object{{"kind", enum{k.kind}, ""}}
		if b.base != nil {
			o = append(o, field{"was", text, ""})
		}
		o = append(o, field{"also", quotes, ""}, field{"label", text, ""})
		if o = append(o, k.fields...); b.base != nil {
			o = append(o, field{"gone", list{text}, ""})
		}
		all = append(all, o)
	}
	if b.base != nil {
		all = append(all, object{{"kind", enum{"keep"}, ""}, {"was", text, "number of the step"}})
	}
	return all
}

// forms gives the form of an answer to a brief: tools, flows, people and channels are those that there are.
func (b *brief) forms() forms {
	names := append([]string{"", tree.NameRequester, tree.NameThread}, slices.Sorted(maps.Keys(b.names))...)
	answer := object{{"name", quote, "of the workflow, \"\": not said"}, {"also", quotes, "the other words that concern the whole"}}
	if b.base != nil {
		answer = append(answer, field{"gone", list{text}, ""})
	}
	answer = append(answer, field{"inputs", list{ref("Input")}, ""}, field{"triggers", list{ref("Trigger")}, ""}, field{"steps", steps, ""},
		field{"limit", maybe{ref("Limit")}, "how long the whole may take"}, field{"not_expressible", quotes, ""})
	f := forms{answer: answer, listed: map[string]bool{"Tool": true, "Flow": true, "Quote": true, "Person": true}, defs: b.definitions(names)}
	f.defs["Tool"] = text
	if len(b.tools) > 0 {
		f.defs["Tool"] = enum(slices.Sorted(maps.Keys(b.tools)))
	}
	if len(b.flows) > 0 {
		f.defs["Flow"] = enum(slices.Sorted(maps.Keys(b.flows)))
	}
	return f
}

// definitions are the parts of an answer.
func (b *brief) definitions(names []string) map[string]form {
	return map[string]form{
		"Step": b.step(), "Quote": text, "Person": enum(names),
		"Value": object{
			{"words", quote, ""},
			{"as", enum{"text", "number", "yes", "no", "value"}, ""},
			{"from", text, "of a value: \"input:<name>\", \"step:<label>\", \"item\", \"event:text|from|channel|thread\", \"\": not sure"},
			{"field", text, "of it, else \"\""},
		},
		"Name": object{{"words", quote, ""}, {"is", ref("Person"), "one of people_and_channels, requester, thread; \"\": not sure"}},
		"Cond": object{
			{"quote", quote, ""},
			{"op", enum{"<", "<=", ">", ">=", "==", "!=", "contains", "true", "empty", "and", "or", "not", "decide"}, ""},
			{"left", maybe{ref("Value")}, ""},
			{"right", maybe{ref("Value")}, ""},
			{"parts", list{ref("Cond")}, "of and, or, not"},
		},
		"Field": object{{"quote", quote, ""}, {"name", text, "small_letters"}, {"type", enum{"string", "number", "integer", "boolean", "date"}, ""}, {"enum", quotes, "its values"}},
		"Deadline": object{
			{"quote", quote, ""},
			{"after", text, "duration"},
			{"remind", text, "duration"},
			{"escalate_after", text, "duration"},
			{"escalate_to", maybe{ref("Name")}, ""},
			{"choice", text, "the outcome when nobody answers; \"\": the branch timeout, else the run ends"},
		},
		"Branch": object{
			{"quote", quote, ""},
			{"label", text, ""},
			{"when", maybe{ref("Cond")}, "of decide"},
			{"choice", text, "of ask: approve, reject, one of its choices, timeout"},
			{"else", yes, "of decide: the last branch"},
			{"steps", steps, ""},
		},
		"Input": object{
			{"quote", quote, ""},
			{"name", text, "small_letters"},
			{"type", enum{"string", "number", "integer", "boolean", "date", "file"}, ""},
			{"optional", yes, ""},
			{"enum", quotes, "its values"},
		},
		"Trigger": object{
			{"quote", quote, ""},
			{"kind", enum{"schedule", "message", "reaction", "webhook", "hand", "other"}, ""},
			{"cron", text, ""},
			{"zone", text, "IANA, \"\": not said"},
			{"channel", quote, "of message"},
			{"contains", quote, "of message"},
			{"emoji", quote, "of reaction"},
		},
		"Limit": object{{"quote", quote, ""}, {"after", text, "duration"}, {"time", text, "of day, 14:30"}, {"steps", steps, "what is done then"}},
	}
}
