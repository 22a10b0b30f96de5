package render

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"sluice/engine/flow"
	"sluice/engine/flow/chart"
)

// patient renderers wait for Graphviz as long as the slowest machine takes.
var patient = Options{Patience: 3 * time.Minute}

// sketch builds charts in few words. Steps are numbered in their order; starts and ends are not.
type sketch struct {
	chart chart.Chart
	steps int
}

func (s *sketch) node(id, name, desc string, t flow.FlowchartType) *sketch {
	n := chart.Node{ID: id, Name: name, Description: desc, Type: t}
	if t != flow.TypeStart && t != flow.TypeTerminal {
		s.steps++
		n.Number = fmt.Sprint(s.steps)
	}
	s.chart.Nodes = append(s.chart.Nodes, n)
	return s
}

// person, stub and open mark nodes.
func (s *sketch) person(ids ...string) *sketch {
	return s.mark(ids, func(n *chart.Node) { n.Person = true })
}

func (s *sketch) stub(ids ...string) *sketch {
	return s.mark(ids, func(n *chart.Node) { n.Stub = true })
}

func (s *sketch) open(ids ...string) *sketch {
	return s.mark(ids, func(n *chart.Node) { n.Open = true })
}

func (s *sketch) mark(ids []string, set func(*chart.Node)) *sketch {
	for i := range s.chart.Nodes {
		if slices.Contains(ids, s.chart.Nodes[i].ID) {
			set(&s.chart.Nodes[i])
		}
	}
	return s
}

func (s *sketch) edge(from, to, label string) *sketch {
	id := fmt.Sprintf("e%d", len(s.chart.Edges))
	s.chart.Edges = append(s.chart.Edges, chart.Edge{ID: id, From: from, To: to, Label: label})
	return s
}

func (s *sketch) onError(from, to string) *sketch {
	s.edge(from, to, "")
	s.chart.Edges[len(s.chart.Edges)-1].Error = true
	return s
}

func newSketch(title string) *sketch { return &sketch{chart: chart.Chart{Title: title}} }

// linear is the refund flow without a gate.
func linear() chart.Chart {
	return newSketch("Refund a small order").
		node("start", "Start", "/flow run refund", flow.TypeStart).
		node("order", "Get the order", "shop.get_order", flow.TypeIO).
		node("refund", "Refund the order", "shop.refund, once", flow.TypeProcess).
		node("tell", "Tell #support", "slack.post_message", flow.TypeIO).
		node("end", "End", "", flow.TypeTerminal).
		edge("start", "order", "").edge("order", "refund", "").edge("refund", "tell", "").edge("tell", "end", "").chart
}

// approval has a decision and a gate.
func approval() chart.Chart {
	return newSketch("Refund").
		node("start", "Start", "/flow run refund", flow.TypeStart).
		node("order", "Get the order", "shop.get_order", flow.TypeIO).
		node("over", "Over 100 EUR?", "amount > 100", flow.TypeDecision).
		node("gate", "Ask @finance to approve", "approve or reject, 2 working days", flow.TypeProcess).
		node("refund", "Refund the order", "shop.refund, once", flow.TypeProcess).
		node("tell", "Tell #support", "slack.post_message", flow.TypeIO).
		node("rejected", "Tell the requester", "the refund was rejected", flow.TypeIO).
		node("end", "End", "", flow.TypeTerminal).
		edge("start", "order", "").edge("order", "over", "").edge("over", "gate", "Yes").edge("over", "refund", "No").
		edge("gate", "refund", "approve").edge("gate", "rejected", "otherwise").
		edge("refund", "tell", "").edge("tell", "end", "").person("gate").stub("rejected").chart
}

// parallel forks into three branches and joins them.
func parallel() chart.Chart {
	return newSketch("Release checklist").
		node("start", "Start", "a tag is pushed", flow.TypeStart).
		node("fork", "Check the release", "three checks at once", flow.TypeProcess).
		node("tests", "Run the tests", "ci.run", flow.TypeSubprocess).
		node("notes", "Write release notes", "from merged pull requests", flow.TypeDocument).
		node("db", "Back up the database", "nightly_db", flow.TypeDatabase).
		node("join", "All done", "waits for every branch", flow.TypeProcess).
		node("gate", "Ship it?", "@release decides", flow.TypeDecision).
		node("ship", "Deploy", "argo.sync, once", flow.TypeBrowser).
		node("end", "Released", "", flow.TypeTerminal).
		node("stop", "Stopped", "", flow.TypeTerminal).
		edge("start", "fork", "").edge("fork", "tests", "").edge("fork", "notes", "").edge("fork", "db", "").
		edge("tests", "join", "").edge("notes", "join", "").edge("db", "join", "").
		edge("join", "gate", "").edge("gate", "ship", "ship").edge("gate", "stop", "hold").edge("ship", "end", "").
		person("gate").stub("stop").chart
}

