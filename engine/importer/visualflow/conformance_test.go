package visualflow_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"sluice/engine/flow"
	"sluice/engine/flow/flowtest"
	"sluice/engine/importer/document"
	"sluice/engine/importer/importertest"
	"sluice/engine/importer/visualflow"
	"sluice/engine/tool"
	"sluice/engine/tool/files"
)

// nodes writes the nodes of a document. Each line has an id, a type, and perhaps the data as JSON.
func nodes(lines string) (all []any) {
	for line := range strings.Lines(strings.TrimSpace(lines)) {
		id, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		kind, written, _ := strings.Cut(rest, " ")
		data := map[string]any{}
		if written != "" {
			if err := json.Unmarshal([]byte(written), &data); err != nil {
				panic(line)
			}
		}
		data["nodeType"] = kind
		all = append(all, map[string]any{"id": id, "type": kind, "position": map[string]any{"x": 1, "y": 2}, "data": data})
	}
	return all
}

// wires writes edges: a>b is an execution edge, a:true>b one from another handle, a.x=b.y a data edge.
func wires(list string) (all []any) {
	for i, w := range strings.Fields(list) {
		e := map[string]any{"id": fmt.Sprint("edge-", i)}
		if from, to, ok := strings.Cut(w, ">"); ok {
			node, handle, _ := strings.Cut(from, ":")
			if handle == "" {
				handle = "exec-out"
			}
			e["source"], e["sourceHandle"], e["target"], e["targetHandle"] = node, handle, to, "exec-in"
		} else {
			from, to, _ := strings.Cut(w, "=")
			e["source"], e["sourceHandle"], _ = strings.Cut(from, ".")
			e["target"], e["targetHandle"], _ = strings.Cut(to, ".")
		}
		all = append(all, e)
	}
	return all
}

// written is a document of nodes and wires.
func written(lines, list string) []byte {
	src, err := json.MarshalIndent(map[string]any{"id": "doc", "name": "A document", "entryNode": "start", "nodes": nodes(lines), "edges": wires(list)}, "", " ")
	if err != nil {
		panic(err)
	}
	return src
}

