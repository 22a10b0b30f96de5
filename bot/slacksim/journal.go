package slacksim

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// entry is one line of the journal: after seq, the thing of this kind is now this value. The last line of a kind and key
// wins, so reading the lines in order rebuilds the workspace.
type entry struct {
	Seq   int64           `json:"seq"`
	Kind  string          `json:"kind"`
	Value json.RawMessage `json:"value"`
}

// Kinds of journal entries.
const (
	kindMessage = "message"
	kindChannel = "channel"
	kindUser    = "user"
	kindGroup   = "group"
	kindFile    = "file"
	kindView    = "view"
	kindHook    = "response_url"
	kindEvent   = "event"
	kindSeen    = "seen"
	kindClock   = "clock"
)

// journal is an append-only file of entries. Without a directory it forgets. It is written before anything is answered
// and not synced: it survives the kill of the process, not the loss of power.
type journal struct {
	path string
	file *os.File
	err  error // the first failed write; from then on the workspace answers nothing but errors
}

// openJournal reads dir's journal, calling replay for each whole line, and leaves the file ready for more. A last line
// cut short by a kill is dropped: its change was never answered.
func openJournal(dir string, replay func(entry) error) (*journal, error) {
	if dir == "" {
		return &journal{}, nil
	}
	path := filepath.Join(dir, "journal.jsonl")
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the journal: %w", err)
	}
	whole, err := readEntries(file, replay)
	if err == nil {
		err = file.Truncate(whole)
	}
	if err == nil {
		_, err = file.Seek(whole, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("reading the journal %s: %w", path, err), file.Close())
	}
	return &journal{path: path, file: file}, nil
}

// readEntries returns how many bytes hold whole entries.
func readEntries(from io.Reader, replay func(entry) error) (int64, error) {
	reader, whole := bufio.NewReaderSize(from, 1<<16), int64(0)
	for number := 1; ; number++ {
		line, err := reader.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return whole, nil
		}
		if err != nil {
			return whole, err
		}
		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			return whole, fmt.Errorf("line %d: %w", number, err)
		}
		if err := replay(e); err != nil {
			return whole, fmt.Errorf("line %d: %w", number, err)
		}
		whole += int64(len(line))
	}
}

func (j *journal) append(e entry) {
	if j.file == nil || j.err != nil {
		return
	}
	line, err := json.Marshal(e)
	if err == nil {
		_, err = j.file.Write(append(line, '\n'))
	}
	if err != nil {
		j.err = fmt.Errorf("writing the journal: %w", err)
	}
}

// rewrite replaces the whole journal by these entries, in one rename.
func (j *journal) rewrite(entries []entry) error {
	if j.file == nil {
		return nil
	}
	var all bytes.Buffer
	for _, e := range entries {
		line, err := json.Marshal(e)
		if err != nil {
			return fmt.Errorf("writing the journal: %w", err)
		}
		all.Write(append(line, '\n'))
	}
	fresh := j.path + ".new"
	if err := os.WriteFile(fresh, all.Bytes(), 0o600); err != nil {
		return fmt.Errorf("writing the journal: %w", err)
	}
	if err := os.Rename(fresh, j.path); err != nil {
		return fmt.Errorf("replacing the journal: %w", err)
	}
	file, err := os.OpenFile(j.path, os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("opening the new journal: %w", err)
	}
	old := j.file
	j.file = file
	return old.Close()
}

func (j *journal) close() error {
	if j.file == nil {
		return nil
	}
	return j.file.Close()
}
