package bot

import (
	"sluice/bot/request"
)

func submit(value string, values map[string]string) func(*doors, string) request.Incoming {
	return func(p *doors, _ string) request.Incoming {
		return request.Incoming{Kind: request.KindSubmit, Value: p.value(value), Form: values}
	}
}

// opened is what a person is told who wants to open a form; "" = it opens.
func (p *doors) opened(in request.Incoming) string {
	p.Helper()
	in.Channel, in.Team = "C1", "T1"
	_, refused, err := p.bot.Form(p.Context(), in)
	if err != nil {
		p.Fatal(err)
	}
	if refused == nil {
		return ""
	}
	return refused.Text.Words()
}
