package main

import (
	"encoding/json"
	"time"
)

// hookHistory is what a webhook was when, from the change log.
type hookHistory struct {
	id       int64
	path     string
	versions []*hookVersion
}

// hookVersion is a webhook from a commit on. It became visible between two moments.
type hookVersion struct {
	at, from, until time.Time // written; not before; not after
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

// visibleWithin is how long after the time of its commit a change may be unseen: PostgreSQL
// takes the time before it waits for the disk.
const visibleWithin = 3 * time.Second

// histories reads what the webhooks were. An acknowledgement narrows the time in which a
// version became visible.
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
		v := &hookVersion{at: c.At, from: c.At, until: c.At.Add(visibleWithin + 35*time.Second), gone: c.Action == "delete"}
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

// path is where a delivery goes.
func (f *facts) path(d *delivery) string {
	if h := f.hooks[d.Webhook]; h != nil {
		return h.path
	}
	return "nowhere"
}

// seen lists the versions that somebody who looked between two moments may have seen; nil
// means none.
func (h *hookHistory) seen(from, to time.Time) []*hookVersion {
	var found []*hookVersion
	certain := false // something was visible before
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

// wants reports whether a version is notified of a change, and whether its conditions were broken.
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
