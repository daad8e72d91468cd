// Package app builds the program out of its parts, once, in one straight line, and takes
// it down in the opposite order. Tests embed it as the command does.
package app

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"terrier/internal/access"
	"terrier/internal/account"
	"terrier/internal/audit"
	"terrier/internal/background"
	"terrier/internal/delivery"
	"terrier/internal/egress"
	"terrier/internal/fault"
	"terrier/internal/feed"
	"terrier/internal/intake"
	"terrier/internal/inventory"
	"terrier/internal/ledger"
	"terrier/internal/metrics"
	"terrier/internal/record"
	"terrier/internal/rest"
	"terrier/internal/server"
	"terrier/internal/store"
	"terrier/internal/web"
	"terrier/internal/web/accountpages"
	"terrier/internal/web/healthpages"
	"terrier/internal/web/hookpages"
	"terrier/internal/webhookadmin"
)

// App is the running program.
type App struct {
	Registry *record.Registry
	Store    *store.Store
	Ledger   *ledger.Ledger
	Hooks    *webhookadmin.Admin
	Feed     *feed.Feed
	API      *rest.API
	Site     *web.Site
	Server   *server.Server
	Handler  http.Handler
	Reload   <-chan os.Signal // asks Serve to read the certificate again; nil where nothing does

	cfg       Config
	keys      *account.Keyring
	passwords *account.Passwords
	client    *egress.Client
	metrics   *metrics.Metrics // nil when nobody asks for them
	refused   *audit.Refused
	log       *slog.Logger
	now       func() time.Time
	cleanups  []func()
	headroom  []byte
	stopping  atomic.Bool
	ahead     atomic.Int64 // how far this clock was ahead of the database's when they were last compared; 0 if they were not
	starting  atomic.Int32 // parts that do not work yet
	readiness readiness

	sequencing atomic.Bool // the sequencer of this process has been started
}

// headroom is memory that is never touched, so it costs none. The collector counts it as in
// use and begins only when as much again was allocated: what really is in use is so little that
// collecting took a quarter of a worker's processor time. More of it would show in the
// memory that hostile receivers and bodies can make us take. The record types are in use too, so
// there is less of it the more types there are. A higher GC percentage with a memory
// limit costs more where bodies are large: docs/decisions/0012-ended-jobs.md.
const headroom = 8 << 20

// templates are the same for every App of the process.
var templates = sync.OnceValues(func() (*template.Template, error) {
	return web.ParseTemplates(accountpages.Templates, healthpages.Templates, hookpages.Templates)
})

