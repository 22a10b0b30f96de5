package llm

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/sashabaranov/go-openai"
	"golang.org/x/time/rate"
)

// OpenAIOptions are the settings of [NewOpenAI]. Model is required; everything else has a default.
type OpenAIOptions struct {
	Name     string           // of the provider, for errors; may be empty
	BaseURL  string           // default https://api.openai.com/v1
	Key      string           // may be empty for services that ask for none
	KeyName  string           // the setting that holds the key, for errors
	Model    string           // used when a request names none
	Prices   map[string]Price // by model
	Pace     int              // requests a minute; 0 = as many as are wanted
	Timeout  time.Duration    // of one attempt; default 5 min
	Attempts int              // per turn; default 4
	Backoff  time.Duration    // before the second attempt, doubled for each further one; default 1 s
	MaxWait  time.Duration    // longest wait between two attempts; default 1 min
}

// Check says which settings cannot work.
func (o OpenAIOptions) Check() error {
	var problems []error
	if o.Model == "" {
		problems = append(problems, fmt.Errorf("no default model of %s is set", o.called()))
	}
	if o.BaseURL != "" {
		u, err := url.Parse(o.BaseURL)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			problems = append(problems, fmt.Errorf("the base URL of %s must begin with http:// or https:// and name a host", o.called()))
		}
	}
	return errors.Join(problems...)
}

// OpenAI is a [Model] behind an endpoint for chat completions.
type OpenAI struct {
	cfg      OpenAIOptions
	client   *openai.Client
	noSchema sync.Map // models whose service does not know response_format
}

// NewOpenAI makes a model. Nothing is sent until the first turn; see [OpenAIOptions.Check] for settings that cannot work.
func NewOpenAI(cfg OpenAIOptions) *OpenAI {
	c := openai.DefaultConfig(cfg.Key)
	if cfg.BaseURL != "" {
		c.BaseURL = strings.TrimRight(cfg.BaseURL, "/")
	}
	if cfg.Timeout <= 0 {
		cfg.Timeout = 5 * time.Minute
	}
	if cfg.Attempts <= 0 {
		cfg.Attempts = 4
	}
	if cfg.Backoff <= 0 {
		cfg.Backoff = time.Second
	}
	if cfg.MaxWait <= 0 {
		cfg.MaxWait = time.Minute
	}
	p := &patient{cfg: cfg, client: &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	if cfg.Pace > 0 {
		p.pace = rate.NewLimiter(rate.Every(time.Minute/time.Duration(cfg.Pace)), 1+cfg.Pace/10)
	}
	c.HTTPClient = p
	return &OpenAI{cfg: cfg, client: openai.NewClientWithConfig(c)}
}

// called is the service as settings know it, who with the host that an error is about.
func (o OpenAIOptions) called() string {
	if o.Name == "" {
		return "the model's service"
	}
	return fmt.Sprintf("the model provider %q", o.Name)
}

func (o OpenAIOptions) who() string {
	u, err := url.Parse(cmp.Or(o.BaseURL, DefaultBaseURL))
	if err != nil || u.Host == "" {
		return o.called()
	}
	return fmt.Sprintf("%s (%s)", o.called(), u.Host)
}

// DefaultBaseURL is where a service is asked whose address is not given.
const DefaultBaseURL = "https://api.openai.com/v1"

// Terms says what holds for a model of the service.
func (m *OpenAI) Terms(model string) Terms {
	t := Terms{Provider: m.cfg.Name, Model: cmp.Or(model, m.cfg.Model)}
	if p, known := m.cfg.Prices[t.Model]; known {
		t.Price = &p
	}
	return t
}

// Chat asks for one turn; see [Model].
func (m *OpenAI) Chat(ctx context.Context, r Request) (Response, error) {
	if r.Model == "" {
		r.Model = m.cfg.Model
	}
	if _, known := m.noSchema.Load(r.Model); known {
		r.Schema = nil
	}
	res, err := m.client.CreateChatCompletion(ctx, wire(r))
	if e, ok := errors.AsType[*Error](err); ok && r.Schema != nil && aboutSchema(e) {
		m.noSchema.Store(r.Model, true)
		r.Schema = nil
		res, err = m.client.CreateChatCompletion(ctx, wire(r))
	}
	if err != nil {
		return Response{}, m.failure(ctx, err)
	}
	return m.response(r, res)
}

// aboutSchema reports whether a request was refused for its response_format.
func aboutSchema(e *Error) bool {
	return errors.Is(e.Err, errBadRequest) && (strings.Contains(e.Message, "response_format") || strings.Contains(e.Message, "json_schema"))
}

// failure gives every error a type. Those of the service have one already.
func (m *OpenAI) failure(ctx context.Context, err error) error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if ctx.Err() != nil {
		return fmt.Errorf("ask the model: %w", ctx.Err())
	}
	// What is left are requests that the client refuses to send, and answers that are not JSON.
	return &Error{Type: "ModelError", Message: m.cfg.who() + " cannot be used this way: " + clean(err.Error(), m.cfg.Key), Permanent: true, Err: err}
}

