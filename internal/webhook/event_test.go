package webhook_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"terrier/internal/webhook"
)

// site is an update of a site, as the ledger stores it.
func site() *webhook.Event {
	return &webhook.Event{
		Kind: "updated", Model: "site", Username: `al"ice`, RequestID: "0190a2b4-0000-7000-8000-000000000001",
		Timestamp: time.Date(2026, 3, 1, 13, 4, 5, 120_000_999, time.FixedZone("", 3600)),
		Data: []byte(`{"id":7,"url":"https://x/api/dcim/sites/7/","display":"Lisbon","name":"Lisbon","slug":"lis",` +
			`"status":{"value":"active","label":"Active"},"region":{"id":3,"slug":"pt","name":"Portugal"},"tenant":null,` +
			`"asn_count":12,"latitude":38.50,"physical_address":"","is_big":true,"modes":[{"value":"a","label":"A"},{"value":"b","label":"B"}],` +
			`"tags":[{"id":1,"name":"Prod","slug":"prod"},{"id":2,"name":"EU","slug":"eu"}],"no_tags":[],` +
			`"racks":[{"units":[{"n":1},{"n":2}]},{"units":[{"n":3}]}],"custom_fields":{"owner":"net","big":9007199254740993},` +
			`"last_updated":"2026-03-01T12:04:05.120000Z"}`),
		Prechange:  []byte(`{"name":"Lisbon","status":"planned","region":3,"tenant":null,"tags":["Prod"],"custom_fields":{"owner":"net"}}`),
		Postchange: []byte(`{"name":"Lisbon","status":"active","region":3,"tenant":null,"tags":["Prod","EU"],"custom_fields":{"owner":"net"}}`),
	}
}

func TestBody(t *testing.T) {
	e := &webhook.Event{Kind: "created", Model: "site", Username: `al"ice`, RequestID: "0190a2b4-0000-7000-8000-000000000001",
		Timestamp:  time.Date(2026, 3, 1, 13, 4, 5, 120_000_999, time.FixedZone("", 3600)),
		Data:       []byte(`{"b": 1.50,  "a":"\u0000é"}`),
		Postchange: []byte(`{"b":1.50}`)}
	const want = `{"event":"created","timestamp":"2026-03-01T12:04:05.120000Z","model":"site","username":"al\"ice",` +
		`"request_id":"0190a2b4-0000-7000-8000-000000000001","data":{"b": 1.50,  "a":"\u0000é"},` +
		`"snapshots":{"prechange":null,"postchange":{"b":1.50}}}`
	if got := string(e.Body()); got != want {
		t.Errorf("the body is\n%s\nwant\n%s", got, want)
	}
	e = &webhook.Event{Kind: "deleted", Data: e.Data, Prechange: e.Postchange}
	if got := e.Body(); !bytes.HasSuffix(got, []byte(`"snapshots":{"prechange":{"b":1.50},"postchange":null}}`)) {
		t.Errorf("the snapshots of a delete are %s", got)
	}
}

// TestBodyKeys: whatever a change contains, the body is one JSON object with the seven keys in their order.
func TestBodyKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		document := rapid.Custom(func(t *rapid.T) []byte {
			if rapid.Bool().Draw(t, "none") {
				return nil
			}
			b, err := json.Marshal(rapid.MapOf(rapid.String(), rapid.String()).Draw(t, "members"))
			if err != nil {
				t.Fatal(err)
			}
			return b
		})
		text := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }))
		e := &webhook.Event{
			Kind: rapid.SampledFrom([]string{"created", "updated", "deleted"}).Draw(t, "kind"), Model: text.Draw(t, "model"),
			Username: text.Draw(t, "username"), RequestID: text.Draw(t, "request"),
			Timestamp: time.Unix(rapid.Int64Range(0, 1<<34).Draw(t, "at"), rapid.Int64Range(0, 1e9-1).Draw(t, "ns")),
			Data:      document.Draw(t, "data"), Prechange: document.Draw(t, "prechange"), Postchange: document.Draw(t, "postchange"),
		}
		body := e.Body()
		if !json.Valid(body) {
			t.Fatalf("not JSON: %s", body)
		}
		want := []string{"event", "timestamp", "model", "username", "request_id", "data", "snapshots"}
		if got := keys(t, body); !slices.Equal(got, want) {
			t.Fatalf("the keys are %v", got)
		}
		if len(e.Data) > 0 && !bytes.Contains(body, append([]byte(`,"data":`), e.Data...)) {
			t.Fatal("the data is not there byte for byte")
		}
	})
}

// keys lists the keys of an object in the order in which they are written.
func keys(t *rapid.T, object []byte) []string {
	d := json.NewDecoder(bytes.NewReader(object))
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	var names []string
	for d.More() {
		name, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, name.(string))
		var skipped json.RawMessage
		if err := d.Decode(&skipped); err != nil {
			t.Fatal(err)
		}
	}
	return names
}
