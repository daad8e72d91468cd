package audit

import (
	"cmp"
	"fmt"
	"net"
	"os"
	"strconv"
	"time"
)

const (
	unixNetwork = "unix"

	// priority is facility 10 (authorization, private) and severity 5 (notice).
	priority = 10*8 + 5
	// syslogPatience is how long the server may take to be reached, and to take a line.
	syslogPatience = 5 * time.Second
)

// syslog is a sink that sends messages in the form of RFC 5424.
type syslog struct {
	network, address string
	host             string
	conn             net.Conn
}

func newSyslog(network, address string) *syslog {
	host, _ := os.Hostname()
	return &syslog{network: network, address: address, host: cmp.Or(host, "-")}
}

func (s *syslog) send(e Event, line []byte) error {
	if s.conn == nil {
		if err := s.dial(); err != nil {
			return err
		}
	}
	err := s.conn.SetWriteDeadline(time.Now().Add(syslogPatience))
	if err == nil {
		_, err = s.conn.Write(s.message(e, line))
	}
	if err != nil {
		_ = s.close() // the next line gets a new connection
	}
	return err
}

// dial connects. The socket of a machine takes datagrams mostly, and a stream elsewhere.
func (s *syslog) dial() (err error) {
	networks := []string{s.network}
	if s.network == unixNetwork {
		networks = []string{"unixgram", unixNetwork}
	}
	for _, network := range networks {
		if s.conn, err = net.DialTimeout(network, s.address, syslogPatience); err == nil {
			return nil
		}
	}
	s.conn = nil
	return err
}

// message returns a line as it is sent: in a stream with its length before it (RFC 6587), or with an end on the machine itself.
func (s *syslog) message(e Event, line []byte) []byte {
	m := fmt.Appendf(nil, "<%d>1 %s %s terrier %d %s - %s", priority, e.At.UTC().Format("2006-01-02T15:04:05.000000Z07:00"), s.host,
		os.Getpid(), e.Name, line)
	switch s.conn.RemoteAddr().Network() {
	case "tcp":
		return append([]byte(strconv.Itoa(len(m))+" "), m...)
	case unixNetwork:
		return append(m, '\n')
	}
	return m
}

func (s *syslog) close() error {
	if s.conn == nil {
		return nil
	}
	conn := s.conn
	s.conn = nil
	return conn.Close()
}
