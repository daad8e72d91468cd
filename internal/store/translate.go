package store

import (
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"terrier/internal/fault"
	"terrier/internal/record"
)

// translate turns what PostgreSQL refused into an error for the caller. Constraints are
// named after the rule they hold, so a violation names its field.
func translate(t *record.Type, err error) error {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return err
	}
	switch pg.Code {
	case "23505": // unique_violation
		for _, rule := range t.Rules() {
			if rule.Name == pg.ConstraintName {
				return &fault.Error{Kind: fault.Invalid, Fields: UniqueMessage(t, rule)}
			}
		}
	case "23503": // foreign_key_violation
		for _, f := range t.All() {
			if name := f.Info().Name; t.RefRule(name) == pg.ConstraintName && pg.TableName == t.Table() {
				return fault.Field(name, "Related object not found: it was deleted in the meantime.")
			}
		}
		return fault.New(fault.Held, "Unable to delete object: another object refers to it (%s).", pg.TableName)
	}
	if strings.HasPrefix(pg.Code, "22") && pg.Code != "22000" { // data_exception: a value no column can hold
		return fault.Field(fault.General, "A value is out of range or malformed: %s", pg.Message)
	}
	return err
}

// UniqueMessage says that a rule is broken, in the words clients know.
func UniqueMessage(t *record.Type, rule record.Unique) fault.Fields {
	errs := fault.Fields{}
	if len(rule.Fields) == 1 {
		errs.Add(rule.Fields[0], "%s with this %s already exists.", t.Title(), strings.ReplaceAll(rule.Fields[0], "_", " "))
		return errs
	}
	errs.Add(rule.Fields[0], "The fields %s must make a unique set.", strings.Join(rule.Fields, ", "))
	return errs
}