func read(t *testing.T, src []byte) document.Document {
	t.Helper()
	d, err := visualflow.Decode("doc.json", src)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// problems gives what is wrong with a document: the code and message of each problem.
func problems(t *testing.T, src []byte) string {
	t.Helper()
	var all []string
	for _, p := range read(t, src).Check(flowtest.Checks()) {
		all = append(all, fmt.Sprintf("%s %s: %s", p.Severity, p.Code, p.Message))
	}
	return strings.Join(all, "\n")
}

// stage is a stage for a document, without errors.
func stage(t *testing.T, src []byte) (*importertest.Stage, *flow.Flow) {
	t.Helper()
	d := read(t, src)
	if bad := d.Check(flow.Checks{}).Errors(); len(bad) > 0 {
		t.Fatal(bad)
	}
	f, err := flow.FromJSON(flow.Canonical(d.Flow))
	if err != nil {
		t.Fatal(err)
	}
	return importertest.NewStage(1, append(d.Others, f)...), f
}

func play(t *testing.T, s *importertest.Stage, f *flow.Flow, inputs map[string]any) *importertest.Played {
	t.Helper()
	p, err := s.Play(f, inputs)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// gives runs a document and compares the run's output, as JSON.
func gives(t *testing.T, lines, list string, inputs map[string]any, want string) *importertest.Played {
	t.Helper()
	s, f := stage(t, written(lines, list))
	p := play(t, s, f, inputs)
	got, err := json.Marshal(p.Output)
	if err != nil || p.End != importertest.ReachedEnd || string(got) != want {
		t.Errorf("the run %s with %s (%s), want %s", p.End, got, p.Error, want)
	}
	return p
}

// fails runs a document that stops with an error.
func fails(t *testing.T, lines, list, want string) {
	t.Helper()
	s, f := stage(t, written(lines, list))
	if p := play(t, s, f, nil); p.End == importertest.ReachedEnd || !strings.Contains(p.Error, want) {
		t.Errorf("the run %s with %v (%s), want an error with %q", p.End, p.Output, p.Error, want)
	}
}

// computes compares the value of one pure node.
func computes(t *testing.T, node, list, pin, want string) {
	t.Helper()
	gives(t, "start on_flow_start\nend on_flow_end\n"+node, "start>end "+list+" n."+pin+"=end.v", map[string]any{"list": []any{1.0, 2.0}, "object": map[string]any{"a": map[string]any{"b": []any{7.0}}}, "text": "Ana"}, `{"v":`+want+`}`)
}

const ends = "start on_flow_start {\"outputs\":[{\"id\":\"prompt\",\"type\":\"string\"}]}\nend on_flow_end\n"

const approveSchema = `{"type":"object","properties":{"choice":{"type":"string","enum":["approve","reject","escalate"]}},"required":["choice"]}`

const switching = ends + `
ask llm_call {"pinDefaults":{"prompt":"Classify.","resp_schema":` + approveSchema + `}}
parts break_object {"breakConfig":{"selectedPaths":["choice"]}}
route switch {"switchConfig":{"cases":[{"id":"c1","value":"approve"},{"id":"c2","value":"reject"}]},"outputs":[{"id":"case:c1","label":"LABEL","type":"execution"},{"id":"default","label":"default","type":"execution"}]}
yes answer_user {"pinDefaults":{"message":"yes"}}
no answer_user {"pinDefaults":{"message":"no"}}
other answer_user {"pinDefaults":{"message":"other"}}`

const switchWires = "start>ask ask>route route:case:c1>yes route:case:c2>no route:default>other ask.data=parts.object parts.choice=route.value"

func switched(t *testing.T, lines, choice, said string) {
	t.Helper()
	s, f := stage(t, written(lines, switchWires))
	s.Model = func(string, map[string]any) any { return map[string]any{"choice": choice} }
	if p := play(t, s, f, nil); strings.Join(p.Said, " ") != said {
		t.Errorf("%q leads to %q, want %q (%s)", choice, p.Said, said, p.Error)
	}
}

// workspace lets a stage use the real tools for files.
func workspace(t *testing.T, s *importertest.Stage) {
	t.Helper()
	set, err := tool.New(files.Tools(t.TempDir())...)
	if err != nil {
		t.Fatal(err)
	}
	s.Tool = func(name string, params map[string]any) (any, error) {
		one, ok := set.Lookup(name)
		if !ok {
			return nil, errors.New("there is no tool " + name)
		}
		r, err := one.Call(t.Context(), tool.Call{Tool: name, Params: params})
		return r.Data, err
	}
}

func withFiles(t *testing.T, lines, list, want string) {
	t.Helper()
	s, f := stage(t, written(lines, list))
	workspace(t, s)
	p := play(t, s, f, nil)
	if got := fmt.Sprint(p.End, " ", p.Output, " ", p.Error); !strings.Contains(got, want) {
		t.Errorf("the run %s, want %q", got, want)
	}
}

// statements are the numbered statements about the format, with what shows each.
var statements = map[string]func(t *testing.T){
	"S4-01": func(t *testing.T) {
		f := read(t, written(ends, "start>end")).Flow
		if f.Name != "doc" || f.Entry != "start" || len(f.Nodes) != 2 || f.Profile != visualflow.Profile || f.Run.Title != "A document" {
			t.Errorf("it became %+v", f)
		}
	},
	"S4-02": func(t *testing.T) {
		f := read(t, written(ends+`say answer_user {"label":"Greet","pinDefaults":{"message":"Hi"}}`, "start>say")).Flow
		if n := f.Node("say"); n == nil || n.Name != "Greet" || n.Spec.(*flow.SaySpec).Message != "Hi" {
			t.Errorf("the node became %+v", n)
		}
		f.Node("say").Name = "Hello" // what a flow has no place for is given back around a change
		if back, err := visualflow.Encode(f); err != nil || strings.Count(string(back), `"position"`) != 3 || !strings.Contains(string(back), `"Hello"`) {
			t.Errorf("it came back as %s, %v", back, err)
		}
	},
	"S4-03": func(t *testing.T) {
		gives(t, ends, "start>end start.prompt=end.v", map[string]any{"prompt": "x"}, `{"v":"x"}`)
	},
	"S4-04": func(t *testing.T) {
		gives(t, ends+"if if {\"pinDefaults\":{\"condition\":true}}\nsay answer_user {\"pinDefaults\":{\"message\":\"Hi\"}}", "start>if if:true>say say>end say.message=end.v", nil, `{"v":"Hi"}`)
	},
	"S4-05": func(t *testing.T) {
		p := gives(t, ends+"say answer_user {\"pinDefaults\":{\"message\":\"Hi\"}}", "start>end start.prompt=say.message say.message=end.v", map[string]any{"prompt": "x"}, `{"v":"x"}`)
		if p.Visited["say"] {
			t.Error("a data edge started a node")
		}
	},
	"S4-06": func(t *testing.T) {
		src := bytes.Replace(written(ends+"second on_user_request", "start>end second>end"), []byte(`"entryNode": "start"`), []byte(`"entryNode": "second"`), 1)
		if f := read(t, src).Flow; f.Entry != "second" {
			t.Errorf("a run begins at %s", f.Entry)
		}
	},
	"S4-07": func(t *testing.T) {
		computes(t, `n uppercase {"pinDefaults":{"text":"a {{b}}"}}`, "", "result", `"A {{B}}"`)
	},
	"S4-08": func(t *testing.T) {
		computes(t, `n uppercase {"pinDefaults":{"text":"default"}}`, "start.text=n.text", "result", `"ANA"`)
	},
	"S4-09": func(t *testing.T) {
		f := read(t, written(ends+"ask llm_call {\"pinDefaults\":{\"prompt\":\"x\",\"resp_schema\":{\"type\":\"string\"}}}\nschema json_schema {\"literalValue\":"+approveSchema+"}", "start>ask schema.value=ask.resp_schema")).Flow
		if schema := f.Node("ask").Spec.(*flow.LLMSpec).Schema; schema["type"] != "object" {
			t.Errorf("the schema is %v", schema)
		}
		f = read(t, written(ends+"ask agent {\"pinDefaults\":{\"prompt\":\"x\",\"resp_schema\":{\"type\":\"object\"}}}\nschema json_schema {\"literalValue\":"+approveSchema+"}", "start>ask schema.value=ask.resp_schema")).Flow
		if schema := f.Agents[0].Output; schema["required"] == nil {
			t.Errorf("the schema of the agent is %v", schema)
		}
	},
	"S4-10": func(t *testing.T) {
		gives(t, ends, "start>end start.prompt=end.answer", map[string]any{"prompt": "p"}, `{"answer":"p"}`)
	},
	"S4-11": func(t *testing.T) {
		gives(t, "start on_flow_start\nend on_flow_end {\"inputs\":[{\"id\":\"a\",\"type\":\"string\"},{\"id\":\"b\",\"type\":\"any\"}],\"pinDefaults\":{\"a\":\"x\"}}", "start>end", nil, `{"a":"x","b":null}`)
	},
	"S4-12": func(t *testing.T) {
		s, f := stage(t, written(ends+`save write_file {"pinDefaults":{"file_path":"a.txt","content":"x"}}`, "start>end save.path=end.v"))
		s.Tool = func(name string, _ map[string]any) (any, error) { t.Error(name, "was called"); return nil, nil }
		if p := play(t, s, f, nil); p.End != importertest.ReachedEnd || fmt.Sprint(p.Output) != "map[v:<nil>]" {
			t.Errorf("the run %s with %v (%s)", p.End, p.Output, p.Error)
		}
	},
	"S4-13": func(t *testing.T) {
		withFiles(t, ends+"w write_file {\"pinDefaults\":{\"file_path\":\"a.json\",\"content\":{\"k\":[1]}}}\nr read_file {\"pinDefaults\":{\"file_path\":\"a.json\"}}", "start>w w>r r>end r.content=end.v", "reached end map[v:map[k:[1]]]")
	},
	"S4-14": func(t *testing.T) {
		withFiles(t, ends+"w write_file {\"pinDefaults\":{\"file_path\":\"a.md\",\"content\":\"# Größe\"}}\nr read_file {\"pinDefaults\":{\"file_path\":\"a.md\"}}", "start>w w>r r>end r.content=end.v", "# Größe")
	},
	"S4-15": func(t *testing.T) {
		withFiles(t, ends+"w write_pdf {\"pinDefaults\":{\"file_path\":\"a.pdf\",\"content\":\"# Report\",\"title\":\"March\"}}\nr read_pdf {\"pinDefaults\":{\"file_path\":\"a.pdf\"}}", "start>w w>r r>end r.metadata=end.v", "title:March")
	},
	"S4-16": func(t *testing.T) {
		withFiles(t, ends+"w write_pdf {\"pinDefaults\":{\"file_path\":\"a.pdf\",\"content\":\"# Report\"}}\nr read_pdf {\"pinDefaults\":{\"file_path\":\"a.pdf\"}}", "start>w w>r r>end r.text=end.v", "Report")
	},
	"S4-17": func(t *testing.T) {
		withFiles(t, ends+"w write_file {\"pinDefaults\":{\"file_path\":\"a.pdf\",\"content\":\"# Report\"}}", "start>w w>end", "would be no PDF file")
	},
	"S4-18": func(t *testing.T) {
		withFiles(t, ends+"w write_file {\"pinDefaults\":{\"file_path\":\"../a.txt\",\"content\":\"x\"}}", "start>w w>end", "is not in the workspace")
	},
	"S4-19": func(t *testing.T) {
		s, f := stage(t, written(ends+`ask llm_call {"pinDefaults":{"prompt":"x","resp_schema":`+approveSchema+`}}`, "start>ask ask>end ask.response=end.text ask.data=end.data"))
		s.Model = func(string, map[string]any) any { return map[string]any{"choice": "reject"} }
		got, _ := json.Marshal(play(t, s, f, nil).Output)
		if string(got) != `{"data":{"choice":"reject"},"text":"{\"choice\":\"reject\"}"}` {
			t.Errorf("it gave %s", got)
		}
	},
	"S4-20": func(t *testing.T) { switched(t, switching, "approve", "yes") },
	"S4-21": func(t *testing.T) {
		f := read(t, written(switching, switchWires)).Flow
		schema, err := json.Marshal(f.Node("ask").Spec.(*flow.LLMSpec).Schema)
		if err != nil || !strings.Contains(string(schema), `"enum":["approve","reject","escalate"]`) {
			t.Errorf("the answer is checked against %s", schema)
		}
	},
	"S4-22": func(t *testing.T) { switched(t, switching, "reject", "no") },
	"S4-23": func(t *testing.T) { switched(t, switching, "escalate", "other") },
	"S4-24": func(t *testing.T) {
		switched(t, strings.Replace(switching, "LABEL", "another label", 1), "approve", "yes")
	},
	"S4-25": func(t *testing.T) {
		src := written(switching, switchWires)
		if back, err := visualflow.Encode(read(t, src).Flow); err != nil || !bytes.Equal(back, src) {
			t.Errorf("it came back as %s, %v", back, err)
		}
	},
	"S4-26": func(t *testing.T) {
		for choice, said := range map[string]string{"approve": "yes", "reject": "no", "escalate": "other"} {
			switched(t, switching, choice, said)
		}
	},
	"S4-27": func(t *testing.T) {
		for _, data := range []string{`{"pinDefaults":{"api_key":"0123456789abcdef"}}`, `{"effectConfig":{"headers":{"x":"xoxb-` + strings.Repeat("1", 20) + `"}}}`} {
			_, err := visualflow.Decode("doc.json", written(ends+"ask llm_call "+data, ""))
			var p flow.Problem
			if !errors.As(err, &p) || p.Code != "secret" || strings.Contains(p.String(), "0123456789") {
				t.Errorf("%s gives %v", data, err)
			}
		}
	},
	"S4-28": func(t *testing.T) {
		d := read(t, written(ends+"a llm_call {\"pinDefaults\":{\"prompt\":\"x\",\"provider\":\"openai\",\"model\":\"gpt\"}}\nb llm_call {\"pinDefaults\":{\"prompt\":\"x\"}}\nc agent {\"pinDefaults\":{\"prompt\":\"x\",\"provider\":\"here\",\"model\":\"m\"}}", "start>a a>b b>c"))
		if a, b := d.Flow.Node("a").Spec.(*flow.LLMSpec).Model, d.Flow.Node("b").Spec.(*flow.LLMSpec).Model; a != "openai/gpt" || b != "" {
			t.Errorf("the models are %q and %q", a, b)
		}
		var unknown []string
		for _, p := range d.Check(flow.Checks{Priced: func(model string) (string, bool) { return model, model == "here/m" }}) {
			if p.Code == "unknown-model" {
				unknown = append(unknown, p.Node+" "+p.Message)
			}
		}
		if got := strings.Join(unknown, "; "); got != "a the model 'openai/gpt' is not one that this installation lists" {
			t.Errorf("the problems are %q", got)
		}
	},
	"S4-29": func(t *testing.T) {
		src := written(ends+`a llm_call {"pinDefaults":{"prompt":"x","temperature":0.2,"max_out_tokens":50,"seed":7,"base_url":"http://localhost:1234"}}`, "start>a")
		f := read(t, src).Flow
		spec := f.Node("a").Spec.(*flow.LLMSpec)
		if back, err := visualflow.Encode(f); *spec.Temperature != 0.2 || spec.MaxTokens != 50 || err != nil || !bytes.Equal(back, src) {
			t.Errorf("it became %+v, %v", spec, err)
		}
	},
}

func TestConformance(t *testing.T) {
	t.Parallel()
	for _, all := range []map[string]func(*testing.T){statements, sourceStatements} {
		for number, show := range all {
			t.Run(number, func(t *testing.T) {
				t.Parallel()
				show(t)
			})
		}
	}
}

// What a person changes in a step is changed in its place; what the document cannot say is refused.
func TestChangesAreWritten(t *testing.T) {
	t.Parallel()
	src := written(ends+`ask llm_call {"label":"Ask","pinDefaults":{"prompt":"Why?","system":"Be brief."}}`+"\na agent {\"pinDefaults\":{\"prompt\":\"x\",\"system\":\"Old.\"}}\nw literal_string {\"literalValue\":\"word\"}", "start>ask ask>a a>end w.value=end.v")
	f := read(t, src).Flow
	f.Node("ask").Name = "Ask why"
	f.Node("ask").Spec.(*flow.LLMSpec).Prompt = "Why not?"
	f.Agents[0].Instructions = "New."
	f.Node("w").Spec.(*flow.ComputeSpec).Value = map[string]any{"value": "other"}
	want := strings.NewReplacer(`"Ask"`, `"Ask why"`, "Why?", "Why not?", "Old.", "New.", `"word"`, `"other"`).Replace(string(src))
	if got, err := visualflow.Encode(f); err != nil || string(got) != want {
		t.Errorf("it is written as %s, %v", got, err)
	}
	f.Node("ask").Routes = nil
	var refused *document.NotWritableError
	if _, err := visualflow.Encode(f); !errors.As(err, &refused) {
		t.Errorf("a route that is gone gives %v", err)
	}
}

// Messages that are compacted leave the conversation, are found by the id of their span, and come back into it.
func TestSpansOfAConversation(t *testing.T) {
	t.Parallel()
	lines := strings.Replace(ends, "\"prompt\",\"type\":\"string\"", "\"context\",\"type\":\"object\"", 1) + "c memory_compact {\"pinDefaults\":{\"preserve_recent\":1}}\nt memory_tag {\"pinDefaults\":{\"tags\":{\"k\":\"v\"}}}\n" +
		"r memory_rehydrate {\"pinDefaults\":{\"span_ids\":[\"span-1\",\"span-9\"],\"placement\":\"end\"}}\ng get_context {}"
	steps := "start>c c>t t>end c.span_id=t.span_id c.span_id=end.id t.success=end.ok t.rendered=end.tags g.messages=end.left"
	said := map[string]any{"context": map[string]any{"messages": []any{"one", "two", "three"}}}
	gives(t, lines, steps, said, `{"id":"span-1","left":["three"],"ok":true,"tags":"{\"k\":\"v\"}"}`)
	gives(t, lines, "start>c c>r r>end r.inserted=end.in r.skipped=end.out g.messages=end.left", said, `{"in":2,"left":["three","one","two"],"out":1}`)
	gives(t, ends+"t memory_tag {\"pinDefaults\":{\"span_id\":\"span-9\"}}", "start>t t>end t.success=end.ok", nil, `{"ok":false}`)
}

// A note whose scope is more than a run is kept for later runs, and the flow says so.
func TestNotesForLaterRuns(t *testing.T) {
	t.Parallel()
	for scope, want := range map[string]bool{"run": false, "": false, "session": true, "global": true} {
		src := written(ends+fmt.Sprintf("n memory_note {\"pinDefaults\":{\"content\":\"x\",\"scope\":%q}}", scope), "start>n n>end")
		f := read(t, src).Flow
		if f.Rules.Remembers != want {
			t.Errorf("with the scope %q the flow remembers: %t", scope, f.Rules.Remembers)
		}
		if _, kept := f.Node("n").Spec.(*flow.SetSpec).Vars[flow.NotesPrefix+"notes"]; kept != want {
			t.Errorf("with the scope %q the note is in %v", scope, f.Node("n").Spec)
		}
	}
}

// What a run notes and asserts it finds again. The document says that it is gone afterwards.
func TestNotesLastAsLongAsTheRun(t *testing.T) {
	t.Parallel()
	lines := ends + "n memory_note {\"pinDefaults\":{\"content\":\"first\"}}\nm memory_note {\"pinDefaults\":{\"content\":\"second\"}}\nq memory_query {\"pinDefaults\":{\"query\":\"x\",\"limit\":1}}"
	list := "start>n n>m m>q q>end m.note_id=end.id q.rendered=end.text"
	gives(t, lines, list, nil, `{"id":"note-2","text":"second"}`)
	warns(t, lines, list, "warning short-memory")
	const facts = `[{"subject":"a","predicate":"is","object":"b"},{"subject":"c","predicate":"is","object":"d"}]`
	gives(t, ends+"n memory_kg_assert {\"pinDefaults\":{\"assertions\":"+facts+"}}\nq memory_kg_query {\"pinDefaults\":{\"subject\":\"c\",\"predicate\":\"\"}}", "start>n n>q q>end n.count=end.kept q.items=end.found", nil,
		`{"found":[{"object":"d","predicate":"is","subject":"c"}],"kept":2}`)
	gives(t, ends+"n memory_kg_assert {\"pinDefaults\":{\"assertions\":"+facts+"}}\nq memory_kg_resolve {\"pinDefaults\":{\"label\":\"d\"}}", "start>n n>q q>end q.count=end.n q.candidates=end.found", nil,
		`{"found":[{"object":"d","predicate":"is","subject":"c"}],"n":1}`)
}

// bundle is an archive of documents.
func bundle(t testing.TB, manifest string, docs map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	docs["manifest.json"] = manifest
	for name, body := range docs {
		f, err := w.Create(name)
		if err == nil {
			_, err = f.Write([]byte(body))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