// loop leads back twice, and on error to a person.
func loop() chart.Chart {
	return newSketch("Answer a support mail").
		node("start", "Mail arrives", "support@", flow.TypeStart).
		node("draft", "Draft an answer", "agent support_writer", flow.TypeProcess).
		node("good", "Good enough?", "score >= 0.8", flow.TypeDecision).
		node("review", "Review by a person", "who is on duty", flow.TypeProcess).
		node("ok", "Approved?", "", flow.TypeDecision).
		node("send", "Send the answer", "mail.send, once", flow.TypeIO).
		node("help", "Ask for help", "in #support", flow.TypeIO).
		node("end", "End", "", flow.TypeTerminal).
		edge("start", "draft", "").edge("draft", "good", "").edge("good", "review", "Yes").edge("good", "draft", "No, try again").
		edge("review", "ok", "").edge("ok", "send", "Yes").edge("ok", "draft", "No, rewrite").
		edge("send", "end", "").onError("draft", "help").onError("send", "help").edge("help", "end", "").person("review", "ok").chart
}

// incident has fifteen nodes.
func incident() chart.Chart {
	return newSketch("Incident response runbook").
		node("s", "Alert fires", "PagerDuty P1/P2", flow.TypeStart).
		node("t", "Read telemetry", "grafana, last 30 min", flow.TypeIO).
		node("k", "Known issue?", "match runbooks", flow.TypeDecision).
		node("r", "Apply runbook", "runs known-fix", flow.TypeSubprocess).
		node("w", "Open war room", "#inc-2231", flow.TypeProcess).
		node("b", "Rollback?", "deploy in last hour", flow.TypeDecision).
		node("rb", "Roll back", "argo rollouts", flow.TypeSubprocess).
		node("dbg", "Debug live", "kibana.internal", flow.TypeBrowser).
		node("fx", "Ship hotfix", "PR + 1 review", flow.TypeProcess).
		node("v", "Recovered?", "SLO for 10 min", flow.TypeDecision).
		node("db", "Log incident", "incidents_db", flow.TypeDatabase).
		node("pm", "Post-mortem", "template v3", flow.TypeDocument).
		node("an", "Announce", "status page", flow.TypeBrowser).
		node("rev", "Review actions", "weekly ops", flow.TypeProcess).
		node("end", "Resolved", "close alert", flow.TypeTerminal).
		edge("s", "t", "").edge("t", "k", "").edge("k", "r", "Yes").edge("k", "w", "No").edge("w", "b", "").
		edge("b", "rb", "Yes").edge("b", "dbg", "No").edge("dbg", "fx", "").edge("fx", "v", "").edge("rb", "v", "").edge("r", "v", "").
		edge("v", "db", "Yes").edge("v", "t", "No, re-triage").edge("db", "pm", "").edge("db", "an", "").
		edge("pm", "rev", "").edge("an", "end", "").edge("rev", "end", "").chart
}

// words has every kind of text that could break a picture.
func words() chart.Chart {
	return newSketch("Onboarding · 新入社員 · Größe & Ñandú 🚀 <b>").
		node("a", "開始", "新しい社員が入社", flow.TypeStart).
		node("b", "Prüfung läuft", "Größenänderung übermäßig außerordentlich lang und noch länger als zwei Zeilen fassen", flow.TypeProcess).
		node("c", "Согласовано?", "Ελληνικά · ok ✓", flow.TypeDecision).
		node("d", "一个非常非常长的中文节点名称需要被截断显示因为它真的太长了", "数据库 · 只读", flow.TypeDatabase).
		node("e", "Café ☕ façade 🚀", "emoji is left out, never a box", flow.TypeDocument).
		node("g", "<script>alert(\"&\")</script>", "slack.post_message_to_a_very_long_channel_name_indeed", flow.TypeBrowser).
		node("h", "e\u0301te\u0301 \x00\xff עברית", "Donaudampfschifffahrtsgesellschaftskapitänskajütenschlüssel", flow.TypeSubprocess).
		node("f", "한국어 종료", "완료", flow.TypeTerminal).
		edge("a", "b", "").edge("b", "c", "").edge("c", "d", "Да").edge("c", "b", "Нет, заново").edge("d", "e", "").
		edge("e", "g", "").edge("g", "h", "").edge("h", "f", "").edge("c", "e", "いいえ").chart
}

