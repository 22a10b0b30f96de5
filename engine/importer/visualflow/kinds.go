package visualflow

import (
	"maps"

	"sluice/engine/flow"
)

// kind is the record of one type of node.
type kind struct {
	act     func(c *converter, n *node) flow.Spec              // of an executed node; nil = it is none, or cannot be run
	pure    func(c *converter, n *node) any                    // of a value that is made when it is read: a parameter, or results
	read    func(c *converter, n *node, of, pin string) string // reads an output pin; nil = a field of what the node gave
	literal bool                                               // its value is written in the document
	strict  bool                                               // a value that does not fit is an error
	lost    string                                             // why it cannot be run
}

// Reasons why types of nodes cannot be run.
const (
	lostCode   = "it is Python code, and no Python is run here"
	lostMedia  = "it makes or reads media"
	lostMemory = "it needs the memory of another host"
	lostModels = "it controls where models run"
)

// allKinds gives the records of all types of nodes.
func allKinds() map[string]kind {
	all := steps()
	maps.Copy(all, values())
	maps.Copy(all, unable())
	return all
}

// steps are the types of nodes that a run visits.
func steps() map[string]kind {
	return map[string]kind{
		// Where runs begin and end.
		kindStart: {act: begin}, "on_user_request": {act: begin}, "on_agent_message": {act: begin}, "on_event": {act: begin}, "on_schedule": {act: begin},
		"on_flow_end": {act: finish},

		// Nodes that perform something.
		"llm_call":    {act: callModel, read: answer},
		"agent":       {act: runAgent, read: answer},
		"tool_calls":  {act: performCalls},
		"call_tool":   {act: performCalls, read: oneCall},
		"subflow":     {act: subflow, read: childOutput},
		"ask_user":    {act: ask, read: func(_ *converter, _ *node, of, _ string) string { return of + ".text" }},
		"answer_user": {act: say, read: again},
		"wait_until":  {act: wait},
		"wait_event":  {act: waitEvent, read: func(_ *converter, _ *node, of, _ string) string { return of + ".data" }},
		"emit_event":  {act: emit},
		"read_file":   {act: file("files.read", map[string]string{"file_path": "path", "path": "path"})},
		"write_file":  {act: file("files.write", map[string]string{"file_path": "path", "path": "path", "content": "content"})},
		"list_files":  {act: file("files.list", map[string]string{"directory_path": "path", "path": "path"})},
		"read_pdf":    {act: file("files.read_pdf", map[string]string{"file_path": "path", "path": "path"})},
		"write_pdf":   {act: file("files.write_pdf", map[string]string{"file_path": "path", "path": "path", "content": "content", "title": "title"})},

		// Variables, and the conversation.
		"set_var":          {act: setVariable, read: func(c *converter, n *node, _, _ string) string { return c.readVariable(n) }},
		"set_vars":         {act: setVariables, read: again},
		"set_var_property": {act: setProperty, read: func(c *converter, n *node, _, _ string) string { return c.readVariable(n) }},
		"get_var":          {pure: getVariable},
		"bool_var":         {pure: declared},
		"var_decl":         {pure: declared},
		"get_context":      {pure: getContext},
		"add_message":      {act: addMessage, read: readMessage, pure: func(c *converter, n *node) any { return insert(c.message(n)) }},

		// Nodes that read and write memory.
		"memory_note": {act: noteDown, read: noteID}, "memory_query": {act: recall},
		"memory_kg_assert": {act: assert, read: asserted}, "memory_kg_query": {act: query}, "memory_kg_resolve": {act: resolve},
		"memory_compact": {act: compact, read: spanID}, "memory_tag": {act: tag, read: tagged}, "memory_rehydrate": {act: rehydrate, read: rehydrated},

		// Which way a run goes.
		"if":       {act: choose},
		"switch":   {act: switchOver},
		"loop":     {act: loop(eachItem), read: round},
		"while":    {act: loop(whileTrue), read: round},
		"for":      {act: loop(count), read: round},
		"sequence": {act: sequence},
		"parallel": {act: parallel},
	}
}

