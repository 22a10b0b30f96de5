package visualflow

import "strconv"

// oldInputs are the names that input pins of a kind had in older documents.
var oldInputs = map[string]map[string]string{
	"llm_call": modelInputs, "agent": modelInputs,
}

var modelInputs = map[string]string{
	"request": "prompt", "task": "prompt", "system_prompt": "system", "include_context": "use_context", "response_schema": "resp_schema",
	"max_input_tokens": "max_in_tokens", "max_tokens": "max_out_tokens", "max_output_tokens": "max_out_tokens",
}

// inputName gives an input pin its name of today.
func (n *node) inputName(written string) string {
	if name, old := oldInputs[n.kind][written]; old {
		return name
	}
	return written
}

// unusedID gives an id that is not taken, and takes it.
func unusedID(id string, taken map[string]bool) string {
	free := id
	for i := 2; taken[free]; i++ {
		free = id + "-" + strconv.Itoa(i)
	}
	taken[free] = true
	return free
}