// New builds everything and connects to the database, which must be migrated.
func New(ctx context.Context, cfg Config, log *slog.Logger) (_ *App, err error) {
	a := &App{cfg: cfg, log: log, now: time.Now, headroom: make([]byte, headroom)}
	defer func() {
		if err != nil {
			a.Close()
		}
	}()
	if cfg.MetricsListen != "" {
		a.metrics = metrics.New(cfg.Version)
	}
	types := append(inventory.Types(), cfg.Types...)
	if cfg.PreferIPv4 {
		record.PreferLast(types)
	}
	record.SetDefaults(types, store.WebhookType,
		map[string]any{"max_retries": int64(cfg.WebhookMaxRetries), "hold_on_failure": cfg.WebhookHold})
	if a.Registry, err = record.NewRegistry(types...); err != nil {
		return nil, err
	}
	keys, err := account.NewKeyring(cfg.SecretKey, cfg.SecretKeyOld)
	if err != nil {
		return nil, err
	}
	a.keys, a.passwords = keys, account.NewPasswords()
	if a.client, err = cfg.egressClient(); err != nil {
		return nil, err
	}
	proxies, err := cfg.ProxyNetworks()
	if err != nil {
		return nil, err
	}
	if err := checkExempt(cfg, a.Registry); err != nil {
		return nil, err
	}
	if err := checkPooling(ctx, cfg, log, false); err != nil {
		return nil, err
	}
	if a.Store, err = store.Open(ctx, cfg.DatabaseURL, a.Registry, nil); err != nil {
		return nil, err
	}
	a.cleanups = append(a.cleanups, a.Store.Close)
	if err := a.checkMigrated(ctx); err != nil {
		return nil, err
	}
	accounts := store.Accounts{Store: a.Store}
	trail, err := a.openAudit()
	if err != nil {
		return nil, err
	}
	a.refused = &audit.Refused{Store: accounts, Log: trail}
	a.cleanups = append(a.cleanups, a.flushRefused)
	refused := refusals{accounts, a.refused, trail, a.now}
	login := &account.Login{Users: accounts, Throttle: accounts, Addresses: accounts, Passwords: a.passwords, Keys: keys, Log: log, Now: a.now,
		Refusals: refused}
	sessions := account.NewSessions(accounts, strings.HasPrefix(cfg.BaseURL, "https://"), log)
	printer := &record.Printer{Base: cfg.BaseURL}
	a.Ledger = &ledger.Ledger{
		Store:   a.Store,
		Policy:  &access.Policy{ExemptView: cfg.ExemptViewPermissions, LoginRequired: cfg.LoginRequired},
		Sealer:  &account.Sealer{Keys: keys, Passwords: a.passwords},
		Printer: printer, Now: a.now, Refuse: a.refuseAhead, Audit: trail, LooseFilters: !cfg.StrictFilters,
		EnforceGlobalUnique: cfg.EnforceGlobalUnique,
		Dependants:          ledger.Dependants(cfg.DependantsLimit),
		Rules:               map[string]func(before, after record.Values) fault.Fields{store.WebhookType: delivery.Rule(a.client, keys)},
	}
	a.Hooks = &webhookadmin.Admin{Ledger: a.Ledger, HeldAfter: cfg.WebhookHeldAfter, Guard: a.client}
	a.Feed = feed.New(a.Ledger)
	a.Ledger.Details = map[string]func(context.Context, ledger.Caller, record.Values) error{store.DeliveryType: a.Hooks.AddAttempts}
	if err := a.Ledger.Bind(a.Hooks.Actions()); err != nil {
		return nil, err
	}
	gate := intake.New()
	a.API = &rest.API{Ledger: a.Ledger, Webhooks: a.Hooks, Feed: a.Feed, Registry: a.Registry, Printer: printer, Login: login,
		Proxies: proxies, Log: log, Intake: gate,
		ProgramVersion: cfg.Version, Cookie: sessions.CookieName(), StrictBodies: cfg.StrictBodies,
		Warn: map[string]func(context.Context, record.Values) string{store.WebhookType: a.Hooks.Warning,
			"users.permission": a.Ledger.UnmatchedConstraints}}
	a.Site = &web.Site{Ledger: a.Ledger, Registry: a.Registry, Log: log, Intake: gate, BaseURL: cfg.BaseURL, Version: cfg.Version,
		MapsURL: cfg.MapsURL, Now: a.now, Plain: a.API.Fail, Warn: a.API.Warn}
	a.Site.Rooms = []web.Room{accountpages.New(a.Site, login, sessions, proxies), hookpages.New(a.Site, a.Hooks),
		healthpages.New(a.Site, a.examine())}
	if a.Site.Templates, err = templates(); err != nil {
		return nil, err
	}
	a.API.Page = func(w http.ResponseWriter, r *http.Request, answer rest.Answer) {
		a.Site.Browse(w, r, web.Answer(answer))
	}
	a.API.Docs = a.Site.Swagger
	if err := a.Site.Build(); err != nil {
		return nil, err
	}
	a.Server = &server.Server{API: a.API, Site: a.Site, Sessions: sessions, Proxies: proxies, Ready: a.ready, Waiting: a.waiting,
		BaseURL: cfg.BaseURL, Log: log, Now: a.now,
		Auth: &account.Authenticator{Tokens: accounts, Users: accounts, Sessions: sessions, Keys: keys, Log: log, Now: a.now,
			Refused: refused.Token}}
	a.API.Again = a.Server.Again
	a.measure(login)
	a.Handler, err = a.Server.Handler()
	return a, err
}

// Close releases what New took.
func (a *App) Close() {
	for i := len(a.cleanups) - 1; i >= 0; i-- {
		a.cleanups[i]()
	}
	a.cleanups = nil
}

// Migrate brings the database to the newest schema.
func Migrate(ctx context.Context, cfg Config, log *slog.Logger) error {
	if err := checkPooling(ctx, cfg, log, false); err != nil {
		return err
	}
	logf := func(format string, args ...any) { log.Info(fmt.Sprintf(format, args...)) }
	if err := delivery.Migrate(ctx, cfg.DatabaseURL, logf); err != nil {
		return err
	}
	reg, err := record.NewRegistry(append(inventory.Types(), cfg.Types...)...)
	if err != nil {
		return err
	}
	return store.MakeSearchIndexes(ctx, cfg.DatabaseURL, reg.Types(), logf)
}

