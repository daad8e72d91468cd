package rest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"terrier/internal/inventory"
	"terrier/internal/inventory/dcim"
	"terrier/internal/record"
)

// describing is an API that only describes itself, with some additional record types.
func describing(t *testing.T, more int) *API {
	t.Helper()
	types := inventory.Types()
	for i := range more {
		site := dcim.Site
		site.Panels, site.Fields = nil, slices.DeleteFunc(slices.Clone(site.Fields), func(f record.Field) bool {
			_, counts := f.(record.Counting) // nothing refers to a copy
			return counts
		})
		site.App, site.Name, site.Plural = "synthetic", fmt.Sprintf("type%02d", i+1), fmt.Sprintf("type%02ds", i+1)
		types = append(types, site)
	}
	reg, err := record.NewRegistry(types...)
	if err != nil {
		t.Fatal(err)
	}
	return &API{Registry: reg, Printer: &record.Printer{Base: "http://terrier.test"}, ProgramVersion: "test", Cookie: "session"}
}

func ask(handle http.HandlerFunc, method string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "/api/schema/", nil)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	handle(w, r)
	return w
}

// TestDocumentIsSentAsAsked: compressed if accepted, plain otherwise, never indented, and always the same document.
func TestDocumentIsSentAsAsked(t *testing.T) {
	t.Parallel()
	a := describing(t, 0)
	plain := ask(a.schema, http.MethodGet)
	if plain.Header().Get("Content-Encoding") != "" || plain.Header().Get("Content-Length") != fmt.Sprint(plain.Body.Len()) ||
		!json.Valid(plain.Body.Bytes()) {
		t.Fatalf("plain: %v %.100s", plain.Header(), plain.Body)
	}
	packed := ask(a.schema, http.MethodGet, "Accept-Encoding", "br, gzip")
	if packed.Header().Get("Content-Encoding") != "gzip" || packed.Header().Get("Content-Length") != fmt.Sprint(packed.Body.Len()) ||
		5*packed.Body.Len() > plain.Body.Len() {
		t.Errorf("compressed: %v, %d bytes", packed.Header(), packed.Body.Len())
	}
	for _, w := range []*httptest.ResponseRecorder{plain, packed} {
		if vary := strings.Join(w.Header().Values("Vary"), ", "); !strings.Contains(vary, "Accept-Encoding") ||
			!strings.Contains(vary, "Authorization") {
			t.Errorf("Vary: %q", vary)
		}
	}
	z, err := gzip.NewReader(packed.Body)
	if err != nil {
		t.Fatal(err)
	}
	if unpacked, err := io.ReadAll(z); err != nil || !bytes.Equal(unpacked, plain.Body.Bytes()) {
		t.Errorf("what is sent compressed is another document: %v", err)
	}
	if w := ask(a.schema, http.MethodGet, "Accept", "application/json; indent=2"); !bytes.Equal(w.Body.Bytes(), plain.Body.Bytes()) {
		t.Errorf("indented, it would be in memory as a whole: %.100s", w.Body)
	}
	if w := ask(a.schema, http.MethodHead, "Accept-Encoding", "gzip"); w.Body.Len() > 0 ||
		w.Header().Get("Content-Length") != packed.Header().Get("Content-Length") {
		t.Errorf("HEAD: %d bytes, %v", w.Body.Len(), w.Header())
	}
	if w := ask(a.docs, http.MethodGet); !strings.Contains(w.Body.String(), `"/dcim/sites/"`) ||
		strings.Contains(w.Body.String(), `"/api/dcim/sites/"`) {
		t.Error("older clients look for paths without /api")
	}
}

// TestDocumentOfManyTypes: the document stays small enough to be loaded with a hundred record types, and has what
// clients look for where they look: the parameters of a list inline, with their names, and a plain boolean for empty.
func TestDocumentOfManyTypes(t *testing.T) {
	t.Parallel()
	a := describing(t, 28)
	raw, packed := ask(a.schema, http.MethodGet).Body.Bytes(), ask(a.schema, http.MethodGet, "Accept-Encoding", "gzip").Body.Len()
	if len(raw) > 2_950_000 || packed > 200_000 {
		t.Errorf("%d bytes, compressed %d", len(raw), packed)
	}
	var document struct {
		Paths map[string]struct {
			Get struct {
				Parameters []struct {
					Name, In string
					Schema   struct{ Type string }
				}
			}
		}
	}
	if err := json.Unmarshal(raw, &document); err != nil {
		t.Fatal(err)
	}
	for _, typ := range a.Registry.Types() {
		parameters := document.Paths[typ.Path()].Get.Parameters
		want := len(typ.FilterNames()) + len(onRequest(typ)) + 11
		if len(excludable(typ)) > 0 {
			want++ // exclude
		}
		if len(parameters) != want {
			t.Errorf("%s has %d parameters, want %d", typ.Path(), len(parameters), want)
		}
		for _, p := range parameters {
			if p.Name == "" || p.In != "query" || p.Schema.Type == "" || isFlag(typ, p.Name) != (p.Schema.Type == "boolean") {
				t.Errorf("%s: %+v", typ.Path(), p)
			}
		}
	}
}

func isFlag(t *record.Type, parameter string) bool {
	return strings.HasSuffix(parameter, "__empty") || slices.Contains(onRequest(t), parameter)
}