// wire writes a request as chat completions want it.
func wire(r Request) openai.ChatCompletionRequest {
	//lint:ignore SA1019 services other than OpenAI's own know this name only; suited renames it for models that refuse it
	out := openai.ChatCompletionRequest{Model: r.Model, MaxTokens: r.MaxTokens}
	if r.System != "" {
		out.Messages = append(out.Messages, openai.ChatCompletionMessage{Role: openai.ChatMessageRoleSystem, Content: r.System})
	}
	for _, m := range r.Messages {
		w := openai.ChatCompletionMessage{Role: string(m.Role), Content: m.Text, ToolCallID: m.CallID}
		if strings.TrimSpace(w.Content) == "" && len(m.Calls) == 0 {
			w.Content = "(empty)" // a message without content is refused
		}
		for _, c := range m.Calls {
			w.ToolCalls = append(w.ToolCalls, openai.ToolCall{
				ID: c.ID, Type: openai.ToolTypeFunction, Function: openai.FunctionCall{Name: c.Name, Arguments: c.Arguments},
			})
		}
		out.Messages = append(out.Messages, w)
	}
	for _, t := range r.Tools {
		params := t.Params
		if params == nil {
			params = map[string]any{"type": "object", "properties": map[string]any{}}
		}
		out.Tools = append(out.Tools, openai.Tool{
			Type: openai.ToolTypeFunction, Function: &openai.FunctionDefinition{Name: t.Name, Description: t.Description, Parameters: params},
		})
	}
	if r.Schema != nil {
		out.ResponseFormat = &openai.ChatCompletionResponseFormat{
			Type:       openai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{Name: "answer", Schema: schemaJSON(r.Schema), Strict: r.Strict},
		}
	}
	if r.Temperature != nil {
		// Zero would be left out of the request, and with it the wish for the least random answer.
		out.Temperature = max(float32(*r.Temperature), math.SmallestNonzeroFloat32)
	}
	return suited(out)
}

// suited moves what reasoning models refuse to where they accept it.
func suited(r openai.ChatCompletionRequest) openai.ChatCompletionRequest {
	rules := openai.NewReasoningValidator()
	if errors.Is(rules.Validate(r), openai.ErrReasoningModelMaxTokensDeprecated) {
		//lint:ignore SA1019 see wire
		r.MaxTokens, r.MaxCompletionTokens = 0, r.MaxTokens
	}
	if err := rules.Validate(r); errors.Is(err, openai.ErrReasoningModelLimitationsOther) || errors.Is(err, openai.ErrReasoningSamplingUnsupported) {
		r.Temperature = 0
	}
	return r
}

type schemaJSON map[string]any

// MarshalJSON writes the schema as it is.
func (s schemaJSON) MarshalJSON() ([]byte, error) { return json.Marshal(map[string]any(s)) }

// response reads an answer.
func (m *OpenAI) response(r Request, res openai.ChatCompletionResponse) (Response, error) {
	if len(res.Choices) == 0 {
		return Response{}, &Error{Type: "ModelError", Message: m.cfg.who() + " gave no answer"}
	}
	choice := res.Choices[0]
	out := Response{Text: choice.Message.Content, Stop: stops[choice.FinishReason], Usage: m.usage(r, res)}
	for _, c := range choice.Message.ToolCalls {
		out.Calls = append(out.Calls, ToolCall{ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments})
	}
	switch {
	case choice.Message.Refusal != "":
		out.Text, out.Stop = choice.Message.Refusal, StopRefusal
	case len(out.Calls) > 0:
		out.Stop = StopCalls
	case out.Stop == "":
		out.Stop = StopEnd
	}
	return out, nil
}

var stops = map[openai.FinishReason]Stop{
	openai.FinishReasonStop:          StopEnd,
	openai.FinishReasonToolCalls:     StopEnd, // without calls it means nothing else
	openai.FinishReasonLength:        StopLength,
	openai.FinishReasonContentFilter: StopFilter,
}

func (m *OpenAI) usage(r Request, res openai.ChatCompletionResponse) Usage {
	u := Usage{Model: r.Model, Input: max(res.Usage.PromptTokens, 0), Output: max(res.Usage.CompletionTokens, 0)}
	if u.Tokens() == 0 {
		u.Input, u.Output, u.Estimated = estimate(r), 1+len(res.Choices[0].Message.Content)/4, true
	}
	if d := res.Usage.PromptTokensDetails; d != nil {
		u.Cached = min(max(d.CachedTokens, 0), u.Input)
	}
	var p Price
	p, u.Priced = m.cfg.Prices[r.Model]
	u.USD = p.Cost(u)
	return u
}

func estimate(r Request) int {
	bytes := len(r.System)
	for _, m := range r.Messages {
		bytes += len(m.Text)
		for _, c := range m.Calls {
			bytes += len(c.Arguments)
		}
	}
	return 1 + bytes/4
}
