package dbtest

import (
	"runtime"
	"sync"
	"testing"

	"terrier/internal/store"
)

func TestPoolIsMigratedAndPrivate(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	one, two := Pool(t), Pool(t)
	pending, err := store.Pending(ctx, one)
	if err != nil {
		t.Fatal(err)
	}
	if pending != 0 {
		t.Errorf("%d migrations pending in a database from the template", pending)
	}
	if _, err := one.Exec(ctx, "CREATE TABLE mine (id int)"); err != nil {
		t.Fatal(err)
	}
	var seen bool
	if err := two.QueryRow(ctx, "SELECT to_regclass('mine') IS NOT NULL").Scan(&seen); err != nil {
		t.Fatal(err)
	}
	if seen {
		t.Error("two tests share a database")
	}
}

func TestDatabaseIsDropped(t *testing.T) {
	t.Parallel()
	var name string
	t.Run("a test with its own database", func(t *testing.T) {
		name = Pool(t).Config().ConnConfig.Database
	})
	var left bool
	err := EmptyPool(t).QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", name).Scan(&left)
	if err != nil {
		t.Fatal(err)
	}
	if name == "" || left {
		t.Errorf("database %q is still there", name)
	}
}

// Several test programs start together: each needs the template, and one of them makes it.
func TestTemplateIsMadeOnce(t *testing.T) {
	t.Parallel()
	server := serverURL(t)
	name := "terrier_template_of_test_" + randomHex()
	t.Cleanup(func() {
		if err := execute(server, "DROP DATABASE "+quote(name)); err != nil {
			t.Error(err)
		}
	})
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			if err := makeTemplate(server, name); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	create(t, server, name)
}

func TestMissingServerSaysWhatToRun(t *testing.T) {
	t.Setenv(variable, "")
	recorder := &recorder{TB: t}
	done := make(chan struct{})
	go func() { // its own goroutine, because Fatal ends the one it is called in
		defer close(done)
		New(recorder)
	}()
	<-done
	if recorder.fatal != missing {
		t.Errorf("said %q", recorder.fatal)
	}
}

type recorder struct {
	testing.TB
	fatal string
}

func (r *recorder) Fatal(args ...any) {
	r.fatal, _ = args[0].(string)
	runtime.Goexit()
}
