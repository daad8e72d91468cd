package store

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// connectTimeout is how long a host may take to accept a connection before the next one is tried.
const connectTimeout = 5 * time.Second

// A host may vanish without closing connections, and everything sent to it is lost. pingTimeout is how long an unused
// connection may take to answer before another one is made; keepAlive ends one on which nothing is sent, such as that
// of a worker's LISTEN, within 25 s.
const pingTimeout = 2 * time.Second

var keepAlive = net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second, Interval: 5 * time.Second, Count: 3}

// statementTimeout is shorter than the request's, which is shorter than the server's: the innermost gives up first,
// and the caller gets an answer.
const statementTimeout = "15s"

// Setting is a parameter of PostgreSQL's for the connections of a Store.
type Setting struct{ Name, Value string }

// ForAll are the settings of every connection of a Store. Its own override them.
var ForAll = []Setting{
	{"statement_timeout", statementTimeout},
	{"idle_in_transaction_session_timeout", "30s"},
	{"timezone", "UTC"},
	{"jit", "off"}, // a statement of a millisecond would be compiled for twenty if many rows are expected
}

// ForWorkers are the settings of a worker's connections. It looks everything up by index, with one plan whatever the
// values, so that nothing is planned twice: a plan made while a week's partition was empty would scan all of it.
// River rebuilds its indexes now and then, which takes long.
var ForWorkers = []Setting{{"enable_seqscan", "off"}, {"enable_hashjoin", "off"}, {"enable_mergejoin", "off"},
	{"plan_cache_mode", "force_generic_plan"}, {"statement_timeout", "120s"}}

// OpenPool makes a pool of connections without a limit on their statements: for migrations.
func OpenPool(ctx context.Context, url string) (*pgxpool.Pool, error) {
	config, err := poolConfig(url)
	if err != nil {
		return nil, err
	}
	return openPool(ctx, config, &resets{})
}

// newPool makes a pool that connects on first use, and is reset together with others. Every pool of the program is
// made here, from the result of poolConfig.
func newPool(ctx context.Context, config *pgxpool.Config, together *resets) (*pgxpool.Pool, error) {
	together.watch(config)
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("connect to the database: %w", err)
	}
	together.add(pool)
	return pool, nil
}

// openPool makes a pool and connects.
func openPool(ctx context.Context, config *pgxpool.Config, together *resets) (*pgxpool.Pool, error) {
	pool, err := newPool(ctx, config, together)
	if err != nil {
		return nil, err
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("connect to the database: %w", err)
	}
	return pool, nil
}

// leastConnections is how many connections for records a process needs.
const leastConnections = 4

// CheckConnections refuses an address of the database that allows too few connections. What else is wrong with it is not its business.
func CheckConnections(url string) error {
	if config, err := pgxpool.ParseConfig(url); err == nil && config.MaxConns < leastConnections {
		return fmt.Errorf("TERRIER_DATABASE_URL: pool_max_conns=%d is too few: changes, upkeep and the jobs of a worker would wait for "+
			"each other. Remove it, or write pool_max_conns=%d or more", config.MaxConns, leastConnections)
	}
	return nil
}

// poolConfig reads the address of the database. Later settings override earlier ones, and those in the address
// override all.
//
// Settings are sent after connecting, because a pooler such as pgbouncer refuses most of them as startup parameters.
func poolConfig(url string, settings ...Setting) (*pgxpool.Config, error) {
	config, _, err := readAddress(url, settings)
	return config, err
}

// readAddress does the work of poolConfig, and also returns the settings that are sent.
func readAddress(url string, settings []Setting) (*pgxpool.Config, []Setting, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, nil, fmt.Errorf("TERRIER_DATABASE_URL: %w", err)
	}
	conn := config.ConnConfig
	if err := checkExecMode(conn); err != nil {
		return nil, nil, err
	}
	conn.ConnectTimeout = cmp.Or(conn.ConnectTimeout, connectTimeout)
	conn.DialFunc = (&net.Dialer{Timeout: conn.ConnectTimeout, KeepAliveConfig: keepAlive}).DialContext
	config.PingTimeout = cmp.Or(config.PingTimeout, pingTimeout)
	startup, given := takeSettings(conn.RuntimeParams)
	conn.RuntimeParams = startup
	set := merge(append(slices.Clone(settings), given...))
	if len(set) > 0 {
		conn.AfterConnect = func(ctx context.Context, pg *pgconn.PgConn) error { return send(ctx, pg, set) }
	}
	return config, set, nil
}

