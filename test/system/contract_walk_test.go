package system_test

import (
	"errors"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"terrier/internal/dbtest"
	"terrier/test/install"
)

// ownNetwork has the database's address for the process that runs in a network of its own, where no port is taken.
const ownNetwork = "TERRIER_TEST_OWN_NETWORK"

// TestContractWalk walks through the contract with nothing set but the database and the secret key: log in, get a token, create a webhook
// for the bundled listener at http://localhost:9000/, change something, see it arrive, see a failure while the listener is away, and retry
// it by hand. Every address and port is the default.
func TestContractWalk(t *testing.T) {
	if database := os.Getenv(ownNetwork); database != "" {
		walkContract(t, database)
		return
	}
	t.Parallel()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestContractWalk$", "-test.v", "-test.timeout", "3m")
	child.Env = append(os.Environ(), ownNetwork+"="+bySocket(t, dbtest.New(t)))
	child.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
	if uid := os.Getuid(); uid != 0 {
		child.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		child.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: uid, Size: 1}}
		child.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	out, err := child.CombinedOutput()
	if errors.Is(err, syscall.EPERM) {
		t.Skip("this machine lets nobody make a network: run the test as root")
	}
	if err != nil || !strings.Contains(string(out), "--- PASS: TestContractWalk") {
		t.Errorf("%v\n%s", err, out)
	}
}

// bySocket returns the address of a database by its server's Unix socket, which another network reaches too.
func bySocket(t *testing.T, database string) string {
	t.Helper()
	var socket, port string
	if err := connect(t, database).QueryRow(t.Context(), "SELECT current_setting('unix_socket_directories'), current_setting('port')").
		Scan(&socket, &port); err != nil {
		t.Fatal(err)
	}
	address, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	return "postgres://" + address.Path + "?" + url.Values{"host": {socket}, "port": {port}, "user": {address.User.Username()}}.Encode()
}

func walkContract(t *testing.T, database string) {
	if out, err := exec.CommandContext(t.Context(), "ip", "link", "set", "lo", "up").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	in := newInstall(t, database)
	in.Settings = map[string]string{"DATABASE_URL": database, "SECRET_KEY": in.Settings["SECRET_KEY"]}
	in.User("alice", "correct horse battery staple", "--superuser")
	site := in.Serve("--worker")
	listener := listen(in)

	// Log in, with a browser and with a program.
	if site.Base != "http://127.0.0.1:8000" {
		t.Errorf("the server is at %s", site.Base)
	}
	form := url.Values{"username": {"alice"}, "password": {"correct horse battery staple"}}
	login := site.Send(http.MethodPost, "/login/", http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}, form.Encode()).
		Want(t, http.StatusNoContent)
	if !strings.Contains(login.Header.Get("Set-Cookie"), "session") {
		t.Errorf("no session: %v", login.Header)
	}
	var token struct{ Key string }
	site.Do(http.MethodPost, "/api/users/tokens/provision/", "", object{"username": "alice", "password": "correct horse battery staple"}).
		Want(t, http.StatusCreated).Read(t, &token)
	do := func(method, path string, body any, want int) answer {
		t.Helper()
		return site.Do(method, path, token.Key, body).Want(t, want)
	}

	// A webhook and a change.
	made := do(http.MethodPost, "/api/extras/webhooks/", object{"name": "first", "content_types": []string{"dcim.site"}, "type_create": true,
		"type_update": true, "payload_url": "http://localhost:9000/", "secret": "s3cret"}, http.StatusCreated)
	if warning := made.Header.Get("Warning"); warning != "" {
		t.Errorf("the webhook is saved with a warning: %s", warning)
	}
	do(http.MethodPost, "/api/dcim/sites/", object{"name": "Braga 1", "slug": "bra1"}, http.StatusCreated)
	listener.arrives("✓ X-Hook-Signature is valid")
	ends(t, do, "successful")

	// A failure, and a retry by hand.
	listener.Kill()
	do(http.MethodPost, "/api/dcim/sites/", object{"name": "Porto 1", "slug": "opo1"}, http.StatusCreated)
	failed := ends(t, do, "failed")
	if !strings.Contains(failed.Reason, "connection refused") {
		t.Errorf("the delivery failed because of %q", failed.Reason)
	}
	listener = listen(in)
	do(http.MethodPost, "/api/extras/deliveries/"+failed.ID+"/retry/", nil, http.StatusAccepted)
	listener.arrives("opo1")
	ends(t, do, "successful")

	// The server itself and its database are not reached, and that is said at once.
	for i, own := range []string{site.Base + "/api/status/", "http://localhost:" + portOf(t, database)} {
		refused := do(http.MethodPost, "/api/extras/webhooks/", object{"name": own, "content_types": []string{"dcim.region"}, "type_create": true,
			"payload_url": own}, http.StatusCreated)
		if warning, name := refused.Header.Get("Warning"), []string{"Terrier itself", "Terrier's database"}[i]; !strings.Contains(warning, name) {
			t.Errorf("%s: the warning is %q", own, warning)
		}
	}
	do(http.MethodPost, "/api/dcim/regions/", object{"name": "Norte", "slug": "norte"}, http.StatusCreated)
	if refused := ends(t, do, "failed"); !strings.Contains(refused.Reason, "no webhook may reach") {
		t.Errorf("the delivery failed because of %q", refused.Reason)
	}
}

func portOf(t *testing.T, database string) string {
	t.Helper()
	address, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	return address.Query().Get("port")
}

// bundled is the bundled listener, as it is started without flags besides the secret.
type bundled struct {
	*server
	in *install.Install
}

func listen(in *install.Install) bundled {
	l := bundled{in.Start("webhook_receiver", "--secret", "s3cret"), in}
	l.arrives("Listening on http://localhost:9000/")
	return l
}

func (l bundled) arrives(text string) {
	l.in.T.Helper()
	eventually(l.in.T, "the listener prints "+text, func() bool { return strings.Contains(l.Log(), text) })
}

type sent struct {
	ID, Reason string
	State      struct{ Value string }
}

// ends waits until the newest delivery has a state.
func ends(t *testing.T, do func(method, path string, body any, want int) answer, state string) (d sent) {
	t.Helper()
	var page struct{ Results []sent }
	eventually(t, "the delivery is "+state, func() bool {
		do(http.MethodGet, "/api/extras/deliveries/?limit=1&ordering=-id", nil, http.StatusOK).Read(t, &page)
		if len(page.Results) == 1 {
			d = page.Results[0]
		}
		return d.State.Value == state
	})
	return d
}
