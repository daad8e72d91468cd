package delivery

import (
	"context"
	"sync/atomic"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"
)

// driver is River's own, except that it does not mark a job as completed: the job is removed in the transaction of
// its outcome. Marking it costs PostgreSQL as much as writing the outcome (docs/decisions/0012).
type driver struct {
	*riverpgxv5.Driver
	listening *atomic.Bool
}

// GetListener returns the connection over which the database wakes River.
func (d driver) GetListener(params *riverdriver.GetListenenerParams) riverdriver.Listener {
	return listener{d.Driver.GetListener(params), d.listening}
}

// listener notes whether it is connected. River closes it after an error and connects again.
type listener struct {
	riverdriver.Listener
	connected *atomic.Bool
}

func (l listener) Connect(ctx context.Context) error {
	err := l.Listener.Connect(ctx)
	l.connected.Store(err == nil)
	return err
}

func (l listener) Close(ctx context.Context) error {
	l.connected.Store(false)
	return l.Listener.Close(ctx)
}

func (d driver) GetExecutor() riverdriver.Executor { return executor{d.Driver.GetExecutor()} }

type executor struct{ riverdriver.Executor }

// JobSetStateIfRunningMany writes the state of jobs that still exist: those that failed or were postponed.
func (e executor) JobSetStateIfRunningMany(ctx context.Context,
	all *riverdriver.JobSetStateIfRunningManyParams) ([]*rivertype.JobRow, error) {
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
