package delivery

import (
	"context"
	"time"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"
)

// driver is River's own, but for two things: the clock (clock.go), and what becomes of a job that
// is done. It is removed in the transaction of its outcome, so River has nothing left to write.
// Marking it as completed costs PostgreSQL as much as writing the outcome (docs/decisions/0012).
type driver struct {
	*riverpgxv5.Driver
	now func() time.Time // what River takes for now: the machine's clock
}

func (d driver) GetExecutor() riverdriver.Executor { return executor{d.Driver.GetExecutor(), d.now} }

type executor struct {
	riverdriver.Executor
	now func() time.Time
}

// JobSetStateIfRunningMany writes how jobs ended that are still there: those that failed or
// were put off.
func (e executor) JobSetStateIfRunningMany(ctx context.Context, all *riverdriver.JobSetStateIfRunningManyParams) ([]*rivertype.JobRow, error) {
	left := &riverdriver.JobSetStateIfRunningManyParams{Now: all.Now, Schema: all.Schema}
	for i, state := range all.State {
		if state == rivertype.JobStateCompleted {
			continue
		}
		left.ID = append(left.ID, all.ID[i])
		left.Attempt = append(left.Attempt, all.Attempt[i])
		left.ErrData = append(left.ErrData, all.ErrData[i])
		left.FinalizedAt = append(left.FinalizedAt, all.FinalizedAt[i])
		left.MetadataDoMerge = append(left.MetadataDoMerge, all.MetadataDoMerge[i])
		left.MetadataUpdates = append(left.MetadataUpdates, all.MetadataUpdates[i])
		left.ScheduledAt = append(left.ScheduledAt, all.ScheduledAt[i])
		left.State = append(left.State, state)
	}
	if len(left.ID) == 0 {
		return nil, nil
	}
	ahead, err := ahead(ctx, e, e.now)
	if err != nil {
		return nil, err
	}
	for i, at := range left.ScheduledAt {
		left.ScheduledAt[i] = moved(at, ahead)
	}
	return e.Executor.JobSetStateIfRunningMany(ctx, left)
}
