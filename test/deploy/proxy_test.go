package deploy_test

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"terrier/internal/dbtest"
	"terrier/test/install"
)

// proxy is a reverse proxy as its file in deploy/ has it, in front of two servers.
type proxy struct {
	port    string
	servers []*install.Process
}

const host = "terrier.example.com"

// start describes how one proxy is run: it writes the files and returns the command.
type start func(t *testing.T, dir string, config *strings.Replacer, pair install.Certificate) *exec.Cmd

func nginx(t *testing.T, dir string, config *strings.Replacer, pair install.Certificate) *exec.Cmd {
	need(t, "nginx")
	pair.Write(t, dir)
	site := write(t, dir, "site.conf", config.Replace(shipped(t, "nginx", "terrier.conf")))
	main := write(t, dir, "nginx.conf", "daemon off; pid "+dir+"/pid; error_log stderr; user root root; worker_processes 2;\n"+
		"events { worker_connections 512; }\nhttp { access_log off; client_body_temp_path "+dir+"/body; proxy_temp_path "+dir+
		"/proxy; fastcgi_temp_path "+dir+"/f; uwsgi_temp_path "+dir+"/u; scgi_temp_path "+dir+"/s; include "+site+"; }\n")
	return exec.Command("nginx", "-p", dir, "-c", main)
}

func haproxy(t *testing.T, dir string, config *strings.Replacer, pair install.Certificate) *exec.Cmd {
	need(t, "haproxy")
	write(t, dir, "terrier.pem", string(pair.Cert)+string(pair.Key))
	return exec.Command("haproxy", "-db", "-f", write(t, dir, "haproxy.cfg", config.Replace(shipped(t, "haproxy", "haproxy.cfg"))))
}

// run starts the proxy and ends it with the test.
func (p *proxy) run(t *testing.T, start start) {
	dir := t.TempDir()
	plain := freePort(t)
	p.port = freePort(t)
	backend := func(i int) string { return strings.TrimPrefix(p.servers[i].Base, "http://") }
	config := strings.NewReplacer("192.0.2.21:8000", backend(0), "192.0.2.22:8000", backend(1),
		"listen 80;", "listen 127.0.0.1:"+plain+";", "listen 443 ssl;", "listen 127.0.0.1:"+p.port+" ssl;",
		"bind :80\n", "bind 127.0.0.1:"+plain+"\n", "bind :443 ", "bind 127.0.0.1:"+p.port+" ",
		"/etc/nginx/tls", dir, "/etc/haproxy/tls", dir)
	cmd := start(t, dir, config, install.NewCertificate(t, 7))
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended
		_ = cmd.Wait()                          // by our signal
		if text, err := os.ReadFile(log.Name()); t.Failed() {
			t.Logf("the proxy's log: %s %v", text, err)
		}
		_ = log.Close() // nothing is written any more
	})
	c := p.client(t, "127.0.0.1")
	install.Eventually(t, "the proxy should pass requests on", func() bool { return c.Get("/readyz", "").Status == http.StatusOK })
}

func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }() // nobody has connected
	return strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
}

// client returns a browser at an address of this machine, with cookies of its own.
func (p *proxy) client(t *testing.T, from string) *install.Process {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS12},
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, "tcp", "127.0.0.1:"+p.port)
		}}
	t.Cleanup(transport.CloseIdleConnections)
	return install.Through(t, "https://"+host, &http.Client{Transport: transport, Jar: jar, Timeout: install.Patience})
}

// TestProxies: behind each proxy, links have the base URL, clients their own addresses, bodies their full size, and
// sessions work on every server. A server that stops loses no request.
func TestProxies(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]start{"nginx": nginx, "haproxy": haproxy} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			need(t, name)
			database := dbtest.New(t)
			in := install.New(t, database, "BASE_URL=https://"+host, "TRUSTED_PROXIES=127.0.0.1", "SHUTDOWN_DELAY=2s")
			in.User("admin", "right password", "--superuser")
			token := in.Token("admin")
			p := &proxy{servers: []*install.Process{in.Serve(), in.Serve()}}
			p.run(t, start)
			t.Run("addresses", func(t *testing.T) { p.addresses(t, install.Connect(t, database)) })
			t.Run("bodies", func(t *testing.T) { p.bodies(t, token) })
			t.Run("sessions", p.sessions)
			t.Run("stop", p.stop)
		})
	}
}

// sessions logs in once and is known to both servers.
func (p *proxy) sessions(t *testing.T) {
	browser := p.client(t, "127.0.0.7")
	browser.Do(http.MethodPost, "/login/", "", install.Object{"username": "admin", "password": "right password"}).Want(t, http.StatusNoContent)
	install.Eventually(t, "both servers should know the session", func() bool {
		browser.Get("/api/dcim/sites/", "").Want(t, http.StatusOK)
		return !strings.Contains(mine(p.servers[0].Log()), "status=403") && strings.Contains(mine(p.servers[0].Log()), "user=admin") &&
			strings.Contains(mine(p.servers[1].Log()), "user=admin")
	})
}

// mine returns the lines of a log that are about the list of sites.
func mine(log string) string {
	var lines strings.Builder
	for line := range strings.Lines(log) {
		if strings.Contains(line, "method=GET path=/api/dcim/sites/") {
			lines.WriteString(line)
		}
	}
	return lines.String()
}

// stop ends one server under load: its requests are answered, the others go to the second one.
func (p *proxy) stop(t *testing.T) {
	var sent atomic.Int64
	stop := make(chan struct{})
	var load sync.WaitGroup
	for range 4 {
		c := p.client(t, "127.0.0.9")
		load.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if a := c.Get("/healthz", ""); a.Status != http.StatusOK {
					t.Errorf("a request failed: %d %v", a.Status, a)
					return
				}
				sent.Add(1)
			}
		})
	}
	p.servers[0].Stop()
	after := sent.Load()
	install.Eventually(t, "the second server should answer alone", func() bool { return sent.Load() > after+20 })
	close(stop)
	load.Wait()
}
