package doctor

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"terrier/internal/store"
)

// TestTimeLimit: a check that does not end fails after some seconds, and nobody waits for it any longer.
func TestTimeLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		forever := make(chan struct{})
		e := &examination{}
		began := time.Now()
		f := e.within(t.Context(), Check{run: func(*examination, context.Context) (Finding, error) {
			<-forever
			return ok("")
		}})
		if took := time.Since(began); f.Status != Fail || f.Seen != tooLong || took > timeLimit+time.Second {
			t.Errorf("%+v after %s", f, took)
		}
		close(forever)
	})
}

// TestPanic: a check that panics fails, and says nothing that may be secret.
func TestPanic(t *testing.T) {
	t.Parallel()
	for name, says := range map[string]string{"index out of range": "index out of range", "secret": "string"} {
		f := new(examination).within(t.Context(), Check{run: func(*examination, context.Context) (Finding, error) {
			if none := []int{}; name != "secret" {
				return ok("%d", none[0])
			}
			panic(name)
		}})
		if f.Status != Fail || !strings.Contains(f.Seen, says) || strings.Contains(f.Seen, "secret") || f.Remedy == "" {
			t.Errorf("%s: %+v", name, f)
		}
	}
	// Without settings a visit panics.
	if r := new(examination).visit(t.Context(), store.Receiver{URL: "https://a.example"}); r.LookupErr == nil || r.Host != "a.example" {
		t.Errorf("%+v", r)
	}
}

// TestSQL: a shell gives psql each statement as it is, whatever the names in it.
func TestSQL(t *testing.T) {
	t.Parallel()
	statement := "ALTER DATABASE " + ident(`o'ne "two" $x`) + " RESET y"
	command := sql(`o'ne "two" $x`, statement, "SELECT 1")
	out, err := exec.CommandContext(t.Context(), "sh", "-c", `psql() { printf '%s\n' "$@"; }; `+command).Output()
	want := "-d\no'ne \"two\" $x\n-c\nALTER DATABASE \"o'ne \"\"two\"\" $x\" RESET y\n-c\nSELECT 1\n"
	if err != nil || string(out) != want {
		t.Errorf("%s: %q %v", command, out, err)
	}
	if got := sql("terrier", "VACUUM"); got != "psql -d terrier -c VACUUM" {
		t.Errorf("%s", got)
	}
}

func TestCount(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{"1 day": count(1, "day"), "2 days": count(2, "day"), "0 old keys": count(0, "old key"),
		"3 deliveries": count(3, "delivery"), "2 processes": count(2, "process")} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
