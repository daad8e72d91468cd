package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"

	"terrier/internal/app"
	"terrier/test/apitest"
	"terrier/test/bench/figures"
	"terrier/test/bench/gauge"
)

// measureSetup measures how long an API test waits for its server, on the PostgreSQL that tests use. The first set-up in a process also
// creates what the others share.
func (b *bench) measureSetup(ctx context.Context) (row figures.Row, err error) {
	row = figures.Row{Case: "types-setup", What: "set-up of an API test after the first", Unit: "ms", Absolute: true,
		Against: "ours alone", Goal: figures.AtMost(100)}
	defer func() {
		if failed, ok := recover().(setupFailed); ok {
			err = fmt.Errorf("set up an API test: %s", string(failed))
		}
	}()
	meter, err := testMeter(ctx)
	if err != nil {
		return row, err
	}
	var took, database [2][]float64
	for round := range b.o.rounds + 1 {
		for i, types := range []int{b.o.types, 0} {
			t := &setup{}
			used := meter.Start()
			apitest.New(t, func(c *app.Config) { c.Types = syntheticTypes(types) })
			if usage := used(); round > 0 {
				took[i] = append(took[i], usage.Time.Seconds()*1000)
				database[i] = append(database[i], each(usage.PostgreSQL, 1))
			}
			t.end()
		}
	}
	row.Terrier.Figure, row.Bare.Figure = figures.Median(took[0]), figures.Median(took[1])
	row.Terrier.PostgreSQL, row.Bare.PostgreSQL = figures.Median(database[0]), figures.Median(database[1])
	row.Judge(took[0])
	return row, nil
}

// testMeter returns a meter for the PostgreSQL of tests.
func testMeter(ctx context.Context) (*gauge.Meter, error) {
	conn, err := pgx.Connect(ctx, os.Getenv(testServer))
	if err != nil {
		return nil, err
	}
	meter, err := gauge.NewMeter(int(conn.PgConn().PID()))
	return meter, errors.Join(err, conn.Close(ctx))
}

// setup is a testing.TB for a set-up outside of a test.
type setup struct {
	testing.TB
	cleanups []func()
}

// setupFailed is the value with which setup panics when a test would stop.
type setupFailed string

func (s *setup) Helper()                   {}
func (s *setup) Cleanup(f func())          { s.cleanups = append(s.cleanups, f) }
func (s *setup) Fatal(args ...any)         { panic(setupFailed(fmt.Sprint(args...))) }
func (s *setup) Fatalf(f string, a ...any) { panic(setupFailed(fmt.Sprintf(f, a...))) }
func (s *setup) Errorf(f string, a ...any) { panic(setupFailed(fmt.Sprintf(f, a...))) }
func (s *setup) end() {
	for i := len(s.cleanups) - 1; i >= 0; i-- {
		s.cleanups[i]()
	}
}
