package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"sluice/engine/calendar"
	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/schedule"
	"sluice/engine/tool"
	"sluice/engine/typecheck"
)

// Checks is what the validity of a flow depends on outside the document: the installed tools and the languages inside it.
func Checks(tools tool.Catalogue) flow.Checks {
	return flow.Checks{
		World: typecheck.World{Tools: tools.All()}.Report,
		Expression: func(src string, ids []string) (int, string, string, bool) {
			_, err := expr.Compile(src, ids)
			return syntax(err)
		},
		Template: func(src string, ids []string) (int, string, string, bool) {
			_, err := expr.ParseTemplate(src, ids)
			return syntax(err)
		},
		Literal: func(when string) bool {
			_, ok := expr.Literal(when)
			return ok
		},
		Cron: func(fields string) (time.Duration, error) {
			s, err := schedule.ParseCron(fields, "")
			if err != nil {
				return 0, err
			}
			return s.Shortest(), nil
		},
		Time: func(text string) bool { _, ok := calendar.Read(text, time.Time{}, nil); return ok },
		Timezone: func(name string) error {
			_, err := schedule.ParseCron("@daily", name)
			return err
		},
		Schema: checkSchema,
	}
}

func syntax(err error) (offset int, message, hint string, ok bool) {
	if err == nil {
		return 0, "", "", true
	}
	var se *expr.SyntaxError
	if errors.As(err, &se) {
		return se.Offset, se.Message, se.Hint, false
	}
	return 0, err.Error(), "", false
}

func checkSchema(schema map[string]any) error {
	raw, err := json.Marshal(schema)
	if err != nil {
		return err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		return err
	}
	_, err = c.Compile("schema.json")
	return err
}
