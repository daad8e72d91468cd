package store_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"terrier/internal/access"
	"terrier/internal/account"
	"terrier/internal/audit"
	"terrier/internal/fault"
	"terrier/internal/record"
	"terrier/internal/store"
)

// operation is a call of the store, and how its errors begin.
type operation struct {
	name string
	call func(context.Context) error
}

// second leaves out a result.
func second[T any](_ T, err error) error { return err }

// third leaves out two results.
func third[A, B any](_ A, _ B, err error) error { return err }

func operations(s *store.Store, reg *record.Registry) []operation {
	site, all, now := reg.Type("dcim.site"), access.Machine(), time.Now()
	a, w := store.Accounts{Store: s}, s.Watch()
	type ctx = context.Context
	return []operation{
		{"load a token", func(c ctx) error { return second(a.LoadToken(c, [][]byte{{1}})) }},
		{"note the use of token 7", func(c ctx) error { return a.TouchToken(c, 7, now) }},
		{"load the user of a session", func(c ctx) error { return second(a.LoadUser(c, 7)) }},
		{"load a session", func(c ctx) error { return third(a.FindCtx(c, "x")) }},
		{"save a session", func(c ctx) error { return a.CommitCtx(c, "x", nil, now) }},
		{"add login_failed to the audit log", func(c ctx) error {
			return a.AddEvent(c, audit.Event{At: now, Name: audit.LoginFailed, RequestID: "00000000-0000-0000-0000-000000000007", Count: 1})
		}},
		{"reserve a login attempt", func(c ctx) error {
			return second(a.Reserve(c, []account.ThrottleKey{{Subject: "x", Limit: 1, Window: time.Minute}}, now))
		}},
		{"note an address of user 7", func(c ctx) error { return a.NoteAddress(c, 7, "x", now) }},
		{"list dcim.site", func(c ctx) error { return second(s.List(c, site, store.Query{Scope: all, Limit: 1})) }},
		{"get dcim.site", func(c ctx) error { return second(s.Get(c, site, all, 7)) }},
		{"get extras.webhook", func(c ctx) error { return second(s.Webhook(c, 7)) }},
		{"look for dcim.site by id", func(c ctx) error { return second(s.Within(c, site, all, []int64{7})) }},
		{"count the records of lists", func(c ctx) error {
			return second(s.Counts(c, []store.Counting{{Type: site, Query: store.Query{Scope: all}}}))
		}},
		{"look up the names in filters", func(c ctx) error {
			return second(s.MissingKeys(c, []store.KeyQuery{{Type: site, Field: site.Field("slug"), Texts: []string{"x"}}}, []access.Scope{all}))
		}},
		{"search", func(c ctx) error {
			return second(s.SearchAll(c, []store.SearchedType{{Type: site, Scope: all}}, "lisbon"))
		}},
		{"read custom fields", func(c ctx) error { return second(s.CustomFields(c, site)) }},
		{"read the preferences of user 7", func(c ctx) error { return second(s.Preferences(c, 7)) }},
		{"recount dcim.site", func(c ctx) error { return third(s.Recount(c, site)) }},
		{"snapshot of dcim.site", func(c ctx) error {
			return s.Snapshot(c, site, all, func(int64) error { return nil }, func(record.Values) error { return nil })
		}},
		{"read the change feed after position 7", func(c ctx) error {
			return second(s.Feed(c, store.FeedQuery{Scope: all, After: 7, Among: 1, Limit: 1}))
		}},
		{"listen for new changes", func(c ctx) error {
			return s.ListenPositions(c, func(*store.Listener, int64) error { return nil })
		}},
		{"read the newest changes", func(c ctx) error {
			return s.Samples(c, store.Query{Scope: all, Limit: 1}, func(store.Sample) error { return nil })
		}},
		{"read change 7", func(c ctx) error { return second(s.Sample(c, all, 7)) }},
		{"load due deliveries", func(c ctx) error { return second(s.LoadDue(c, []int64{7})) }},
		{"record the outcomes of deliveries", func(c ctx) error {
			return s.Finish(c, []store.Outcome{{ID: 7, Webhook: 7, State: store.Successful, ChangedAt: now, At: now}})
		}},
		{"read the attempts of delivery 7", func(c ctx) error { return third(s.Attempts(c, 7)) }},
		{"list the queued deliveries of webhook 7", func(c ctx) error { return second(s.QueuedDeliveries(c, 7)) }},
		{"pause or resume webhook 7", func(c ctx) error { return second(s.Pause(c, 7, true, audit.Event{At: now})) }},
		{"reserve requests of webhook 7", func(c ctx) error { return third(s.TakeTurns(c, 7, 1, time.Second, time.Second)) }},
		{"list the queues of webhooks", func(c ctx) error { return second(s.Lanes(c)) }},
		{"publish the health of webhooks", func(c ctx) error {
			return s.PublishHealth(c, 0, func(store.ToPublish) error { return nil })
		}},
		{"note that worker w runs", func(c ctx) error { return third(s.Beat(c, store.Worker{ID: "w"})) }},
		{"take back the deliveries of worker w", func(c ctx) error { return third(s.Rescue(c, store.Sign{Worker: "w"})) }},
		{"end job 7", func(c ctx) error { return s.EndJob(c, 7) }},
		{"prepare the coming weeks", func(c ctx) error { return s.MakePartitions(c, now) }},
		{"remove what has expired", func(c ctx) error { return s.Sweep(c, now) }},
		{"remove what is past its retention", func(c ctx) error { return second(s.Retain(c, store.Retention{Deliveries: 1}, now)) }},
		{"fold the counts of records", s.FoldCounts},
		{"add events to the chain of the audit log", func(c ctx) error { return second(s.ChainEvents(c, nil, now)) }},
		{"verify the chain of the audit log", func(c ctx) error { return third(s.VerifyChain(c, nil, time.Time{}, "")) }},
		{"list webhooks", func(c ctx) error { return second(w.Webhooks(c)) }},
		{"count records by type", func(c ctx) error { return second(w.Records(c)) }},
	}
}

