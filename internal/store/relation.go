package store

import (
	"fmt"
	"strings"
)

// relation passes rows to a statement as parameters. Many rows are one array per column; a single row needs no
// arrays, and most change sets have one.
type relation[R any] []attribute[R]

type attribute[R any] struct {
	name string
	kind string // of the parameter, as PostgreSQL calls it
	one  func(*R) any
	many func([]R) any
}

// attr is a column of what read returns; nil is null.
func attr[R, T any](name, kind string, read func(*R) *T) attribute[R] {
	return attribute[R]{name, kind, func(row *R) any { return read(row) }, func(rows []R) any {
		all := make([]*T, len(rows))
		for i := range rows {
			all[i] = read(&rows[i])
		}
		return all
	}}
}

// single returns the relation x of one row, as it is written after FROM.
func (r relation[R]) single() string {
	return "(SELECT " + r.list(func(i int, a attribute[R]) string {
		return fmt.Sprintf("$%d::%s AS %s", i+1, a.kind,
			quote(a.name))
	}) + ") AS x"
}

// several is the relation x of many rows.
func (r relation[R]) several() string { return r.unnest() + " AS x(" + r.names() + ")" }

func (r relation[R]) unnest() string {
	return "unnest(" + r.list(func(i int, a attribute[R]) string { return fmt.Sprintf("$%d::%s[]", i+1, a.kind) }) + ")"
}

func (r relation[R]) names() string {
	return r.list(func(_ int, a attribute[R]) string { return quote(a.name) })
}

func (r relation[R]) list(part func(int, attribute[R]) string) string {
	parts := make([]string, len(r))
	for i, a := range r {
		parts[i] = part(i, a)
	}
	return strings.Join(parts, ", ")
}

// args are the parameters for these rows.
func (r relation[R]) args(rows []R) []any {
	if len(rows) != 1 {
		return r.arrays(rows)
	}
	args := make([]any, len(r))
	for i, a := range r {
		args[i] = a.one(&rows[0])
	}
	return args
}

func (r relation[R]) arrays(rows []R) []any {
	args := make([]any, len(r))
	for i, a := range r {
		args[i] = a.many(rows)
	}
	return args
}

// sized are the texts of a statement over a relation: of one row, and of many.
type sized struct{ one, many string }

func (s sized) of(n int) string {
	if n == 1 {
		return s.one
	}
	return s.many
}

// over makes the texts of a statement, given the relation x as it is written after FROM. Its parameters come first.
func (r relation[R]) over(statement func(from string) string) sized {
	return sized{statement(r.single()), statement(r.several())}
}