// checkPooling refuses a database behind a pooler that shares connections.
func checkPooling(ctx context.Context, cfg Config, log *slog.Logger, worker bool) error {
	dropped, err := store.CheckPooling(ctx, cfg.DatabaseURL, worker)
	if len(dropped) > 0 {
		log.Warn("a pooler dropped settings of the connections to the database: let it pass them on", "settings", dropped)
	}
	return err
}

func (a *App) checkMigrated(ctx context.Context) error {
	n, err := delivery.Pending(ctx, a.Store)
	if err != nil {
		return err
	}
	switch n {
	case 0:
		return nil
	case 1:
		return errors.New("the database lacks 1 migration: run `terrier migrate`")
	}
	return fmt.Errorf("the database lacks %d migrations: run `terrier migrate`", n)
}

// checkExempt refuses unknown names of types: a misspelled one would silently exempt nothing.
func checkExempt(cfg Config, reg *record.Registry) error {
	for _, name := range cfg.ExemptViewPermissions {
		if name != "*" && reg.Type(name) == nil {
			return fmt.Errorf("TERRIER_EXEMPT_VIEW_PERMISSIONS names %q, which is not a record type", name)
		}
	}
	return nil
}

// How long a server waits. Each time is longer than the one inside it.
const (
	headerTimeout = 10 * time.Second
	bodyTimeout   = 40 * time.Second
	writeTimeout  = 60 * time.Second
	idleTimeout   = 120 * time.Second
	drainTimeout  = 28 * time.Second // the process ends 29 s after the signal
)

// Serve answers requests until ctx ends, and a little longer: load balancers must first notice that the process is
// not ready any more. Then it finishes the requests under way.
func (a *App) Serve(ctx context.Context) error {
	listener, err := a.listen(ctx)
	if err != nil {
		return err
	}
	if err := a.noteSettings(ctx); store.ReadOnly(err) {
		a.log.Warn("settings were not compared with those of the last start: the database accepts no writes")
	} else if err != nil {
		return err
	}
	srv := &http.Server{Handler: a.leaving(a.Handler), ReadHeaderTimeout: headerTimeout, ReadTimeout: bodyTimeout, WriteTimeout: writeTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: 64 << 10, ErrorLog: slog.NewLogLogger(a.log.Handler(), slog.LevelWarn)}
	srv.RegisterOnShutdown(a.Feed.End)
	defer a.keepUp(context.WithoutCancel(ctx), store.ServerKind)() // also while it is stopping: requests are served
	defer a.measureServer()()
	failed := background.Start(a.log, "server", func() error { return srv.Serve(listener) })
	if !strings.HasPrefix(a.cfg.BaseURL, "https://") {
		a.log.Warn("session cookies can be read by anyone between a browser and this server, because TERRIER_BASE_URL is not https")
	}
	if scans, err := a.Store.SearchesScan(ctx); err != nil {
		return err
	} else if scans {
		a.log.Warn("searches read whole tables, because search indexes are missing or outdated: run `terrier migrate`, which says why")
	}
	a.log.Info("serving", "address", listener.Addr().String(), "tls", a.cfg.TLSCert != "", "base_url", a.cfg.BaseURL)
	a.started()()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	a.stopping.Store(true)
	a.log.Info("stopping: not ready any more", "serving_for", a.cfg.ShutdownDelay)
	select {
	case err := <-failed:
		return err
	case <-time.After(a.cfg.ShutdownDelay):
	}
	a.log.Info("stopping: finishing the requests under way")
	drain, cancel := context.WithTimeout(context.Background(), drainTimeout-a.cfg.ShutdownDelay)
	defer cancel()
	if err := srv.Shutdown(drain); err != nil {
		return fmt.Errorf("stop: %w", err)
	}
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// leaving closes kept connections with the answer while the server is stopping. Closing them at once would break a
// request that is arriving.
func (a *App) leaving(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if a.stopping.Load() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// Work sends deliveries until ctx ends, then finishes those under way. It has its own connections, so that a flood of
// requests does not delay deliveries.
func (a *App) Work(ctx context.Context) error {
	if err := checkPooling(ctx, a.cfg, a.log, true); err != nil {
		return err
	}
	own, err := store.Open(ctx, a.cfg.DatabaseURL, a.Registry, nil, store.ForWorkers...)
	if err != nil {
		return err
	}
	defer own.Close()
	defer a.keepUp(ctx, store.WorkerKind)()
	defer context.AfterFunc(ctx, func() { a.stopping.Store(true) })()
	w := &delivery.Worker{Store: own, Client: a.client, Keys: a.keys, Log: a.log, Now: a.now, Program: a.cfg.Version, Started: a.started()}
	defer a.measureWorker(w)()
	return w.Run(ctx)
}
