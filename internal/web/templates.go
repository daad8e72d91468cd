package web

import (
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"strings"
	"time"

	"terrier/internal/web/assets"
)

//go:embed templates/*.html
var templateFiles embed.FS

// Files that every page shares: the frame, and the parts that several pages are made of. They
// begin with an underscore.
func parseTemplates(set *assets.Set) (map[string]*template.Template, error) {
	shared, err := template.New("shared").Funcs(template.FuncMap{
		"asset": set.URL,
		"time":  showTime,
		"date":  showDate,
		"join":  strings.Join,
		"add":   func(a, b int) int { return a + b },
	}).ParseFS(templateFiles, "templates/_*.html")
	if err != nil {
		return nil, fmt.Errorf("read the templates: %w", err)
	}
	names, err := fs.Glob(templateFiles, "templates/[a-z]*.html")
	if err != nil {
		return nil, err
	}
	pages := make(map[string]*template.Template, len(names))
	for _, name := range names {
		t, err := shared.Clone()
		if err == nil {
			t, err = t.ParseFS(templateFiles, name)
		}
		if err != nil {
			return nil, fmt.Errorf("read the templates: %w", err)
		}
		pages[strings.TrimSuffix(path.Base(name), ".html")] = t
	}
	return pages, nil
}

// Moments are shown in UTC, as everything that is compared across sites.
func showTime(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") }
func showDate(t time.Time) string { return t.UTC().Format("2006-01-02") }
