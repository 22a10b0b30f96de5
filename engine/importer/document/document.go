package document

import (
	"encoding/base64"
	"slices"
	"unicode/utf8"

	"sluice/engine/flow"
	"sluice/engine/flow/agents"
	"sluice/engine/flow/chart"
	"sluice/engine/flow/names"
	"sluice/engine/flow/source"
	"sluice/engine/flow/validate"
)

// Document is a flow read from another format.
type Document struct {
	Flow     *flow.Flow          // Flow.Profile names the format; Flow.Raw holds the source for export
	Others   []*flow.Flow        // further flows of a bundle, that Flow calls
	Chart    *chart.Chart        // the author's own chart, nil = computed
	Map      map[string][]string // run-time node -> nodes of the author's chart
	Problems flow.Problems       // with places; what cannot run is a warning

	validate func(c flow.Checks) flow.Problems
}

// Check gives the problems of the document and those of how the parts of its flow fit together, ordered by place.
func (d Document) Check(c flow.Checks) flow.Problems {
	if d.validate == nil {
		return append(slices.Clone(d.Problems), validate.Flow(d.Flow, c)...).Sorted()
	}
	return append(slices.Clone(d.Problems), d.validate(c)...).Sorted()
}

// ValidatedBy is the document with another way to find out how the parts of its flow fit together.
func (d Document) ValidatedBy(validate func(c flow.Checks) flow.Problems) Document {
	d.validate = validate
	return d
}

// With is the document with what stands here for names of it.
func (d Document) With(t names.Table) Document {
	if len(t) == 0 {
		return d
	}
	d.Flow, d.Others = With(d.Flow, t), slices.Clone(d.Others)
	for i := range d.Others {
		d.Others[i] = With(d.Others[i], t)
	}
	if validate := d.validate; validate != nil {
		d.validate = func(c flow.Checks) flow.Problems {
			agents.Resolve(d.Flow, c.Agents)
			if world := c.World; world != nil {
				c.World = func(_ *flow.Flow, report flow.Report) { world(d.Flow, report) }
			}
			return validate(c)
		}
	}
	return d
}

// The keys of Flow.Raw.
const (
	rawText  = "source" // a text
	rawBytes = "base64" // what is not a text, such as an archive
)

// Keep stores the source of a flow in Flow.Raw, byte by byte.
func Keep(f *flow.Flow, src []byte) {
	if utf8.Valid(src) {
		f.Raw = map[string]any{rawText: string(src)}
		return
	}
	f.Raw = map[string]any{rawBytes: base64.StdEncoding.EncodeToString(src)}
}

// Original gives the source that Keep stored.
func Original(f *flow.Flow) (src []byte, ok bool) {
	if text, ok := f.Raw[rawText].(string); ok {
		return []byte(text), true
	}
	if text, ok := f.Raw[rawBytes].(string); ok {
		src, err := base64.StdEncoding.DecodeString(text)
		return src, err == nil
	}
	return nil, false
}

// rawNames has what stands here for names of the source.
const rawNames = "names"

// With gives a copy of a flow with what stands here for names of its document. The table is kept beside the source, which stays as it is.
func With(f *flow.Flow, t names.Table) *flow.Flow {
	if len(t) == 0 {
		return f
	}
	f = t.Apply(f)
	if f.Raw == nil {
		f.Raw = map[string]any{}
	}
	kept := map[string]any{}
	for name, stands := range t {
		kept[name] = stands
	}
	f.Raw[rawNames] = kept
	return f
}

// Names gives what stands here for names of a flow's document, as With kept it.
func Names(f *flow.Flow) names.Table {
	t := names.Table{}
	kept, _ := f.Raw[rawNames].(map[string]any)
	for name, stands := range kept {
		if text, ok := stands.(string); ok {
			t[name] = text
		}
	}
	return t
}

// Document makes the document of a flow that was read from the source. It fills in the flow's defaults and keeps the text.
func (s *Source) Document(f *flow.Flow) Document {
	Keep(f, s.bytes)
	d := Document{Flow: f.WithDefaults(), Problems: s.Problems()}
	return d.ValidatedBy(func(c flow.Checks) flow.Problems {
		agents.Resolve(d.Flow, c.Agents)
		return validate.Read(d.Flow, &flow.Origin{Size: len(s.Text), Flagged: s.flagged, Place: s.place}, c)
	})
}

// place adds to a problem the place of its path, or of the nearest part around it that has one.
func (s *Source) place(p flow.Problem, offset int) flow.Problem {
	at := source.Place{Line: 1, Column: 1}
	if v := s.places[p.Path]; v != nil && offset >= 0 {
		at = s.Inside(v, offset)
	} else {
		for path := p.Path; path != ""; path = flow.ParentPath(path) {
			if v := s.places[path]; v != nil {
				at = v.At
				break
			}
		}
	}
	placed := s.Problem(at, p.Severity, p.Code, p.Message, p.Hint)
	placed.Node, placed.Path, placed.About = p.Node, p.Path, p.About
	return placed
}
