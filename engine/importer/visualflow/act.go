package visualflow

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"sluice/engine/flow"
)

const kindStart = "on_flow_start"

// startKinds say what starts a run at each kind of entry.
var startKinds = map[string]flow.StartKind{
	kindStart: flow.StartManual, "on_user_request": flow.StartRequest, "on_agent_message": flow.StartEvent,
	"on_event": flow.StartEvent, "on_schedule": flow.StartSchedule,
}

// inputs declares what a run can be given: the output pins of the nodes where it begins by hand or by a message.
func (c *converter) inputs() {
	for _, n := range c.nodes {
		if n.kind != kindStart {
			continue
		}
		for _, pin := range n.startPins() {
			in := flow.Input{Name: inputName(pin.id), Type: inputType(pin.kind)}
			if slices.ContainsFunc(c.flow.Inputs, func(other flow.Input) bool { return other.Name == in.Name }) {
				continue
			}
			if v := n.settings[pin.id]; v != nil {
				in.Default = v
				if in.Accepts(v) != "" {
					in.Type = flow.TypeAny
				}
			}
			c.flow.Inputs = append(c.flow.Inputs, in)
		}
	}
}

// startPins are the data pins at which a run's inputs are read.
func (n *node) startPins() (all []pin) {
	for _, p := range n.outputs {
		if p.kind != execution {
			all = append(all, p)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(n.read)) {
		if id = n.startPin(id); !slices.ContainsFunc(all, func(p pin) bool { return p.id == id }) {
			all = append(all, pin{id: id})
		}
	}
	return all
}

// startPin gives the declared pin that an edge means: request, task and prompt were names of the same one.
func (n *node) startPin(id string) string {
	declared := func(id string) bool { return slices.ContainsFunc(n.outputs, func(p pin) bool { return p.id == id }) }
	same := []string{"prompt", "request", "task"}
	if declared(id) || !slices.Contains(same, id) {
		return id
	}
	if i := slices.IndexFunc(same, declared); i >= 0 {
		return same[i]
	}
	return id
}

// inputName gives a pin's id as the name of an input.
func inputName(pin string) string {
	name := strings.ReplaceAll(cleanID(pin), "-", "_")
	if name[0] >= '0' && name[0] <= '9' {
		return "_" + name
	}
	return name
}

func inputType(pin string) string {
	switch {
	case slices.Contains([]string{"string", "number", "boolean", "object", "array"}, pin):
		return pin
	case pin == "tools" || pin == "assertions":
		return "array"
	case strings.HasPrefix(pin, "provider") || strings.HasPrefix(pin, "model") || strings.HasPrefix(pin, "workspace"):
		return "string"
	}
	return flow.TypeAny
}

func begin(c *converter, n *node) flow.Spec {
	spec := &flow.EntrySpec{Start: startKinds[n.kind], Outputs: map[string]any{}}
	switch n.kind {
	case kindStart:
		for _, pin := range n.startPins() {
			spec.Outputs[pin.id] = insert("inputs." + inputName(pin.id))
		}
		return spec
	case "on_event":
		name, _ := n.settings["name"].(string)
		spec.Event = strings.TrimSpace(name)
	case "on_schedule":
		c.schedule(n)
	}
	for _, pin := range n.outputPins() {
		spec.Outputs[pin] = insert(eventPart(pin))
	}
	return spec
}

// eventPart reads what started a run.
func eventPart(pin string) string {
	switch pin {
	case "timestamp":
		return "date(now(), 'iso')"
	case "event", "event_data":
		return "event"
	case "payload", "data":
		return "coalesce(event.payload.payload, event.payload, event)"
	case "message", "prompt", "text":
		return "coalesce(event.text, event.payload.text, event.payload.message)"
	}
	return "coalesce(" + member("event", pin) + ", " + member("event.payload", pin) + ")"
}

// schedule starts runs by the clock, where the document's interval is one of whole minutes or hours.
func (c *converter) schedule(n *node) {
	written, _ := n.fixed("schedule")
	cron := strings.TrimSpace(fmt.Sprint(written))
	if every, err := time.ParseDuration(cron); err == nil {
		minutes := int(every.Minutes())
		switch {
		case every < time.Minute:
			cron = ""
		case minutes < 60 && 60%minutes == 0:
			cron = "*/" + strconv.Itoa(minutes) + " * * * *"
		case minutes%60 == 0 && minutes <= 24*60 && 24*60%minutes == 0:
			cron = "0 */" + strconv.Itoa(minutes/60) + " * * *"
		default:
			cron = ""
		}
	}
	if n != c.entry || cron == "" || !strings.HasPrefix(cron, "@") && len(strings.Fields(cron)) != 5 {
		c.warn(n, "no-schedule", fmt.Sprintf("the schedule '%v' is not kept", written), "give the flow a schedule of its own")
		return
	}
	c.flow.Triggers = append(c.flow.Triggers, flow.Trigger{Schedule: &flow.ScheduleTrigger{Cron: cron}})
}

// finish ends the run with the values of its pins.
func finish(c *converter, n *node) flow.Spec {
	spec := &flow.TerminalSpec{EndsRun: true}
	output := map[string]any{}
	for _, pin := range n.inputPins() {
		output[pin] = c.value(n, pin)
	}
	if len(output) > 0 {
		spec.Output = output
	}
	return spec
}

// model names the model of a node, as a template: provider/model. Without one it is the installation's.
func (c *converter) model(n *node) string {
	_, provider := n.fixed("provider")
	_, model := n.fixed("model")
	if (provider || !n.has("provider")) && (model || !n.has("model")) {
		if n.has("provider") != n.has("model") {
			c.warn(n, "half-a-model", "the node names only one of provider and model", "name both, or none for the model of the installation")
		}
		return escaped(usualModel(n))
	}
	return insert("join(clean(" + list(c.expr(n, "provider"), c.expr(n, "model")) + "), '/')")
}

// usualModel is the model of a node where no input of the run names another.
func usualModel(n *node) string {
	provider, _ := n.usual("provider")
	model, _ := n.usual("model")
	parts := []string{trimmed(provider), trimmed(model)}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "/")
}

