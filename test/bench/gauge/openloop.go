package gauge

import (
	"context"
	"sync"
	"time"
)

// OpenLoop starts a piece of work each time one is due, for a length of time, whether or not those before have ended. It returns when all
// have ended, with the first error.
//
// A closed loop would send fewer requests to a slow server, and so measure only some of the slowness.
func OpenLoop(ctx context.Context, perSecond float64, length time.Duration, work func(n int, due time.Time) error) error {
	var wg sync.WaitGroup
	failed := make(chan error, 1)
	began := time.Now()
	for n := 0; ctx.Err() == nil; n++ {
		offset := time.Duration(float64(n) * float64(time.Second) / perSecond)
		if offset >= length {
			break
		}
		due := began.Add(offset)
		time.Sleep(time.Until(due))
		wg.Go(func() {
			if err := work(n, due); err != nil {
				select {
				case failed <- err:
				default:
				}
			}
		})
	}
	wg.Wait()
	select {
	case err := <-failed:
		return err
	default:
		return ctx.Err()
	}
}
