package api_test

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"terrier/test/apitest"
)

// TestWebhookSecrets puts canaries into every secret field, does everything that can be done with a webhook, and
// looks for them: in the answers, in the log, in every row of every table.
func TestWebhookSecrets(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	const secret, previous, header = "c4n4ry-secret", "c4n4ry-previous", "c4n4ry-header"
	var seen strings.Builder // every answer
	do := func(method, path string, body any) apitest.Answer {
		t.Helper()
		a := admin.do(t, method, path, body)
		seen.Write(a.Raw)
		fmt.Fprintln(&seen, a.Header)
		return a
	}
	sealed := func(id int64, field string) string {
		return one[string](t, s, "SELECT "+field+"_sealed FROM extras_webhook WHERE id = $1", id)
	}

	id := apitest.ID(do("POST", webhooks, hook("w", "secret", secret, "previous_secret", previous, "additional_headers",
		"Authorization: "+header)).Want(t, http.StatusCreated).Object(t))
	place := at(webhooks, id)
	fields := []string{"secret", "previous_secret", "additional_headers"}
	t.Run("absent keeps, empty clears", func(t *testing.T) {
		for _, field := range fields {
			was := sealed(id, field)
			if was == "" || was == sealed(id, "previous_secret") && field != "previous_secret" {
				t.Fatalf("%s is kept as %q", field, was)
			}
			do("PATCH", place, obj{"max_retries": 5}).Want(t, http.StatusOK)
			do("PATCH", place, obj{"max_retries": 6}).Want(t, http.StatusOK)
			do("PUT", place, obj{"name": "w", "payload_url": "https://receiver.example/", "content_types": []string{"dcim.site"}}).
				Want(t, http.StatusOK)
			if sealed(id, field) != was {
				t.Errorf("%s was not given and changed", field)
			}
			do("PATCH", place, obj{field: ""}).Want(t, http.StatusOK)
			if got := sealed(id, field); got != "" {
				t.Errorf("%s was cleared and is %q", field, got)
			}
			do("PATCH", place, obj{field: ""}).Want(t, http.StatusOK)
			last := do("PATCH", place, obj{field: map[string]string{"secret": secret, "previous_secret": previous,
				"additional_headers": "Authorization: " + header}[field]})
			if last.Want(t, http.StatusOK); sealed(id, field) == "" || sealed(id, field) == was {
				t.Errorf("%s was set again and is %q", field, sealed(id, field))
			}
		}
	})
	t.Run("bulk", func(t *testing.T) {
		made := do("POST", webhooks, []obj{hook("b1", "secret", secret+"1", "additional_headers", "A: "+header),
			hook("b2", "secret", secret+"2")}).Want(t, http.StatusCreated).List(t)
		do("PATCH", webhooks, []obj{{"id": apitest.ID(made[0]), "secret": secret + "3"},
			{"id": apitest.ID(made[1]), "additional_headers": "B: " + header}}).Want(t, http.StatusOK)
		do("POST", webhooks, []obj{hook("b1", "secret", secret), hook("b3", "secret", secret, "additional_headers", header)}).
			Want(t, http.StatusBadRequest)
	})
	t.Run("refused together with something else", func(t *testing.T) {
		do("POST", webhooks, hook("w", "secret", secret, "payload_url", "x")).Want(t, http.StatusBadRequest)
		do("PATCH", place, obj{"secret": secret, "max_retries": 99}).Want(t, http.StatusBadRequest)
	})
	siteID := apitest.ID(do("POST", sites, site("S")).Want(t, http.StatusCreated).Object(t))
	do("PATCH", at(sites, siteID), obj{"facility": "x"})
	exec(t, s, "UPDATE extras_delivery SET state = 'failed'")
	for _, call := range [][2]string{{"GET", webhooks + "?limit=0"}, {"GET", place}, {"OPTIONS", webhooks}, {"OPTIONS", place},
		{"GET", "/api/schema/"}, {"GET", deliveries}, {"GET", conditionErrors}, {"GET", queues}, {"GET", workers},
		{"POST", place + "pause/"}, {"POST", place + "resume/"}, {"GET", changeLog + "?limit=0"}, {"GET", webhooks + "?q=c4n4ry"},
		{"GET", webhooks + "?secret=" + secret}, {"GET", webhooks + "?ordering=secret"}, {"GET", webhooks + "?ordering=additional_headers"},
		{"GET", webhooks + "?additional_headers__ic=" + header},
		{"GET", webhooks + "?fields=secret,previous_secret,secret_sealed,additional_headers_sealed"}, {"DELETE", place},
		{"GET", changeLog + "?changed_object_type=extras.webhook&limit=0"}} {
		do(call[0], call[1], nil)
	}
	do("POST", deliveries+"retry/", obj{"filter": obj{}})

	t.Run("they can't be asked for", func(t *testing.T) { // nor are they in a cursor
		for _, field := range fields {
			for _, query := range []string{"ordering=" + field, field + "=x", field + "__ic=x", field + "__empty=true", field + "_sealed=x"} {
				do("GET", webhooks+"?limit=1&"+query, nil).Want(t, http.StatusBadRequest)
			}
			do("POST", grants, obj{"name": field, "object_types": []string{"extras.webhook"}, "actions": []string{"view"},
				"constraints": obj{field + "__startswith": "x"}}).Want(t, http.StatusBadRequest)
		}
	})
	for _, canary := range []string{secret, previous} {
		// The test's own queries are in the addresses of pages.
		if text := strings.ReplaceAll(seen.String(), "secret="+canary, ""); strings.Contains(text, canary) {
			i := strings.Index(text, canary)
			t.Errorf("an answer holds a secret: …%s…", text[max(0, i-200):i+50])
		}
	}
	if strings.Contains(seen.String(), sealed(one[int64](t, s, "SELECT id FROM extras_webhook WHERE name = 'b1'"), "secret")) {
		t.Error("an answer holds what is kept of a secret")
	}
	t.Run("the change log masks the headers", func(t *testing.T) {
		rows := admin.changes(t, "extras.webhook", id)
		masked := 0
		for _, row := range rows {
			for _, when := range []string{"prechange_data", "postchange_data"} {
				state, ok := row[when].(obj)
				if !ok {
					continue
				}
				for name, v := range state {
					if v == "********" {
						masked++
					}
					if (v == "********" || strings.Contains(name, "secret")) && name != "additional_headers" {
						t.Errorf("%s holds %s: %v", when, name, v)
					}
				}
				if v := state["additional_headers"]; v != "********" && v != "" {
					t.Errorf("%s has additional_headers %v", when, v)
				}
			}
		}
		if first := rows[0]["postchange_data"].(obj)["additional_headers"]; first != "********" || masked < 5 {
			t.Errorf("the first is %v, %d are masked", first, masked)
		}
		if raw := string(admin.get(t, changeLog+"?limit=0").Raw); strings.Contains(raw, "c4n4ry") {
			t.Error("the change log holds a canary")
		}
	})
	t.Run("nothing is kept in clear", func(t *testing.T) {
		if hits := inTables(t, s, "c4n4ry"); len(hits) > 0 {
			t.Errorf("in clear: %v", hits)
		}
		exec(t, s, "INSERT INTO extras_worker VALUES ('x', 'c4n4ry', '', now(), now(), 0)") // to prove that the search finds one
		if hits := inTables(t, s, "c4n4ry"); len(hits) != 1 || !strings.HasPrefix(hits[0], "extras_worker") {
			t.Errorf("a planted one is found in %v", hits)
		}
	})
	if strings.Contains(s.Log.String(), "c4n4ry") {
		t.Error("the log holds a canary")
	}
}

