// Package assets owns the files that pages load: stylesheets, scripts, the icon. Ours are in own/. The command bundle copies those of
// others into dist/, from the packages that package-lock.json pins.
//
// dist/ is not committed. A program built without it runs and has plain pages: a page asks the Set which files there are. The contents
// of pages belong to package web.
package assets

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io"
	"net/http"
	"path"
	"regexp"
	"strings"
	"sync"

	"terrier/internal/packed"
)

//go:embed own all:dist
var embedded embed.FS

// Prefix begins the address of every file.
const Prefix = "/static/"

// types are the content types by file extension. The mime package is not used, because its answers depend on the machine.
var types = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml; charset=utf-8",
	".txt": "text/plain; charset=utf-8",
}

// Set is the files that can be served.
type Set struct {
	urls  map[string]string // by name
	files map[string]file   // by address; it contains a hash of the content, so new content has a new address
	icons map[string]string // their addresses, by name
}

// file is kept only in compressed form: nearly every browser accepts it, and the program stays small.
type file struct {
	contentType string
	gzipped     []byte
}

// New returns the embedded files. They are read and compressed once, and shared.
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
	s.addIcons()
	return s
})

var symbol = regexp.MustCompile(`<symbol id="([^"]+)"`)

// addIcons finds the icons in the file that has them all.
func (s *Set) addIcons() {
	s.icons = map[string]string{}
	url := s.URL("icons.svg")
	if url == "" {
		return
	}
	for _, found := range symbol.FindAllSubmatch(packed.Of(s.files[url].gzipped).Unpack(), -1) {
		name := string(found[1])
		s.icons[name] = url + "#" + name
	}
}

// Icon returns the address of an icon, or "" if there is none of that name.
func (s *Set) Icon(name string) string { return s.icons[name] }

func read(folder string) map[string][]byte {
	entries, err := embedded.ReadDir(folder)
	if err != nil {
		panic(err) // can't happen: the file is embedded
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

// Compress compresses content with gzip at the highest level. The same content always gives the same bytes.
func Compress(content []byte) []byte {
	return packed.Make(func(w io.Writer) { _, _ = w.Write(content) }).Bytes() // the write can't fail
}

// URL returns the address of a file, or "" if there is none of that name.
func (s *Set) URL(name string) string { return s.urls[name] }

// Has reports whether there is a file of that name.
func (s *Set) Has(name string) bool { return s.urls[name] != "" }

// Bundled reports whether the files of others were there when the program was built.
func (s *Set) Bundled() bool {
	return s.Has("bootstrap.css") && s.Has("icons.svg") && s.Has("htmx.js") && s.Has("swagger-ui.css") && s.Has("swagger-ui-bundle.js")
}

// ServeHTTP answers GET and HEAD for the addresses that URL returns.
func (s *Set) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	f, ok := s.files[r.URL.Path]
	if !ok {
		// While servers of two versions run, one may lack the other's files. So this answer must not be cached.
		h.Set("Cache-Control", "no-store")
		http.Error(w, "there is no such file in this version; load the page again", http.StatusNotFound)
		return
	}
	h.Set("Content-Type", f.contentType)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("Vary", "Accept-Encoding")
	packed.Of(f.gzipped).Serve(w, r)
}
