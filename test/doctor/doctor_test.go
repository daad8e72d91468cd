package doctor_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"terrier/internal/doctor"
)

// TestEachCheckFails: a healthy system has no warning, and nothing is left out. Each fixture changes the outcome of its check
// and of no other, except those that can't be made then, and names the remedy. No secret is in any report.
func TestEachCheckFails(t *testing.T) {
	w := newWorld(t)
	healthy := w.trial(t).run()
	for _, r := range healthy.Results {
		if r.Status != doctor.OK {
			t.Errorf("healthy: %s-%s: %s: %s", r.Group, r.Name, r.Status, r.Seen)
		}
	}
	if t.Failed() {
		t.FailNow()
	}
	for _, f := range fixtures {
		t.Run(f.check, func(t *testing.T) {
			x := w.trial(t)
			f.set(x)
			for _, r := range x.run().Results {
				id, want := r.Group+"-"+r.Name, doctor.OK
				switch {
				case id == f.check:
					want = f.want
					if !strings.Contains(r.Remedy, f.remedy) || f.remedy == "" || r.Page != "docs/troubleshooting.md#"+id {
						t.Errorf("the remedy is %q on page %q, want %q", r.Remedy, r.Page, f.remedy)
					}
				case slices.Contains(f.skips, id):
					want = doctor.Skip
				}
				if r.Status != want {
					t.Errorf("%s is %s, want %s: %s", id, r.Status, want, r.Seen)
				}
			}
		})
	}
	t.Run("queues-oldest names what it does not count", func(t *testing.T) {
		x := w.trial(t)
		x.during("UPDATE extras_webhook SET enabled = false", "UPDATE extras_webhook SET enabled = true")
		x.exec("UPDATE extras_delivery SET queued_at = now() - interval '1 day'")
		for _, r := range x.run().Results {
			if r.Group+"-"+r.Name == "queues-oldest" && (r.Status != doctor.OK ||
				!strings.Contains(r.Seen, "Not counted: 1 delivery of webhooks that are disabled, paused or held, the oldest queued for 24 hours")) {
				t.Errorf("%s: %s", r.Status, r.Seen)
			}
		}
	})
	for _, r := range w.trial(t).run().Results {
		if r.Status != doctor.OK {
			t.Errorf("after all fixtures: %s-%s: %s: %s", r.Group, r.Name, r.Status, r.Seen)
		}
	}
}

// TestEachCheckHasAFixture also holds the documentation: each check has its section.
func TestEachCheckHasAFixture(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/troubleshooting.md")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, c := range doctor.Checks() {
		known[c.ID()] = true
		if !slices.ContainsFunc(fixtures, func(f fixture) bool { return f.check == c.ID() }) {
			t.Errorf("no fixture makes %s fail", c.ID())
		}
		if strings.Count(string(page), "\n#### "+c.ID()+"\n") != 1 {
			t.Errorf("docs/troubleshooting.md has no section %q", c.ID())
		}
		if c.Remedy == "" {
			t.Errorf("%s has no remedy", c.ID())
		}
	}
	for _, f := range fixtures {
		if !known[f.check] {
			t.Errorf("there is no check %s", f.check)
		}
	}
}
