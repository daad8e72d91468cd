package egress

import (
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"strings"
)

// read reads the body of an answer up to the cap. A body that was read to its end leaves
// the connection for the next request. Of any other the rest is not read, which would let
// the receiver decide how much; closing it closes the connection.
func (c *Client) read(resp *http.Response) (body []byte, truncated bool, err error) {
	if resp.StatusCode == http.StatusSwitchingProtocols {
		// The transport has let go of this connection: the deadline would not end a read.
		return nil, false, nil
	}
	limit := c.config.MaxBody
	raw := &io.LimitedReader{R: resp.Body, N: limit + 1}
	body, err = readDecoded(raw, resp.Header.Get("Content-Encoding"), limit+1)
	if raw.N <= 0 {
		// Compressed or not, more came than is kept. That the decoder misses the rest is no
		// news; and a stream of which nothing ever comes out ends here too.
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
