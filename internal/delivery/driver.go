package delivery

import (
	"context"
	"time"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"
)

// driver is River's own, but for two things. A job that is done is removed in the transaction
// of its outcome, so River has nothing left to write: marking it as completed costs PostgreSQL
// as much as writing the outcome (docs/decisions/0012). And how long a job has run is asked of
// the clock that noted when it began, the database's: River asks that of the machine, and where
// it goes ahead jobs would be taken away from those who work on them.
type driver struct{ *riverpgxv5.Driver }

func (d driver) GetExecutor() riverdriver.Executor { return executor{d.Driver.GetExecutor()} }

type executor struct{ riverdriver.Executor }

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
	return e.Executor.JobSetStateIfRunningMany(ctx, left)
}

// JobGetStuck finds jobs that have run for longer than any can.
func (e executor) JobGetStuck(ctx context.Context, asked *riverdriver.JobGetStuckParams) ([]*rivertype.JobRow, error) {
	params := *asked
	if err := e.stuckSince(ctx, &params.StuckHorizon); err != nil {
		return nil, err
	}
	return e.Executor.JobGetStuck(ctx, &params)
}

// JobRescueMany takes them back, those that are still stuck.
func (e executor) JobRescueMany(ctx context.Context, asked *riverdriver.JobRescueManyParams) (*struct{}, error) {
	params := *asked
	if err := e.stuckSince(ctx, &params.StuckHorizon); err != nil {
		return nil, err
	}
	return e.Executor.JobRescueMany(ctx, &params)
}

func (e executor) stuckSince(ctx context.Context, at *time.Time) error {
	return e.QueryRow(ctx, "SELECT now() - $1::interval", rescueAfter).Scan(at)
}