// TestErrorsSayWhatWasDone: an error of the database begins with the operation that it ended, keeps its kind, and can still be looked
// into.
func TestErrorsSayWhatWasDone(t *testing.T) {
	t.Parallel()
	for _, broken := range []struct {
		name   string
		damage func(context.Context, *pgxpool.Pool) error
		kind   fault.Kind
		write  string // how an error of a change set begins
	}{
		{"without tables", withoutTables, fault.Internal, "commit"},
		{"database away", withoutConnections, fault.Unavailable, "begin"},
	} {
		t.Run(broken.name, func(t *testing.T) {
			t.Parallel()
			s, reg, db := open(t)
			if err := broken.damage(t.Context(), db); err != nil {
				t.Fatal(err)
			}
			check := func(name string, err error) {
				t.Helper()
				if !strings.HasPrefix(message(err), name+": ") || strings.Count(message(err), name) > 1 {
					t.Errorf("%s: %v", name, err)
				}
				_, answered := errors.AsType[*pgconn.PgError](err)
				kind := fault.KindOf(store.Translate(s, err)) // workers get some errors untranslated
				if kind != broken.kind || broken.kind == fault.Internal && !answered {
					t.Errorf("%s: %v of kind %d", name, err, kind)
				}
			}
			for _, op := range operations(s, reg) {
				check(op.name, op.call(t.Context()))
			}
			check(broken.write, s.Write(t.Context(), access.Asker{}, func(tx *store.Tx) error {
				tx.Delete(reg.Type("dcim.site"), []int64{7})
				return nil
			}))
		})
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// withoutTables hides all tables from every statement.
func withoutTables(ctx context.Context, db *pgxpool.Pool) error {
	_, err := db.Exec(ctx, "ALTER SCHEMA public RENAME TO elsewhere")
	return err
}

// withoutConnections ends all connections, and refuses new ones.
func withoutConnections(ctx context.Context, db *pgxpool.Pool) error {
	config := db.Config().ConnConfig
	name := config.Database
	config.Database = "postgres"
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, "ALTER DATABASE "+pgx.Identifier{name}.Sanitize()+" ALLOW_CONNECTIONS false"); err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", name)
	return err
}

// TestErrorsForCallersHaveNoName: what is wrong with a request is said as it is, because the caller reads it.
func TestErrorsForCallersHaveNoName(t *testing.T) {
	t.Parallel()
	s, reg, _ := open(t)
	if _, err := s.Get(t.Context(), reg.Type("dcim.site"), access.Machine(), 7); message(err) != fault.ErrNotFound.Error() {
		t.Error(err)
	}
	q := store.Query{Scope: access.Machine(), Limit: 1, Cursor: "x"}
	_, err := s.List(t.Context(), reg.Type("dcim.site"), q)
	if fault.KindOf(err) != fault.Invalid || strings.Contains(message(err), "list dcim") {
		t.Error(err)
	}
	refused := errors.New("refused")
	err = s.Write(t.Context(), access.Asker{}, func(*store.Tx) error { return refused })
	if message(err) != refused.Error() {
		t.Error(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Get(gone, reg.Type("dcim.site"), access.Machine(), 7); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestNamesCostNothing: an operation that succeeds allocates nothing for its name.
func TestNamesCostNothing(t *testing.T) {
	site := &record.Type{App: "dcim", Name: "site"}
	if n := testing.AllocsPerRun(100, func() { _ = store.SucceedNamed(site) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
