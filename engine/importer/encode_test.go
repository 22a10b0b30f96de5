package importer_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sluice/engine/flow"
	"sluice/engine/importer"
	"sluice/engine/importer/document"
	"sluice/engine/importer/importertest"
)

// changes are changes of a flow as people make them. Each gives false where the flow has nothing of the sort.
var changes = map[string]func(r *rand.Rand, f *flow.Flow) bool{
	"a name": func(r *rand.Rand, f *flow.Flow) bool {
		n := &f.Nodes[r.IntN(len(f.Nodes))]
		n.Name += " again"
		return !n.Pulled()
	},
	"instructions": func(r *rand.Rand, f *flow.Flow) bool {
		if len(f.Agents) == 0 {
			return false
		}
		a := &f.Agents[r.IntN(len(f.Agents))]
		n := f.Node(a.ID)
		switch {
		case n != nil && n.Description != "" && strings.Contains(a.Instructions, n.Description):
			a.Instructions = strings.Replace(a.Instructions, n.Description, n.Description+"\nBe \"brief\".", 1)
		case a.Instructions == "":
			return false
		default:
			a.Instructions = "Be \"brief\" <b>.\n" + a.Instructions
		}
		return true
	},
	"a message": func(r *rand.Rand, f *flow.Flow) bool {
		n := &f.Nodes[r.IntN(len(f.Nodes))]
		switch s := n.Spec.(type) {
		case *flow.SaySpec:
			s.Message = "Dear people,\n" + s.Message
			return !strings.Contains(s.Message, "{{")
		case *flow.ApprovalSpec:
			s.Message = "Please: " + s.Message
		case *flow.AskSpec:
			s.Message = "Please: " + s.Message
			return !strings.Contains(s.Message, "{{") && n.Name != "human_handoff"
		case *flow.LLMSpec:
			s.Prompt = "Dear model,\n" + s.Prompt
			return !strings.Contains(s.Prompt, "{{")
		default:
			return false
		}
		return true
	},
	"a condition": func(r *rand.Rand, f *flow.Flow) bool {
		n := &f.Nodes[r.IntN(len(f.Nodes))]
		if s, ok := n.Spec.(*flow.DecisionSpec); ok && len(s.Cases) > 0 {
			when := &s.Cases[r.IntN(len(s.Cases))].When
			at := max(strings.LastIndex(*when, `"`), strings.LastIndex(*when, `'`))
			if at < 0 || strings.Contains(*when, "bool(") {
				return false
			}
			*when = (*when)[:at] + "ish" + (*when)[at:]
			return true
		}
		for i := range n.Routes {
			if r := &n.Routes[i]; r.If == flow.IfLLM || r.If == flow.IfNext && r.When != "END" || r.If == flow.IfExpr && !r.Default() && n.Kind != flow.KindDecision && f.Profile == "app" {
				r.When = strings.TrimSuffix(r.When, "'") + "ish" + r.When[len(strings.TrimSuffix(r.When, "'")):]
				return true
			}
		}
		return false
	},
	"a step gone": func(r *rand.Rand, f *flow.Flow) bool {
		i := r.IntN(len(f.Nodes))
		n := f.Nodes[i]
		if n.ID == f.Entry || len(n.Routes) != 1 || n.Routes[0].To == n.ID || n.Routes[0].To == flow.End || n.Pulled() {
			return false
		}
		for k := range f.Nodes {
			for j := range f.Nodes[k].Routes {
				if route := &f.Nodes[k].Routes[j]; route.To == n.ID {
					route.To = n.Routes[0].To
				}
			}
			for _, b := range f.Nodes[k].Branches() {
				if b.To == n.ID {
					return false
				}
			}
		}
		f.Nodes = slices.Delete(f.Nodes, i, i+1)
		f.Agents = slices.DeleteFunc(f.Agents, func(a flow.Agent) bool {
			s, isAgent := n.Spec.(*flow.AgentSpec)
			return isAgent && s.Agent == a.ID && !slices.ContainsFunc(f.Nodes, func(o flow.Node) bool {
				s, isAgent := o.Spec.(*flow.AgentSpec)
				return isAgent && s.Agent == a.ID
			})
		})
		return true
	},
}

// few are the values of a document that a change of a kind changes at most; 0 = many.
var few = map[string]int{"a name": 1, "instructions": 1, "a message": 1, "a condition": 2}

