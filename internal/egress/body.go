package egress

import (
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"strings"
)

// read reads the body of an answer up to the cap. After a body that was read to its end, the connection is kept for
// the next request. The rest of a longer body is not read, because the receiver would decide how much; closing it
// closes the connection.
func (c *Client) read(resp *http.Response) (body []byte, truncated bool, err error) {
	if resp.StatusCode == http.StatusSwitchingProtocols {
		// The transport has released this connection: the deadline would not end a read.
		return nil, false, nil
	}
	limit := c.config.MaxBody
	raw := &io.LimitedReader{R: resp.Body, N: limit + 1}
	body, err = readDecoded(raw, resp.Header.Get("Content-Encoding"), limit+1)
	if raw.N <= 0 {
		// Compressed or not, more came than is kept. That the decoder lacks the rest is expected, and a stream that decodes
		// to nothing ends here too.
		truncated, err = true, nil
	}
	if int64(len(body)) > limit {
		body, truncated = body[:limit:limit], true
	}
	return body, truncated, err
}

// readDecoded decompresses gzip, which some receivers send without being asked.
func readDecoded(raw io.Reader, encoding string, limit int64) ([]byte, error) {
	if !strings.EqualFold(encoding, "gzip") {
		return io.ReadAll(raw)
	}
	unzipped, err := gzip.NewReader(raw)
	if errors.Is(err, io.EOF) {
		return nil, nil // no body at all, as in the answer to HEAD
	}
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(unzipped, limit))
}
