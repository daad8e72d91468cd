package metrics_test

import (
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

const (
	rulesFile     = "../../deploy/prometheus/rules.yml"
	ruleTestsFile = "../../deploy/prometheus/rules_test.yml"
	dashboardFile = "../../deploy/grafana/terrier.json"
	runbook       = "../../docs/monitoring.md"
)

type alert struct {
	Alert, Expr string
	Labels      map[string]string
	Annotations map[string]string
}

func alerts(t *testing.T) (all []alert) {
	t.Helper()
	var file struct {
		Groups []struct{ Rules []alert }
	}
	read(t, rulesFile, yaml.Unmarshal, &file)
	for _, g := range file.Groups {
		all = append(all, g.Rules...)
	}
	if len(all) < 12 {
		t.Fatalf("%d alerts", len(all))
	}
	return all
}

func read(t *testing.T, file string, decode func([]byte, any) error, into any) {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err == nil {
		err = decode(raw, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// TestRules: Prometheus accepts the alerts, and each fires and is silent where its cases say.
func TestRules(t *testing.T) {
	t.Parallel()
	promtool(t, "", "check", "rules", rulesFile)
	promtool(t, "", "test", "rules", ruleTestsFile)
}

// TestEveryAlertIsTested: each alert has a case in which it fires and one in which it is silent, says what is wrong, and leads
// to a section that says what to do.
func TestEveryAlertIsTested(t *testing.T) {
	t.Parallel()
	var file struct {
		Tests []struct {
			Rules []struct {
				Alert string `yaml:"alertname"`
				Fires []any  `yaml:"exp_alerts"`
			} `yaml:"alert_rule_test"`
		}
	}
	read(t, ruleTestsFile, yaml.Unmarshal, &file)
	fires, silent := map[string]bool{}, map[string]bool{}
	for _, test := range file.Tests {
		for _, r := range test.Rules {
			fires[r.Alert] = fires[r.Alert] || len(r.Fires) > 0
			silent[r.Alert] = silent[r.Alert] || len(r.Fires) == 0
		}
	}
	anchors := anchorsOf(t, runbook)
	for _, a := range alerts(t) {
		if !fires[a.Alert] || !silent[a.Alert] {
			t.Errorf("%s: a firing case: %v, a silent one: %v", a.Alert, fires[a.Alert], silent[a.Alert])
		}
		if a.Annotations["summary"] == "" || a.Annotations["description"] == "" || a.Labels["severity"] == "" {
			t.Errorf("%s does not say what is wrong, or how badly", a.Alert)
		}
		page, anchor, _ := strings.Cut(a.Annotations["runbook_url"], "#")
		if page != "docs/monitoring.md" || !anchors[anchor] {
			t.Errorf("%s leads to %s#%s, which does not exist", a.Alert, page, anchor)
		}
	}
}

// anchorsOf returns the anchors of the headings of a page.
func anchorsOf(t *testing.T, file string) map[string]bool {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	anchors := map[string]bool{}
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(string(raw), -1) {
		anchors[strings.ReplaceAll(strings.ToLower(heading[1]), " ", "-")] = true
	}
	return anchors
}

// queries returns the queries of the dashboard by panel, as Grafana would send them.
func queries(t *testing.T) map[string][]string {
	t.Helper()
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	read(t, dashboardFile, json.Unmarshal, &dashboard)
	all := map[string][]string{}
	for _, p := range dashboard.Panels {
		for _, target := range p.Targets {
			all[p.Title] = append(all[p.Title], strings.NewReplacer("$job", ".*", "$__rate_interval", "1m").Replace(target.Expr))
		}
	}
	if len(all) < 20 {
		t.Fatalf("%d panels", len(all))
	}
	return all
}

var (
	selector = regexp.MustCompile(`\b((?:terrier|go|process)_[a-z_]+)(\{[^}]*\})?`)
	matcher  = regexp.MustCompile(`(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"`)
	suffix   = regexp.MustCompile(`_(bucket|sum|count)$`)
	fleet    = regexp.MustCompile(`sum(?: by \([^)]*\))? \((terrier_\w+)`)
)

// TestQueriesNameWhatExists: every metric and label that dashboard and alerts name is in a scrape, and so is every value that
// is asked for by name. What every process shows of the whole fleet is never added up.
func TestQueriesNameWhatExists(t *testing.T) {
	t.Parallel()
	site := newSite(t)
	site.load()
	known := map[string]map[string]map[string]bool{} // values by family and label
	text := scrape(t, site.server) + scrape(t, site.worker)
	for _, part := range []string{scrape(t, site.server), scrape(t, site.worker)} {
		for name, f := range parse(t, part) {
			if known[name] == nil {
				known[name] = map[string]map[string]bool{"job": {}, "instance": {}}
			}
			for _, m := range f.GetMetric() {
				for _, l := range m.GetLabel() {
					if known[name][l.GetName()] == nil {
						known[name][l.GetName()] = map[string]bool{}
					}
					known[name][l.GetName()][l.GetValue()] = true
				}
			}
		}
	}
	all := slices.Concat(slices.Collect(maps.Values(queries(t)))...)
	for _, a := range alerts(t) {
		all = append(all, a.Expr)
	}
	for _, query := range all {
		for _, s := range selector.FindAllStringSubmatch(query, -1) {
			labels, ok := known[s[1]]
			if !ok {
				labels, ok = known[suffix.ReplaceAllString(s[1], "")]
			}
			if !ok {
				t.Errorf("%s is in no scrape: %s", s[1], query)
				continue
			}
			for _, m := range matcher.FindAllStringSubmatch(s[2], -1) {
				switch values, ok := labels[m[1]]; {
				case !ok:
					t.Errorf("%s has no label %s: %s", s[1], m[1], query)
				case (m[2] == "=" || m[2] == "!=") && !values[m[3]]:
					t.Errorf("%s never has %s=%q: %s", s[1], m[1], m[3], query)
				}
			}
		}
		for _, s := range fleet.FindAllStringSubmatch(query, -1) {
			own := s[1] == "terrier_http_requests_in_flight" || strings.HasPrefix(s[1], "terrier_pool_")
			if strings.Contains(text, "# TYPE "+s[1]+" gauge") && !own {
				t.Errorf("every process shows %s, so it must not be added up: %s", s[1], query)
			}
		}
	}
}
