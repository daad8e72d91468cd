package store

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"terrier/internal/fault"
	"terrier/internal/record"
)

// File is an uploaded file of a record, without its bytes.
type File struct {
	Path  string
	Of    *record.Type
	ID    int64 // of the record
	Field string
	Media string // the type of its content
	Size  int64  // in bytes
}

// PutFile writes a file in the place of the one that the record has in the field.
func (tx *Tx) PutFile(f File, content []byte) {
	tx.exec(`INSERT INTO record_file (path, object_type, object_id, field, media_type, content) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (object_type, object_id, field) DO UPDATE
		SET path = excluded.path, media_type = excluded.media_type, content = excluded.content`,
		f.Path, f.Of.Key(), f.ID, f.Field, f.Media, content)
}

// DeleteFile removes the file that a record has in a field.
func (tx *Tx) DeleteFile(t *record.Type, id int64, field string) {
	tx.exec("DELETE FROM record_file WHERE object_type = $1 AND object_id = $2 AND field = $3", t.Key(), id, field)
}

// DeleteFiles removes all files of records.
func (tx *Tx) DeleteFiles(t *record.Type, ids []int64) {
	tx.exec("DELETE FROM record_file WHERE object_type = $1 AND object_id = ANY($2)", t.Key(), ids)
}

// File finds the file with a path.
func (s *Store) File(ctx context.Context, path string) (_ File, err error) {
	defer named(&err, "find a file")
	f, key := File{Path: path}, ""
	err = s.records.QueryRow(ctx, "SELECT object_type, object_id, field, media_type, octet_length(content) FROM record_file WHERE path = $1",
		path).Scan(&key, &f.ID, &f.Field, &f.Media, &f.Size)
	f.Of = s.Type(key)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && f.Of == nil {
		return f, fault.ErrNotFound
	}
	return f, s.translate(err)
}

// FilePart reads some bytes of a file. There are none after its end, and none if the file is gone.
func (s *Store) FilePart(ctx context.Context, path string, from, n int64) (part []byte, err error) {
	defer named(&err, "read a part of a file")
	err = s.records.QueryRow(ctx, "SELECT substring(content FROM $2::int FOR $3::int) FROM record_file WHERE path = $1", path, from+1, n).
		Scan(&part)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return part, s.translate(err)
}
