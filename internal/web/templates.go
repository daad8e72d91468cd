package web

import (
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"strings"
	"time"

	"terrier/internal/web/assets"
)

//go:embed templates/*.html
var templateFiles embed.FS

// ParseTemplates reads all templates, with those of rooms, into one set, which is the same for every Site: a copy of what they share for
// each page would take megabytes. Files that begin with an underscore hold parts; every other one is a page and defines
// its content, which is put between top and bottom.
func ParseTemplates(rooms ...fs.FS) (*template.Template, error) {
	all, err := template.New("").Funcs(template.FuncMap{
		"asset": assets.New().URL,
		"time":  ShowTime,
		"date":  ShowDate,
		"join":  strings.Join,
		"add":   func(a, b int) int { return a + b },
	}).ParseFS(templateFiles, "templates/*.html")
	for _, files := range rooms {
		if err == nil {
			all, err = all.ParseFS(files, "templates/*.html")
		}
	}
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
func ShowTime(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") }
func ShowDate(t time.Time) string { return t.UTC().Format("2006-01-02") }
