package ledger

import (
	"context"
	"io"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/record"
	"terrier/internal/store"
)

// keepFiles queues the statements that keep the files uploaded to a record, and remove those that it no longer has. The record gets their
// paths. A file that the record has already is not written again.
func (s *changeSet) keepFiles(t *record.Type, d *draft) {
	for _, i := range t.Uploads() {
		name, before := t.Infos()[i].Name, d.before(t).At(i)
		switch x := d.v.At(i).(type) {
		case *record.Upload:
			path := t.All()[i].(record.Uploaded).PathOf(d.v, x)
			d.v.SetAt(i, path)
			if path != before {
				s.tx.PutFile(store.File{Path: path, Of: t, ID: d.v.ID(), Field: name, Media: x.Media()}, x.Bytes)
			}
		case nil:
			if before != nil {
				s.tx.DeleteFile(t, d.v.ID(), name)
			}
		}
	}
}

// File finds the file with a path, if the caller may see its record.
func (l *Ledger) File(ctx context.Context, c Caller, path string) (store.File, error) {
	file, err := l.Store.File(ctx, path)
	if err != nil {
		return file, err
	}
	scope, err := l.Policy.Scope(c.Subject, file.Of, access.View)
	if err != nil {
		return file, fault.ErrNotFound // as for a file that does not exist
	}
	seen, err := l.Store.Within(ctx, file.Of, scope, []int64{file.ID})
	if err == nil && len(seen) == 0 {
		err = fault.ErrNotFound
	}
	return file, err
}

// fileParts is how many bytes of a file are in memory for each reader, however slow.
const fileParts = 256 << 10

// SendFile writes a file that File found, part by part. It fails if the file is deleted meanwhile.
func (l *Ledger) SendFile(ctx context.Context, file store.File, to io.Writer) error {
	for from := int64(0); from < file.Size; from += fileParts {
		part, err := l.Store.FilePart(ctx, file.Path, from, fileParts)
		if err == nil && len(part) == 0 {
			err = fault.ErrNotFound
		}
		if err != nil {
			return err
		}
		if _, err := to.Write(part); err != nil {
			return err
		}
	}
	return nil
}
