package files

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-pdf/fpdf"
	"github.com/ledongthuc/pdf"
)

// maxPages is how many pages of a PDF file are read.
const maxPages = 500

func (w workspace) readPDF(p map[string]any) (map[string]any, error) {
	name, err := place(p)
	if err != nil {
		return nil, err
	}
	if !ending(name, ".pdf") {
		return nil, fmt.Errorf("%s is not a PDF file: read it with files.read", name)
	}
	body, err := w.bytes(name)
	if err != nil {
		return nil, err
	}
	data, err := contents(body)
	if err != nil {
		return nil, fmt.Errorf("%s is not readable as a PDF file: %w", name, err)
	}
	data["path"] = name
	return data, nil
}

// contents gives text and properties of a PDF document. The library panics on some broken documents.
func contents(body []byte) (data map[string]any, err error) {
	defer func() {
		if p := recover(); p != nil {
			data, err = nil, errors.New("it is broken")
		}
	}()
	r, err := pdf.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		return nil, err
	}
	pages := r.NumPage()
	if pages > maxPages {
		return nil, fmt.Errorf("it has %d pages, more than %d", pages, maxPages)
	}
	var all strings.Builder
	for i := range pages {
		text, err := r.Page(i + 1).GetPlainText(nil)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			all.WriteByte('\n')
		}
		if all.WriteString(text); all.Len() > MaxSize {
			return nil, fmt.Errorf("its text has more than %d bytes", MaxSize)
		}
	}
	metadata := map[string]any{}
	info := r.Trailer().Key("Info")
	for _, key := range info.Keys() {
		if v := info.Key(key).Text(); v != "" {
			metadata[strings.ToLower(key)] = v
		}
	}
	return map[string]any{"text": all.String(), "pages": pages, "metadata": metadata}, nil
}

func (w workspace) writePDF(p map[string]any) (map[string]any, error) {
	name, err := place(p)
	if err != nil {
		return nil, err
	}
	if !ending(name, ".pdf") {
		return nil, fmt.Errorf("the path %s must end in .pdf", name)
	}
	content, _ := p["content"].(string)
	title, _ := p["title"].(string)
	if len(content) > MaxSize {
		return nil, fmt.Errorf("the content has more than %d bytes", MaxSize)
	}
	body, err := document(title, content)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be made: %w", name, err)
	}
	return w.store(name, body)
}

// Sizes of text, in points.
const (
	bodySize = 11
	leading  = 1.35 // height of a line, in sizes
)

// document writes text or Markdown as a PDF document. The same text gives the same bytes.
func document(title, content string) ([]byte, error) {
	d := fpdf.New("P", "pt", "A4", "")
	d.SetCreationDate(time.Unix(0, 0).UTC())
	d.SetModificationDate(time.Unix(0, 0).UTC())
	d.SetCatalogSort(true)
	d.SetMargins(56, 56, 56)
	d.SetAutoPageBreak(true, 56)
	latin := d.UnicodeTranslatorFromDescriptor("")
	d.AddPage()
	if title != "" {
		d.SetTitle(title, true)
		paragraph(d, "B", 20, latin(title))
	}
	code := false
	for line := range strings.SplitSeq(strings.ReplaceAll(content, "\r\n", "\n"), "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			code = !code
			continue
		}
		writeLine(d, latin, line, code)
	}
	var out bytes.Buffer
	err := d.Output(&out)
	return out.Bytes(), err
}

// writeLine writes one line of Markdown.
func writeLine(d *fpdf.Fpdf, latin func(string) string, line string, code bool) {
	trimmed := strings.TrimSpace(line)
	level := len(trimmed) - len(strings.TrimLeft(trimmed, "#"))
	switch {
	case code:
		d.SetFont("Courier", "", bodySize-1)
		d.MultiCell(0, bodySize*leading, latin(line), "", "L", false)
	case trimmed == "":
		d.Ln(bodySize * leading / 2)
	case level > 0 && level <= 6 && strings.HasPrefix(trimmed[level:], " "):
		paragraph(d, "B", float64(max(19-2*level, bodySize)), latin(strings.TrimSpace(trimmed[level:])))
	case strings.Trim(trimmed, "-") == "" && len(trimmed) >= 3:
		y := d.GetY() + bodySize/2
		d.Line(56, y, 539, y)
		d.Ln(bodySize)
	case strings.HasPrefix(trimmed, "- ") || strings.HasPrefix(trimmed, "* "):
		paragraph(d, "", bodySize, latin("• "+bare(trimmed[2:])))
	default:
		paragraph(d, "", bodySize, latin(bare(trimmed)))
	}
}

func paragraph(d *fpdf.Fpdf, style string, size float64, text string) {
	d.SetFont("Helvetica", style, size)
	d.MultiCell(0, size*leading, text, "", "L", false)
}

// bare is a line of Markdown without the signs of emphasis.
func bare(line string) string { return strings.NewReplacer("**", "", "__", "", "`", "").Replace(line) }