// TestSwappedSecrets: a secret that was sealed for one row does not open in another. Write access to the database
// reveals nothing through the API.
func TestSwappedSecrets(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	const canary = "c4n4ry"
	a := admin.create(t, webhooks, hook("a", "additional_headers", "A: "+canary+"-a", "secret", canary+"-secret"))
	b := admin.create(t, webhooks, hook("b", "additional_headers", "B: "+canary+"-b"))
	for _, row := range []struct{ name, sql string }{
		{"between two webhooks",
			"UPDATE extras_webhook w SET additional_headers_sealed = o.additional_headers_sealed FROM extras_webhook o WHERE w.id <> o.id"},
		{"between two fields", "UPDATE extras_webhook SET additional_headers_sealed = secret_sealed WHERE name = 'a'"},
		{"changed", "UPDATE extras_webhook SET additional_headers_sealed = left(additional_headers_sealed, -4) || 'AAAA'"},
		{"cut off", "UPDATE extras_webhook SET additional_headers_sealed = left(additional_headers_sealed, 10)"},
		{"in clear", "UPDATE extras_webhook SET additional_headers_sealed = 'X: y'"},
	} {
		t.Run(row.name, func(t *testing.T) {
			was := [2]string{one[string](t, s, "SELECT additional_headers_sealed FROM extras_webhook WHERE id = $1", a),
				one[string](t, s, "SELECT additional_headers_sealed FROM extras_webhook WHERE id = $1", b)}
			exec(t, s, row.sql)
			got := admin.get(t, at(webhooks, a)).Want(t, http.StatusOK)
			if shown := got.Object(t)["additional_headers"]; shown != nil || strings.Contains(string(got.Raw), canary) ||
				strings.Contains(string(got.Raw), "_sealed") {
				t.Errorf("%s", got.Raw)
			}
			admin.page(t, webhooks)
			if strings.Contains(s.Log.String(), canary) {
				t.Error("the log holds a secret")
			}
			for i, id := range []int64{a, b} {
				exec(t, s, "UPDATE extras_webhook SET additional_headers_sealed = $2 WHERE id = $1", id, was[i])
			}
			admin.page(t, webhooks)
		})
	}
}

// inTables looks for a text in every row of every table: as it is, as bytes, as Base64.
func inTables(t *testing.T, s *apitest.Server, text string) []string {
	t.Helper()
	rows, err := s.DB.Query(t.Context(),
		"SELECT quote_ident(table_name) FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'")
	if err != nil {
		t.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(tables) < 20 {
		t.Fatal(len(tables), err)
	}
	forms := []string{text, hex.EncodeToString([]byte(text))}
	for i := range 3 { // wherever it begins, this part of it is the same
		encoded := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat(" ", i) + text))
		forms = append(forms, encoded[2*i:len(encoded)-2])
	}
	var hits []string
	for _, table := range tables {
		for _, form := range forms {
			if n := one[int64](t, s, "SELECT count(*) FROM "+table+" x WHERE position($1 IN x::text) > 0", form); n > 0 {
				hits = append(hits, fmt.Sprint(table, ": ", n))
			}
		}
	}
	return hits
}

// one reads one value.
func one[T any](t *testing.T, s *apitest.Server, sql string, args ...any) T {
	t.Helper()
	var v T
	if err := s.DB.QueryRow(t.Context(), sql, args...).Scan(&v); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return v
}

// exec changes the database in a way that no request does.
func exec(t *testing.T, s *apitest.Server, sql string, args ...any) {
	t.Helper()
	if _, err := s.DB.Exec(t.Context(), sql, args...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}
