package visualflow

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"sluice/engine/flow"
	"sluice/engine/importer/document"
)

// Limits of a bundle. A document in it has those of every document.
const (
	maxEntries    = 500     // files of the archive
	maxDocuments  = 100     // flows
	maxBundleSize = 8 << 20 // bytes of all documents together, after they are unpacked
)

// manifest says which flows a bundle has, and with which a run begins.
type manifest struct {
	Entrypoints []struct {
		Flow string `json:"flow_id"`
	} `json:"entrypoints"`
	Default string            `json:"default_entrypoint"`
	Flows   map[string]string `json:"flows"` // path by id
}

const manifestName = "manifest.json"

func isArchive(src []byte) bool { return bytes.HasPrefix(src, []byte("PK\x03\x04")) }

func recogniseBundle(src []byte) (why string, ok bool) {
	r, err := zip.NewReader(bytes.NewReader(src), int64(len(src)))
	if err != nil {
		return "", false
	}
	m, err := readManifest(r)
	return "it is an archive with a " + manifestName + " that lists flows", err == nil && len(m.Flows) > 0
}

func unreadable(name, code, message, hint string) error {
	return flow.Problem{File: name, Severity: flow.SeverityError, Code: code, Message: message, Hint: hint}
}

// decodeBundle reads every flow of a bundle. The first one is that by which it begins.
func decodeBundle(name string, src []byte) (document.Document, error) {
	var d document.Document
	if err := document.Size(name, src); err != nil {
		return d, err
	}
	r, err := zip.NewReader(bytes.NewReader(src), int64(len(src)))
	if err != nil {
		return d, unreadable(name, "bad-archive", "the file is not readable as a ZIP archive: "+err.Error(), "")
	}
	if len(r.File) > maxEntries {
		return d, unreadable(name, "too-large", fmt.Sprintf("the archive has %d files; a bundle may have %d", len(r.File), maxEntries), "divide it")
	}
	m, err := readManifest(r)
	if err != nil {
		return d, unreadable(name, "bad-archive", err.Error(), "")
	}
	order, err := m.order()
	if err != nil {
		return d, unreadable(name, "bad-archive", err.Error(), "")
	}
	size := 0
	for i, id := range order {
		body, err := unpack(r, m.Flows[id])
		if size += len(body); err == nil && size > maxBundleSize {
			err = fmt.Errorf("its documents have more than %d bytes together", maxBundleSize)
		}
		if err != nil {
			return d, unreadable(name, "bad-archive", err.Error(), "")
		}
		_, one, _, err := read(name+"/"+m.Flows[id], body)
		if err != nil {
			return d, err
		}
		if i > 0 {
			d.Others = append(d.Others, one.Flow)
			d.Problems = append(d.Problems, one.Check(flow.Checks{})...)
			continue
		}
		d = one
	}
	document.Keep(d.Flow, src)
	return d, nil
}

// patchBundle gives an archive with another document in the place of the one by which it begins. All else stays byte for byte.
func patchBundle(src []byte, change func(body []byte) ([]byte, error)) ([]byte, error) {
	r, err := zip.NewReader(bytes.NewReader(src), int64(len(src)))
	if err != nil {
		return nil, err
	}
	m, err := readManifest(r)
	if err != nil {
		return nil, err
	}
	order, err := m.order()
	if err != nil {
		return nil, err
	}
	path := m.Flows[order[0]]
	body, err := unpack(r, path)
	if err == nil {
		body, err = change(body)
	}
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range r.File {
		if f.Name != path {
			if err := w.Copy(f); err != nil {
				return nil, fmt.Errorf("copy %q: %w", f.Name, err)
			}
			continue
		}
		to, err := w.CreateHeader(&zip.FileHeader{Name: f.Name, Method: f.Method, Modified: f.Modified, Comment: f.Comment})
		if err == nil {
			_, err = to.Write(body)
		}
		if err != nil {
			return nil, fmt.Errorf("write %q: %w", f.Name, err)
		}
	}
	if err := w.SetComment(r.Comment); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("write the archive: %w", err)
	}
	return out.Bytes(), nil
}

// order lists the flows, the one by which the bundle begins first.
func (m manifest) order() ([]string, error) {
	first := m.Default
	if len(m.Entrypoints) > 0 {
		first = cmp.Or(first, m.Entrypoints[0].Flow)
	}
	ids := slices.Sorted(maps.Keys(m.Flows))
	switch {
	case len(ids) == 0:
		return nil, fmt.Errorf("%s lists no flows", manifestName)
	case len(ids) > maxDocuments:
		return nil, fmt.Errorf("%s lists %d flows; a bundle may have %d", manifestName, len(ids), maxDocuments)
	}
	first = cmp.Or(first, ids[0])
	if _, known := m.Flows[first]; !known {
		return nil, fmt.Errorf("%s begins with the flow %q, which it does not list", manifestName, first)
	}
	rest := slices.DeleteFunc(ids, func(id string) bool { return id == first })
	return append([]string{first}, rest...), nil
}

func readManifest(r *zip.Reader) (m manifest, err error) {
	body, err := unpack(r, manifestName)
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(body, &m); err != nil {
		return m, fmt.Errorf("%s is not readable as JSON: %w", manifestName, err)
	}
	return m, nil
}

// unpack reads one file of an archive, as far as a document may be long.
func unpack(r *zip.Reader, path string) ([]byte, error) {
	i := slices.IndexFunc(r.File, func(f *zip.File) bool { return f.Name == path })
	if i < 0 {
		return nil, fmt.Errorf("the archive has no file %q", path)
	}
	f, err := r.File[i].Open()
	if err != nil {
		return nil, fmt.Errorf("%q cannot be unpacked: %w", path, err)
	}
	defer f.Close()
	body, err := io.ReadAll(io.LimitReader(f, flow.MaxDocumentBytes+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%q cannot be unpacked: %w", path, err)
	case len(body) > flow.MaxDocumentBytes:
		return nil, fmt.Errorf("%q has more than %d bytes, as many as a flow may have", path, flow.MaxDocumentBytes)
	}
	return body, nil
}
