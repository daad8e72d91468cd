package main

import (
	"encoding/json"
	"time"
)

// hookHistory is the versions of a webhook, from the change log.
type hookHistory struct {
	id       int64
	path     string
	versions []*hookVersion
}

// hookVersion is one version of a webhook. It became visible between two moments.
type hookVersion struct {
	at, from, until time.Time // when it was written; visible not before from, and not later than until
	gone            bool
	hookFields
}

type hookFields struct {
	Name         string   `json:"name"`
	Types        []string `json:"content_types"`
	Create       bool     `json:"type_create"`
	Update       bool     `json:"type_update"`
	Delete       bool     `json:"type_delete"`
	URL          string   `json:"payload_url"`
	Enabled      bool     `json:"enabled"`
	BodyTemplate string   `json:"body_template"`
	Conditions   any      `json:"conditions"`
	MaxRetries   int64    `json:"max_retries"`
}

// visibleWithin is how long a change may be invisible after the time of its commit. PostgreSQL takes the time before it waits for the disk.
const visibleWithin = 3 * time.Second

// histories fills in the histories of the webhooks. An acknowledgement narrows the time in which a version became visible.
func (f *facts) histories(acknowledged map[string]time.Time, base string) error {
	f.hooks = map[int64]*hookHistory{}
	for _, c := range f.changes { // in the order of versions
		if c.Kind != webhookKey {
			continue
		}
		h := f.hooks[c.Object]
		if h == nil {
			h = &hookHistory{id: c.Object}
			f.hooks[c.Object] = h
		}
		v := &hookVersion{at: c.At, from: c.At.Add(-clocksApart), until: c.At.Add(visibleWithin + 35*time.Second), gone: c.Action == "delete"}
		if c.Committed != nil {
			v.from, v.until = *c.Committed, c.Committed.Add(visibleWithin)
		}
		if at, ok := acknowledged[c.Request]; ok && at.Before(v.until) {
			v.until = at
		}
		if c.Post != nil {
			if err := json.Unmarshal([]byte(*c.Post), &v.hookFields); err != nil {
				return err
			}
			h.path = v.URL[len(base):]
		}
		h.versions = append(h.versions, v)
	}
	return nil
}

// path returns the path that a delivery is sent to.
func (f *facts) path(d *delivery) string {
	if h := f.hooks[d.Webhook]; h != nil {
		return h.path
	}
	return "nowhere"
}

// seen returns the versions that a reader between two moments may have seen. A nil version means that there was no webhook.
func (h *hookHistory) seen(from, to time.Time) []*hookVersion {
	var found []*hookVersion
	certain := false // a version was certainly visible
	for i := len(h.versions) - 1; i >= 0; i-- {
		v := h.versions[i]
		if v.from.After(to) {
			continue
		}
		found = append(found, v)
		if certain = v.until.Before(from); certain {
			break
		}
	}
	if !certain {
		found = append(found, nil)
	}
	return found
}

// wants reports whether a version is notified of a change, and whether its conditions could not be evaluated.
func (v *hookVersion) wants(c *change) (fires, broken bool) {
	if v == nil || v.gone || !v.Enabled {
		return false, false
	}
	if c.Action == "create" && !v.Create || c.Action == "update" && !v.Update || c.Action == "delete" && !v.Delete {
		return false, false
	}
	for _, t := range v.Types {
		if t == c.Kind {
			return judge(v.Conditions, c)
		}
	}
	return false, false
}
