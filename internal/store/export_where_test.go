package store

import "terrier/internal/record"

// CountStatement is what counts a list, with its arguments.
func CountStatement(s *Store, t *record.Type, q Query) (string, []any, error) {
	l, err := s.listing(t, q, hits{})
	return l.count.sql, l.count.args, err
}

// KeyExpression is what the database generates a key by.
func KeyExpression(c record.Column) string { return keyExpression(c) }