func trimmed(v any) string {
	s, _ := v.(string)
	return strings.TrimSpace(s)
}

// schema gives the schema of a model's answer: that of a connected node, else the node's own.
func (c *converter) schema(n *node) map[string]any {
	v, known := n.usual("resp_schema")
	if !known && n.has("resp_schema") {
		c.warn(n, "open-schema", "the schema of the answer is only known at run time, so the answer is not checked", "connect a JSON schema node")
		return nil
	}
	schema, _ := v.(map[string]any)
	if inner, ok := schema["schema"].(map[string]any); ok && schema["type"] != "object" {
		schema = inner
	}
	if len(schema) == 0 {
		return nil
	}
	return schema
}

// tools lists what a model may call.
func (c *converter) tools(n *node, pin string) []string {
	names, known := n.words(pin)
	if !known && n.has(pin) {
		c.warn(n, "open-tools", "which tools may be called is only known at run time, so none may", "connect a list of tools")
	}
	for i, name := range names {
		names[i] = toolName(name)
	}
	return names
}

func callModel(c *converter, n *node) flow.Spec {
	spec := &flow.LLMSpec{Prompt: c.prompt(n, "prompt"), Schema: c.schema(n), Tools: c.tools(n, "tools"), MaxTokens: n.whole("max_out_tokens")}
	if n.has("system") {
		spec.System = c.text(n, "system")
	}
	spec.Model = c.model(n)
	switch v, known := n.usual("temperature"); v := v.(type) {
	case float64:
		spec.Temperature = &v
	case int64:
		f := float64(v)
		spec.Temperature = &f
	default:
		if !known && n.has("temperature") {
			c.warn(n, "open-setting", "the temperature is only known at run time, so the model's own is used", "")
		}
	}
	return spec
}

// prompt gives the text of a pin; without a value it is what came before.
func (c *converter) prompt(n *node, pin string) string {
	if _, connected := n.in[pin]; !connected && trimmed(n.settings[pin]) == "" {
		return "{{previous}}"
	}
	return c.text(n, pin)
}

