package web

import (
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"strings"

	"terrier/internal/drawing"
	"terrier/internal/web/assets"
)

//go:embed templates/*.html
var templateFiles embed.FS

// ParseTemplates parses all templates, with those of rooms, into one set. Every Site can share it: a copy of the shared parts for each
// page would take megabytes. Files that begin with an underscore define parts. Every other file is a page and defines its content,
// which is put between top and bottom. The cards of a record's page are below its content, whichever template that is.
func ParseTemplates(rooms ...fs.FS) (*template.Template, error) {
	all, err := template.New("").Funcs(template.FuncMap{
		"asset": assets.New().URL,
		"icon":  printIcon,
		"time":  printTime,
		"join":  strings.Join,
		"ink":   drawing.Ink,
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
			page := `{{template "top" .}}{{template "` + t.Name() + `" .Body}}` +
				`{{range .Cards}}{{template "panel-card" .}}{{end}}{{template "bottom" .}}`
			if _, err := all.New(pageTemplate(name)).Parse(page); err != nil {
				return nil, fmt.Errorf("read the templates: %w", err)
			}
		}
	}
	return all, nil
}

// pageTemplate returns the name of a page in the set. No part has a space in its name.
func pageTemplate(name string) string { return name + " page" }

// printIcon returns an icon beside a text that says the same, or nothing if the program was built without icons.
func printIcon(name string) template.HTML {
	at := assets.New().Icon(name)
	if at == "" {
		return ""
	}
	return template.HTML(`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><use href="` + at + `"/></svg>`)
}
