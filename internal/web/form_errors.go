package web

import (
	"context"
	"errors"

	"terrier/internal/fault"
	"terrier/internal/ledger"
)

// FormError is an error in the summary at the top of a form.
type FormError struct {
	Label, Text string
	Href        string // leads to the widget; "" if the error belongs to no single one
}

// summarize lists all errors of a refusal at the top of the form.
func (f *FormPage) summarize(refusal *fault.Error) {
	var widgets []*FormField
	for _, g := range f.Groups {
		for i := range g.Fields {
			widgets = append(widgets, &g.Fields[i])
		}
	}
	f.Errors = Summary(refusal, widgets...)
}

// Summary returns all errors of a refusal: first those that belong to no widget, then those of the widgets in their order. The first widget
// with an error gets the focus.
func Summary(refusal *fault.Error, widgets ...*FormField) []FormError {
	placed := map[string]bool{}
	var all, own []FormError
	for _, w := range widgets {
		placed[w.ID] = true
		w.Focus = len(own) == 0 && len(w.Errors) > 0
		for _, text := range w.Errors {
			own = append(own, FormError{Label: w.Label, Text: text, Href: "#" + w.ID})
		}
	}
	general := unplaced(refusal.Fields, func(name string) bool { return placed[widgetID(name)] })
	if len(refusal.Fields) == 0 {
		general = messages(refusal)
	}
	for _, text := range general {
		all = append(all, FormError{Text: text})
	}
	return append(all, own...)
}

// widgetID returns the id of the widget with a name.
func widgetID(name string) string { return "id_" + name }

// FormRefusal returns an error as a form about one record shows it. The second result is false if the error is not a fault.
func FormRefusal(err error) (*fault.Error, bool) {
	e, known := errors.AsType[*fault.Error](err)
	switch {
	case !known:
		return nil, false
	case len(e.Items) == 1:
		return &fault.Error{Kind: e.Kind, Fields: byWidget(e.Items[0])}, true
	case len(e.Fields) > 0:
		return &fault.Error{Kind: e.Kind, Fields: byWidget(e.Fields)}, true
	}
	return e, true
}

// byWidget returns errors by the names of widgets: each custom field has one.
func byWidget(errs fault.Fields) fault.Fields {
	out := fault.Fields{}
	for field, messages := range errs {
		for _, message := range messages {
			if name, text, custom := ledger.CustomError(message); custom && field == "custom_fields" {
				out.Add(customPrefix+name, "%s", text)
			} else {
				out.Add(field, "%s", message)
			}
		}
	}
	return out
}

// allErrors adds to the error of a form that can't be parsed what is wrong with the rest of it: it tries to write that. If somebody else
// changed the record, that comes first: the form shows their values once, and then with what can't be parsed.
func allErrors(ctx context.Context, err error, write func(context.Context) error) error {
	e, known := FormRefusal(err)
	if !known || len(e.Fields) == 0 {
		return err
	}
	ctx, _ = ledger.Rehearse(ctx)
	other, known := FormRefusal(write(ctx))
	if known && other.Kind == fault.Precondition {
		return other
	}
	if !known || other.Kind != fault.Invalid {
		return e
	}
	for name, messages := range other.Fields {
		if len(e.Fields[name]) == 0 {
			e.Fields[name] = messages
		}
	}
	return e
}
