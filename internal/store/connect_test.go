package store_test

import (
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
		"plan_cache_mode": "auto", "lock_timeout": "7s", "search_path": "one, public", "work_mem": "9MB", "datestyle": "ISO, DMY", // of the address
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
	if err := pool.QueryRow(t.Context(), "SELECT current_setting('work_mem'), current_setting('enable_seqscan')").Scan(&mem, &scans); err != nil || mem != "9MB" || scans != "off" {
		t.Errorf("work_mem %s, enable_seqscan %s: %v", mem, scans, err)
	}
}
