package compile

import (
	"sluice/engine/flow"
)

// compilePart parses a text or a value of a node. A node with an error in one cannot start.
func (p *Program) compilePart(n *Node, part flow.Part, ids []string) {
	switch part.Form {
	case flow.FormText:
		n.compileTemplate(part.Key, part.Text, ids)
		return
	case flow.FormValue:
		n.compileParams(part.Value, ids)
		n.Enter.Previous = n.Enter.Previous || n.Kind == flow.KindAgent
		return
	}
	c := newCondition(part.Text, ids)
	if n.Broken == nil {
		n.Broken = c.Err
	}
	n.Enter.read(c.Expr)
	switch part.Form {
	case flow.FormShown:
		n.Show = append(n.Show, c)
	case flow.FormBound:
		n.Bounds = append(n.Bounds, c)
	case flow.FormCase:
		n.Cases = append(n.Cases, c)
		n.leave.read(c.Expr) // for the values behind its routes
	case flow.FormChoice:
		n.Value = c
		n.leave.read(c.Expr)
		p.hide(n)
	case flow.FormList:
		n.Value = c
		p.hide(n)
	default:
		n.Value = c
	}
}

// fields gives the fields that a person may fill in: those of a form, and those of a model's answer that a person gives in its place.
func (p *Program) fields(n *flow.Node) map[string]flow.FormField {
	if q := n.Question(); q != nil {
		return q.Form
	}
	r := n.Result()
	if a := p.flow.AgentByID(r.Agent); a != nil {
		return schemaFields(a.Output)
	}
	if r.Schema != nil {
		return schemaFields(r.Schema)
	}
	return nil
}

func schemaFields(of map[string]any) map[string]flow.FormField {
	properties, _ := of["properties"].(map[string]any)
	fields := make(map[string]flow.FormField, len(properties))
	for name, p := range properties {
		schema, _ := p.(map[string]any)
		kind, _ := schema["type"].(string)
		enum, _ := schema["enum"].([]any)
		fields[name] = flow.FormField{Type: kind, Enum: enum}
	}
	return fields
}
