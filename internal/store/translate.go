package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"terrier/internal/fault"
	"terrier/internal/record"
)

// ClashError says that a uniqueness rule was broken, as far as the constraint shows: one rule, no position.
type ClashError struct{ Fault *fault.Error }

func (e *ClashError) Error() string { return e.Fault.Error() }

// Unwrap returns the error for the caller.
func (e *ClashError) Unwrap() error { return e.Fault }

// DanglingError says that a foreign key was broken. Whether the referenced record was missing or was being deleted,
// PostgreSQL says only in words of its configured language: the change set knows which of them it tried. By default
// it is the former.
type DanglingError struct {
	Table string // of the record that refers
	err   error
}

func (e *DanglingError) Error() string { return e.err.Error() }

// Unwrap returns the error for the caller.
func (e *DanglingError) Unwrap() error { return e.err }

var errSlow = &fault.Error{Kind: fault.Slow, Detail: "The database did not answer in time. Narrow the filters, or try again.",
	RetryAfter: retryAfter}

// queryCanceled is PostgreSQL's code for a statement that took longer than statement_timeout.
const queryCanceled = "57014"

// translate turns a refusal of PostgreSQL into an error for the caller. Constraints are named after their rule, so a
// violation names its field.
func (s *Store) translate(err error) error {
	if err == nil || fault.KindOf(err) != fault.Internal {
		return err
	}
	if away := unavailable(err); away != nil {
		return fmt.Errorf("%w: %w", away, err)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return errSlow
	}
	pg, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return err
	}
	switch pg.Code {
	case queryCanceled:
		return errSlow
	case "40P01", "40001": // deadlock_detected, serialization_failure: more often than is tried
		return fmt.Errorf("%w: %w", errBusy, err)
	case "23505": // unique_violation
		if t, rule, ok := s.rule(pg); ok {
			return &ClashError{&fault.Error{Kind: fault.Invalid, Fields: UniqueMessage(t, rule)}}
		}
	case "23503": // foreign_key_violation
		return &DanglingError{pg.TableName, s.missing(pg)}
	case "54000": // program_limit_exceeded: an index holds no value as long as this
		return fmt.Errorf("%w: %w", fault.Field(fault.General, "A value is too long: %s", pg.Message), err) // Refused looks for the cause
	}
	if strings.HasPrefix(pg.Code, "22") { // data_exception: a value no column can hold
		return fault.Field(fault.General, "A value is out of range or malformed: %s", pg.Message)
	}
	return err
}

func (s *Store) rule(pg *pgconn.PgError) (*record.Type, record.Unique, bool) {
	for _, t := range s.reg.Types() {
		for _, rule := range t.Rules() {
			if t.Table() == pg.TableName && rule.Name == pg.ConstraintName {
				return t, rule, true
			}
		}
	}
	return nil, record.Unique{}, false
}

// missing names the field whose reference leads nowhere.
func (s *Store) missing(pg *pgconn.PgError) error {
	for _, t := range s.reg.Types() {
		for _, in := range t.Infos() {
			if t.RefRule(in.Name) == pg.ConstraintName {
				return fault.Field(in.Name, "Related object not found: it was deleted in the meantime.")
			}
		}
	}
	return pg
}

// UniqueMessage says which rule is broken, in the words clients know.
func UniqueMessage(t *record.Type, rule record.Unique) fault.Fields {
	errs := fault.Fields{}
	if len(rule.Fields) == 1 {
		errs.Add(rule.Fields[0], "%s with this %s already exists.", t.Title(), strings.ReplaceAll(rule.Fields[0], "_", " "))
		return errs
	}
	if rule.Message != "" {
		errs.Add(fault.General, "%s", rule.Message)
		return errs
	}
	errs.Add(rule.Fields[0], "The fields %s must make a unique set.", strings.Join(rule.Fields, ", "))
	return errs
}

// named puts what was being done before an error, as in "list dcim.site: …", so that the log says it. An error about a request stays as
// it is: its text is for the caller.
func named(err *error, format string, args ...any) {
	if *err == nil {
		return
	}
	switch fault.KindOf(*err) {
	case fault.Internal, fault.Slow, fault.Busy, fault.Unavailable, fault.Uncertain:
		*err = fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), *err)
	}
}

// Locked reports whether a lock could not be taken in time.
func Locked(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pg.Code == "55P03"
}

// Refused reports whether the database refuses a value in a way that would repeat: a value it can't store, a
// constraint, a limit.
func Refused(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (strings.HasPrefix(pg.Code, "22") || strings.HasPrefix(pg.Code, "23") || strings.HasPrefix(pg.Code, "54"))
}
