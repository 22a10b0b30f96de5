package slacksim

import (
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxFile is the most that an upload may hold.
const maxFile = 32 << 20

// mimetype is empty until the file is ready, which is how clients learn that they must wait.
func (s *Server) mimetype(f *file) string {
	if !s.ready(f) {
		return ""
	}
	return f.Mimetype
}

func (s *Server) ready(f *file) bool {
	return f.Uploaded && !f.Deleted && !f.ReadyAt.IsZero() && !s.clock.now().Before(f.ReadyAt)
}

func (s *Server) fileJSON(f *file) reply {
	if f.Deleted {
		return reply{"id": f.ID, "mode": "tombstone"}
	}
	kind := strings.TrimPrefix(path.Ext(f.Name), ".")
	address := s.baseURL + "/files/" + f.ID
	return reply{
		"id": f.ID, "created": f.ReadyAt.Unix(), "timestamp": f.ReadyAt.Unix(), "name": f.Name, "title": f.Title,
		"mimetype": s.mimetype(f), "filetype": kind, "pretty_type": strings.ToUpper(kind), "user": f.User,
		"user_team": s.world.seed.Workspace.ID, "alt_txt": f.Alt, "mode": "hosted", "size": f.Size, "is_public": false,
		"url_private": address, "url_private_download": address, "permalink": address,
		"channels": append([]string{}, f.Channels...), "groups": []string{}, "ims": []string{},
	}
}

func (s *Server) filesGetUploadURL(a args) (reply, error) {
	name, length := a.str("filename"), a.count("length", 0, maxFile)
	if name == "" || length == 0 {
		return nil, refuse("invalid_arguments", "[ERROR] filename and length are required")
	}
	if utf8.RuneCountInString(a.str("alt_txt")) > 2000 {
		return nil, refuse("alt_txt_too_large")
	}
	f := &file{ID: newID("F0", 11), Name: path.Base(name), Alt: a.str("alt_txt"), User: s.world.bot.ID, Size: length}
	s.keepFile(f)
	return reply{"upload_url": s.baseURL + "/upload/" + f.ID, "file_id": f.ID}, nil
}

func (s *Server) keepFile(f *file) {
	s.note(kindFile, f, change{})
	s.world.files[f.ID] = f
}

// serveUpload takes the bytes of a file whose address files.getUploadURLExternal gave out, as the first file of a
// multipart form or as the raw body.
func (s *Server) serveUpload(w http.ResponseWriter, r *http.Request) {
	body, err := uploadedBytes(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.world.files[r.PathValue("id")]
	if known == nil || known.Uploaded || known.User != s.world.bot.ID {
		http.Error(w, "no upload waits for this file", http.StatusNotFound)
		return
	}
	if len(body) != known.Size {
		http.Error(w, fmt.Sprintf("%d bytes were announced, %d came", known.Size, len(body)), http.StatusBadRequest)
		return
	}
	f := *known
	f.Uploaded, f.Mimetype = true, sniff(f.Name, body)
	if err := s.saveBytes(f.ID, body); err != nil {
		s.log.Error("a file cannot be stored", "error", err)
		http.Error(w, "the file cannot be stored", http.StatusInternalServerError)
		return
	}
	s.keepFile(&f)
	writeJSON(w, http.StatusOK, reply{"ok": true})
}

func uploadedBytes(r *http.Request) ([]byte, error) {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind != "multipart/form-data" {
		return io.ReadAll(io.LimitReader(r.Body, maxFile))
	}
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, fmt.Errorf("reading the form: %w", err)
	}
	for {
		part, err := parts.NextPart()
		if err != nil {
			return nil, fmt.Errorf("the form holds no file: %w", err)
		}
		if part.FileName() != "" {
			return io.ReadAll(io.LimitReader(part, maxFile))
		}
	}
}

// sniff names the type by the content, or by the name's ending where the content says nothing.
func sniff(name string, body []byte) string {
	kind, _, _ := strings.Cut(http.DetectContentType(body), ";")
	if byName := mime.TypeByExtension(path.Ext(name)); kind == "text/plain" && byName != "" {
		kind, _, _ = strings.Cut(byName, ";")
	}
	return kind
}

func (s *Server) saveBytes(id string, body []byte) error {
	if s.options.Dir == "" {
		s.blobs[id] = body
		return nil
	}
	return os.WriteFile(filepath.Join(s.options.Dir, "files", id), body, 0o600)
}

func (s *Server) loadBytes(id string) ([]byte, error) {
	if s.options.Dir == "" {
		return s.blobs[id], nil
	}
	return os.ReadFile(filepath.Join(s.options.Dir, "files", id))
}

// completed is a file that files.completeUploadExternal names.
type completed struct{ ID, Title string }

func (s *Server) filesCompleteUpload(a args) (reply, error) {
	wanted, err := s.uploadedFiles(a)
	if err != nil {
		return nil, err
	}
	var channels []*channel
	var shares []*message
	for _, ref := range append(a.list("channels"), a.list("channel_id")...) {
		c, err := s.shareable(ref)
		if err != nil {
			return nil, err
		}
		m, err := s.newShare(c, a)
		if err != nil {
			return nil, err
		}
		channels, shares = append(channels, c), append(shares, m)
	}
	done := s.complete(wanted, channels)
	for i, m := range shares {
		for _, w := range wanted {
			m.Files = append(m.Files, w.ID)
		}
		s.post(channels[i], m)
	}
	return reply{"files": done}, nil
}

// uploadedFiles reads which files to complete; each must be uploaded and not completed before.
func (s *Server) uploadedFiles(a args) ([]completed, error) {
	raw, err := a.json("files")
	if err != nil {
		return nil, err
	}
	var wanted []completed
	if json.Unmarshal(raw, &wanted) != nil || len(wanted) == 0 {
		return nil, refuse("invalid_arguments", "[ERROR] files must be an array of {id, title}")
	}
	for _, w := range wanted {
		if f := s.world.files[w.ID]; f == nil || !f.Uploaded || !f.ReadyAt.IsZero() || f.Deleted {
			return nil, refuse("file_not_found", "[ERROR] "+w.ID+" was not uploaded, or was completed before")
		}
	}
	return wanted, nil
}

func (s *Server) complete(wanted []completed, channels []*channel) []reply {
	done := []reply{}
	for _, w := range wanted {
		f := *s.world.files[w.ID]
		f.Title, f.ReadyAt = orElse(w.Title, f.Name), s.clock.now().Add(max(0, s.options.FileDelay))
		for _, c := range channels {
			f.Channels = append(f.Channels, c.ID)
		}
		s.keepFile(&f)
		done = append(done, reply{"id": f.ID, "title": f.Title})
	}
	return done
}

// shareable wants the id of a channel: for files Slack takes no user id in its place.
func (s *Server) shareable(ref string) (*channel, error) {
	c := s.world.channel(ref)
	if c == nil || c.ID != ref || !c.has(s.world.bot.ID) {
		return nil, refuse("channel_not_found")
	}
	return c, nil
}

// newShare is the message that shows completed files in a channel.
func (s *Server) newShare(c *channel, a args) (*message, error) {
	blocks, err := a.json("blocks")
	if err == nil && blocks != nil {
		blocks, err = s.checkBlocks(blocks, inMessage)
	}
	if err != nil {
		return nil, err
	}
	m, err := s.newBotMessage(c, content{text: a.str("initial_comment"), blocks: blocks}, a.str("thread_ts"))
	if err != nil {
		return nil, err
	}
	m.Subtype = "file_share"
	return m, nil
}

func (s *Server) ownFile(a args) (*file, error) {
	f := s.world.files[a.str("file")]
	if f == nil || f.ReadyAt.IsZero() {
		return nil, refuse("file_not_found")
	}
	if f.Deleted {
		return nil, refuse("file_deleted")
	}
	return f, nil
}

func (s *Server) filesInfo(a args) (reply, error) {
	f, err := s.ownFile(a)
	if err != nil {
		return nil, err
	}
	paging := reply{"count": 100, "total": 0, "page": 1, "pages": 0}
	return reply{"file": s.fileJSON(f), "comments": []any{}, "paging": paging}, nil
}

func (s *Server) filesDelete(a args) (reply, error) {
	f, err := s.ownFile(a)
	if err != nil {
		return nil, err
	}
	if f.User != s.world.bot.ID {
		return nil, refuse("cant_delete_file")
	}
	s.dropFile(f)
	return reply{}, nil
}

// isPicture is whether an image block may show this file.
func (s *Server) isPicture(id string) bool {
	f := s.world.files[id]
	return f != nil && s.ready(f) && slices.Contains([]string{"image/png", "image/jpeg", "image/gif"}, f.Mimetype)
}
