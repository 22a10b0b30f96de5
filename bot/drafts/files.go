package drafts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"sluice/bot/card"
	"sluice/bot/draft"
	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/engine/authority"
	"sluice/engine/flow"
	"sluice/engine/flow/file"
	"sluice/engine/flow/names"
	"sluice/engine/flow/source"
	"sluice/engine/importer"
	"sluice/engine/importer/document"
	"sluice/engine/naming"
	"sluice/engine/planner/tree"
	"sluice/engine/usererror"
	"sluice/storage"
)

// Files drafts flows of files, and gives files of flows and drafts.
type Files struct {
	*parts
	one chan struct{} // one file is read at a time: several large ones would delay the answers to everybody
}

// supported describes the files that are accepted.
const supported = "I can read a native Sluice flow in YAML or JSON."

// otherFormats names the formats that are read besides.
func otherFormats() string {
	var others []string
	for _, f := range importer.Formats() {
		if f.Profile != flow.ProfileNative {
			others = append(others, f.Name)
		}
	}
	return "I also read " + naming.List(others, "and") + "."
}

// maxDropped is how many files of one message are looked at.
const maxDropped = 10

// Bring reports whether a message is about its files: it holds what may be a flow.
func Bring(in request.Incoming) bool {
	return len(in.Files) > 0 && (strings.TrimSpace(in.Text) == "" || slices.ContainsFunc(in.Files, mayBeFlow))
}

// Drop makes drafts of the flow files that came with a message, and says of the others why they are none: all of it in one batch.
func (fl *Files) Drop(ctx context.Context, in request.Incoming) error {
	fl.heard(ctx, in)
	newest, err := fl.find.newest(ctx, in)
	if err != nil {
		return err
	}
	batch := &storage.Batch{}
	for i, f := range in.Files {
		if i == maxDropped {
			err = &usererror.Error{Code: "too_many", Text: fmt.Sprintf("I looked at the first %d files of %d.", maxDropped, len(in.Files)), Hint: "Send the rest in another message."}
		} else {
			newest, err = fl.dropped(ctx, in, f, newest, batch)
		}
		if denied, ok := request.AsDenied(err); ok {
			err = request.Denied(denied)
		}
		var ue *usererror.Error
		if errors.As(err, &ue) {
			fl.Log.Info("no draft of a file", "code", ue.Code, "error", ue.Err)
			batch.Surfaces = append(batch.Surfaces, fl.Replies.Private(in, fl.Replies.Refusal(err)))
		} else if err != nil {
			return err
		}
		if i == maxDropped {
			break
		}
	}
	emoji := surface.DraftedMark
	if len(batch.Draft) == 0 {
		emoji = surface.NoDraftMark
	}
	fl.drafted(in, emoji, batch)
	return fl.Replies.Write(ctx, in, batch)
}

// dropped adds the effect of one file to a batch: a draft, or a list of what is wrong. It gives the thread's newest draft after it.
func (fl *Files) dropped(ctx context.Context, in request.Incoming, f request.File, newest *storage.Draft, batch *storage.Batch) (*storage.Draft, error) {
	src, err := fl.read(ctx, f)
	if err != nil {
		return newest, err
	}
	select {
	case fl.one <- struct{}{}:
		defer func() { <-fl.one }()
	case <-ctx.Done():
		return newest, ctx.Err()
	}
	doc, problems := fl.document(ctx, in, f, src, newest)
	if problems.HasErrors() {
		text := fl.problemWords(f, problems.Errors())
		batch.Surfaces = append(batch.Surfaces, surface.Notice(fl.Engine.NewID(), in.Channel, in.Root(), text, fl.Engine.Now()))
		return newest, nil
	}
	for _, other := range doc.Others {
		if newest, err = fl.draftOf(ctx, in, f, other, nil, newest, batch); err != nil {
			return newest, err
		}
	}
	return fl.draftOf(ctx, in, f, doc.Flow, problems, newest, batch)
}

