package docs_test

import (
	"errors"
	"io"
	"os"
	"slices"
	"testing"

	"go.yaml.in/yaml/v3"
)

// manifest is what the test reads of a Kubernetes object.
type manifest struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string
	Spec       struct {
		Template struct {
			Spec struct {
				SecurityContext struct {
					RunAsNonRoot bool `yaml:"runAsNonRoot"`
				} `yaml:"securityContext"`
				Containers []container
			}
		}
	}
}

type container struct {
	Name            string
	Args            []string
	Ports           []struct{ Name string }
	ReadinessProbe  probe `yaml:"readinessProbe"`
	LivenessProbe   probe `yaml:"livenessProbe"`
	SecurityContext struct {
		ReadOnlyRootFilesystem bool `yaml:"readOnlyRootFilesystem"`
	} `yaml:"securityContext"`
}

type probe struct {
	HTTPGet struct{ Path, Port string } `yaml:"httpGet"`
}

// TestKubernetes: the manifests are YAML; every container runs a command of the program as a user that can write nothing, and
// is probed at a port that it has.
func TestKubernetes(t *testing.T) {
	t.Parallel()
	file, err := os.Open(root + "/deploy/kubernetes/terrier.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	var commands []string
	for objects := yaml.NewDecoder(file); ; {
		var m manifest
		if err := objects.Decode(&m); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if m.APIVersion == "" || m.Kind == "" {
			t.Errorf("an object without apiVersion or kind: %+v", m)
		}
		for _, c := range m.Spec.Template.Spec.Containers {
			commands = append(commands, c.Args...)
			if !m.Spec.Template.Spec.SecurityContext.RunAsNonRoot || !c.SecurityContext.ReadOnlyRootFilesystem {
				t.Errorf("%s may write or be root", c.Name)
			}
			if m.Kind == "Deployment" {
				c.check(t, c.ReadinessProbe, "/readyz")
				c.check(t, c.LivenessProbe, "/healthz")
			}
		}
	}
	if want := []string{"migrate", "serve", "worker"}; !slices.Equal(commands, want) {
		t.Errorf("the containers run %v, want %v", commands, want)
	}
}

func (c container) check(t *testing.T, p probe, path string) {
	t.Helper()
	known := slices.ContainsFunc(c.Ports, func(port struct{ Name string }) bool { return port.Name == p.HTTPGet.Port })
	if p.HTTPGet.Path != path || !known {
		t.Errorf("%s is probed at %q of port %q", c.Name, p.HTTPGet.Path, p.HTTPGet.Port)
	}
}

// TestKubernetesTrustsNobody: the manifests trust no network about client addresses, and let only the monitoring reach the metrics of
// each pod.
func TestKubernetesTrustsNobody(t *testing.T) {
	t.Parallel()
	type labels struct {
		MatchLabels map[string]string `yaml:"matchLabels"`
	}
	type object struct {
		Kind     string
		Metadata struct{ Name string }
		Data     map[string]string
		Spec     struct {
			Selector    yaml.Node
			PodSelector labels   `yaml:"podSelector"`
			PolicyTypes []string `yaml:"policyTypes"`
			Ingress     []struct {
				Ports []struct{ Port string }
				From  []struct {
					NamespaceSelector *labels `yaml:"namespaceSelector"`
				}
			}
		}
	}
	file, err := os.Open(root + "/deploy/kubernetes/terrier.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	var pods, guarded []string
	for objects := yaml.NewDecoder(file); ; {
		var o object
		if err := objects.Decode(&o); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		switch o.Kind {
		case "ConfigMap":
			if trusted, set := o.Data["TERRIER_TRUSTED_PROXIES"]; !set || trusted != "" {
				t.Errorf("the manifests trust %q", trusted)
			}
		case "Deployment":
			pods = append(pods, o.Metadata.Name)
		case "NetworkPolicy":
			if !slices.Equal(o.Spec.PolicyTypes, []string{"Ingress"}) {
				t.Errorf("%s is about %v", o.Metadata.Name, o.Spec.PolicyTypes)
			}
			guarded = append(guarded, o.Spec.PodSelector.MatchLabels["app"])
			for _, rule := range o.Spec.Ingress {
				for _, port := range rule.Ports {
					only := len(rule.From) == 1 && rule.From[0].NamespaceSelector != nil &&
						rule.From[0].NamespaceSelector.MatchLabels["kubernetes.io/metadata.name"] == "monitoring"
					if port.Port != "http" && !only {
						t.Errorf("%s lets more than the monitoring reach port %q", o.Metadata.Name, port.Port)
					}
				}
				if len(rule.Ports) == 0 {
					t.Errorf("%s opens all ports", o.Metadata.Name)
				}
			}
		}
	}
	if slices.Sort(pods); len(pods) == 0 || !slices.Equal(pods, slices.Sorted(slices.Values(guarded))) {
		t.Errorf("there are %v, and policies for %v", pods, guarded)
	}
}
