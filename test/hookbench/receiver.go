package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// receive answers at once, or never below /hang, and remembers when each event arrived.
func receive() error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr())
	var mu sync.Mutex
	arrived := map[string]int64{}
	count := 0
	mux := http.NewServeMux()
	mux.HandleFunc("/ok", func(_ http.ResponseWriter, r *http.Request) {
		now := time.Now().UnixNano()
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		count++
		if name := nameIn(body); name != "" {
			if _, twice := arrived[name]; twice {
				arrived["twice"]++
			} else {
				arrived[name] = now
			}
		}
	})
	mux.HandleFunc("/hang", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	mux.HandleFunc("/count", func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		_, _ = fmt.Fprint(w, count)
	})
	mux.HandleFunc("/arrived", func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		_ = json.NewEncoder(w).Encode(arrived)
		clear(arrived)
	})
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	go func() { // ends with its parent
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	return srv.Serve(listener)
}

// nameIn finds the name of the site in a body without decoding it all.
func nameIn(body []byte) string {
	_, rest, ok := strings.Cut(string(body), `"name":"event `)
	if !ok {
		return ""
	}
	name, _, _ := strings.Cut(rest, `"`)
	return name
}

// receiver is the other process.
type receiver struct {
	url  string
	stop func()
}

func startReceiver(ctx context.Context) (*receiver, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self, "receiver")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, err
	}
	return &receiver{url: "http://" + strings.TrimSpace(line), stop: func() {
		_ = in.Close()
		_ = cmd.Wait() // its exit says nothing
	}}, nil
}

// count is how many requests came since the receiver started.
func (r *receiver) count() (n int, err error) {
	answer, err := http.Get(r.url + "/count")
	if err != nil {
		return 0, err
	}
	defer func() { _ = answer.Body.Close() }()
	_, err = fmt.Fscan(answer.Body, &n)
	return n, err
}

func (r *receiver) arrived() (map[string]int64, error) {
	answer, err := http.Get(r.url + "/arrived")
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	var arrived map[string]int64
	err = json.NewDecoder(answer.Body).Decode(&arrived)
	return arrived, err
}
