package delivery

import (
	"context"
	"time"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"
)

// River reckons by the clock of its machine. The database notes by its own when a job was
// begun, and decides by it which is due. Where they differ, jobs would be taken away from those
// who work on them, or wait. So every time that passes between the two is moved by as much.

// ahead is by how much the database's clock is ahead of this machine's.
func ahead(ctx context.Context, db riverdriver.Executor, now func() time.Time) (time.Duration, error) {
	var there time.Time
	err := db.QueryRow(ctx, "SELECT clock_timestamp()").Scan(&there)
	return there.Sub(now()), err
}

func moved(at *time.Time, by time.Duration) *time.Time {
	if at == nil {
		return nil
	}
	return new(at.Add(by))
}

// JobGetStuck finds jobs that have run for longer than any can.
func (e executor) JobGetStuck(ctx context.Context, asked *riverdriver.JobGetStuckParams) ([]*rivertype.JobRow, error) {
	ahead, err := ahead(ctx, e, e.now)
	if err != nil {
		return nil, err
	}
	params := *asked
	params.StuckHorizon = asked.StuckHorizon.Add(ahead)
	jobs, err := e.Executor.JobGetStuck(ctx, &params)
	for _, job := range jobs {
		job.AttemptedAt = moved(job.AttemptedAt, -ahead)
	}
	return jobs, err
}

// JobRescueMany takes them back, those that are still stuck.
func (e executor) JobRescueMany(ctx context.Context, asked *riverdriver.JobRescueManyParams) (*struct{}, error) {
	ahead, err := ahead(ctx, e, e.now)
	if err != nil {
		return nil, err
	}
	params := *asked
	params.StuckHorizon = asked.StuckHorizon.Add(ahead)
	params.ScheduledAt = make([]time.Time, len(asked.ScheduledAt))
	for i, at := range asked.ScheduledAt {
		params.ScheduledAt[i] = at.Add(ahead)
	}
	return e.Executor.JobRescueMany(ctx, &params)
}

// Begin is for River's scheduler, which works in a transaction.
func (e executor) Begin(ctx context.Context) (riverdriver.ExecutorTx, error) {
	tx, err := e.Executor.Begin(ctx)
	return executorTx{tx, e.now}, err
}

type executorTx struct {
	riverdriver.ExecutorTx
	now func() time.Time
}

// JobSchedule hands out the jobs whose time has come.
func (e executorTx) JobSchedule(ctx context.Context, asked *riverdriver.JobScheduleParams) ([]*riverdriver.JobScheduleResult, error) {
	ahead, err := ahead(ctx, e, e.now)
	if err != nil {
		return nil, err
	}
	params := *asked
	params.Now = moved(asked.Now, ahead)
	results, err := e.ExecutorTx.JobSchedule(ctx, &params)
	for _, r := range results {
		r.Job.ScheduledAt = r.Job.ScheduledAt.Add(-ahead) // which decides who is woken
	}
	return results, err
}
