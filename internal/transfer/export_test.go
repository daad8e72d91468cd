package transfer_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"terrier/internal/record"
	"terrier/internal/transfer"
)

func day(n int) time.Time { return time.Date(2026, 1, n, 12, 0, 0, 0, time.UTC) }

// made returns a record with the defaults, and with alternating fields and values.
func made(t *record.Type, id int64, given ...any) record.Values {
	v := t.NewValues()
	v.SetID(id)
	for i, info := range t.Infos() {
		v.SetAt(i, info.Default)
	}
	for i := 0; i < len(given); i += 2 {
		v.Set(given[i].(string), given[i+1])
	}
	return v
}

func fullSite(reg *record.Registry) record.Values {
	return made(reg.Type("dcim.site"), 3,
		"name", "Berlin (Mitte)", "slug", "berlin", "status", "planned",
		"region", record.Link{ID: 7, Brief: []any{"Germany", "de", int64(1)}},
		"tenant", record.Link{ID: 2, Brief: []any{"Null & Co.", "null"}},
		"facility", "007", "time_zone", "Europe/Berlin", "description", "=cmd|' /C calc'!A0",
		"physical_address", "Unter den Linden 1\n10117 Berlin", "shipping_address", "'tis \"here\", or there\r\n",
		"latitude", 52.52, "longitude", -13.405, "comments", "-5",
		"tags", []record.Link{{ID: 1, Brief: []any{"Red, or so", "red", "ff0000"}}, {ID: 5, Brief: []any{"Blue", "blue", "0000ff"}}},
		"custom_fields",
		json.RawMessage(`{"text":"@home","integer":7,"multiselect":["one","a,b"],"json":{"a":[1,{"b":null}]},"boolean":true,"text_set":null,`+
			`"select":""}`),
		"created", day(1), "last_updated", day(2))
}

// TestExport compares exports with files that a person has reviewed.
func TestExport(t *testing.T) {
	reg := registry(t)
	typ := func(key string) *record.Type { return reg.Type(key) }
	change := made(typ("extras.objectchange"), 9, "time", day(1), "user", record.Link{ID: 1, Brief: []any{"admin"}}, "user_name", "admin",
		"request_id", "0190a1b2-0000-7000-8000-000000000001", "action", "create", "changed_object_type", "dcim.site",
		"changed_object_id", int64(3),
		"object_repr", "Berlin", "postchange_data", json.RawMessage(`{"name":"Berlin"}`))
	change.Set("changed_object", record.Pointer{Type: typ("dcim.site"), ID: 3, Display: "Berlin"})
	for _, rows := range [][]record.Values{
		{fullSite(reg), made(typ("dcim.site"), 4, "name", "Rome", "slug", "rome", "custom_fields", json.RawMessage(`{}`), "created",
			day(3), "last_updated", day(3))},
		{made(typ("extras.webhook"), 5, "content_types", []string{"dcim.site", "dcim.region"}, "name", "Chat", "type_create", true,
			"payload_url", "https://chat.example/hook", "additional_headers", record.Plain("X-Key: hidden"), "secret", record.Sealed("hidden"),
			"body_template", "{\n  \"text\": {{ data | tojson }}\n}", "conditions", json.RawMessage(`{"and":[{"attr":"name","value":"x"}]}`),
			"created", day(1), "last_updated", day(1))},
		{change},
		{made(typ("extras.delivery"), 4_000_000_000_000_000, "time", day(1), "webhook", record.Link{ID: 5, Brief: []any{"Chat"}}, "state",
			"failed", "event", "created",
			"object_type", "dcim.site", "object_id", int64(3), "sequence", int64(1), "request_id", "0190a1b2-0000-7000-8000-000000000001",
			"attempt_count", int64(1), "status_code", int64(500), "reason", "status 500", "queued_at", day(1), "finished_at", day(1))},
	} {
		of := rows[0].Type()
		for _, format := range transfer.Formats {
			var defs []*record.Custom
			if of.Index("custom_fields") >= 0 {
				defs = customs(t, reg)
			}
			name := filepath.Join("testdata", "export", of.Name+"."+string(format))
			want, err := os.ReadFile(name)
			if err != nil {
				t.Error(err)
			}
			got := export(t, of, defs, format, rows)
			if !bytes.Equal(got, want) {
				t.Errorf("%s: got\n%s", name, got)
			}
			if bytes.Contains(got, []byte("hidden")) {
				t.Errorf("%s shows a secret", name)
			}
		}
	}
}

// TestExportOfStaleValues: a value from before its definition changed is written as it is.
func TestExportOfStaleValues(t *testing.T) {
	reg := registry(t)
	site := reg.Type("dcim.site")
	defs := slices.DeleteFunc(customs(t, reg), func(def *record.Custom) bool {
		return !slices.Contains([]string{"text", "integer", "multiselect"}, def.Name)
	})
	for _, row := range []struct{ values, want string }{
		{`{"text":"x","integer":7,"multiselect":["one","two"]}`, `,x,7,"one,two",`},
		{`{"text":[1,2],"integer":"seven","multiselect":[1,2]}`, `,"[1,2]",seven,"[1,2]",`},
		{`{"text":5,"integer":true,"multiselect":"one"}`, `,5,true,one,`},
		{`{"text":{},"integer":1.5,"multiselect":{"a":["b"]}}`, `,{},1.5,"{""a"":[""b""]}",`},
	} {
		v := made(site, 4, "name", "Rome", "slug", "rome", "custom_fields", json.RawMessage(row.values), "created", day(3),
			"last_updated", day(3))
		if got := string(export(t, site, defs, "csv", []record.Values{v})); !strings.Contains(got, row.want) {
			t.Errorf("%s: got\n%s", row.values, got)
		}
	}
}

// TestEmptyExport is a file that can be read.
func TestEmptyExport(t *testing.T) {
	group := registry(t).Type("users.group")
	for format, want := range map[transfer.Format]string{
		"csv": "id,name,description,created,last_updated\n", "json": "[]\n", "yaml": "[]\n"} {
		if got := string(export(t, group, nil, format, nil)); got != want {
			t.Errorf("%s: got %q", format, got)
		}
	}
}

// TestExportStreams: records are written as they come, and a reader who is gone ends the export.
func TestExportStreams(t *testing.T) {
	reg := registry(t)
	for _, format := range transfer.Formats {
		gone := &goneAfter{bytes: 100_000}
		w := transfer.NewWriter(gone, reg.Type("dcim.site"), nil, format, &record.Printer{})
		err := w.Begin()
		for range 10_000 {
			if err == nil {
				err = w.Write(fullSite(reg))
			}
		}
		if !errors.Is(err, errGone) || gone.largest > 10_000 {
			t.Errorf("%s: got %v after writes of at most %d bytes", format, err, gone.largest)
		}
	}
	w := transfer.NewWriter(&strings.Builder{}, reg.Type("dcim.site"), nil, "xml", &record.Printer{})
	if err := w.Begin(); err == nil || !strings.Contains(err.Error(), `"xml" is unknown`) {
		t.Errorf("got %v", err)
	}
}

var errGone = errors.New("the reader is gone")

type goneAfter struct{ bytes, largest int }

func (w *goneAfter) Write(p []byte) (int, error) {
	w.bytes -= len(p)
	w.largest = max(w.largest, len(p))
	if w.bytes < 0 {
		return 0, errGone
	}
	return len(p), nil
}
