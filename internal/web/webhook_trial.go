package web

import (
	"terrier/internal/record"
	"terrier/internal/webhookadmin"
)

// trialPanel is what the events and conditions of a webhook would have made of past changes.
type trialPanel struct {
	Problems  []hookProblem
	Fired, Of int
	Lines     []trialLine
	More      int // lines that are not shown
}

type trialLine struct {
	When, Href   string
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

// trialShow names the input that chooses what is shown of a trial: all, fired, quiet.
const trialShow = "trial_show"

func (h hookPages) trialNew(v *visit) error { return h.showTrial(v, record.Values{}) }

func (h hookPages) trial(v *visit) error {
	found, err := h.editable(v)
	if err != nil {
		return err
	}
	return h.showTrial(v, found)
}

func (h hookPages) showTrial(v *visit, found record.Values) error {
	in, err := h.typed(v, found)
	var t webhookadmin.Trial
	if err == nil {
		t, err = h.site.Webhooks.Trial(v.ctx, v.caller, hookID(found), webhookadmin.TrialInput{Webhook: in, Changes: trialChanges})
	}
	panel := &trialPanel{Fired: t.Fired, Of: t.Of}
	refusal, err := refusalOf(err)
	if err != nil {
		return err
	}
	if refusal != nil {
		panel.Problems = h.hookProblems(refusal, v.r.PostForm)
	}
	show := v.r.PostForm.Get(trialShow)
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

func (h hookPages) trialLine(line webhookadmin.TrialLine) trialLine {
	c := line.Change
	return trialLine{When: showTime(momentOf(c)), Href: recordPath(c.Type(), c.ID()), Action: c.Text("action"), Label: actionOf(c),
		Kind: h.site.titleOf(c.Text("changed_object_type")), Name: c.Text("object_repr"), User: c.Text("user_name"),
		Fires: line.Fires, Broken: line.Broken, Reason: line.Reason}
}
