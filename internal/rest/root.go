package rest

import (
	"maps"
	"net/http"
	"path"
	"strings"

	"terrier/internal/access"
	"terrier/internal/ledger"
	"terrier/internal/record"
)

// root lists the sections of the API. Clients ask it for the version.
func (a *API) root(w http.ResponseWriter, r *http.Request) {
	body := map[string]string{"status": a.Printer.Base + "/api/status/"}
	for _, t := range a.Registry.Types() {
		body[t.App] = a.Printer.Base + "/api/" + t.App + "/"
	}
	a.sendValue(w, r, http.StatusOK, body)
}

// app lists the types of a section, and what else can be read there.
func (a *API) app(name string, parts []Route) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body := map[string]string{}
		for _, t := range a.Registry.Types() {
			if t.App == name {
				body[t.Plural] = a.Printer.Base + t.Path()
			}
		}
		for _, part := range parts {
			if address := strings.TrimSuffix(part.Pattern, "{$}"); part.Type.App == name {
				body[path.Base(address)] = a.Printer.Base + address
			}
		}
		for _, address := range []string{contentTypesPath, preferencesPath} {
			if strings.HasPrefix(address, "/api/"+name+"/") {
				body[path.Base(address)] = a.Printer.Base + address
			}
		}
		a.sendValue(w, r, http.StatusOK, body)
	}
}

// status shows the versions: ours, and the dialect's under the name that clients know.
func (a *API) status(w http.ResponseWriter, r *http.Request) {
	a.sendValue(w, r, http.StatusOK, map[string]any{
		"netbox-version":  releaseVersion,
		"terrier-version": a.ProgramVersion,
	})
}

// options describes a type to clients that build forms or offer choices. The fields are there for callers who may write: modules of Ansible
// tell others that they may not.
func (a *API) options(t *record.Type) http.HandlerFunc {
	type choice struct {
		Value any    `json:"value"`
		Name  string `json:"display_name"`
	}
	type field struct {
		Type     string   `json:"type"`
		Required bool     `json:"required"`
		ReadOnly bool     `json:"read_only"`
		Label    string   `json:"label"`
		Help     string   `json:"help_text,omitempty"`
		Max      int      `json:"max_length,omitempty"`
		MaxBytes int      `json:"max_bytes,omitempty"`
		Choices  []choice `json:"choices,omitempty"`
	}
	fields := map[string]field{
		"id":      {Type: t.IDSchema()["type"].(string), ReadOnly: true, Label: "ID"},
		"url":     {Type: "field", ReadOnly: true, Label: "Url"},
		"display": {Type: "field", ReadOnly: true, Label: "Display"},
	}
	for _, in := range t.Infos() {
		if in.Hidden && in.ReadOnly || in.AliasOf != "" {
			continue
		}
		f := field{Type: in.Type, Required: in.Required, ReadOnly: in.ReadOnly, Label: in.Label, Help: in.Help, Max: in.Max,
			MaxBytes: in.MaxBytes}
		for _, c := range in.Choices {
			f.Choices = append(f.Choices, choice{in.ChoiceValue(c), c.Label})
		}
		fields[in.Name] = f
	}
	read := map[string]any{
		"name": t.SchemaName(""), "description": t.Doc,
		"renders": []string{"application/json"}, "parses": []string{"application/json"},
	}
	written := maps.Clone(read)
	written["actions"] = map[string]any{"POST": fields}
	return func(w http.ResponseWriter, r *http.Request) {
		body, c := read, ledger.CallerFrom(r.Context())
		if !t.ReadOnly && (a.Ledger.Allow(c, t, access.Add) == nil || a.Ledger.Allow(c, t, access.Change) == nil) {
			body = written
		}
		a.sendValue(w, r, http.StatusOK, body)
	}
}
