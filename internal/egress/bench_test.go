package egress

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"testing"
	"time"
)

// The bare client is what one writes without this package: it keeps as many connections,
// has the same deadline and reads the whole answer.
func BenchmarkSend(b *testing.B) {
	server := serve(b, ok)
	body := bytes.Repeat([]byte(`{"a": "some more or less ordinary JSON"},`), 25)
	header := http.Header{"Content-Type": {"application/json"}, "X-Hook-Signature": {"0123456789abcdef"},
		"X-Hook-Delivery": {"0123456789abcdef"}}
	guarded := newClient(b, func(config *Config) { config.Timeout = defaultTimeout })
	bare := &http.Client{Timeout: defaultTimeout, Transport: &http.Transport{
		MaxIdleConnsPerHost: keptPerHost, IdleConnTimeout: time.Minute, DisableCompression: true,
	}}
	for _, way := range []struct {
		name string
		send func() error
	}{
		{"bare", func() error {
			req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, server.URL, bytes.NewReader(body))
			if err != nil {
				return err
			}
			req.Header = header.Clone()
			resp, err := bare.Do(req)
			if err != nil {
				return err
			}
			defer func() { _ = resp.Body.Close() }() // it was read
			_, err = io.ReadAll(resp.Body)
			return err
		}},
		{"guarded", func() error {
			_, err := guarded.Send(context.Background(), Request{Method: http.MethodPost, URL: server.URL, Header: header, Body: body})
			return err
		}},
	} {
		b.Run(way.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetParallelism(16)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if err := way.send(); err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
}
