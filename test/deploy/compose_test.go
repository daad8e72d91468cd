package deploy_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"terrier/internal/dbtest"
	"terrier/test/install"
)

// project is what the specification's own parser reads in compose.yaml.
type project struct {
	Services map[string]service
	Secrets  map[string]struct{ File string }
}

type service struct {
	Image       string
	Command     []string
	Environment map[string]string
	ReadOnly    bool                                  `json:"read_only"`
	DependsOn   map[string]struct{ Condition string } `json:"depends_on"`
	Healthcheck struct{ Test []string }
	Secrets     []struct{ Source, Target string }
	Ports       []struct {
		HostIP string `json:"host_ip"`
	}
}

func readCompose(t *testing.T, settings ...string) (p project, problem string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "run", "-C", "../../packaging", "./compose", "../deploy/compose/compose.yaml")
	cmd.Env = append(os.Environ(), settings...)
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return p, complaint.String()
	}
	if err := json.Unmarshal(out, &p); err != nil {
		t.Fatal(err)
	}
	return p, ""
}

// order returns the services, each after those that it depends on.
func (p project) order(t *testing.T) []string {
	t.Helper()
	var order []string
	for len(order) < len(p.Services) {
		before := len(order)
		for name, s := range p.Services {
			ready := !slices.Contains(order, name)
			for other := range s.DependsOn {
				ready = ready && slices.Contains(order, other)
			}
			if ready {
				order = append(order, name)
			}
		}
		if len(order) == before {
			t.Fatalf("what depends on what in %v?", p.Services)
		}
	}
	return order
}

// TestCompose does, without containers, what the file says, in its order: nothing starts before what it depends on has ended or
// is healthy, by the file's own health checks.
func TestCompose(t *testing.T) {
	t.Parallel()
	if _, problem := readCompose(t, "TERRIER_VERSION="); !strings.Contains(problem, "TERRIER_VERSION") {
		t.Errorf("without a version: %q", problem)
	}
	p, problem := readCompose(t, "TERRIER_VERSION=1.2.3", "TERRIER_BASE_URL=http://terrier.test")
	if problem != "" {
		t.Fatal(problem)
	}
	secrets := t.TempDir()
	write(t, secrets, "database-url", dbtest.EmptyPool(t).Config().ConnString()+"\n")
	write(t, secrets, "secret-key", randomKey+"\n")

	ended := map[string]bool{} // services that have ended with success
	healthy := map[string]bool{"postgres": len(p.Services["postgres"].Healthcheck.Test) > 0}
	for _, name := range p.order(t) {
		s := p.Services[name]
		for other, on := range s.DependsOn {
			if on.Condition == "service_healthy" && !healthy[other] || on.Condition == "service_completed_successfully" && !ended[other] {
				t.Fatalf("%s starts before %s is %s", name, other, on.Condition)
			}
		}
		if name == "postgres" {
			continue // the database of the test is in its place
		}
		if s.Image != "terrier:1.2.3" || !s.ReadOnly {
			t.Errorf("%s: image %s, read-only %v", name, s.Image, s.ReadOnly)
		}
		in := composed(t, s, secrets)
		switch s.Command[0] {
		case "migrate":
			out, code := in.Terrier("", s.Command...)
			if ended[name] = code == 0; !ended[name] {
				t.Fatalf("migrate: %s", out)
			}
		case "serve":
			healthy[name] = checked(t, in, s, func() { in.Serve(s.Command[1:]...) })
		case "worker":
			healthy[name] = checked(t, in, s, func() { in.Work() })
		default:
			t.Errorf("%s runs %v", name, s.Command)
		}
	}
	if !ended["migrate"] || !healthy["serve"] || !healthy["worker"] {
		t.Errorf("ended: %v, healthy: %v", ended, healthy)
	}
}

var randomKey = install.RandomHex(32)

// composed returns an install with the settings of a service and nothing else, but for its ports and the place of the secrets.
func composed(t *testing.T, s service, secrets string) *install.Install {
	t.Helper()
	for _, secret := range s.Secrets {
		if _, err := os.Stat(filepath.Join(secrets, secret.Source)); err != nil {
			t.Error(err)
		}
	}
	in := install.New(t, "")
	in.Settings = map[string]string{"LISTEN": "127.0.0.1:" + freePort(t)} // the image says 0.0.0.0:8000
	for name, value := range s.Environment {
		setting, ok := strings.CutPrefix(name, "TERRIER_")
		if !ok {
			t.Errorf("%s is no setting", name)
		}
		in.Settings[setting] = strings.ReplaceAll(value, "/run/secrets", secrets)
	}
	in.Settings["METRICS_LISTEN"] = "127.0.0.1:" + freePort(t)
	return in
}

// checked reports whether the health check of a service fails before it is started and succeeds afterwards.
func checked(t *testing.T, in *install.Install, s service, start func()) bool {
	t.Helper()
	if len(s.Healthcheck.Test) < 3 || s.Healthcheck.Test[0] != "CMD" || s.Healthcheck.Test[1] != "/usr/bin/terrier" {
		t.Fatalf("health check %v", s.Healthcheck.Test)
	}
	check := s.Healthcheck.Test[2:]
	if out, code := in.Terrier("", check...); code != 1 {
		t.Errorf("%v before the start: %d %s", check, code, out)
	}
	start()
	out, code := in.Terrier("", check...)
	if code != 0 {
		t.Errorf("%v: %d %s", check, code, out)
	}
	return code == 0
}

// TestComposeHasNoSecret: the file and its settings contain no password, and no port is open to other machines.
func TestComposeHasNoSecret(t *testing.T) {
	t.Parallel()
	p, problem := readCompose(t, "TERRIER_VERSION=1")
	if problem != "" {
		t.Fatal(problem)
	}
	for name, s := range p.Services {
		for setting := range s.Environment {
			if (strings.Contains(setting, "PASSWORD") || strings.Contains(setting, "SECRET") || strings.Contains(setting, "URL")) &&
				!strings.HasSuffix(setting, "_FILE") && setting != "TERRIER_BASE_URL" {
				t.Errorf("%s has %s, which must come from a file", name, setting)
			}
		}
		for _, port := range s.Ports {
			if port.HostIP != "127.0.0.1" {
				t.Errorf("%s listens on %q", name, port.HostIP)
			}
		}
	}
	dir := t.TempDir()
	script := filepath.Join(dir, "make-secrets")
	if err := os.WriteFile(script, []byte(shipped(t, "compose", "make-secrets")), 0o755); err != nil {
		t.Fatal(err)
	}
	made := map[string]string{}
	for range 2 { // the second time changes nothing
		if out, err := exec.CommandContext(t.Context(), script).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		for name, secret := range p.Secrets {
			content, err := os.ReadFile(filepath.Join(dir, "secrets", filepath.Base(secret.File)))
			if err != nil || len(content) < 40 || made[name] != "" && made[name] != string(content) {
				t.Errorf("%s: %d bytes, %v", name, len(content), err)
			}
			made[name] = string(content)
		}
	}
	if !strings.Contains(made["database-url"], strings.TrimSpace(made["postgres-password"])) {
		t.Error("the address of the database has another password")
	}
}
