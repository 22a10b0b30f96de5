package slacksim

import (
	"embed"
	"io/fs"
	"net/http"
)

//go:embed web
var page embed.FS

// routePage serves the page at / and where permalinks point, its files under /static/.
func routePage(mux *http.ServeMux) {
	files, err := fs.Sub(page, "web")
	if err != nil {
		panic(err) // the directory is part of the program
	}
	index := func(w http.ResponseWriter, r *http.Request) { http.ServeFileFS(w, r, files, "index.html") }
	mux.HandleFunc("GET /{$}", index)
	mux.HandleFunc("GET /archives/", index)
	mux.Handle("GET /static/", http.StripPrefix("/static/", http.FileServerFS(files)))
}
