package hookpages

import (
	"time"

	"terrier/internal/record"
	"terrier/internal/web"
	"terrier/internal/webhookadmin"
)

// trialPanel shows for which past changes the events and conditions of a webhook would have matched.
type trialPanel struct {
	Problems  []hookProblem
	Fired, Of int
	Lines     []trialLine
	More      int // lines that are not shown
}

type trialLine struct {
	When         time.Time
	Href         string
	Action, Kind string
	Label        string
	Name, User   string
	Fires        bool
	Broken       bool
	Reason       string
}

// How many changes conditions are tried on, and how many of those are shown.
const (
	trialChanges = 500
	trialLines   = 100
)

// trialShow is the name of the input that selects which changes of a trial are shown: all, fired, quiet.
const trialShow = "trial_show"

func (h webhookPages) trialNew(v *web.Visit) error { return h.showTrial(v, record.Values{}) }

func (h webhookPages) trial(v *web.Visit) error {
	found, err := h.Editable(v)
	if err != nil {
		return err
	}
	return h.showTrial(v, found)
}

func (h webhookPages) showTrial(v *web.Visit, found record.Values) error {
	in, err := h.Typed(v, found)
	var t webhookadmin.Trial
	if err == nil {
		t, err = h.admin.Trial(v.Ctx, v.Caller, hookID(found), webhookadmin.TrialInput{Webhook: in, Changes: trialChanges})
	}
	panel := &trialPanel{Fired: t.Fired, Of: t.Of}
	refusal, err := refusalOf(err)
	if err != nil {
		return err
	}
	if refusal != nil {
		panel.Problems = h.hookProblems(refusal, v.R.PostForm)
	}
	show := v.R.PostForm.Get(trialShow)
	for _, line := range t.Lines {
		switch {
		case show == "fired" && !line.Fires, show == "quiet" && line.Fires:
		case len(panel.Lines) == trialLines:
			panel.More++
		default:
			panel.Lines = append(panel.Lines, h.trialLine(line))
		}
	}
	return h.showTried(v, found, refusal, func(more *webhookForm) { more.Trial = panel })
}

func (h webhookPages) trialLine(line webhookadmin.TrialLine) trialLine {
	c := line.Change
	return trialLine{When: web.MomentOf(c), Href: web.RecordPath(c.Type(), c.ID()), Action: c.Text("action"), Label: actionOf(c),
		Kind: h.site.TitleOf(c.Text("changed_object_type")), Name: c.Text("object_repr"), User: c.Text("user_name"),
		Fires: line.Fires, Broken: line.Broken, Reason: line.Reason}
}