// agentTurns is how many turns an agent has that says nothing else.
const agentTurns = 50

func runAgent(c *converter, n *node) flow.Spec {
	a := flow.Agent{ID: n.run, Output: c.schema(n), Tools: c.tools(n, "tools"), Limits: flow.AgentLimits{Turns: cmp.Or(n.whole("max_iterations"), agentTurns)}}
	if !n.has("tools") {
		c.warn(n, "no-tools", "the agent may call no tools: where it comes from it may call all, but here a list says which", "list the tools in the node")
	}
	input := map[string]any{"task": c.prompt(n, "prompt")}
	if system, fixed := n.fixed("system"); fixed {
		a.Instructions = trimmed(system)
	} else if n.has("system") {
		input["instructions"] = c.text(n, "system")
	}
	if n.has("context") {
		input["context"] = c.value(n, "context")
	}
	if a.Model = usualModel(n); a.Model == "" && (n.has("provider") || n.has("model")) {
		c.warn(n, "open-model", "the agent's model is only known at run time, so the agent has the model of the installation", "write the model into the node")
	}
	if typ, written := a.Output["type"]; written && typ != "object" {
		a.Output = map[string]any{"type": "object", "properties": map[string]any{"value": a.Output}, "required": []any{"value"}}
	}
	if c.flow.AgentByID(a.ID) == nil {
		c.src.At(fmt.Sprintf("agents[%d].instructions", len(c.flow.Agents)), n.data.Get("pinDefaults").Get("system"))
		c.flow.Agents = append(c.flow.Agents, a)
	}
	return &flow.AgentSpec{Agent: a.ID, Input: input}
}

// answer reads a pin of a model's answer. Older documents have one object of all.
func answer(_ *converter, _ *node, of, pin string) string {
	switch pin {
	case "response", "text":
		return of + ".text"
	case "data":
		return of + ".data"
	case "success":
		return "kind(" + of + ".text) == 'text'"
	case "result", "raw", "output":
		return "merge(object('content', " + of + ".text, 'result', " + of + ".text, 'response', " + of + ".text, 'data', " + of + ".data, 'tool_calls', " + of + ".tool_calls, " +
			"'model', " + of + ".meta.model, 'usage', object(), 'success', true), " + of + ".data)"
	case "scratchpad":
		return "object('task', " + of + ".text, 'messages', [], 'steps', [])"
	case "tool_calls", "tool_results":
		return "list(" + member(of, pin) + ")"
	}
	return member(of, pin)
}

// performCalls makes the calls that a model asked for, as far as the document allows them.
func performCalls(c *converter, n *node) flow.Spec {
	calls := "list(" + c.expr(n, "tool_calls") + ")"
	if n.kind == "call_tool" {
		calls = "list(" + c.expr(n, "tool_call") + ")"
	}
	return &flow.ToolexecSpec{Calls: calls, Tools: c.allowed(n)}
}

