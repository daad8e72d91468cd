package listen

import (
	"errors"
	"net"
	"os"
	"strings"
)

// What a process says about itself to the service manager.
const (
	Ready    = "READY=1"
	Stopping = "STOPPING=1"
)

// Notify tells systemd, or whatever else set NOTIFY_SOCKET, how far the process is. Without such a one it does
// nothing. This is the protocol of sd_notify(3).
func Notify(state string) error {
	path := os.Getenv("NOTIFY_SOCKET")
	if path == "" {
		return nil
	}
	if name, ok := strings.CutPrefix(path, "@"); ok {
		path = "\x00" + name // a socket without a file
	}
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		return err
	}
	_, err = conn.Write([]byte(state))
	return errors.Join(err, conn.Close())
}
