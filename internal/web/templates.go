package web

import (
	"embed"
	"fmt"
	"html/template"
	"strings"
	"sync"
	"time"

	"terrier/internal/web/assets"
)

//go:embed templates/*.html
var templateFiles embed.FS

// parsed is the templates, which are the same for every Site.
var parsed = sync.OnceValues(func() (*template.Template, error) { return parseTemplates(assets.New()) })

// parseTemplates reads all templates into one set: a copy of what they share for each page would
// take megabytes. Files that begin with an underscore hold parts; every other one is a page and defines
// its content, which is put between top and bottom.
func parseTemplates(set *assets.Set) (*template.Template, error) {
	all, err := template.New("").Funcs(template.FuncMap{
		"asset": set.URL,
		"time":  showTime,
		"date":  showDate,
		"join":  strings.Join,
		"add":   func(a, b int) int { return a + b },
	}).ParseFS(templateFiles, "templates/*.html")
	if err != nil {
		return nil, fmt.Errorf("read the templates: %w", err)
	}
	for _, t := range all.Templates() {
		if name, is := strings.CutSuffix(t.Name(), " content"); is {
			page := `{{template "top" .}}{{template "` + t.Name() + `" .Body}}{{template "bottom" .}}`
			if _, err := all.New(pageTemplate(name)).Parse(page); err != nil {
				return nil, fmt.Errorf("read the templates: %w", err)
			}
		}
	}
	return all, nil
}

// pageTemplate is what a page is called in the set. No part has a space in its name.
func pageTemplate(name string) string { return name + " page" }

// Moments are shown in UTC, as everything that is compared across sites.
func showTime(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") }
func showDate(t time.Time) string { return t.UTC().Format("2006-01-02") }
