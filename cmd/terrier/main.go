// Command terrier runs and administers Terrier, a register of infrastructure. This package owns flags, environment,
// signals and exit codes; internal/app does the work of the commands.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"terrier/internal/app"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal asks for an orderly end; the second one meets the default handler and ends the process at once.
	context.AfterFunc(ctx, stop)
	endWithin(ctx, longestStop, func() {
		complain(os.Stderr, fmt.Errorf("what was under way did not end within %s; it is given up", longestStop))
		os.Exit(1)
	})
	os.Exit(end(os.Stderr, run(ctx, os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr})))
}

// exit is an error that ends the process with a code of its own. Its reason is nil if everything was said.
type exit struct {
	code   int
	reason error
}

func (e *exit) Error() string { return fmt.Sprintf("exit code %d: %v", e.code, e.reason) }
func (e *exit) Unwrap() error { return e.reason }

// end prints why a command failed, and returns the exit code of the process.
func end(w io.Writer, err error) (code int) {
	if err == nil {
		return 0
	}
	code = 1
	if own, ok := errors.AsType[*exit](err); ok {
		code, err = own.code, own.reason
	}
	if err != nil {
		complain(w, err)
	}
	return code
}

// longestStop is how long after the first signal the process ends, whatever it is doing. Servers and workers finish
// within 28 s and 27 s (app.drainTimeout, delivery.drain).
const longestStop = 29 * time.Second

// endWithin calls exit some time after ctx has ended.
func endWithin(ctx context.Context, limit time.Duration, exit func()) {
	context.AfterFunc(ctx, func() { time.AfterFunc(limit, exit) })
}

// complain prints why a command failed. The reason may contain text of others, such as a receiver's answer or a
// record.
func complain(w io.Writer, err error) {
	_, _ = fmt.Fprintf(w, "terrier: %s\n", escape(err.Error(), "\n\t", visible))
}

type commands struct {
	Settings settings        `embed:"" group:"Settings:"`
	Config   kong.ConfigFlag `env:"TERRIER_CONFIG" placeholder:"FILE" group:"Settings:" help:"JSON file of settings; environment and flags override it."`

	HelpSettings helpSettings     `help:"Show help with all settings."`
	PrintVersion kong.VersionFlag `name:"version" help:"Print the version."`

	Serve       serveCommand       `cmd:"" help:"Serve the pages and the REST API."`
	Worker      workerCommand      `cmd:"" help:"Send deliveries to webhooks."`
	Migrate     migrateCommand     `cmd:"" help:"Bring the database to the newest schema."`
	User        userCommands       `cmd:"" help:"Create and manage users."`
	Token       tokenCommands      `cmd:"" help:"Create and revoke API tokens."`
	Secret      secretCommands     `cmd:"" help:"Manage encrypted secrets."`
	Audit       auditCommands      `cmd:"" help:"Verify the audit log."`
	Doctor      doctorCommand      `cmd:"" help:"Check settings, database, workers, queues, webhooks and keys, and say what to do."`
	Recount     recountCommand     `cmd:"" help:"Recount all records and correct the counts of lists, after changes made by SQL."`
	Webhook     webhookCommands    `cmd:"" help:"Create, test, pause and watch webhooks; retry deliveries and replay changes."`
	Import      importCommand      `cmd:"" help:"Import a file of any length, and show the progress."`
	Export      exportCommand      `cmd:"" help:"Print all records of a type, in a format that import reads."`
	Demo        demoCommand        `cmd:"" help:"Fill an empty register with a demo network, its users, webhooks and 90 days of changes."`
	Healthcheck healthcheckCommand `cmd:"" help:"Check whether the server or worker on this machine is healthy: for containers and load balancers."`
	Version     versionCommand     `cmd:"" help:"Print the version."`
	Help        helpCommand        `cmd:"" help:"Explain a command."`
	Docs        docsCommands       `cmd:"" hidden:"" help:"Print generated documentation."`
	Dev         devCommands        `cmd:"" hidden:"" help:"Commands for developers of Terrier."`

	WebhookReceiver webhookReceiverCommand `cmd:"" name:"webhook_receiver" help:"Show what webhooks send: listen on port 9000, print each request, answer 200."`
}

// settings is app.Config without its methods: kong would call Validate for commands that need no settings.
type settings app.Config

type streams struct {
	in       io.Reader
	out, err io.Writer
}

// session is what a command works with.
type session struct {
	streams
	config  app.Config
	log     *slog.Logger
	refused []error // settings that could not be taken over; only doctor runs in spite of them
}

func run(ctx context.Context, args []string, std streams) error {
	parser, line, err := newParser(std)
	if err != nil {
		return err
	}
	selected, err := parser.Parse(args)
	var refused []error
	if isDoctor(err) {
		selected, line, refused, err = parseForDoctor(args, std)
	}
	if err != nil {
		var wrong *kong.ParseError
		if errors.As(err, &wrong) {
			return fmt.Errorf("%w (see terrier --help)", err)
		}
		return err
	}
	config := app.Config(line.Settings)
	config.Version, config.SettingsFile = programVersion(), string(line.Config)
	selected.BindTo(ctx, (*context.Context)(nil))
	logger := newLogger(std.err, config)
	// net/http logs unexpected answers of receivers with the standard logger, at any length.
	slog.SetDefault(logger)
	slog.SetLogLoggerLevel(slog.LevelDebug)
	return selected.Run(&session{streams: std, config: config, log: logger, refused: refused})
}

func newParser(std streams) (*kong.Kong, *commands, error) {
	line := new(commands)
	parser, err := kong.New(line,
		kong.Name("terrier"),
		kong.Description("A register of infrastructure that notifies other systems of changes."),
		kong.Configuration(loadSettings),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, FlagsLast: true}),
		kong.Writers(std.out, std.err),
		kong.Vars{"version": versionLine(programVersion())},
	)
	if err == nil {
		hideSettings(parser.Model, true)
	}
	return parser, line, err
}

func newLogger(w io.Writer, config app.Config) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(config.LogLevel)); err != nil {
		level = slog.LevelInfo
	}
	options := &slog.HandlerOptions{Level: level}
	if config.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// withApp builds the app from valid settings, calls work with it and closes it.
func (s *session) withApp(ctx context.Context, work func(*app.App) error) error {
	if err := s.config.Validate(); err != nil {
		return err
	}
	if err := s.config.LimitMemory(s.log); err != nil {
		return err
	}
	a, err := app.New(ctx, s.config, s.log)
	if err != nil {
		return err
	}
	defer a.Close()
	return work(a)
}
