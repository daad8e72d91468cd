package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"

	"terrier/test/bench/bare"
	"terrier/test/bench/figures"
	"terrier/test/bench/gauge"
)

// measureWebPage measures what a page costs. It compares the list of sites as a browser gets it, with navigation and filters, with the
// API's list of the same 50 from the same server.
func (b *bench) measureWebPage(ctx context.Context) (rows []figures.Row, err error) {
	r := figures.Row{Case: "page", What: "list page of 50 sites for a browser", Against: "the API's list of 50",
		Goal: figures.AtLeast(1.0 / 3)}
	cookie, err := session(ctx, b.server.Address, userName)
	if err != nil {
		return nil, err
	}
	browser := &gauge.Side{Name: "browser", Address: b.server.Address, Headers: browserHeaders(cookie)}
	defer browser.Close()
	asking := func(side *gauge.Side, path string) gauge.Asking {
		return gauge.Asking{Side: side, Processes: []*gauge.Process{b.server}, Status: http.StatusOK, Connections: b.o.connections,
			Request: same(side.Get(path + "?limit=50"))}
	}
	rounds, err := b.compete(ctx, asking(browser, sitesPage), asking(b.terrier, sitesPath))
	rounds.judge(&r)
	return []figures.Row{r}, err
}

const sitesPage = "/dcim/sites/"

func browserHeaders(session *http.Cookie) string {
	return fmt.Sprintf("Accept: text/html\r\nCookie: %s=%s\r\n", session.Name, session.Value)
}

// session logs in as a browser does.
func session(ctx context.Context, address, username string) (*http.Cookie, error) {
	in := body(bare.Credentials{Username: username, Password: password})
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+"/login/", bytes.NewReader(in))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close() //nolint:errcheck // it is empty
	if cookies := answer.Cookies(); len(cookies) == 1 {
		return cookies[0], nil
	}
	return nil, errors.Join(errors.New("log in: no session"), errors.New(answer.Status))
}