// live is a run of the approval flow that waits at the gate.
func live() *Overlay {
	return &Overlay{
		Header: Waiting,
		Nodes: map[string]NodeStatus{
			"start": {State: Complete}, "order": {State: Complete, Note: "0.3 s"},
			"over": {State: Complete, Note: "250 > 100"}, "gate": {State: Waiting, Note: "waits for @finance, 2 h left"},
		},
		Taken: map[string]Taken{"e0": {Count: 1}, "e1": {Count: 1}, "e2": {Count: 1, Why: "look_up.result.amount > 100: 250 > 100"}},
	}
}

// stages is a migration in n stages of ten nodes: two steps, a fork into three checks and their join, a decision with a way
// back, and two steps more.
func stages(n int) chart.Chart {
	s := newSketch("Move the data centre")
	s.node("start", "Start", "/flow run move", flow.TypeStart)
	last := "start"
	names := []string{"mail", "billing", "search", "the wiki", "payroll", "chat", "builds", "backups", "the shop", "metrics", "sign-in", "the ledger", "storage", "DNS", "phones"}
	for i := range n {
		at := func(k string) string { return fmt.Sprint(k, i) }
		what := names[i%len(names)]
		s.node(at("freeze"), "Freeze "+what, "no changes from now on", flow.TypeProcess).edge(last, at("freeze"), "")
		s.node(at("copy"), "Copy "+what, "rsync, twice", flow.TypeSubprocess).edge(at("freeze"), at("copy"), "")
		s.node(at("fork"), "Check "+what, "three at once", flow.TypeProcess).edge(at("copy"), at("fork"), "")
		for k, check := range []string{"sums", "rows", "logins"} {
			kind := []flow.FlowchartType{flow.TypeDatabase, flow.TypeIO, flow.TypeBrowser}[k]
			s.node(at(check), "Compare "+check, what, kind).edge(at("fork"), at(check), "")
		}
		s.node(at("join"), "All compared", "", flow.TypeProcess)
		for _, check := range []string{"sums", "rows", "logins"} {
			s.edge(at(check), at("join"), "")
		}
		s.node(at("ok"), "Is "+what+" right?", "no difference", flow.TypeDecision).edge(at("join"), at("ok"), "")
		s.node(at("switch"), "Switch "+what+" over", "dns.update, once", flow.TypeIO).edge(at("ok"), at("switch"), "Yes").edge(at("ok"), at("copy"), "No, again")
		s.node(at("note"), "Note it", "change log", flow.TypeDocument).edge(at("switch"), at("note"), "")
		last = at("note")
	}
	return s.node("end", "Moved", "", flow.TypeTerminal).edge(last, "end", "").chart
}

// halfway is a run of a chart that stands in its middle.
func halfway(p chart.Chart) *Overlay {
	o := &Overlay{Header: Running, Nodes: map[string]NodeStatus{}, Taken: map[string]Taken{}}
	done := map[string]bool{}
	for i, n := range p.Nodes {
		switch {
		case i < len(p.Nodes)/2:
			o.Nodes[n.ID], done[n.ID] = NodeStatus{State: Complete, Note: "1.2 s"}, true
		case i == len(p.Nodes)/2:
			o.Nodes[n.ID], done[n.ID] = NodeStatus{State: Running, Note: "3 s"}, true
		}
	}
	for _, e := range p.Edges {
		if done[e.From] && done[e.To] && e.Label != "No, again" {
			o.Taken[e.ID] = Taken{Count: 1}
		}
	}
	return o
}

// toTheLeft is in Hebrew and Arabic, with Latin names and numbers in between.
func toTheLeft() chart.Chart {
	return newSketch("החזר כספי · استرداد المبلغ").
		node("a", "התחלה", "/flow run refund", flow.TypeStart).
		node("b", "קבלת ההזמנה", "shop.get_order מתוך 3 חנויות", flow.TypeIO).
		node("c", "هل المبلغ أكبر من 100؟", "amount > 100", flow.TypeDecision).
		node("d", "اطلب موافقة @finance", "الموافقة أو الرفض خلال يومين", flow.TypeProcess).
		node("e", "החזרת הכסף (פעם אחת)", "shop.refund, once", flow.TypeProcess).
		node("f", "النهاية", "", flow.TypeTerminal).
		edge("a", "b", "").edge("b", "c", "").edge("c", "d", "نعم").edge("c", "e", "לא").
		edge("d", "e", "موافقة").edge("d", "f", "رفض").edge("e", "f", "").chart
}

