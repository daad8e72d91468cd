package metrics_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"terrier/test/install"
)

// TestPrometheus: a real Prometheus scrapes a server and a worker for a while, loads the alerts, and answers every query of
// the dashboard with data. `make long-metrics` makes it a minute.
func TestPrometheus(t *testing.T) {
	t.Parallel()
	tool(t, "prometheus")
	scrapes := 6
	if os.Getenv("TERRIER_LONG") != "" {
		scrapes = 60
	}
	site := newSite(t)
	site.load()
	p := startPrometheus(t, site.server, site.worker)
	install.Within(t, 3*install.Patience, "Prometheus has scraped both often enough", func() bool {
		site.tag() // the rates of most panels need something that happens
		counts := p.query(t, fmt.Sprintf("count_over_time(up[2m]) >= %d and on (instance) up == 1", scrapes))
		return len(counts) == 2
	})
	for panel, all := range queries(t) {
		for _, query := range all {
			if result := p.query(t, query); len(result) == 0 {
				t.Errorf("%s is empty: %s", panel, query)
			}
		}
	}
	var rules struct {
		Data struct {
			Groups []struct {
				Rules []struct{ Name, Health, LastError, State string }
			}
		}
	}
	p.get(t, "/api/v1/rules", &rules)
	checked := 0
	for _, g := range rules.Data.Groups {
		for _, r := range g.Rules {
			if checked++; r.Health != "ok" || r.State == "firing" {
				t.Errorf("%s: %s, %s %s", r.Name, r.State, r.Health, r.LastError)
			}
		}
	}
	if checked != len(alerts(t)) {
		t.Errorf("Prometheus has %d alerts", checked)
	}
}

// prometheus is a running Prometheus.
type prometheus struct{ base string }

func startPrometheus(t *testing.T, targets ...*install.Process) prometheus {
	t.Helper()
	dir := t.TempDir()
	rules, err := filepath.Abs(rulesFile)
	if err != nil {
		t.Fatal(err)
	}
	var addresses []string
	for _, p := range targets {
		addresses = append(addresses, strings.TrimPrefix(p.Monitoring().Base, "http://"))
	}
	config := fmt.Sprintf(`
global: {scrape_interval: 1s, evaluation_interval: 1s}
rule_files: [%q]
scrape_configs:
  - job_name: terrier
    static_configs: [{targets: ["%s"]}]
`, rules, strings.Join(addresses, `", "`))
	if err := os.WriteFile(filepath.Join(dir, "prometheus.yml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	_ = free.Close() // so that Prometheus can have it
	var log bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "prometheus", "--config.file="+filepath.Join(dir, "prometheus.yml"),
		"--storage.tsdb.path="+filepath.Join(dir, "data"), "--web.listen-address="+address)
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()         // with an error, because it was killed
		if t.Failed() {
			t.Log(log.String())
		}
	})
	p := prometheus{"http://" + address}
	install.Eventually(t, "Prometheus is ready", func() bool {
		answer, err := http.Get(p.base + "/-/ready")
		if err != nil {
			return false
		}
		_ = answer.Body.Close() // it is short
		return answer.StatusCode == http.StatusOK
	})
	return p
}

// query returns the series that a query has as its result.
func (p prometheus) query(t *testing.T, query string) []any {
	t.Helper()
	var answer struct {
		Status, Error string
		Data          struct{ Result []any }
	}
	p.get(t, "/api/v1/query?query="+url.QueryEscape(query), &answer)
	if answer.Status != "success" {
		t.Errorf("%s: %s", query, answer.Error)
	}
	return answer.Data.Result
}

func (p prometheus) get(t *testing.T, path string, into any) {
	t.Helper()
	answer, err := http.Get(p.base + path)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(answer.Body)
	_ = answer.Body.Close() // it was read
	if err == nil {
		err = json.Unmarshal(body, into)
	}
	if err != nil {
		t.Fatalf("%s: %v: %s", path, err, body)
	}
}
