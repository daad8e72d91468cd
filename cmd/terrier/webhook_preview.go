package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"terrier/internal/app"
	"terrier/internal/webhook"
)

type webhookPreviewCommand struct {
	jsonFlag
	trial
}

// Run writes the request to standard output and remarks about it to standard error.
func (c webhookPreviewCommand) Run(ctx context.Context, s *session) error {
	return s.withApp(ctx, func(a *app.App) error {
		hook, sample, err := c.find(ctx, a)
		if err != nil {
			return err
		}
		preview, err := a.PreviewWebhook(ctx, hook.ID, sample)
		if err != nil {
			return err
		}
		if c.JSON {
			return s.printJSON(previewJSON(preview))
		}
		if preview.Error != "" {
			return errors.New("no request could be made: " + preview.Error)
		}
		if !preview.Fires {
			if _, err := fmt.Fprintf(s.err, "The webhook would not be notified of this: %s\n\n", newScreen(s.err).line(preview.Reason)); err != nil {
				return err
			}
		}
		if preview.BadBody != "" {
			if _, err := fmt.Fprintf(s.err, "%s\n\n", newScreen(s.err).line(preview.BadBody)); err != nil {
				return err
			}
		}
		text, err := requestText(newScreen(s.out), preview, a.UserAgent())
		if err != nil {
			return err
		}
		_, err = s.out.Write(text)
		return err
	})
}

// previewJSON returns a preview for programs. What is a field of the webhook has its name.
func previewJSON(p app.Preview) any {
	return struct {
		Event     string      `json:"event"`
		Fires     bool        `json:"fires"`
		Reason    string      `json:"reason"`
		Method    string      `json:"http_method"`
		URL       string      `json:"payload_url"`
		Headers   http.Header `json:"headers"`
		Body      string      `json:"body"`
		Error     string      `json:"error"`
		Forbidden string      `json:"forbidden"`
		BadBody   string      `json:"bad_body"`
	}{p.Event, p.Fires, p.Reason, p.Request.Method, p.Request.URL, p.Request.Header, p.Body, p.Error, p.Forbidden, p.BadBody}
}

// requestText returns the request as webhook_receiver would print it. On a terminal a JSON body is indented;
// elsewhere the bytes are exactly those that are sent.
func requestText(out screen, p app.Preview, agent string) ([]byte, error) {
	target, err := url.Parse(p.Request.URL)
	if err != nil {
		return nil, err
	}
	header := p.Request.Header.Clone()
	header.Set("Content-Length", strconv.Itoa(len(p.Request.Body)))
	if given, named := header["User-Agent"]; !named {
		header.Set("User-Agent", agent)
	} else if given[0] == "" {
		header.Del("User-Agent") // an empty one is not sent
	}
	var text bytes.Buffer
	fmt.Fprintln(&text, out.paint(bold, out.line(p.Request.Method+" "+target.RequestURI()+" HTTP/1.1")))
	for name, value := range headers(&http.Request{Header: header, Host: target.Host}) {
		if value == noDelivery {
			value = webhook.MadeWhenSent
		}
		fmt.Fprintf(&text, "%s %s\n", out.paint(cyan, name+":"), out.line(value))
	}
	text.WriteByte('\n')
	body := p.Request.Body
	if out.terminal {
		body, _ = forTerminal(body)
	}
	text.Write(body)
	if len(body) > 0 && !bytes.HasSuffix(body, []byte("\n")) && out.terminal {
		text.WriteByte('\n')
	}
	return text.Bytes(), nil
}

// noDelivery is the id of no delivery.
const noDelivery = "00000000-0000-7000-8000-000000000000"