// values are the types of nodes whose value is made when it is read.
func values() map[string]kind {
	return map[string]kind{
		// Values of the document.
		"literal_string": {pure: literal, literal: true}, "literal_number": {pure: literal, literal: true}, "literal_boolean": {pure: literal, literal: true},
		"literal_json": {pure: literal, literal: true}, "literal_array": {pure: literal, literal: true}, "json_schema": {pure: literal, literal: true},
		"tools_allowlist": {pure: literal, literal: true},

		// Numbers.
		"add": {pure: sum("add", "a", "b"), strict: true}, "subtract": {pure: sum("subtract", "a", "b"), strict: true},
		"multiply": {pure: sum("multiply", "a", "b"), strict: true}, "divide": {pure: sum("divide", "a", "b"), strict: true},
		"modulo": {pure: sum("modulo", "a", "b"), strict: true}, "power": {pure: power, strict: true},
		"abs": {pure: sum("abs", "value"), strict: true}, "round": {pure: sum("round", "value", "decimals"), strict: true},

		// Texts.
		"concat": {pure: concat}, "split": {pure: split}, "join": {pure: join}, "format": {pure: format, strict: true}, "string_template": {pure: stringTemplate},
		"uppercase": {pure: of("upper", "text")}, "lowercase": {pure: of("lower", "text")}, "trim": {pure: of("trim", "text")},
		"substring": {pure: substring}, "length": {pure: of("len", "text")}, "contains": {pure: contains}, "replace": {pure: replace},

		// Conditions.
		"compare": {pure: compareValues, strict: true}, "not": {pure: not}, "and": {pure: logic("and")}, "or": {pure: logic("or")},
		"coalesce": {pure: every("coalesce")},

		// Objects and lists.
		"get": {pure: getField}, "set": {pure: setField}, "merge": {pure: every("merge")}, "make_object": {pure: makeObject}, "make_array": {pure: makeArray},
		"array_map": {pure: arrayMap}, "array_filter": {pure: arrayFilter}, "array_concat": {pure: arrayConcat}, "array_length": {pure: arrayLength},
		"array_append": {pure: arrayAppend}, "array_dedup": {pure: arrayDedup}, "has_tools": {pure: hasTools},
		"get_element": {pure: getElement}, "get_random_element": {pure: anyElement},
		"parse_json": {pure: parseJSON, strict: true}, "stringify_json": {pure: stringify}, "break_object": {pure: breakObject},
		"make_context": {pure: makeContext}, "make_meta": {pure: given}, "make_scratchpad": {pure: given},
		"system_datetime": {pure: systemTime}, "agent_trace_report": {pure: trace}, "format_tool_results": {pure: toolReport},
		"provider_models": {pure: modelList}, "provider_catalog": {pure: modelList}, "model_catalog": {pure: modelList},
	}
}

// unable are the types of nodes that cannot be run.
func unable() map[string]kind {
	return map[string]kind{
		"code": {lost: lostCode, read: replaced}, "function": {lost: lostCode, read: replaced},
		"memact_compose": {lost: lostMemory},
		"generate_image": {lost: lostMedia}, "edit_image": {lost: lostMedia}, "upscale_image": {lost: lostMedia}, "image_to_image": {lost: lostMedia},
		"generate_video": {lost: lostMedia}, "image_to_video": {lost: lostMedia}, "generate_voice": {lost: lostMedia}, "generate_music": {lost: lostMedia},
		"transcribe_audio": {lost: lostMedia}, "listen_voice": {lost: lostMedia},
		"model_residency": {lost: lostModels}, "load_model": {lost: lostModels}, "unload_model": {lost: lostModels}, "list_models": {lost: lostModels},
	}
}

// replaced reads what a person gave in the place of a node that cannot be run.
func replaced(_ *converter, _ *node, of, pin string) string {
	if pin == "output" {
		return of + ".output"
	}
	return member(of+".data", pin)
}

func readMessage(c *converter, n *node, of, pin string) string {
	context := c.variable("'context'", "context")
	switch {
	case !n.acts():
		return member(of+".data", pin)
	case pin == "context":
		return context
	case pin == "message":
		return "last(list(get(" + context + ", 'messages')))"
	}
	return "get(" + context + ", " + quote(pin) + ")"
}