// TestChangesComeBack changes flows of every format: what is written in their format reads as the changed flow, and says all else as before.
func TestChangesComeBack(t *testing.T) {
	t.Parallel()
	counts := map[string][2]int{}
	for name, src := range documents(t) {
		doc, format, err := importer.Read(name, src)
		if err != nil {
			t.Fatal(err)
		}
		if format.Profile == flow.ProfileNative {
			continue
		}
		for _, kind := range slices.Sorted(maps.Keys(changes)) {
			for seed := range seeds(name) {
				f := doc.Flow.Clone()
				if !changes[kind](rand.New(rand.NewPCG(seed, 2)), f) {
					continue
				}
				count := counts[string(format.Profile)+", "+kind]
				count[1]++
				out, err := format.Encode(f)
				var refused *document.NotWritableError
				switch {
				case errors.As(err, &refused):
					t.Logf("%s: %s: %v", name, kind, err)
				case err != nil:
					t.Errorf("%s: %s: %v", name, kind, err)
				default:
					count[0]++
					comesBack(t, format, kind, name, src, out, doc.Flow, f)
				}
				counts[string(format.Profile)+", "+kind] = count
			}
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%-30s %d of %d written", kind, counts[kind][0], counts[kind][1])
		if c := counts[kind]; c[1] > 0 && c[0]*10 < c[1]*mostly[kind[strings.Index(kind, ", ")+2:]] {
			t.Errorf("%s: %d of %d are written", kind, c[0], c[1])
		}
	}
}

// seeds is how many changes of a kind are tried: more in the documents that are here.
func seeds(name string) uint64 {
	if strings.HasPrefix(name, "testdata/") {
		return 3
	}
	return 1
}

// mostly is how many of ten changes of a kind are written at least.
var mostly = map[string]int{"instructions": 6, "a message": 9, "a condition": 9}

// comesBack checks what was written for a change.
func comesBack(t *testing.T, format importer.Format, kind, name string, src, out []byte, before, changed *flow.Flow) {
	t.Helper()
	again, err := format.Decode(name, out)
	if err != nil {
		t.Fatalf("%s: %s: %v\n%s", name, kind, err, out)
	}
	for i := range changed.Nodes {
		was, is, got := before.Node(changed.Nodes[i].ID), &changed.Nodes[i], again.Flow.Node(changed.Nodes[i].ID)
		switch {
		case got == nil && is.Pulled() && kind == "a step gone":
		case got == nil, !reflect.DeepEqual(was.Spec, is.Spec) && !reflect.DeepEqual(got.Spec, is.Spec), was.Name != is.Name && got.Name != is.Name, !slices.Equal(ways(is), ways(got)),
			kind == "a condition" && !reflect.DeepEqual(got.Routes, is.Routes):
			t.Errorf("%s: %s: %+v became %+v", name, kind, is, got)
		}
	}
	if len(again.Flow.Nodes) > len(changed.Nodes) {
		t.Errorf("%s: %s: it has %d nodes, not %d", name, kind, len(again.Flow.Nodes), len(changed.Nodes))
	}
	for i, a := range changed.Agents {
		if was := before.AgentByID(a.ID); was.Instructions != a.Instructions && again.Flow.AgentByID(a.ID).Instructions != a.Instructions {
			t.Errorf("%s: %s: agent %d is told %q", name, kind, i, a.Instructions)
		}
	}
	if back, err := format.Encode(again.Flow); err != nil || !bytes.Equal(back, out) {
		t.Errorf("%s: %s: what was written does not come back: %v", name, kind, err)
	}
	if most := few[kind]; most > 0 {
		if n := differences(src, out); n > most {
			t.Errorf("%s: %s: %d values of the document differ", name, kind, n)
		}
		head, tail := common(src, out)
		if middle := out[head : len(out)-tail]; bytes.Count(middle, []byte("\n")) > 12 {
			t.Errorf("%s: %s: more than the change is written anew:\n%s", name, kind, middle)
		}
	}
}

// ways lists where a node leads.
func ways(n *flow.Node) (all []string) {
	for _, e := range n.Edges() {
		all = append(all, e.To)
	}
	return all
}

// differences counts the scalars that differ in two JSON documents; 0 for others.
func differences(a, b []byte) int {
	x, y := scalars(a), scalars(b)
	n := 0
	for path, v := range y {
		if was, had := x[path]; !had || was != v {
			n++
		}
	}
	return n
}

func scalars(src []byte) map[string]string {
	all := map[string]string{}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for key, item := range v {
				walk(path+"/"+key, item)
			}
		case []any:
			for i, item := range v {
				walk(fmt.Sprint(path, "/", i), item)
			}
		default:
			all[path] = fmt.Sprint(v)
		}
	}
	var root any
	if json.Unmarshal(src, &root) == nil {
		walk("", root)
	}
	return all
}

// common gives how many bytes two texts have in common at their beginnings and ends.
func common(a, b []byte) (head, tail int) {
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	return head, tail
}

// documents are documents of every format, with the published ones where they are at hand.
func documents(t *testing.T) map[string][]byte {
	t.Helper()
	all := map[string][]byte{"workflow": []byte(workflow(true))}
	files, err := filepath.Glob("testdata/*/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no documents: %v", err)
	}
	for _, file := range files {
		if all[file], err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	if corpus := importertest.Find("corpus"); corpus != "" {
		err = filepath.WalkDir(corpus, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || filepath.Ext(path) == ".md" {
				return err
			}
			info, err := e.Info()
			if err == nil && info.Size() < 25<<10 {
				all[e.Name()], err = os.ReadFile(path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}
