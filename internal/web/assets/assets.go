// Package assets owns the files that pages load: stylesheets, scripts, the icon. Ours are in own/; those of
// others are put into dist/ by bundle, from the packages that package-lock.json pins.
//
// dist/ is not committed. A program built without it runs and has plain pages: which files there are is asked of
// the Set, not assumed. What a page says is web's.
package assets

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io"
	"net/http"
	"path"
	"strings"
	"sync"

	"terrier/internal/packed"
)

//go:embed own all:dist
var embedded embed.FS

// Prefix begins the address of every file.
const Prefix = "/static/"

// types is not left to the mime package, which asks the machine's own tables.
var types = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml; charset=utf-8",
	".txt": "text/plain; charset=utf-8",
}

// Set is the files there are.
type Set struct {
	urls  map[string]string // by name
	files map[string]file   // by address, which holds the hash: another content has another address
}

// file is kept compressed only: nearly every browser takes it so, and the program stays small.
type file struct {
	contentType string
	gzipped     []byte
}

// New returns the embedded files. They are the same for everybody, and read and compressed once.
func New() *Set { return all() }

var all = sync.OnceValue(func() *Set {
	s := &Set{urls: map[string]string{}, files: map[string]file{}}
	for name, content := range read("own") {
		s.add(name, Compress(content))
	}
	for name, content := range read("dist") {
		if plain, ok := strings.CutSuffix(name, ".gz"); ok {
			s.add(plain, content)
		}
	}
	return s
})

func read(folder string) map[string][]byte {
	entries, err := embedded.ReadDir(folder)
	if err != nil {
		panic(err) // the compiler embedded it
	}
	contents := map[string][]byte{}
	for _, e := range entries {
		content, err := embedded.ReadFile(path.Join(folder, e.Name()))
		if err != nil {
			panic(err)
		}
		contents[e.Name()] = content
	}
	return contents
}

func (s *Set) add(name string, gzipped []byte) {
	sum := sha256.Sum256(gzipped)
	url := Prefix + hex.EncodeToString(sum[:8]) + "/" + name
	s.urls[name] = url
	s.files[url] = file{contentType: types[path.Ext(name)], gzipped: gzipped}
}

// Compress packs content as tightly as gzip can, always into the same bytes.
func Compress(content []byte) []byte {
	return packed.Make(func(w io.Writer) { _, _ = w.Write(content) }).Bytes() // it takes everything
}

// URL returns the address of the file, or "" when there is none of that name.
func (s *Set) URL(name string) string { return s.urls[name] }

// Has reports whether there is a file of that name.
func (s *Set) Has(name string) bool { return s.urls[name] != "" }

// Bundled reports whether the files of others were there when the program was built.
func (s *Set) Bundled() bool {
	return s.Has("bootstrap.css") && s.Has("htmx.js") && s.Has("swagger-ui.css") && s.Has("swagger-ui-bundle.js")
}

// ServeHTTP answers GET and HEAD of the addresses that URL gives.
func (s *Set) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	f, ok := s.files[r.URL.Path]
	if !ok {
		// While servers of two versions run, one may not know the other's files yet.
		h.Set("Cache-Control", "no-store")
		http.Error(w, "there is no such file in this version; load the page again", http.StatusNotFound)
		return
	}
	h.Set("Content-Type", f.contentType)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("Vary", "Accept-Encoding")
	packed.Of(f.gzipped).Serve(w, r)
}
