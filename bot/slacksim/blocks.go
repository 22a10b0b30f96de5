package slacksim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// Where blocks are shown.
type surface int

const (
	inMessage surface = 1 << iota
	inModal
	inHome
	anywhere = inMessage | inModal | inHome
)

// unsupported begins what is said about a type of blocks that a workspace lacks.
const unsupported = "unsupported type:"

const (
	maxMessageBlocks = 50
	maxViewBlocks    = 100
	maxBlockText     = 13_200 // characters of all strings in a message's blocks
	maxMarkdown      = 12_000 // characters of all markdown blocks of a message
	maxID            = 255
)

// checker walks blocks and collects what is wrong with them, each with a JSON pointer to its place.
type checker struct {
	server   *Server
	where    surface
	problems []string
	ids      map[string]bool // block ids seen
	actions  map[string]bool // action ids seen in this block
	markdown int             // characters
	tables   int
	strings  int // characters of all strings but types
	focused  int // elements with focus_on_load
}

func (k *checker) report(path, format string, a ...any) {
	k.problems = append(k.problems, "[ERROR] "+fmt.Sprintf(format, a...)+" [json-pointer:"+path+"]")
}

// object is a decoded JSON object.
type object = map[string]any

// decode reads JSON without losing the form of numbers.
func decode(raw json.RawMessage) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	err := decoder.Decode(&value)
	return value, err
}

// checkBlocks checks the blocks of a message, and gives every block and element without an id one. s.mu is held.
func (s *Server) checkBlocks(raw json.RawMessage, where surface) (json.RawMessage, error) {
	k := &checker{server: s, where: where, ids: map[string]bool{}}
	checked := k.blocks(raw, "/blocks", maxMessageBlocks)
	if len(k.problems) > 0 {
		return nil, refuse("invalid_blocks", k.problems...)
	}
	if k.strings > maxBlockText {
		return nil, refuse("msg_blocks_too_long", fmt.Sprintf("[ERROR] %d characters of blocks, %d are allowed", k.strings, maxBlockText))
	}
	return checked, nil
}

// blocks checks a list of blocks and returns it with its ids filled in.
func (k *checker) blocks(raw json.RawMessage, path string, most int) json.RawMessage {
	value, err := decode(raw)
	if err != nil {
		k.report(path, "not valid JSON")
		return nil
	}
	list, ok := value.([]any)
	if !ok {
		k.report(path, "must be an array of blocks")
		return nil
	}
	if len(list) > most {
		k.report(path, "no more than %d items allowed [input:%d]", most, len(list))
		return nil
	}
	for i, item := range list {
		k.block(item, fmt.Sprintf("%s/%d", path, i), blockShapes)
	}
	if len(k.problems) > 0 {
		return nil
	}
	k.nameBlocks(list)
	filled, err := json.Marshal(list)
	if err != nil {
		k.report(path, "cannot be stored")
	}
	return filled
}

// block checks one block against the shape of its type.
func (k *checker) block(value any, path string, shapes map[string]shape) {
	b, ok := value.(object)
	if !ok {
		k.report(path, "must be an object")
		return
	}
	kind, _ := b["type"].(string)
	s, known := shapes[kind]
	switch {
	case !known:
		k.report(path+"/type", unsupported+" %s", kind)
		return
	case s.where&k.where == 0:
		k.report(path+"/type", "%s blocks are not allowed here", kind)
		return
	case slices.Contains(k.server.world.seed.Workspace.RefuseBlocks, kind):
		k.report(path+"/type", "unsupported type: %s", kind)
		return
	}
	if id, _ := b["block_id"].(string); id != "" {
		if k.ids[id] {
			k.report(path+"/block_id", "block_id %q already exists", id)
		}
		k.ids[id] = true
	}
	k.actions = map[string]bool{}
	k.object(b, path, s.fields)
	if s.also != nil {
		s.also(k, b, path)
	}
}

