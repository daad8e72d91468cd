package bare

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"terrier/internal/webhook"
)

// Event is a job that makes a POST. Its content is a name in a body of the usual size.
type Event struct {
	Name string `json:"name"`
}

// Kind implements river.JobArgs.
func (Event) Kind() string { return "event" }

// Workers is how many jobs bare River runs at once. It is the best of 100, 200, 400 and 500.
const Workers = 200

// NewInserter returns a client that only inserts. It sends a notification for nearly every insert.
func NewInserter(pool *pgxpool.Pool) (*river.Client[pgx.Tx], error) {
	return river.NewClient(riverpgxv5.New(pool), &river.Config{FetchCooldown: time.Millisecond, Logger: slog.New(slog.DiscardHandler)})
}

// events inserts jobs in a transaction, as River's documentation shows it.
func (s *Server) events(r *http.Request, names []string) (n int, err error) {
	params := make([]river.InsertManyParams, len(names))
	for i, name := range names {
		params[i] = river.InsertManyParams{Args: Event{name}}
	}
	err = pgx.BeginFunc(r.Context(), s.JobPool, func(tx pgx.Tx) error {
		_, err := s.Jobs.InsertManyTx(r.Context(), tx, params)
		return err
	})
	return len(names), err
}

// Body is a request's body around the name of its event.
type Body struct{ Before, After string }

// BodyAround returns a body that Terrier sent, without the name of its event.
func BodyAround(body, name string) (Body, error) {
	const key = `"name":"`
	before, after, ok := strings.Cut(body, key+name+`"`)
	if !ok {
		return Body{}, fmt.Errorf("the body does not name %q: %.300s", name, body)
	}
	return Body{before + key, `"` + after}, nil
}

// Post is the worker: it signs and sends.
type Post struct {
	river.WorkerDefaults[Event]
	Client *http.Client
	URL    string
	Secret string
	Body   Body
}

// Work makes the request.
func (p *Post) Work(ctx context.Context, job *river.Job[Event]) error {
	body := []byte(p.Body.Before + job.Args.Name + p.Body.After)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.URL, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Hook-Signature", webhook.Signature(p.Secret, body))
	answer, err := p.Client.Do(request)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, answer.Body)
	if e := answer.Body.Close(); err == nil {
		err = e
	}
	return err
}

// NewWorker returns a client that takes jobs from the default queue, and from a number of other queues that stay empty.
func NewWorker(pool *pgxpool.Pool, post *Post, idleQueues int) (*river.Client[pgx.Tx], error) {
	workers := river.NewWorkers()
	river.AddWorker(workers, post)
	queues := map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: Workers, FetchCooldown: 5 * time.Millisecond,
		FetchPollInterval: time.Second}}
	for i := range idleQueues {
		queues[fmt.Sprint("idle_", i)] = river.QueueConfig{MaxWorkers: 10}
	}
	return river.NewClient(riverpgxv5.New(pool), &river.Config{Workers: workers, Queues: queues, Logger: slog.New(slog.DiscardHandler),
		FetchCooldown: 10 * time.Millisecond, FetchPollInterval: 5 * time.Second, CompletedJobRetentionPeriod: time.Minute})
}
