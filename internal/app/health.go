package app

import (
	"context"
	"sync/atomic"
	"time"

	"terrier/internal/doctor"
)

// One run of the checks serves everybody who opens the page within this time.
const (
	healthFor     = 10 * time.Second
	healthTimeout = 20 * time.Second // for all checks; a request has 25 s
)

// checkup shares runs of the checks.
type checkup struct {
	runs readiness
	last atomic.Pointer[doctor.Report]
}

func newCheckup() *checkup { return &checkup{runs: readiness{keep: healthFor, limit: healthTimeout}} }

func (h *checkup) report(ctx context.Context, run func(context.Context) (doctor.Report, error)) (doctor.Report, error) {
	err := h.runs.share(ctx, func(ctx context.Context) error {
		report, err := run(ctx)
		if err == nil {
			h.last.Store(&report)
		}
		return err
	})
	if err != nil {
		return doctor.Report{}, err
	}
	return *h.last.Load(), nil
}

// examine returns the function by which the page System › Health gets its report. Runs with and without the checks of
// other hosts are shared separately.
func (a *App) examine() func(ctx context.Context, outside bool) (doctor.Report, error) {
	inside, all := newCheckup(), newCheckup()
	return func(ctx context.Context, outside bool) (doctor.Report, error) {
		shared := inside
		if outside {
			shared = all
		}
		return shared.report(ctx, func(ctx context.Context) (doctor.Report, error) {
			return Doctor(ctx, a.cfg, nil, doctor.Options{Offline: !outside})
		})
	}
}
