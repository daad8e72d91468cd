package metrics_test

import (
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"terrier/internal/metrics"
	"terrier/test/install"
)

// TestScrapes: the metrics of a server and of a worker that have something to do pass Prometheus's own check. They are
// exactly those that are documented, with the labels that are documented.
func TestScrapes(t *testing.T) {
	t.Parallel()
	site := newSite(t)
	site.load()
	seen := map[string]bool{}
	for name, p := range map[string]*install.Process{"serve": site.server, "worker": site.worker} {
		text := scrape(t, p)
		promtool(t, text, "check", "metrics")
		families := parse(t, text)
		for _, f := range families {
			checkFamily(t, name, f)
			seen[f.GetName()] = true
		}
		for _, f := range documented() {
			if strings.Contains(string(f.From), name) && families[f.Name] == nil {
				t.Errorf("%s does not show %s", name, f.Name)
			}
		}
		for _, secret := range []string{site.key, site.receiver.URL, "unheard-of", "INVENTED"} {
			if strings.Contains(text, secret) {
				t.Errorf("the metrics of %s contain %q, which a caller chose or must not see", name, secret)
			}
		}
	}
	for result, want := range map[string]float64{"failed": 1, "success": 0, "throttled": 0, "error": 0} {
		if n, series := value(t, site.server, "terrier_logins_total", labels{"result": result}); n != want || series != 1 {
			t.Errorf("%g logins are counted as %s", n, result)
		}
	}
	if !seen["go_goroutines"] || !seen["process_cpu_seconds_total"] {
		t.Error("there are no metrics of Go or of the process")
	}
}

// checkFamily compares a family of a scrape with its declaration.
func checkFamily(t *testing.T, process string, got *dto.MetricFamily) {
	t.Helper()
	if !strings.HasPrefix(got.GetName(), "terrier_") {
		return
	}
	i := slices.IndexFunc(documented(), func(f metrics.Family) bool { return f.Name == got.GetName() })
	if i < 0 {
		t.Errorf("%s shows %s, which is not documented", process, got.GetName())
		return
	}
	want := documented()[i]
	if !strings.Contains(string(want.From), process) {
		t.Errorf("%s shows %s, which is for %s", process, want.Name, want.From)
	}
	if kind := strings.ToLower(got.GetType().String()); kind != string(want.Kind) {
		t.Errorf("%s is a %s, documented as %s", want.Name, kind, want.Kind)
	}
	for _, m := range got.GetMetric() {
		var labels []string
		for _, l := range m.GetLabel() {
			labels = append(labels, l.GetName())
		}
		if !slices.Equal(slices.Sorted(slices.Values(labels)), slices.Sorted(slices.Values(want.Labels))) {
			t.Errorf("%s has the labels %v, documented are %v", want.Name, labels, want.Labels)
		}
	}
}

func documented() (all []metrics.Family) {
	for _, group := range metrics.Groups() {
		all = append(all, group.Families...)
	}
	return all
}

// scrape returns the metrics of a process.
func scrape(t *testing.T, p *install.Process) string {
	t.Helper()
	return p.Monitoring().Get("/metrics", "").Want(t, 200).Body
}

func parse(t *testing.T, text string) map[string]*dto.MetricFamily {
	t.Helper()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return families
}

// value returns the sum of the series of a family that have these labels, and how many there are.
func value(t *testing.T, p *install.Process, name string, labels map[string]string) (sum float64, series int) {
	t.Helper()
	for _, m := range parse(t, scrape(t, p))[name].GetMetric() {
		has := map[string]string{}
		for _, l := range m.GetLabel() {
			if _, asked := labels[l.GetName()]; asked {
				has[l.GetName()] = l.GetValue()
			}
		}
		if maps.Equal(has, labels) {
			series++
			sum += m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
		}
	}
	return sum, series
}

// promtool runs Prometheus's own tool. It must be there where everything is checked; elsewhere a test is skipped.
func promtool(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	tool(t, "promtool")
	cmd := exec.CommandContext(t.Context(), "promtool", args...)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// tool skips the test when a program is not installed, or fails it in CI.
func tool(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("%s is not installed: apt-get install prometheus", name)
		}
		t.Skipf("%s is not installed: apt-get install prometheus", name)
	}
}