// endless has names and labels that do not end.
func endless() chart.Chart {
	const long = "Check that the vendor's invoice and the purchase order and the delivery note agree in every line"
	return newSketch(long+" and then some more words that no header has room for").
		node("a", long, long, flow.TypeStart).
		node("b", long, long, flow.TypeIO).
		node("c", long, long, flow.TypeDecision).
		node("d", strings.Repeat("Überprüfungs", 12), strings.Repeat("x", 90), flow.TypeDatabase).
		node("e", long, "https://example.com/a/very/long/path/to/some/document?with=a&query=string", flow.TypeDocument).
		node("f", long, long, flow.TypeSubprocess).
		node("g", long, long, flow.TypeBrowser).
		node("h", "ok", "", flow.TypeTerminal).
		edge("a", "b", long).edge("b", "c", "").edge("c", "d", "Yes, because "+long).edge("c", "e", "No, because "+long).
		edge("d", "f", "").edge("e", "f", "").edge("f", "g", "").edge("g", "h", long).edge("c", "b", "again, "+long).chart
}

// nested has decisions in the branches of decisions.
func nested() chart.Chart {
	return newSketch("Sort the mail").
		node("start", "Mail arrives", "inbox", flow.TypeStart).
		node("spam", "Spam?", "score > 0.9", flow.TypeDecision).
		node("drop", "Drop it", "", flow.TypeTerminal).
		node("known", "Known customer?", "crm.find", flow.TypeDecision).
		node("urgent", "Urgent?", "SLA under 4 h", flow.TypeDecision).
		node("page", "Page on call", "pager.call, once", flow.TypeIO).
		node("queue", "Put in the queue", "tickets", flow.TypeDatabase).
		node("sales", "About a price?", "agent triage", flow.TypeDecision).
		node("offer", "Write an offer", "template", flow.TypeDocument).
		node("greet", "Ask who it is", "mail.send, once", flow.TypeIO).
		node("end", "Done", "", flow.TypeTerminal).
		edge("start", "spam", "").edge("spam", "known", "No").edge("spam", "drop", "Yes").
		edge("known", "urgent", "Yes").edge("known", "sales", "No").
		edge("urgent", "page", "Yes").edge("urgent", "queue", "No").edge("sales", "offer", "Yes").edge("sales", "greet", "No").
		edge("page", "end", "").edge("queue", "end", "").edge("offer", "end", "").edge("greet", "end", "").stub("drop").chart
}

// dry is the way of an order of 40 EUR through the approval flow.
func dry() *Overlay {
	o := &Overlay{Dry: true, Nodes: map[string]NodeStatus{}, Taken: map[string]Taken{}}
	for _, id := range []string{"start", "order", "over", "refund", "tell", "end"} {
		o.Nodes[id] = NodeStatus{State: Possible}
	}
	o.Nodes["over"] = NodeStatus{State: Possible, Note: "40 > 100 is false"}
	for _, id := range []string{"e0", "e1", "e3", "e6", "e7"} {
		o.Taken[id] = Taken{Count: 1}
	}
	return o
}

// states shows every state on the incident.
func states() *Overlay {
	o := &Overlay{Header: Error, Taken: map[string]Taken{}, Nodes: map[string]NodeStatus{
		"s": {State: Complete}, "t": {State: Complete, Note: "1.2 s, 3 times"}, "k": {State: Complete, Note: "no match"},
		"r": {State: Skipped}, "w": {State: Complete, Note: "0.4 s"}, "b": {State: Complete, Note: "yes"},
		"rb": {State: Error, Note: "exit code 1"}, "dbg": {State: Cancelled}, "fx": {State: Cancelled},
		"v": {State: Running, Note: "12 s"}, "db": {State: Waiting, Note: "waits for @ana"},
	}}
	for id, n := range map[string]int{"e0": 1, "e1": 3, "e3": 3, "e4": 3, "e5": 3, "e9": 2, "e12": 2} {
		o.Taken[id] = Taken{Count: n}
	}
	return o
}

// changed is the approval flow with one step more, one less and one changed.
func changed() (chart.Chart, *Diff) {
	after := newSketch("Refund").
		node("start", "Start", "/flow run refund", flow.TypeStart).
		node("order", "Get the order", "shop.get_order", flow.TypeIO).
		node("over", "Over 200 EUR?", "amount > 200", flow.TypeDecision).
		node("gate", "Ask @finance to approve", "approve or reject, 2 working days", flow.TypeProcess).
		node("refund", "Refund the order", "shop.refund, once", flow.TypeProcess).
		node("log", "Log the refund", "ledger.add", flow.TypeDatabase).
		node("rejected", "Tell the requester", "the refund was rejected", flow.TypeIO).
		node("end", "End", "", flow.TypeTerminal).
		edge("start", "order", "").edge("order", "over", "").edge("over", "gate", "Yes").edge("over", "refund", "No").
		edge("gate", "refund", "approve").edge("gate", "rejected", "reject").
		edge("refund", "log", "").edge("log", "end", "").person("gate").stub("rejected").chart
	return after, Compare(approval(), after)
}
