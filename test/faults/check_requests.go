package main

import (
	"fmt"
	"slices"
	"strings"
)

// checkRequests compares the answers that the clients got with the change log. An acknowledged request left exactly the rows that it
// should, a refused one none, and one without an answer all or none. There is no row that nobody requested.
func (w *world) checkRequests(f *facts, ops []*op) {
	rows := map[string][]*change{} // by request
	for _, c := range f.changes {
		if c.Kind == healthKey { // Terrier itself records it
			continue
		}
		rows[c.Request] = append(rows[c.Request], c)
	}
	byRequest, byMark, byDeleted := map[string]*op{}, map[string]*op{}, map[string][]*op{}
	for _, o := range ops {
		if o.outcome != unknown {
			byRequest[o.request] = o
		}
		if len(o.want) > 0 || o.outcome == refused {
			byMark[o.mark] = o
		}
		for _, x := range o.want {
			if x.action == "delete" && o.outcome == unknown {
				key := fmt.Sprint(x.kind, x.id)
				byDeleted[key] = append(byDeleted[key], o)
			}
		}
	}
	happened := map[*op]string{} // the request of an op without an answer
	for request, group := range rows {
		o := byRequest[request]
		if o == nil {
			o = asked(group, byMark, byDeleted)
			if o != nil && o.outcome != unknown {
				w.violate(oneRow, "%s (%s, %v as request %s) happened again as request %s: %s", o.what, o.mark, o.outcome, o.request, request,
					list(group))
				continue
			}
			if o != nil && happened[o] != "" {
				w.violate(oneRow, "%s (%s) got no answer and happened twice, as requests %s and %s", o.what, o.mark, happened[o], request)
				continue
			}
			happened[o] = request
		}
		if o == nil {
			w.violate(oneRow, "nobody asked for request %s: %s", request, list(group))
			continue
		}
		if problem := differ(o, group); problem != "" {
			w.violate(oneRow, "%s (%s, %v, request %s): %s", o.what, o.mark, o.outcome, request, problem)
		}
	}
	for _, o := range ops {
		if o.outcome == acknowledged && len(o.want) > 0 && rows[o.request] == nil {
			w.violate(oneRow, "%s (%s) was acknowledged with status %d as request %s at %.1f s and left no change row", o.what, o.mark,
				o.status, o.request, w.since(o.ended))
		}
	}
}

// asked returns the op that made the changes of a request without an answer.
func asked(group []*change, byMark map[string]*op, byDeleted map[string][]*op) *op {
	for _, c := range group {
		if c.Action == "delete" { // the other changes of the request have the mark of an earlier one
			for _, o := range byDeleted[fmt.Sprint(c.Kind, c.Object)] {
				return o
			}
			return nil
		}
	}
	for _, c := range group {
		if c.Kind == crates.key && c.Action == "update" {
			continue // it followed its shelf, and has the name of the request that created it
		}
		post := fields(c.Post)
		for _, field := range []string{"description", "name"} { // devices and webhooks have the mark as their name
			if o := byMark[fmt.Sprint(post[field])]; o != nil {
				return o
			}
		}
	}
	return nil
}

// differ returns how the rows of a request differ from those that it should have left, "" if they don't.
func differ(o *op, group []*change) string {
	if o.outcome == refused {
		return "it was refused and left " + list(group)
	}
	left := slices.Clone(o.want)
	var extra []*change
	for _, c := range group {
		at := slices.IndexFunc(left, func(x want) bool {
			if x.action != c.Action || x.kind != c.Kind || x.version != 0 && x.version != c.Version {
				return false
			}
			return x.id == c.Object || x.id == 0 && x.name == c.name()
		})
		if at < 0 {
			extra = append(extra, c)
			continue
		}
		left = slices.Delete(left, at, at+1)
	}
	switch {
	case len(extra) > 0 && len(left) > 0:
		return fmt.Sprintf("it left %s and not %v", list(extra), left)
	case len(extra) > 0:
		return "it left more than it should: " + list(extra)
	case len(left) > 0:
		return fmt.Sprintf("%d of its %d changes are missing: %v", len(left), len(o.want), left[:min(3, len(left))])
	}
	return ""
}

// name returns the name of the record after a change, or before its deletion.
func (c *change) name() string {
	state := c.Post
	if state == nil {
		state = c.Pre
	}
	return fmt.Sprint(fields(state)["name"])
}

// list returns the names of changes for a message.
func list(changes []*change) string {
	var b strings.Builder
	for i, c := range changes {
		if i == 3 {
			fmt.Fprintf(&b, " and %d more", len(changes)-i)
			break
		}
		fmt.Fprintf(&b, "[%s %s %d to version %d] ", c.Action, c.Kind, c.Object, c.Version)
	}
	return strings.TrimSpace(b.String())
}