// checkExecMode refuses the ways of sending statements that do not work with ours, although a bare connection works
// with them. The first two return rows as text; the others need a cache that they don't have.
func checkExecMode(conn *pgx.ConnConfig) error {
	wrong, instead := "", "default_query_exec_mode=cache_statement"
	switch mode := conn.DefaultQueryExecMode; {
	case mode == pgx.QueryExecModeExec:
		wrong = "default_query_exec_mode=exec"
	case mode == pgx.QueryExecModeSimpleProtocol:
		wrong = "default_query_exec_mode=simple_protocol"
	case mode == pgx.QueryExecModeCacheStatement && conn.StatementCacheCapacity == 0:
		wrong, instead = "statement_cache_capacity=0", "statement_cache_capacity=512"
	case mode == pgx.QueryExecModeCacheDescribe && conn.DescriptionCacheCapacity == 0:
		wrong, instead = "description_cache_capacity=0", "description_cache_capacity=512"
	default:
		return nil
	}
	return fmt.Errorf("TERRIER_DATABASE_URL: statements fail with %s. Remove it, or write %s", wrong, instead)
}

// takeSettings divides the parameters of an address into those that are sent at startup and the settings that are
// sent later. application_name is sent at startup: every pooler accepts it, and PostgreSQL logs it with a refused
// login.
func takeSettings(params map[string]string) (startup map[string]string, settings []Setting) {
	startup = map[string]string{"application_name": "terrier"}
	// PostgreSQL reads the options first, so a parameter overrides them.
	if options, ok := params["options"]; ok {
		var read bool
		if settings, read = splitOptions(options); !read {
			startup["options"] = options
		}
	}
	for _, name := range slices.Sorted(maps.Keys(params)) {
		switch name {
		case "options":
		case "application_name":
			startup[name] = params[name]
		default:
			settings = append(settings, Setting{name, params[name]})
		}
	}
	return startup, settings
}

// splitOptions reads "-c name=value --name=value". It reads nothing if there is any other option.
func splitOptions(options string) (settings []Setting, ok bool) {
	words := splitWords(options)
	for i := 0; i < len(words); i++ {
		word := words[i]
		switch {
		case word == "-c" && i+1 < len(words):
			i++
			word = words[i]
		case strings.HasPrefix(word, "-c"), strings.HasPrefix(word, "--"):
			word = word[2:]
		default:
			return nil, false
		}
		name, value, found := strings.Cut(word, "=")
		if !found {
			return nil, false
		}
		settings = append(settings, Setting{strings.ReplaceAll(name, "-", "_"), value})
	}
	return settings, true
}

// splitWords splits at spaces, except those behind a backslash.
func splitWords(text string) (words []string) {
	var word strings.Builder
	begun, escaped := false, false
	for _, c := range text {
		switch {
		case !escaped && c == '\\':
			escaped, begun = true, true
			continue
		case !escaped && unicode.IsSpace(c):
			if begun {
				words = append(words, word.String())
			}
			begun = false
			word.Reset()
			continue
		}
		word.WriteRune(c)
		begun, escaped = true, false
	}
	if begun {
		words = append(words, word.String())
	}
	return words
}

// merge keeps the last value of each setting.
func merge(all []Setting) (merged []Setting) {
	at := map[string]int{}
	for _, s := range all {
		s.Name = strings.ToLower(s.Name)
		i, ok := at[s.Name]
		if !ok {
			at[s.Name] = len(merged)
			merged = append(merged, s)
			continue
		}
		merged[i] = s
	}
	return merged
}

// send sets the settings of a connection, in one round trip.
func send(ctx context.Context, pg *pgconn.PgConn, settings []Setting) error {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	var sql strings.Builder
	args := make([][]byte, 0, 2*len(settings))
	for i, s := range settings {
		// set_config reads a value as a startup parameter would be read; SET would read a list as one name.
		fmt.Fprintf(&sql, "%s set_config($%d, $%d, false)", [...]string{"SELECT", ","}[min(i, 1)], 2*i+1, 2*i+2)
		args = append(args, []byte(s.Name), []byte(s.Value))
	}
	if err := pg.ExecParams(ctx, sql.String(), args, nil, nil, nil).Read().Err; err != nil {
		return fmt.Errorf("send settings: %w", err)
	}
	return nil
}
