package file

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	"sluice/engine/flow"
)

// field is one key of a mapping in the file, made from a field of a struct.
type field struct {
	key      string
	index    int
	typ      reflect.Type
	required bool
	means    bool // an empty list says something else than none
	enum     []string
	doc      string
}

var shapes sync.Map // reflect.Type -> []field

// shape lists the keys of a struct type in declared order. A json tag without omitempty or omitzero makes a key
// required; the table rules (below) has the other properties.
func shape(t reflect.Type) []field {
	if cached, ok := shapes.Load(t); ok {
		return cached.([]field)
	}
	var out []field
	for i := range t.NumField() {
		f := t.Field(i)
		key, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if key == "" || key == "-" {
			continue
		}
		r := rules[t.Name()+"."+key]
		if r.hidden {
			continue
		}
		enum := r.enum
		if enum == nil {
			enum = typeEnums[f.Type]
		}
		out = append(out, field{
			key: key, index: i, typ: f.Type, enum: enum, doc: r.doc,
			required: options == "" && !r.optional, means: options == "omitzero",
		})
	}
	shapes.Store(t, out)
	return out
}

func keysOf(fields []field) []string {
	out := make([]string, len(fields))
	for i, f := range fields {
		out[i] = f.key
	}
	return out
}

func fieldNamed(fields []field, key string) (field, bool) {
	i := slices.IndexFunc(fields, func(f field) bool { return f.key == key })
	if i < 0 {
		return field{}, false
	}
	return fields[i], true
}

// typeEnums are the values of the named string types.
var typeEnums = map[reflect.Type][]string{
	reflect.TypeFor[flow.OnDuplicate](): {string(flow.DuplicateShow), string(flow.DuplicateQueue), string(flow.DuplicateAllow)},
	reflect.TypeFor[flow.LimitAction](): {string(flow.LimitEndPath), string(flow.LimitInterrupt), string(flow.LimitHandoff), string(flow.LimitFail)},
	reflect.TypeFor[flow.Effects]():     {string(flow.EffectsRead), string(flow.EffectsIdempotent), string(flow.EffectsOnce)},
}

// rule holds the properties of a key that do not follow from its Go type.
type rule struct {
	enum     []string
	doc      string
	optional bool // despite the json tag
	hidden   bool // not a key of the file
	scalar   bool // any scalar is read as the text in the file
	seconds  bool // a bare number is a duration in seconds
}

