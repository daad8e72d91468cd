package rest

import (
	"net/http"

	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
)

// pathID reads the id in the address. An invalid id means no record.
func pathID(t *record.Type, r *http.Request) (int64, error) {
	id, err := t.ParseID(r.PathValue("id"))
	if err != nil {
		return 0, fault.ErrNotFound
	}
	return id, nil
}

func (a *API) get(t *record.Type) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		id, err := pathID(t, r)
		if err != nil {
			a.Fail(w, r, err)
			return
		}
		view, err := viewOf(t, r.URL.Query())
		if err != nil {
			a.Fail(w, r, err)
			return
		}
		v, err := a.Ledger.Show(r.Context(), ledger.CallerFrom(r.Context()), t, id, view)
		if err != nil {
			a.Fail(w, r, err)
			return
		}
		a.sendView(w, r, http.StatusOK, v, view)
	}
}

func (a *API) create(t *record.Type) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		in, err := a.decodeRecords(w, r, t, true)
		if err != nil {
			a.Fail(w, r, err)
			return
		}
		rows, err := a.Ledger.Create(r.Context(), ledger.CallerFrom(r.Context()), t, in.items)
		switch {
		case err != nil && in.bulk:
			a.Fail(w, r, err)
		case err != nil:
			a.Fail(w, r, single(err))
		case in.bulk:
			a.warn(w, r, rows)
			a.sendRecords(w, r, http.StatusCreated, t, rows)
		default:
			a.warn(w, r, rows)
			a.sendRecord(w, r, http.StatusCreated, rows[0])
		}
	}
}

func (a *API) update(t *record.Type, whole bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		id, err := pathID(t, r)
		if err != nil {
			a.Fail(w, r, err)
			return
		}
		in, err := a.decodeRecords(w, r, t, false)
		if err != nil {
			a.Fail(w, r, err)
			return
		}
		edit := ledger.Edit{ID: id, Input: in.items[0], Whole: whole, Match: ifMatch(r)}
		rows, err := a.Ledger.Update(r.Context(), ledger.CallerFrom(r.Context()), t, []ledger.Edit{edit})
		if err != nil {
			a.Fail(w, r, single(err))
			return
		}
		a.warn(w, r, rows)
		a.sendRecord(w, r, http.StatusOK, rows[0])
	}
}

func (a *API) delete(t *record.Type) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		id, err := pathID(t, r)
		if err != nil {
			a.Fail(w, r, err)
			return
		}
		err = a.Ledger.Delete(r.Context(), ledger.CallerFrom(r.Context()), t, []ledger.Edit{{ID: id, Match: ifMatch(r)}})
		if err != nil {
			a.Fail(w, r, err)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}
}

func (a *API) bulkUpdate(t *record.Type, whole bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		edits, err := a.decodeEdits(w, r, t)
		if err != nil {
			a.Fail(w, r, err)
			return
		}
		for i := range edits {
			edits[i].Whole = whole
		}
		rows, err := a.Ledger.Update(r.Context(), ledger.CallerFrom(r.Context()), t, edits)
		if err != nil {
			a.Fail(w, r, listed(err))
			return
		}
		a.warn(w, r, rows)
		a.sendRecords(w, r, http.StatusOK, t, rows)
	}
}

func (a *API) bulkDelete(t *record.Type) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		edits, err := a.decodeEdits(w, r, t)
		if err != nil {
			a.Fail(w, r, err)
			return
		}
		if err := a.Ledger.Delete(r.Context(), ledger.CallerFrom(r.Context()), t, edits); err != nil {
			a.Fail(w, r, listed(err))
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}
}

// decodeEdits reads a list of objects that each name their record.
func (a *API) decodeEdits(w http.ResponseWriter, r *http.Request, t *record.Type) ([]ledger.Edit, error) {
	in, err := a.decodeRecords(w, r, t, true)
	if err != nil {
		return nil, err
	}
	if !in.bulk {
		return nil, fault.Field(fault.General, "Expected a list of items.")
	}
	edits, errs, bad := make([]ledger.Edit, len(in.items)), make([]fault.Fields, len(in.items)), false
	for i, item := range in.items {
		id, err := record.ParseInt(item["id"])
		if err != nil {
			errs[i], bad = fault.Fields{"id": {"This field is required and must be a number."}}, true
			continue
		}
		edits[i] = ledger.Edit{ID: id, Input: item}
	}
	if bad {
		return nil, &fault.Error{Kind: fault.Invalid, Items: errs}
	}
	return edits, nil
}