// document reads a file. A file that no format recognises is checked as a native one, so that the answer says what is missing.
// It is checked with what stands here for its names, and given as it was read.
func (fl *Files) document(ctx context.Context, in request.Incoming, f request.File, src []byte, newest *storage.Draft) (document.Document, flow.Problems) {
	checks := fl.plan.checks(ctx, in)
	read := document.Document{}
	doc, format, problems := importer.CheckAs(fileName(f), src, checks, func(d document.Document) document.Document {
		read = d
		return d.With(fl.stood(ctx, in, d.Flow.Name, newest))
	})
	problems = slices.DeleteFunc(problems, unknownAgent)
	if len(problems) == 1 && problems[0].Code == importer.CodeUnknownFormat {
		native, wrong := file.Check(fileName(f), src, checks)
		return document.Document{Flow: native.Flow}, slices.DeleteFunc(wrong, unknownAgent)
	}
	doc = read
	if doc.Flow != nil && format.Profile != flow.ProfileNative {
		read := flow.Problem{Severity: flow.SeverityWarning, Code: "format", Message: fmt.Sprintf("I read the file as %s, because %s", format.Name, format.Why)}
		problems = append(flow.Problems{read}, problems...)
	}
	return doc, problems
}

// unknownAgent reports whether a problem is that no agent has the id that a step names. The installation may get one: [readback.Review]
// says it on the draft's card, and approval waits.
func unknownAgent(p flow.Problem) bool { return p.Code == "unknown-agent" && p.Node != "" }

// draftOf adds a draft of a flow that a file holds to a batch. It gives the thread's newest draft after it.
func (fl *Files) draftOf(ctx context.Context, in request.Incoming, file request.File, f *flow.Flow, problems flow.Problems, newest *storage.Draft, batch *storage.Batch) (*storage.Draft, error) {
	if slices.ContainsFunc(batch.Draft, func(d storage.Draft) bool { return d.Flow == f.Name }) {
		return newest, &usererror.Error{Code: "twice", Text: fmt.Sprintf("Two of these files are the flow %s; I took the first.", f.Name)}
	}
	said := warned(problems)
	w, err := fl.plan.review(ctx, in, f, fl.stood(ctx, in, f.Name, newest), said)
	if err != nil {
		return newest, err
	}
	prev, err := fl.find.open(ctx, newest, f.Name)
	if err == nil && prev != nil {
		err = fl.Access.MayDraft(ctx, in, authority.Propose, *prev, nil)
	}
	if err == nil {
		err = fl.unchanged(ctx, w, prev)
	}
	if err != nil {
		return newest, err
	}
	d, err := fl.write.addWritten(ctx, in, w, origin{prev: prev, body: draft.Body{File: fileName(file), Said: said}}, newest, batch)
	if err != nil {
		return newest, err
	}
	return &d, nil
}

// stood gives what stands here for names of a flow's file, as it was said for its open draft in a thread, or for the approved version.
func (fl *Files) stood(ctx context.Context, in request.Incoming, name string, newest *storage.Draft) names.Table {
	if prev, err := fl.find.open(ctx, newest, name); err == nil && prev != nil {
		if _, f, err := draft.Decode(*prev); err == nil {
			return document.Names(f)
		}
	}
	if base, _, err := fl.plan.base(ctx, in, name); err == nil && base != nil {
		return document.Names(base)
	}
	return nil
}

// unchanged refuses a draft that says what is there already: in the open draft that it would replace, else in the newest revision.
func (fl *Files) unchanged(ctx context.Context, w written, prev *storage.Draft) error {
	hash, home := flow.Hash(w.proposal.Flow), w.home
	if prev != nil {
		body, _, err := draft.Decode(*prev)
		if err != nil {
			return err
		}
		was, now := body.Notes, w.proposal.Notes
		same := body.File == "" || slices.EqualFunc(was, now, func(a, b tree.Note) bool { return a.Text == b.Text })
		if prev.Hash == hash && prev.Base == home.Head && same {
			return &usererror.Error{Code: "unchanged", Text: fmt.Sprintf("Nothing has changed: this is what draft %d of %s says already.", prev.Number, prev.Flow)}
		}
		return nil
	}
	if home.Head == 0 {
		return nil
	}
	rev, err := fl.Store.Revision(ctx, home.Name, home.Head)
	if err != nil {
		return err
	}
	if rev.Hash == hash {
		return &usererror.Error{
			Code: "unchanged", Text: fmt.Sprintf("Nothing has changed: this is version %d of %s, which is approved.", home.Head, home.Name),
			Hint: "If a tool has changed since, `/flow approve " + home.Name + "` shows it for approval again.",
		}
	}
	return nil
}

