package slacksim

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path"
	"path/filepath"
)

// attachment is a file that a person sends; the content comes as text or in base64.
type attachment struct {
	Name          string `json:"name"`
	Alt           string `json:"alt"`
	Content       string `json:"content"`
	ContentBase64 string `json:"content_base64"`
	Ask           flag   `json:"ask"`
}

func (f attachment) bytes() ([]byte, error) {
	if f.ContentBase64 == "" {
		return []byte(f.Content), nil
	}
	body, err := base64.StdEncoding.DecodeString(f.ContentBase64)
	if err != nil {
		return nil, fmt.Errorf("content_base64 of %s: %w", f.Name, err)
	}
	return body, nil
}

// attach makes a file out of what a person sends along with a message or in a modal.
func (s *Server) attach(u *user, channels []string, a attachment) (string, error) {
	if a.Name == "" {
		return "", refuse("invalid_arguments", "a file needs a name")
	}
	body, err := a.bytes()
	if err != nil {
		return "", err
	}
	if len(body) > maxFile {
		return "", refuse("file_too_large", fmt.Sprintf("%s has %d bytes; a file may have %d", a.Name, len(body), maxFile))
	}
	f := &file{
		ID: newID("F0", 11), Name: path.Base(a.Name), Title: a.Name, Alt: a.Alt, User: u.ID, Size: len(body), Uploaded: true,
		Mimetype: sniff(a.Name, body), ReadyAt: s.clock.now(), Channels: channels, Ask: bool(a.Ask),
	}
	if err := s.saveBytes(f.ID, body); err != nil {
		return "", fmt.Errorf("storing %s: %w", a.Name, err)
	}
	s.keepFile(f)
	return f.ID, nil
}

// chooseFiles takes the files that a person puts into a modal.
func (s *Server) chooseFiles(u *user, e *element, picked json.RawMessage) (any, error) {
	var sent []attachment
	if isNothing(plain(picked)) {
		return []reply{}, nil
	}
	if err := json.Unmarshal(picked, &sent); err != nil {
		return nil, fmt.Errorf("files are a list of {name, content}: %w", err)
	}
	most := 10
	if e.MaxFiles > 0 {
		most = e.MaxFiles
	}
	if len(sent) > most {
		return nil, fmt.Errorf("at most %d files", most)
	}
	list := []reply{}
	for _, a := range sent {
		id, err := s.attach(u, nil, a)
		if err != nil {
			return nil, err
		}
		list = append(list, s.fileJSON(s.world.files[id]))
	}
	return list, nil
}

// attachedJSON is a file as messages show it: in channels that workspaces share, an app learns the rest from files.info.
func (s *Server) attachedJSON(f *file) reply {
	if f.Ask && !f.Deleted {
		return reply{"id": f.ID, "mode": "file_access", "file_access": "check_file_info", "created": 0, "timestamp": 0, "user": ""}
	}
	return s.fileJSON(f)
}

// serveDownload gives the bytes of a file to the app: its url_private, which asks for the token. Without one Slack leads to a page
// where people sign in.
func (s *Server) serveDownload(w http.ResponseWriter, r *http.Request) {
	f := s.faults.takeAPI("url_private", nil)
	if f != nil && !f.late && !s.strike(w, r, f) {
		return
	}
	if r.Header.Get("Authorization") != "Bearer "+s.world.seed.Bot.Token {
		http.Redirect(w, r, "/?redir="+r.URL.Path, http.StatusFound)
		return
	}
	s.serveFile(w, r)
}

// serveFile gives the bytes of a file: to the page as they are, since it has no token.
func (s *Server) serveFile(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	f := s.world.files[r.PathValue("id")]
	found := f != nil && f.Uploaded && !f.Deleted
	var body []byte
	var err error
	if found {
		body, err = s.loadBytes(f.ID)
	}
	s.mu.Unlock()
	if !found || err != nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", f.Mimetype)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Content-Security-Policy", "sandbox")
	_, _ = w.Write(body) // a client that left needs no answer
}

type deleteFileRequest struct {
	User text `json:"user"`
	File text `json:"file"`
}

// controlDeleteFile lets a person delete a file that they sent.
func (s *Server) controlDeleteFile(request deleteFileRequest) (reply, error) {
	u, err := s.who(request.User)
	if err != nil {
		return nil, err
	}
	f := s.world.files[string(request.File)]
	if f == nil || f.Deleted || f.User != u.ID {
		return nil, refuse("file_not_found", u.Name+" has no file "+string(request.File))
	}
	s.dropFile(f)
	return reply{}, nil
}

// dropFile deletes a file. Messages keep a trace of it.
func (s *Server) dropFile(f *file) {
	gone := *f
	gone.Deleted = true
	s.keepFile(&gone)
	if s.options.Dir != "" {
		if err := os.Remove(filepath.Join(s.options.Dir, "files", f.ID)); err != nil {
			s.log.Warn("a deleted file is still there", "error", err)
		}
	}
	delete(s.blobs, f.ID)
}