// allowed lists what a node may call: what it allows, else what the models of the document are offered.
func (c *converter) allowed(n *node) []string {
	if n.has("allowed_tools") {
		return c.tools(n, "allowed_tools")
	}
	var all []string
	for _, other := range c.nodes {
		names, _ := other.words("tools")
		for _, name := range names {
			if name = toolName(name); !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
	}
	return all
}

func oneCall(_ *converter, _ *node, of, pin string) string {
	if pin == "result" {
		return of + ".data.results[0].result"
	}
	return member(of+".data", pin)
}

func subflow(c *converter, n *node) flow.Spec {
	id := ""
	for _, key := range []string{"subflowId", "flowId", "workflowId", "subflow_id", "flow_id", "workflow_id"} {
		id = cmp.Or(id, strings.TrimSpace(text(n.data.Get(key))))
	}
	if id == "" {
		return c.opaque(n, "it names no flow to run")
	}
	spec := &flow.SubflowSpec{Flow: flowName(id), Inputs: map[string]any{}}
	for _, pin := range n.inputPins() {
		switch {
		case pin == "inherit_context":
			if n.settings[pin] == true {
				c.warn(n, "no-context", "the other flow does not get the conversation of this one", "give it what it needs as an input")
			}
		case n.has(pin):
			spec.Inputs[inputName(pin)] = c.value(n, pin)
		}
	}
	return spec
}

func childOutput(_ *converter, _ *node, of, pin string) string {
	if pin == "output" || pin == "child_output" {
		return "coalesce(" + member(of+".data", pin) + ", " + of + ".output)"
	}
	return member(of+".data", pin)
}

func ask(c *converter, n *node) flow.Spec {
	message := "A run of this flow waits for an answer."
	if n.has("prompt") && (trimmed(n.settings["prompt"]) != "" || n.in["prompt"].from != nil) {
		message = c.text(n, "prompt")
	}
	choices, known := n.words("choices")
	free := n.settings["allowFreeText"] != false && n.settings["allow_free_text"] != false
	switch {
	case known && len(choices) > 0 && !free:
		return &flow.AskSpec{Message: message, Choices: choices}
	case n.has("choices") && (!known || len(choices) > 0):
		message += "\n" + insert("join(list("+c.expr(n, "choices")+"), ' / ')")
	}
	return &flow.AskSpec{Message: message}
}

// say posts a message. Warnings and errors are marked.
func say(c *converter, n *node) flow.Spec {
	message := c.prompt(n, "message")
	level, fixed := n.fixed("level")
	switch {
	case fixed && (level == "warning" || level == "warn"):
		message = "Warning: " + message
	case fixed && level == "error":
		message = "Error: " + message
	case !fixed && n.has("level"):
		message = insert("get(object('warning', 'Warning: ', 'warn', 'Warning: ', 'error', 'Error: '), str("+c.expr(n, "level")+"), '')") + message
	}
	return &flow.SaySpec{Message: message}
}

// again reads the value of an input pin at an output pin of the same name.
func again(c *converter, n *node, of, pin string) string {
	if !n.has(pin) {
		return member(of+".data", pin)
	}
	return c.hold(n, pin+"-value", func() any { return c.value(n, pin) })
}

// seconds of the units in which a wait is written.
var seconds = map[string]string{"seconds": "1", "minutes": "60", "hours": "3600"}

func wait(c *converter, n *node) flow.Spec {
	unit := cmp.Or(trimmed(n.settings["durationType"]), trimmed(n.settings["duration_type"]), "seconds")
	if unit == "timestamp" {
		return &flow.WaitSpec{Until: c.text(n, "duration")}
	}
	length, known := seconds[unit]
	if !known {
		return c.opaque(n, "its duration is in '"+unit+"', which is not known")
	}
	return &flow.WaitSpec{Until: insert("date(add(date(now(), 'unix'), ceil(multiply(max(float(" + c.or(n, "duration", "0") + "), 0), " + length + "))), 'iso')")}
}

func waitEvent(c *converter, n *node) flow.Spec {
	if !n.has("event_key") && !n.has("name") {
		return c.opaque(n, "it names no event to wait for")
	}
	pin := "event_key"
	if !n.has(pin) {
		pin = "name"
	}
	return &flow.WaitSpec{Event: c.text(n, pin)}
}

func emit(c *converter, n *node) flow.Spec {
	if !n.has("name") {
		return c.opaque(n, "it names no event")
	}
	return &flow.EmitSpec{Event: c.text(n, "name"), Payload: map[string]any{"payload": c.value(n, "payload")}}
}

// toolNames are the tools of other hosts that are built in here under other names.
var toolNames = map[string]string{
	"read_file": "files.read", "write_file": "files.write", "list_files": "files.list", "read_pdf": "files.read_pdf", "write_pdf": "files.write_pdf",
}

func toolName(name string) string { return cmp.Or(toolNames[name], name) }

// file calls a tool of the workspace with those pins that have a value.
func file(tool string, params map[string]string) func(*converter, *node) flow.Spec {
	return func(c *converter, n *node) flow.Spec {
		spec := &flow.ToolSpec{Tool: tool, Params: map[string]any{}}
		for pin, param := range params {
			if n.has(pin) {
				spec.Params[param] = c.value(n, pin)
			}
		}
		return spec
	}
}