// rules is keyed "Type.key".
var rules = map[string]rule{
	"fileShape.name":            {doc: "Lower-case letters, digits and hyphens; unique in the workspace."},
	"fileShape.description":     {doc: "What the flow is for, in a sentence."},
	"fileShape.run":             {doc: "How runs are named, and when two runs are the same."},
	"fileShape.inputs":          {doc: "What a run is given when it is started."},
	"fileShape.triggers":        {doc: "What starts runs besides people."},
	"fileShape.agents":          {doc: "Language models with instructions, tools and limits."},
	"fileShape.limits":          {doc: "Bounds of one run."},
	"fileShape.budget":          {doc: "What all runs together may spend."},
	"fileShape.flow":            {doc: "The graph: entry and nodes."},
	"graphShape.id":             {doc: "Must equal the name, if both are written."},
	"graphShape.entry":          {doc: "Id of the first node."},
	"graphShape.max_iterations": {doc: "Most node visits of a run. Needed when the graph has a cycle; 0 is no cap."},
	"graphShape.timeout":        {doc: "Active time of a run; waiting for people does not count."},
	"graphShape.on_limit":       {doc: "What happens at a limit."},
	"graphShape.nodes":          {doc: "The nodes of the graph, each with id and type."},
	"NodeFields.id":             {doc: "Unique in the flow; letters, digits, _ and -. The word end is reserved."},
	"NodeFields.type":           {doc: "The kind of the node, such as tool, approval or decision."},
	"NodeFields.name":           {doc: "Words in the flowchart. Default: the id as words."},
	"NodeFields.description":    {doc: "Shown with the node."},
	"NodeFields.routes":         {doc: "Where the run goes on; tried in order, the first match wins."},
	"NodeFields.on_error":       {doc: "Where it goes on after a technical error; the default comes last."},
	"NodeFields.retry":          {doc: "Repeats the node after an error, before on_error is asked."},
	"NodeFields.timeout":        {doc: "Active time of one attempt."},

	"Join.type":        {enum: []string{"all", "any", "first", "count", "min"}, doc: "When to go on: after all branches, the first one, or count of them. Default all."},
	"Join.count":       {doc: "How many branches must end, for type count."},
	"Join.timeout":     {seconds: true, doc: "Branches that still run then are ended and count as failed. A number is seconds. Default 60s."},
	"Join.timeout_set": {hidden: true},

	"Route.when":         {scalar: true, doc: "An expression, or default. In a decision also a literal value. The first match wins. Default: default."},
	"Route.to":           {doc: "Id of the next node, or end."},
	"Route.label":        {doc: "Words on the arrow of the flowchart."},
	"Route.if":           {hidden: true},
	"Route.priority":     {hidden: true},
	"ErrorRoute.match":   {doc: "Regular expression over the error's type or message."},
	"ErrorRoute.default": {doc: "Takes every error that no earlier route took. Must be last."},
	"ErrorRoute.to":      {doc: "Id of the node that goes on, or end."},

	"Retry.max_attempts":   {doc: "Attempts in all, the first one included."},
	"Retry.backoff_ms":     {doc: "Milliseconds before the second attempt. Default 500."},
	"Retry.multiplier":     {doc: "Factor on the wait after each attempt. Default 2."},
	"Retry.max_backoff_ms": {doc: "Longest wait in milliseconds. Default 30000."},
	"Retry.match":          {doc: "Regular expression over the error's type or message; only matching errors are retried."},

	"RunSpec.title":        {doc: "Template for the title of a run."},
	"RunSpec.key":          {doc: "Template. Two runs with the same key do not both start."},
	"RunSpec.within":       {doc: "How long a key is taken. Default: for ever."},
	"RunSpec.on_duplicate": {doc: "What a second start with a taken key does. Default show."},

	"Input.name":        {hidden: true},
	"Input.type":        {enum: flow.ValueTypes(), optional: true, doc: "Default string."},
	"Input.required":    {doc: "A run does not start without it."},
	"Input.description": {doc: "Shown beside the field."},
	"Input.example":     {doc: "Shown as placeholder."},
	"Input.default":     {doc: "Used when nothing is given."},
	"Input.enum":        {doc: "The allowed values."},
	"Input.sensitive":   {doc: "Shown as dots everywhere."},

	"ScheduleTrigger.cron":     {doc: "Five fields, or @hourly, @daily, @weekly, @monthly. Days may also be L (the last of the month), 1#2 (the second Monday of the month), 5L (the last Friday), WL (the last working day), 5%2 (every second Friday), *%3 (every third day)."},
	"ScheduleTrigger.timezone": {doc: "IANA zone such as Europe/Berlin."},
	"ScheduleTrigger.inputs":   {doc: "Inputs of the runs it starts."},
	"ScheduleTrigger.catch_up": {enum: []string{"skip", "once", "all"}, doc: "What happens to fires that were missed."},
	"ScheduleTrigger.overlap":  {enum: []string{"allow", "skip", "queue"}, doc: "What happens when the last run still goes on."},
	"MessageTrigger.channel":   {doc: "Channel to listen in, such as #refunds."},
	"MessageTrigger.match":     {doc: "Regular expression; named groups become inputs."},
	"ReactionTrigger.emoji":    {doc: "Name of the emoji, without colons."},
	"ReactionTrigger.channel":  {doc: "Channel of the message, such as #refunds. Default: the channel of the flow."},
	"WebhookTrigger.path":      {doc: "Last part of the address: POST /hooks/PATH, signed."},
	"WebhookTrigger.scheme":    {enum: []string{flow.SchemeStandard, flow.SchemeGitHub}, doc: "How deliveries are signed. Default standard: Standard Webhooks. github: X-Hub-Signature-256."},

	"Agent.id":           {doc: "Name that nodes refer to."},
	"Agent.model":        {doc: "A model of the default provider, or provider/model. Empty: the default of the installation."},
	"Agent.provider":     {doc: "The provider of the model; the same as provider/model."},
	"Agent.temperature":  {doc: "From 0, always the same answer, to 2. Default: that of the service."},
	"Agent.instructions": {doc: "What the agent is told to do."},
	"Agent.tools":        {doc: "The tools it may call; a closed list."},
	"Agent.subagents":    {doc: "Other agents, offered as tools."},
	"Agent.output":       {doc: "JSON Schema of the answer. Without it the answer is text."},
	"Agent.registered":   {hidden: true},

	"AgentLimits.turns":    {doc: "Answers of the model, tool rounds included."},
	"AgentLimits.tokens":   {doc: "Tokens in all."},
	"AgentLimits.usd":      {doc: "Spend in US dollars; the prices of the models must be known."},
	"AgentLimits.timeout":  {doc: "Active time of one answer."},
	"Limits.steps":         {doc: "Steps of one run. Default 100000."},
	"Limits.items":         {doc: "Items of one foreach. Default 10000."},
	"Limits.depth":         {doc: "How many runs a run that it starts by a subflow node may lie within. Default 10."},
	"Budget.usd_per_month": {doc: "What all runs together may spend in a month; the prices of the models must be known."},
	"OnLimit.action":       {doc: "What happens at max_iterations, limits.steps or the timeout. Default end_path."},
	"OnLimit.to":           {doc: "Node that goes on, for action handoff."},

	"AgentSpec.agent":     {doc: "Id of an agent of the flow, or of the installation."},
	"AgentSpec.tool_mode": {hidden: true},
	"AgentSpec.input":     {doc: "What the agent is given; strings are templates."},
	"ToolSpec.tool":       {doc: "Name of the tool, module.action."},
	"ToolSpec.params":     {doc: "Parameters; strings are templates."},
	"ToolSpec.effects":    {doc: "What repeating the call does. Default: what the tool says."},

	"ParallelSpec.branches": {doc: "At least two heads of branches."},
	"ParallelSpec.join":     {doc: "When to go on."},
	"ApprovalSpec.message":  {doc: "The question; a template."},
	"ApprovalSpec.choices":  {doc: "The answers. Default approve, reject."},
	"ApprovalSpec.veto":     {doc: "Choices that decide alone under a quorum. Default: all but the first."},
	"ApprovalSpec.refuses":  {doc: "Choices that reject the run when it ends after them. Default: those named like a refusal (reject, decline, no, ...), and those that may veto when nothing is done after them."},
	"ApprovalSpec.who":      {doc: "Who may decide. Default: the members of the channel."},
	"ApprovalSpec.show":     {doc: "Expressions: what the deciders see."},
	"ApprovalSpec.form":     {doc: "Fields asked with the decision, in this order."},
	"ApprovalSpec.deadline": {doc: "How long it waits."},
	"Who.groups":            {doc: "User groups such as @finance."},
	"Who.users":             {doc: "Users such as @ana."},
	"Who.quorum":            {doc: "Votes for the same choice that decide. Default 1."},
	"Who.self_approval":     {doc: "May the requester decide. Default true."},
	"FormField.type":        {enum: flow.ValueTypes(), doc: "Default string."},
	"FormField.required_for": {
		doc: "Choices that need this field.",
	},
	"FormField.order":       {hidden: true}, // it is that of the keys
	"FormField.sensitive":   {doc: "What is entered is shown as dots everywhere."},
	"Deadline.after":        {doc: "The gate times out then."},
	"Deadline.remind":       {doc: "Remind this often."},
	"Deadline.remind_once":  {doc: "Remind one time, after remind."},
	"Deadline.escalate":     {doc: "Ask somebody else too."},
	"DecisionSpec.cases":    {hidden: true},
	"DecisionSpec.expr":     {doc: "Expression; its value is compared with the routes."},
	"TerminalSpec.ends_run": {hidden: true},
	"TerminalSpec.outcome":  {enum: []string{"done", "rejected", "failed"}, doc: "What the run comes to when it ends here. Default: what the last decision before it says."},
	"TerminalSpec.output":   {doc: "Result of the path; strings are templates."},
	"AskSpec.message":       {doc: "The question; a template."},
	"SaySpec.message":       {doc: "The message; a template."},
	"WaitSpec.for":          {doc: "How long to wait."},
	"WaitSpec.until":        {doc: "Time to wait for, such as 2026-12-01T09:00, 09:00, tomorrow 09:00 or friday 09:00; a template."},
	"WaitSpec.event":        {doc: "Name of the event to wait for."},
	"ForeachSpec.items":     {doc: "Expression that gives a list."},
	"ForeachSpec.as":        {doc: "Name of the current item. Default item."},
	"ForeachSpec.body":      {doc: "Id of the node that each item starts at."},
	"ForeachSpec.max_parallel": {
		doc: "Items at the same time. Default 1.",
	},
	"ForeachSpec.on_item_error": {enum: []string{"stop", "keep"}, doc: "Default stop."},
	"SubflowSpec.flow":          {doc: "Name of the flow to run."},
	"SubflowSpec.inputs":        {doc: "Its inputs; strings are templates."},
	"SetSpec.vars":              {doc: "Names and values; strings are templates."},
	"EmitSpec.event":            {doc: "Name of the event."},
	"EmitSpec.payload":          {doc: "What goes with it; strings are templates."},
}
