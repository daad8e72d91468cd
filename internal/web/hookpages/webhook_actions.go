package hookpages

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/record"
	"terrier/internal/web"
	"terrier/internal/webhookadmin"
)

func (h webhookPages) pause(v *web.Visit) error {
	return h.actAndLeave(v, pauseAction, "Paused webhook %s. Changes are queued until somebody resumes it.")
}

func (h webhookPages) resume(v *web.Visit) error {
	return h.actAndLeave(v, resumeAction, "Resumed webhook %s. Queued deliveries are sent within ten seconds.")
}

// actAndLeave carries out an action on the webhook in the address and redirects to its page with a note.
func (h webhookPages) actAndLeave(v *web.Visit, key, note string) error {
	id, err := h.ID(v)
	if err != nil {
		return err
	}
	found, err := act[record.Values](v, key, id, nil)
	if err != nil {
		return err
	}
	return v.Leave(web.RecordPath(h.Type, id), fmt.Sprintf(note, found.Display()))
}

// retryFailed retries deliveries with a filter: all failed ones of the webhook. The page has shown how many there are.
func (h webhookPages) retryFailed(v *web.Visit) error {
	found, err := h.Editable(v)
	if err != nil {
		return err
	}
	n, err := retryAll(v, h.failedOf(found.ID()), false)
	if err != nil {
		return err
	}
	return v.Leave(web.RecordPath(h.Type, found.ID()), "Queued "+counted(n, "failed delivery", "failed deliveries")+" again.")
}

// counted returns a number and what it counts, in words.
func counted(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.FormatInt(n, 10) + " " + many
}

// webhookTest asks what to send as a test.
type webhookTest struct {
	Name, Path string
	Sample     sampleChoice
	Problems   []string
}

func (h webhookPages) testPage(v *web.Visit) error {
	found, err := h.Editable(v)
	if err != nil {
		return err
	}
	return h.showTest(v, found, nil, nil)
}

func (h webhookPages) showTest(v *web.Visit, found record.Values, typed url.Values, refusal *fault.Error) error {
	body := webhookTest{Name: found.Display(), Path: web.RecordPath(h.Type, found.ID())}
	var err error
	if body.Sample, err = h.sampleChoice(v, found.List("content_types"), typed); err != nil {
		return err
	}
	shown := web.Page{Name: "webhook_test", Title: "Send a test to " + body.Name, Crumbs: h.crumbsTo(found), Body: &body}
	if refusal != nil {
		body.Problems, shown.Status = refusalTexts(refusal), web.StatusOf(refusal)
	}
	return v.Show(shown)
}

// refusalTexts returns the messages of an error for a page without fields to show them at.
func refusalTexts(e *fault.Error) []string {
	if len(e.Fields) == 0 {
		return []string{e.Detail}
	}
	var texts []string
	for _, messages := range e.Fields {
		texts = append(texts, messages...)
	}
	return texts
}

// test sends a test and redirects to its delivery.
func (h webhookPages) test(v *web.Visit) error {
	found, err := h.Editable(v)
	if err != nil {
		return err
	}
	if err := v.ParseForm(); err != nil {
		return err
	}
	var made record.Values
	var sample webhookadmin.Sample
	if !v.R.PostForm.Has("newest") {
		sample, err = h.sample(v, v.R.PostForm)
	}
	if err == nil {
		made, err = act[record.Values](v, testAction, found.ID(), sample.Input())
	}
	refusal, err := refusalOf(err)
	switch {
	case err != nil:
		return err
	case refusal != nil:
		return h.showTest(v, found, v.R.PostForm, refusal)
	}
	return h.leaveTest(v, found, made)
}

// leaveTest redirects to the delivery of a test, which shows what the receiver answers.
func (h webhookPages) leaveTest(v *web.Visit, hook, sent record.Values) error {
	to := web.RecordPath(h.Type, hook.ID())
	if v.May(h.site.DeliveryType(), access.View) {
		to = web.RecordPath(sent.Type(), sent.ID())
	}
	return v.Leave(to, fmt.Sprintf("Queued a test to %s.", hook.Display()))
}

// testWhenSaved is the checkbox of a new webhook that asks for a test.
const testWhenSaved = "test_when_saved"

// added sends a test to a new webhook if its author chose to. The webhook is saved, so a refused test is only noted.
func (h webhookPages) added(v *web.Visit, made record.Values) error {
	if !v.R.PostForm.Has(testWhenSaved) {
		return h.LeaveAdded(v, made)
	}
	sent, err := act[record.Values](v, testAction, made.ID(), nil)
	if refusal, known := web.FormRefusal(err); known {
		return v.Leave(web.RecordPath(h.Type, made.ID()),
			fmt.Sprintf("Created webhook %s. No test was sent: %s", made.Display(), strings.Join(refusalTexts(refusal), " ")))
	}
	if err != nil {
		return err
	}
	return h.leaveTest(v, made, sent)
}
