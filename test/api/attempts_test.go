package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestLongBodies: what is shown of a delivery is bounded, however long its bodies are and however often they were sent.
func TestLongBodies(t *testing.T) {
	p := newPost(t)
	const shown, most = 64 << 10, 6 << 20
	exec(t, p.s, "UPDATE dcim_site SET comments = repeat('x', 1000000) WHERE id = $1", p.sites[0]) // longer than can be written today
	p.admin.do(t, "PATCH", at(sites, p.sites[0]), obj{"facility": "1"}).Want(t, http.StatusOK)
	p.admin.do(t, "PATCH", at(sites, p.sites[0]), obj{"facility": "2"}).Want(t, http.StatusOK)
	attempts := func(webhook int64, body any) {
		exec(t, p.s, `INSERT INTO extras_attempt (delivery_id, changed_at, started_at, milliseconds, method, target, request_headers,
			request_body, status_code, response_headers, response_body, truncated, error)
			SELECT id, changed_at, changed_at + i * interval '1 s', 12, 'POST', 'https://receiver.example/', '{}', convert_to($2::text,
				'UTF8'), 500, '{}', convert_to(repeat('y', 65536), 'UTF8'), TRUE, ''
			FROM extras_delivery, generate_series(1, 30) i WHERE webhook_id = $1 AND object_id = $3 AND version = 3`, webhook, body, p.sites[0])
	}
	attempts(p.a, nil)                               // the default body: the record, before and after
	attempts(p.b, "xx"+strings.Repeat("€", 300_000)) // of a template
	exec(t, p.s, "UPDATE extras_delivery SET attempt_count = 30 WHERE version = 3")
	for _, row := range []struct {
		webhook int64
		whole   int // of the last body, at least
	}{{p.a, 3_000_000 - 10}, {p.b, 900_002}} {
		d := p.list(t, fmt.Sprintf("webhook_id=%d&sequence=3", row.webhook))[0]
		a := p.admin.get(t, deliveryAt(d)).Want(t, http.StatusOK)
		if len(a.Raw) > most {
			t.Errorf("webhook %d: the answer has %d bytes", row.webhook, len(a.Raw))
		}
		all := a.Object(t)["attempts"].([]any)
		if len(all) != 25 {
			t.Fatalf("%d attempts", len(all))
		}
		last := all[24].(obj)["request"].(obj)
		whole := last["body"].(string)
		if len(whole) < row.whole || last["truncated"] != false || all[24].(obj)["number"] != 30.0 {
			t.Errorf("webhook %d: the last body has %d bytes, truncated: %v", row.webhook, len(whole), last["truncated"])
		}
		for i, one := range all[:24] {
			request := one.(obj)["request"].(obj)
			if body := request["body"].(string); request["truncated"] != true || len(body) > shown || len(body) < shown-2 ||
				!strings.HasPrefix(whole, body) {
				t.Errorf("webhook %d: body %d has %d bytes, truncated: %v", row.webhook, i, len(body), request["truncated"])
			}
		}
	}
	// A body within the limit is complete everywhere.
	exec(t, p.s, "UPDATE extras_attempt SET request_body = convert_to(repeat('z', 65536), 'UTF8')")
	for _, one := range p.admin.get(t, deliveryAt(p.list(t, "sequence=3")[0])).Object(t)["attempts"].([]any) {
		if request := one.(obj)["request"].(obj); request["truncated"] != false || len(request["body"].(string)) != shown {
			t.Errorf("a body of %d bytes, truncated: %v", len(request["body"].(string)), request["truncated"])
		}
	}
}
