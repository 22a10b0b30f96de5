package model

// The answer of the model. The schema that the service holds it to, and what the model reads of it, are made of these types (schema.go). Of
// the tags, "is" names the type of a text, "enum" lists its values, "about" is what the model is told, "in" lists the kinds of steps that have
// a field, and "when" says that only a change has it.
type (
	wireTree struct {
		Name          string        `json:"name" is:"Quote" about:"of the workflow, \"\": not said"`
		Also          []string      `json:"also" is:"Quote" about:"the other words that concern the whole"`
		Gone          []string      `json:"gone" when:"change"`
		Inputs        []wireInput   `json:"inputs"`
		Triggers      []wireTrigger `json:"triggers"`
		Steps         []wireStep    `json:"steps"`
		Limit         *wireLimit    `json:"limit" about:"how long the whole may take"`
		Inexpressible []string      `json:"not_expressible" is:"Quote"`
	}
	wireInput struct {
		Quote    string   `json:"quote" is:"Quote"`
		Name     string   `json:"name" about:"small_letters"`
		Type     string   `json:"type" enum:"string number integer boolean date file array"`
		Optional bool     `json:"optional"`
		Enum     []string `json:"enum" is:"Quote" about:"its values"`
	}
	wireTrigger struct {
		Quote    string `json:"quote" is:"Quote"`
		Kind     string `json:"kind" enum:"schedule message reaction webhook hand other"`
		Cron     string `json:"cron"`
		Zone     string `json:"zone" about:"IANA, \"\": not said"`
		Channel  string `json:"channel" is:"Quote" about:"of message, reaction"`
		Contains string `json:"contains" is:"Quote" about:"of message"`
		Emoji    string `json:"emoji" is:"Quote" about:"of reaction"`
	}
	wireLimit struct {
		Quote string     `json:"quote" is:"Quote"`
		After string     `json:"after" about:"duration"`
		Time  string     `json:"time" about:"of day, 14:30"`
		Steps []wireStep `json:"steps" about:"what is done then"`
	}
	wireStep struct {
		Kind     string        `json:"kind"`
		Was      string        `json:"was" when:"change" about:"number of the step"`
		Also     []string      `json:"also" is:"Quote"`
		Label    string        `json:"label"`
		Text     string        `json:"text" is:"Quote" in:"tool flow person open agent ask tell"`
		Tool     string        `json:"tool" is:"Tool" in:"tool"`
		Flow     string        `json:"flow" is:"Flow" in:"flow"`
		Params   []wireParam   `json:"params" in:"tool flow" about:"only those that the description gives"`
		Tools    []string      `json:"tools" is:"Tool" in:"agent" about:"that it may use"`
		Who      []wireName    `json:"who" in:"person ask" about:"[]: not said"`
		To       []wireName    `json:"to" in:"tell"`
		Values   []wireValue   `json:"values" in:"tell" about:"words of text that stand for a value of the run; of two values, twice"`
		Quorum   int           `json:"quorum" in:"ask" about:"how many of them must agree; 0: not said"`
		Choices  []string      `json:"choices" is:"Quote" in:"ask" about:"[]: approve and reject"`
		Fields   []wireField   `json:"fields" in:"agent ask" about:"of its answer, or of a form that people fill in, also when they approve or reject"`
		Either   string        `json:"either_way" is:"Quote" in:"ask" about:"words that say that what stands behind is done after a refusal, too (\"in every case\"); else \"\""`
		Free     bool          `json:"free" in:"ask" about:"the answer is a free text"`
		Show     []wireValue   `json:"show" in:"ask" about:"values that they must see"`
		Deadline *wireDeadline `json:"deadline" in:"person ask"`
		Over     wireValue     `json:"over" in:"each set" about:"of each: the list"`
		As       string        `json:"as" in:"each" about:"what an item is called"`
		Branches []wireBranch  `json:"branches" in:"ask decide parallel"`
		Steps    []wireStep    `json:"steps" in:"each repeat"`
		Any      bool          `json:"any" in:"parallel repeat" about:"parallel: the run goes on as soon as one branch is done; repeat: it goes on after max rounds, too (a decide behind it says what is done when until does not hold then); false: not said"`
		Until    *wireCond     `json:"until" in:"repeat" about:"null: max alone says it"`
		Max      int           `json:"max" in:"repeat" about:"rounds in all, with the first; 0: not said"`
		Times    string        `json:"max_input" in:"repeat" about:"the input that says how many; else \"\""`
		For      string        `json:"for" in:"wait" about:"a duration"`
		Time     string        `json:"time" in:"wait" about:"\"14:30\", \"tomorrow 14:30\" or a date"`
		Event    string        `json:"event" is:"Quote" in:"wait" about:"what has to happen, or a time counted from a date: \"3 days before the start date at 8\""`
		Result   string        `json:"result" in:"tool agent ask set" about:"a name that the description gives to the result, as small_letters; else \"\", but one name for what several steps make, such as two branches, or a step and one that rewrites it; from is any of them"`
		Retry    int           `json:"retry" in:"tool flow agent" about:"attempts in all, with the first: \"retry twice\" is 3; 0: not said"`
		Pause    string        `json:"pause" in:"tool flow agent" about:"duration between attempts"`
		OnError  []wireStep    `json:"on_error" in:"tool flow person agent" about:"what is done instead when it fails"`
		Gone     []string      `json:"gone" when:"change"`
	}
	wireParam struct {
		Name  string    `json:"name"`
		Value wireValue `json:"value"`
	}
	wireName struct {
		Words string `json:"words" is:"Quote"`
		Is    string `json:"is" is:"Person" about:"one of people_and_channels, requester, thread; \"\": not sure"`
	}
	wireValue struct {
		Words string `json:"words" is:"Quote"`
		As    string `json:"as" enum:"text number yes no value"`
		From  string `json:"from" about:"of a value: \"input:<name>\", \"step:<label>\", \"item\", \"event:text|from|channel|thread\", \"\": not sure"`
		Field string `json:"field" about:"of it, else \"\""`
	}
	wireField struct {
		Quote string   `json:"quote" is:"Quote"`
		Name  string   `json:"name" about:"small_letters"`
		Type  string   `json:"type" enum:"string number integer boolean date array" about:"array: texts, which have no fields"`
		Enum  []string `json:"enum" is:"Quote" about:"its values"`
	}
	wireDeadline struct {
		Quote         string    `json:"quote" is:"Quote"`
		After         string    `json:"after" about:"duration; or until when: 17:00, tomorrow 12:00, friday 17:00"`
		Remind        string    `json:"remind" about:"duration"`
		EscalateAfter string    `json:"escalate_after" about:"duration"`
		EscalateTo    *wireName `json:"escalate_to"`
		Choice        string    `json:"choice" about:"the outcome when nobody answers; \"\": the branch timeout, else the run ends"`
	}
	wireBranch struct {
		Quote  string     `json:"quote" is:"Quote"`
		Label  string     `json:"label"`
		When   *wireCond  `json:"when" about:"of decide"`
		Choice string     `json:"choice" about:"of ask: approve, reject, one of its choices, timeout"`
		Else   bool       `json:"else" about:"of decide: the last branch"`
		Steps  []wireStep `json:"steps"`
	}
	wireCond struct {
		Quote string     `json:"quote" is:"Quote"`
		Op    string     `json:"op" enum:"< <= > >= == != contains true empty and or not decide"`
		Left  *wireValue `json:"left"`
		Right *wireValue `json:"right"`
		Parts []wireCond `json:"parts" about:"of and, or, not"`
	}
)

// kinds are the kinds of steps; "keep" is a step of the base that stays.
var kinds = []string{"tool", "flow", "person", "open", "agent", "ask", "tell", "decide", "each", "parallel", "repeat", "wait", "set", "stop", "keep"}
