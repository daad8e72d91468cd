package store

import (
	"context"
	"runtime"
	"time"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/limit"
)

// Answers are in memory from when they are read until their clients have got them. One up to freeAnswer is not counted. One of more than
// MaxPiece, and of at most MaxPage, is a large one.
const (
	freeAnswer    = 64 << 10
	answerBytes   = 64 << 20
	callerAnswers = 32 << 20
	largeAnswers  = 2
)

var errNoAnswer = &fault.Error{Kind: fault.Busy, RetryAfter: time.Second,
	Detail: "Other large answers, yours or those of others, were being sent all the time. Try again, or ask for fewer records at a time " +
		"with limit, or for fewer fields with fields or omit."}

// answerMemory is the memory that answers share.
type answerMemory struct {
	any   *limit.Semaphore[access.Asker]
	large *limit.Semaphore[access.Asker]
}

func newAnswerMemory() answerMemory {
	return answerMemory{
		any:   limit.New[access.Asker](limit.Budget{Name: "answers", Size: answerBytes, Each: callerAnswers, Busy: errNoAnswer}),
		large: limit.New[access.Asker](limit.Budget{Name: "large answers", Size: largeAnswers, Each: 1, Busy: errNoAnswer})}
}

// Answer reads what an answer has, of which it returns about how much memory it takes, and holds that much until release is called. If
// other answers have taken the memory, it forgets what was read, waits without a connection, and reads again.
func Answer[T any](ctx context.Context, s *Store, by access.Asker, read func() (T, int, error)) (answer T, release func(), err error) {
	release = func() {}
	answer, bytes, err := read()
	if err != nil || bytes <= freeAnswer {
		return answer, release, err
	}
	if taken, ok := s.answers.any.TryAcquire(by, int64(bytes)); ok {
		return answer, taken, nil
	}
	if release, err = s.HoldAnswer(ctx, by, bytes); err != nil { // what was read is garbage already
		var none T
		return none, func() {}, err
	}
	if answer, _, err = read(); err != nil {
		release()
	}
	return answer, release, err
}

// HoldLarge waits, without a connection, until there is memory for a large answer of a caller.
func (p *pools) HoldLarge(ctx context.Context, by access.Asker) (release func(), err error) {
	defer named(&err, "wait for memory for a large answer")
	done, err := p.answers.large.Acquire(ctx, by, 1)
	if err != nil {
		return nil, err
	}
	return func() {
		runtime.GC() // else its memory would stay taken until the heap has doubled
		done()
	}, nil
}

// HoldAnswer waits, without a connection, until there is memory for an answer of which it is known how much it takes.
func (p *pools) HoldAnswer(ctx context.Context, by access.Asker, bytes int) (release func(), err error) {
	defer named(&err, "wait for memory for an answer")
	return p.answers.any.Acquire(ctx, by, int64(bytes))
}

// CountAnswer counts an answer that is sent in any case, if there is memory for it.
func (p *pools) CountAnswer(by access.Asker, bytes int) (release func()) {
	if bytes > freeAnswer {
		if release, ok := p.answers.any.TryAcquire(by, int64(bytes)); ok {
			return release
		}
	}
	return func() {}
}
