package store_test

import (
	"bytes"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"
	"testing"

	"terrier/internal/dbtest"
	"terrier/internal/inventory"
	"terrier/internal/record"
	"terrier/internal/store"
)

// TestSettingsOfConnections: the address overrides a store's own settings, which override those of all stores. A value of the
// address is read as PostgreSQL reads a startup parameter, whether it is a parameter or one of the options.
func TestSettingsOfConnections(t *testing.T) {
	t.Parallel()
	reg, err := record.NewRegistry(inventory.Types()...)
	if err != nil {
		t.Fatal(err)
	}
	address := dbtest.New(t) + "&Lock_Timeout=7s&search_path=one,%20public&plan_cache_mode=auto" +
		"&options=" + `-c%20work_mem%3D9MB%20--lock-timeout%3D3s%20-cDateStyle%3DISO,\%20DMY`
	s, err := store.Open(t.Context(), address, reg, nil, store.ForWorkers...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	for name, want := range map[string]string{
		"jit": "off", "timezone": "UTC", "idle_in_transaction_session_timeout": "30s", // of all stores
		"enable_seqscan": "off", "statement_timeout": "2min", // of its own
		// of the address
		"plan_cache_mode": "auto", "lock_timeout": "7s", "search_path": "one, public", "work_mem": "9MB", "datestyle": "ISO, DMY",
	} {
		var got string
		if err := s.Pool().QueryRow(t.Context(), "SELECT current_setting($1)", name).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %q, want %q; error %v", name, got, want, err)
		}
	}
	if started := s.Pool().Config().ConnConfig.RuntimeParams; len(started) != 1 || started["application_name"] != "terrier" {
		t.Errorf("sent at startup: %v, want the name of the application and nothing else", started)
	}
}

// TestUnreadableOptionsAreSentAsTheyAre: an option that is no setting is left to PostgreSQL.
func TestUnreadableOptionsAreSentAsTheyAre(t *testing.T) {
	t.Parallel()
	pool, err := store.OpenPool(t.Context(), dbtest.New(t)+"&options=-S%209MB%20-fs")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	var mem, scans string
	if err := pool.QueryRow(t.Context(), "SELECT current_setting('work_mem'), current_setting('enable_seqscan')").
		Scan(&mem, &scans); err != nil || mem != "9MB" || scans != "off" {
		t.Errorf("work_mem %s, enable_seqscan %s: %v", mem, scans, err)
	}
}

// TestExecModes: ways of sending statements that do not work are refused by name, and the message says what to write.
func TestExecModes(t *testing.T) {
	t.Parallel()
	address := dbtest.New(t)
	for _, wrong := range []string{"default_query_exec_mode=exec", "default_query_exec_mode=simple_protocol", "statement_cache_capacity=0",
		"default_query_exec_mode=cache_describe&description_cache_capacity=0"} {
		_, err := store.CheckPooling(t.Context(), address+"&"+wrong, false)
		name := wrong[strings.LastIndex(wrong, "&")+1:]
		if err == nil || !strings.Contains(err.Error(), "fail with "+name+". Remove it, or write ") {
			t.Errorf("%s: %v", wrong, err)
		}
	}
	for _, right := range []string{"default_query_exec_mode=cache_statement", "default_query_exec_mode=cache_describe",
		"default_query_exec_mode=describe_exec"} {
		if _, err := store.CheckPooling(t.Context(), address+"&"+right, false); err != nil {
			t.Errorf("%s: %v", right, err)
		}
	}
}

// TestDroppedSettingsAreNamed: the program starts behind a pooler that drops a setting, and names the setting.
func TestDroppedSettingsAreNamed(t *testing.T) {
	t.Parallel()
	address, err := url.Parse(dbtest.New(t))
	if err != nil {
		t.Fatal(err)
	}
	if dropped, err := store.CheckPooling(t.Context(), address.String(), true); err != nil || len(dropped) > 0 {
		t.Fatalf("without a pooler: dropped %v: %v", dropped, err)
	}
	address.Host = changing(t, address.Host, map[string]string{"statement_timeout": "not.ement_timeout", "plan_cache_mode": "not._cache_mode"})
	dropped, err := store.CheckPooling(t.Context(), address.String(), true)
	if slices.Sort(dropped); err != nil || !slices.Equal(dropped, []string{"plan_cache_mode", "statement_timeout"}) {
		t.Errorf("dropped %v: %v", dropped, err)
	}
}

// TestDeafConnectionsAreRefused: a worker does not start if notifications do not arrive. A server needs none.
func TestDeafConnectionsAreRefused(t *testing.T) {
	t.Parallel()
	address, err := url.Parse(dbtest.New(t))
	if err != nil {
		t.Fatal(err)
	}
	address.Host = changing(t, address.Host, map[string]string{"LISTEN": "NOTIFY"})
	if _, err := store.CheckPooling(t.Context(), address.String(), false); err != nil {
		t.Errorf("server: %v", err)
	}
	if _, err := store.CheckPooling(t.Context(), address.String(), true); err == nil || !strings.Contains(err.Error(), "pool_mode = session") {
		t.Errorf("worker: %v", err)
	}
}

// changing is a proxy that replaces words in the first message of each connection.
func changing(t *testing.T, server string, words map[string]string) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	pass := func(to, from net.Conn, change func([]byte)) {
		defer func() { _ = to.Close() }()
		buffer := make([]byte, 64<<10)
		for {
			n, err := from.Read(buffer)
			if err != nil {
				return
			}
			change(buffer[:n])
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
	}
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			database, err := net.Dial("tcp", server)
			if err != nil {
				return
			}
			left := maps.Clone(words)
			go pass(client, database, func([]byte) {})
			go pass(database, client, func(sent []byte) {
				maps.DeleteFunc(left, func(word, other string) bool {
					i := bytes.Index(sent, []byte(word))
					if i >= 0 {
						copy(sent[i:], other)
					}
					return i >= 0
				})
			})
		}
	}()
	return listener.Addr().String()
}
