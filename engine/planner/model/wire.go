package model

// The answer of the model, as the schema has it.
type (
	wireTree struct {
		Name          string        `json:"name"`
		Also          []string      `json:"also"`
		Gone          []string      `json:"gone"`
		Inputs        []wireInput   `json:"inputs"`
		Triggers      []wireTrigger `json:"triggers"`
		Steps         []wireStep    `json:"steps"`
		Limit         *wireLimit    `json:"limit"`
		Inexpressible []string      `json:"not_expressible"`
	}
	wireInput struct {
		Name     string   `json:"name"`
		Type     string   `json:"type"`
		Optional bool     `json:"optional"`
		Enum     []string `json:"enum"`
		Quote    string   `json:"quote"`
	}
	wireTrigger struct {
		Kind     string `json:"kind"`
		Quote    string `json:"quote"`
		Cron     string `json:"cron"`
		Zone     string `json:"zone"`
		Channel  string `json:"channel"`
		Contains string `json:"contains"`
		Emoji    string `json:"emoji"`
	}
	wireLimit struct {
		Quote string     `json:"quote"`
		After string     `json:"after"`
		Time  string     `json:"time"`
		Steps []wireStep `json:"steps"`
	}
	wireStep struct {
		Kind     string        `json:"kind"`
		Was      string        `json:"was"`
		Gone     []string      `json:"gone"`
		Label    string        `json:"label"`
		Text     string        `json:"text"`
		Also     []string      `json:"also"`
		Tool     string        `json:"tool"`
		Flow     string        `json:"flow"`
		Params   []wireParam   `json:"params"`
		Result   string        `json:"result"`
		Retry    int           `json:"retry"`
		OnError  []wireStep    `json:"on_error"`
		Who      []wireName    `json:"who"`
		To       []wireName    `json:"to"`
		Values   []wireValue   `json:"values"`
		Deadline *wireDeadline `json:"deadline"`
		Tools    []string      `json:"tools"`
		Fields   []wireField   `json:"fields"`
		Quorum   int           `json:"quorum"`
		Choices  []string      `json:"choices"`
		Free     bool          `json:"free"`
		Show     []wireValue   `json:"show"`
		Branches []wireBranch  `json:"branches"`
		Over     wireValue     `json:"over"`
		As       string        `json:"as"`
		Steps    []wireStep    `json:"steps"`
		Any      bool          `json:"any"`
		Until    *wireCond     `json:"until"`
		Max      int           `json:"max"`
		For      string        `json:"for"`
		Time     string        `json:"time"`
		Event    string        `json:"event"`
	}
	wireParam struct {
		Name  string    `json:"name"`
		Value wireValue `json:"value"`
	}
	wireName struct {
		Words string `json:"words"`
		Is    string `json:"is"`
	}
	wireValue struct {
		Words string `json:"words"`
		As    string `json:"as"`
		From  string `json:"from"`
		Field string `json:"field"`
	}
	wireField struct {
		Name  string   `json:"name"`
		Type  string   `json:"type"`
		Enum  []string `json:"enum"`
		Quote string   `json:"quote"`
	}
	wireDeadline struct {
		Quote         string    `json:"quote"`
		After         string    `json:"after"`
		Remind        string    `json:"remind"`
		EscalateAfter string    `json:"escalate_after"`
		EscalateTo    *wireName `json:"escalate_to"`
		Choice        string    `json:"choice"`
	}
	wireBranch struct {
		Quote  string     `json:"quote"`
		Label  string     `json:"label"`
		When   *wireCond  `json:"when"`
		Choice string     `json:"choice"`
		Else   bool       `json:"else"`
		Steps  []wireStep `json:"steps"`
	}
	wireCond struct {
		Op    string     `json:"op"`
		Quote string     `json:"quote"`
		Left  *wireValue `json:"left"`
		Right *wireValue `json:"right"`
		Parts []wireCond `json:"parts"`
	}
)