// object checks the fields of an object: none missing, none unknown, each right.
func (k *checker) object(o object, path string, fields map[string]field) {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		f := fields[name]
		value, present := o[name]
		if !present || value == nil && !f.required {
			if f.required {
				k.report(path, "missing required field: %s", name)
			}
			continue
		}
		if f.check != nil {
			f.check(k, value, path+"/"+name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o)) {
		if _, known := fields[name]; !known && name != "type" {
			k.report(path, "invalid additional property: %s", name)
		}
		if text, ok := o[name].(string); ok && name != "type" {
			k.strings += utf8.RuneCountInString(text)
		}
	}
}

// nameBlocks gives ids to blocks and elements that have none, as Slack does.
func (k *checker) nameBlocks(list []any) {
	for _, item := range list {
		b := item.(object)
		if id, _ := b["block_id"].(string); id == "" {
			b["block_id"] = newID("", 5)
		}
		parts, _ := b["elements"].([]any)
		for _, part := range append(slices.Clone(parts), b["accessory"], b["element"]) {
			e, ok := part.(object)
			if !ok {
				continue
			}
			kind, _ := e["type"].(string)
			if shape, known := elementShapes[kind]; known && kind != "image" && shape.fields["action_id"].check != nil {
				if id, _ := e["action_id"].(string); id == "" {
					e["action_id"] = newID("", 5)
				}
			}
		}
	}
}

// checkView checks a modal or Home view and returns its blocks with ids filled in.
func (s *Server) checkView(raw json.RawMessage, kind string) (json.RawMessage, error) {
	value, err := decode(raw)
	v, ok := value.(object)
	if err != nil || !ok {
		return nil, refuse("invalid_arguments", "[ERROR] view must be an object [json-pointer:/view]")
	}
	k := &checker{server: s, where: inModal, ids: map[string]bool{}, actions: map[string]bool{}}
	fields := modalFields
	if kind == "home" {
		k.where, fields = inHome, homeFields
	}
	if v["type"] != kind {
		k.report("/view/type", "must be %s", kind)
	}
	k.object(v, "/view", fields)
	if len(k.problems) > 0 {
		return nil, refuse("invalid_arguments", k.problems...)
	}
	list, err := json.Marshal(v["blocks"])
	if err != nil {
		return nil, fmt.Errorf("reading the blocks: %w", err)
	}
	filled := k.blocks(list, "/view/blocks", maxViewBlocks)
	if kind == "modal" && v["submit"] == nil && strings.Contains(string(list), `"type":"input"`) {
		k.report("/view", "missing required field: submit")
	}
	if k.focused > 1 {
		k.report("/view", "only one element may have focus_on_load")
	}
	if len(k.problems) > 0 {
		return nil, refuse("invalid_arguments", k.problems...)
	}
	return filled, nil
}

// picture is an image block or element that shows an uploaded file.
type picture struct{ blockID, file, alt string }

func findImages(blocks json.RawMessage) []picture {
	var list []struct {
		Type      string `json:"type"`
		BlockID   string `json:"block_id"`
		AltText   string `json:"alt_text"`
		SlackFile struct {
			ID string `json:"id"`
		} `json:"slack_file"`
	}
	var found []picture
	if json.Unmarshal(blocks, &list) != nil {
		return nil
	}
	for _, b := range list {
		if b.Type == "image" && b.SlackFile.ID != "" {
			found = append(found, picture{b.BlockID, b.SlackFile.ID, b.AltText})
		}
	}
	return found
}

// keepCachedImages is Slack's cache of pictures: a block that keeps its block_id keeps its old file too.
func keepCachedImages(old, fresh json.RawMessage) json.RawMessage {
	before := map[string]string{}
	for _, p := range findImages(old) {
		before[p.blockID] = p.file
	}
	value, err := decode(fresh)
	list, ok := value.([]any)
	if err != nil || !ok {
		return fresh
	}
	changed := false
	for _, item := range list {
		b, _ := item.(object)
		id, _ := b["block_id"].(string)
		shown, isFile := b["slack_file"].(object)
		if cached := before[id]; cached != "" && isFile && shown["id"] != cached {
			shown["id"], changed = cached, true
		}
	}
	if !changed {
		return fresh
	}
	kept, err := json.Marshal(list)
	if err != nil {
		return fresh
	}
	return kept
}