// read gives what a file holds, if it may be a flow.
func (fl *Files) read(ctx context.Context, f request.File) ([]byte, error) {
	name := fileName(f)
	if !mayBeFlow(f) || fl.Slack == nil {
		return nil, notFlow(name, "")
	}
	src, err := fl.Slack.File(ctx, f, flow.MaxDocumentBytes)
	switch {
	case errors.Is(err, ErrFileGone):
		return nil, &usererror.Error{Code: "file_gone", Text: name + " was deleted before I could read it.", Hint: "Drop it again.", Err: err}
	case errors.Is(err, ErrFileBig):
		return nil, &usererror.Error{Code: "file_big", Text: fmt.Sprintf("%s is too big for a flow: it may have %d KB.", name, flow.MaxDocumentBytes>>10), Err: err}
	case errors.Is(err, ErrFileClosed):
		return nil, &usererror.Error{Code: "file_closed", Text: "Slack does not let me read " + name + ".", Hint: "Upload the file itself into this conversation; a link to another place is not enough.", Err: err}
	case err != nil:
		return nil, fmt.Errorf("read a file of a message: %w", err)
	}
	if _, err := importer.Recognise(src); err == nil {
		return src, nil
	}
	keys := topKeys(src)
	has := func(key string) bool { return slices.Contains(keys, key) }
	if has("flow") || has("name") && slices.ContainsFunc([]string{"entry", "inputs", "triggers", "agents", "nodes"}, has) && !has("edges") {
		return src, nil
	}
	return nil, notFlow(name, "It would begin with `name:` and `flow:`.")
}

func notFlow(name, hint string) error {
	return &usererror.Error{Code: "no_flow_file", Text: name + " is no flow that I can read. " + supported, Hint: strings.TrimSpace(hint + " " + otherFormats())}
}

// maxFileName is how much of a file's name is repeated.
const maxFileName = 80

// fileName is how a file is called in answers.
func fileName(f request.File) string {
	name := strings.Map(func(r rune) rune {
		if r < ' ' || r == '`' || r == '*' {
			return '_'
		}
		return r
	}, path.Base(f.Name))
	if f.Name == "" {
		name = "the file"
	}
	return card.Shorten(name, maxFileName)
}

// mayBeFlow says of a file, before it is read, whether it may hold a flow.
func mayBeFlow(f request.File) bool {
	ext := strings.ToLower(path.Ext(f.Name))
	if slices.Contains([]string{".yaml", ".yml", ".json", ".flow"}, ext) {
		return true
	}
	kind, _, _ := strings.Cut(f.Type, ";")
	if strings.HasPrefix(kind, "text/") || strings.Contains(kind, "yaml") || strings.Contains(kind, "json") {
		return true
	}
	return ext == "" && (kind == "" || kind == "application/octet-stream")
}

var yamlKey = regexp.MustCompile(`(?m)^["']?([A-Za-z_]+)["']?[ \t]*:`)

var jsonKey = regexp.MustCompile(`"([A-Za-z_]+)"[ \t]*:`)

// topKeys lists the keys that a document seems to have at the top, also of one that cannot be parsed.
func topKeys(src []byte) []string {
	text := strings.TrimSpace(strings.TrimPrefix(string(src), "\ufeff"))
	pattern := yamlKey
	if strings.HasPrefix(text, "{") {
		var top map[string]json.RawMessage
		if json.Unmarshal([]byte(text), &top) == nil {
			var keys []string
			for key := range top {
				keys = append(keys, key)
			}
			return keys
		}
		pattern = jsonKey
	}
	var keys []string
	for _, m := range pattern.FindAllStringSubmatch(text, -1) {
		keys = append(keys, m[1])
	}
	return keys
}

// snippetWidth is how many characters of a line of a file fit into a thread without a break.
const snippetWidth = 44

// problemsRoom is how many characters a list of problems may take: one section of a message holds it with the words around it.
const problemsRoom = 2400

// problemWords says what is wrong with a file, every problem with its place. The lines are those of a file that everybody in the
// conversation can open.
func (fl *Files) problemWords(f request.File, all flow.Problems) card.Text {
	count := fmt.Sprintf("%d problems", len(all))
	if len(all) == 1 {
		count = "a problem"
	}
	head := card.Textf(":x: *%s* has %s, so there is no draft of it yet. Mend the file and drop it into this thread, with @%s.", fileName(f), count, fl.Replies.Name)
	var lines []string
	room := problemsRoom
	for _, p := range all {
		p.File = ""
		text := strings.ReplaceAll(source.Narrow(p, snippetWidth).String(), "```", "'''")
		if room -= len([]rune(text)) + 2; room < 0 && len(lines) > 0 {
			break
		}
		lines = append(lines, card.Shorten(text, problemsRoom))
	}
	out := card.Textf("%s\n%s", head, card.Block(strings.Join(lines, "\n\n")))
	if rest := len(all) - len(lines); rest > 0 {
		out = card.Textf("%s\nand %d more.", out, rest)
	}
	return out
}
