package audit

import (
	"bufio"
	"bytes"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// openTo starts a Log to a target.
func openTo(t *testing.T, target string, stderr io.Writer) *Log {
	t.Helper()
	to, err := ParseTarget(target, stderr)
	if err != nil {
		t.Fatal(err)
	}
	return NewLog(to, "text", slog.New(slog.DiscardHandler))
}

func TestParseTarget(t *testing.T) {
	for _, text := range []string{"stdout", "file:", "file:audit.log", "syslog:host", "syslog:http://host", "syslog:udp://",
		"syslog:tcp://h/x", "/var/log/audit", "stderr:", "syslog:udp://u:p@host"} {
		if _, err := ParseTarget(text, nil); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
	if to, err := ParseTarget("", nil); err != nil || NewLog(to, "text", nil) != nil {
		t.Error("without a target something is sent")
	}
	for text, want := range map[string]string{"": "unix /dev/log", "/run/x": "unix /run/x", "udp://h": "udp h:514",
		"tcp://[::1]:601": "tcp [::1]:601"} {
		network, address, err := syslogAddress(text)
		if got := network + " " + address; err != nil || got != want {
			t.Errorf("%q is %s, %v", text, got, err)
		}
	}
}

func TestStandardError(t *testing.T) {
	var out bytes.Buffer
	l := openTo(t, "stderr", &out)
	l.Write(sample, sample)
	l.Close()
	if n := strings.Count(out.String(), "msg=audit event=login_failed user_name=alice"); n != 2 || strings.Count(out.String(), "\n") != 2 {
		t.Error(out.String())
	}
}

// TestFileIsRotated: lines go to the file at the path, also after it was moved away, and those of two processes do not mix.
func TestFileIsRotated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	f := &file{path: path}
	send := func(line string) {
		t.Helper()
		if err := f.send(Event{}, []byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	send("1")
	send("2")
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	send("3")
	if err := (&file{path: path}).send(Event{}, []byte("4")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{path + ".1": "1\n2\n", path: "3\n4\n"} {
		if got, err := os.ReadFile(name); err != nil || string(got) != want {
			t.Errorf("%s has %q, %v", name, got, err)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o007 != 0 {
		t.Errorf("others may read it: %v, %v", info.Mode(), err)
	}
}

// message is RFC 5424: priority, version, time, host, program, process, event, no structured data, text.
var message = regexp.MustCompile(`^<85>1 \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z \S+ terrier \d+ login_failed - ` +
	`time=.* msg=audit event=login_failed .*times=1$`)

// TestSyslogDatagrams: a datagram is a message, on the socket of the machine and over UDP.
func TestSyslogDatagrams(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "log")
	for network, address := range map[string]string{"unixgram": socket, "udp": "127.0.0.1:0"} {
		server, err := net.ListenPacket(network, address)
		if err != nil {
			t.Fatal(err)
		}
		target := "syslog:" + socket
		if network == "udp" {
			target = "syslog:udp://" + server.LocalAddr().String()
		}
		l := openTo(t, target, nil)
		l.Write(sample, sample)
		if err := server.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			got := make([]byte, 2000)
			n, _, err := server.ReadFrom(got)
			if err != nil || !message.Match(got[:n]) {
				t.Errorf("%s: %q, %v", network, got[:n], err)
			}
		}
		l.Close()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestSyslogStreams: over TCP each message has its length before it. A new connection is made when the server has gone.
func TestSyslogStreams(t *testing.T) {
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Close() }()
	s := newSyslog("tcp", server.Addr().String())
	for range 2 {
		if err := s.send(sample, printed(sample, "text")); err != nil {
			t.Fatal(err)
		}
		conn, err := server.Accept()
		if err != nil {
			t.Fatal(err)
		}
		if err := conn.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
			t.Fatal(err)
		}
		in := bufio.NewReader(conn)
		length, _ := in.ReadString(' ')
		n, err := strconv.Atoi(strings.TrimSpace(length))
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, n)
		if _, err := io.ReadFull(in, got); err != nil || !message.Match(got) {
			t.Errorf("%q, %v", got, err)
		}
		_ = conn.Close()
		_ = s.conn.Close() // as if it had been noticed
		if err := s.send(sample, []byte("x")); err == nil {
			t.Error("a line was sent to nobody")
		}
	}
	_ = s.close()
}
