package hookpages

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"terrier/internal/fault"
	"terrier/internal/health"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/web"
	"terrier/internal/webhookadmin"
)

// replaying is the page that asks which changes to send, and shows how many there are.
type replaying struct {
	Name, Path     string
	Since, Until   string
	Types, Actions []web.Option
	Heading        string // the result of the count, "" before it
	Count          webhookadmin.ReplayCount
	TooMany        bool
	Most           int
	Command        string // the command to run on the server instead
	Held           string // why the deliveries will stay queued
	Type, Action   string
	Problems       []string
}

func (h webhookPages) replayPage(v *web.Visit) error {
	found, err := h.Editable(v)
	if err != nil {
		return err
	}
	params := v.R.URL.Query()
	if !params.Has("count") {
		return h.showReplay(v, found, params, nil, nil)
	}
	n, err := h.replayed(v, found, params, true)
	refusal, err := replayRefusal(err)
	if err != nil {
		return err
	}
	if refusal != nil {
		return h.showReplay(v, found, params, nil, refusal)
	}
	return h.showReplay(v, found, params, &n, nil)
}

func (h webhookPages) replay(v *web.Visit) error {
	found, err := h.Editable(v)
	if err != nil {
		return err
	}
	if err := v.ParseForm(); err != nil {
		return err
	}
	n, err := h.replayed(v, found, v.R.PostForm, false)
	refusal, err := replayRefusal(err)
	switch {
	case err != nil:
		return err
	case refusal != nil:
		return h.showReplay(v, found, v.R.PostForm, nil, refusal)
	}
	return v.Leave(web.RecordPath(h.Type, found.ID()),
		fmt.Sprintf("Queued %s: %d sent again, %d new.", counted(n.Queued(), "delivery", "deliveries"), n.Existing, n.New))
}

// replayed replays the requested changes, or counts them in a dry run.
func (h webhookPages) replayed(v *web.Visit, found record.Values, params url.Values, dryRun bool) (webhookadmin.ReplayCount, error) {
	filter, err := pastChanges(found, params)
	if err != nil {
		return webhookadmin.ReplayCount{}, err
	}
	return act[webhookadmin.ReplayCount](v, replayAction, found.ID(), ledger.Input{"filter": filter, "dry_run": dryRun})
}

// replayRefusal is like refusalOf. It also takes an error of a replay that took too long or was blocked as a refusal, because its
// message says what to do.
func replayRefusal(err error) (*fault.Error, error) {
	if e, ok := errors.AsType[*fault.Error](err); ok && (e.Kind == fault.Slow || e.Kind == fault.Busy) {
		return e, nil
	}
	return refusalOf(err)
}

// The names of its inputs.
const (
	replaySince = "since"
	replayUntil = "until"
	replayType  = "type"
	replayKind  = "action"
)

// pastChanges returns the filter of the change log for the requested changes.
func pastChanges(found record.Values, params url.Values) (map[string]any, error) {
	if key := params.Get(replayType); key != "" && !slices.Contains(found.List("content_types"), key) {
		return nil, fault.Field(replayType, "The webhook is not notified of changes to %s.", key)
	}
	filter := map[string]any{}
	for _, f := range []struct{ input, filter string }{
		{replaySince, "time__gte"}, {replayUntil, "time__lt"}, {replayType, "changed_object_type"}, {replayKind, "action"}} {
		text := params.Get(f.input)
		if text == "" {
			continue
		}
		if strings.HasPrefix(f.filter, "time") {
			at, err := record.ParseTime(text)
			if err != nil {
				return nil, fault.Field(f.input, "%q is not a date and a time, such as 2026-01-31T08:00.", text)
			}
			text = at.Format(time.RFC3339Nano)
		}
		filter[f.filter] = text
	}
	return filter, nil
}

func (h webhookPages) showReplay(v *web.Visit, found record.Values, params url.Values, n *webhookadmin.ReplayCount,
	refusal *fault.Error) error {
	body := replaying{Name: found.Display(), Path: web.RecordPath(h.Type, found.ID()), Since: web.InputTime(params.Get(replaySince)),
		Until: web.InputTime(params.Get(replayUntil)),
		Type:  params.Get(replayType), Action: params.Get(replayKind), Most: webhookadmin.MaxReplay}
	body.Types = []web.Option{{Label: "All of the webhook's", Selected: body.Type == ""}}
	for _, key := range slices.Sorted(slices.Values(found.List("content_types"))) {
		body.Types = append(body.Types, web.Option{Value: key,
			Label: h.site.KindOf(record.MarkUnknown(h.Type.Field("content_types"), key)), Selected: body.Type == key})
	}
	body.Actions = []web.Option{{Label: "All", Selected: body.Action == ""}}
	for _, o := range h.site.ChangeType().Field("action").Info().Choices {
		body.Actions = append(body.Actions, web.Option{Value: o.Value, Label: o.Label, Selected: body.Action == o.Value})
	}
	switch webhookadmin.Standing(found) {
	case health.Disabled:
		body.Held = "The webhook is disabled. Deliveries stay queued until somebody enables it."
	case health.Paused:
		body.Held = "The webhook is paused. Deliveries stay queued until somebody resumes it."
	case health.Held:
		body.Held = "The webhook is held. Deliveries stay queued until the receiver is back."
	}
	if n != nil {
		body.Heading, body.Count, body.TooMany = matching(*n), *n, n.Matching > webhookadmin.MaxReplay
		body.Command = replayCommand(found.ID(), params)
	}
	shown := web.Page{Name: "webhook_replay", Title: "Replay to " + body.Name, Crumbs: h.crumbsTo(found), Body: &body}
	if refusal != nil {
		body.Problems, shown.Status = refusalTexts(refusal), web.StatusOf(refusal)
	}
	return v.Show(shown)
}

func matching(n webhookadmin.ReplayCount) string {
	if n.Matching == 0 {
		return "No change matches"
	}
	return fmt.Sprintf("%s: %d requeued, %d new", counted(n.Matching, "change matches", "changes match"), n.Existing, n.New)
}

// replayCommand returns the command that does the same on the server, without a limit.
func replayCommand(id int64, params url.Values) string {
	text := "terrier webhook replay " + strconv.FormatInt(id, 10)
	for _, name := range []string{replaySince, replayUntil} {
		if at, err := record.ParseTime(params.Get(name)); err == nil {
			text += " --" + name + " " + at.Format(time.RFC3339Nano)
		}
	}
	for _, name := range []string{replayType, replayKind} {
		if value := params.Get(name); value != "" {
			text += " --" + name + " " + value
		}
	}
	return text
}
