package audit

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"time"
)

// Chainer makes and checks the codes of the chain. Its keys are outside the database.
type Chainer interface {
	// ChainCode returns the code of a message, made with the current key, and the id of the key.
	ChainCode(message []byte) (keyID string, code []byte)
	// ChainCodeBy returns the code made with the key of an id; known is false if there is no such key.
	ChainCodeBy(keyID string, message []byte) (code []byte, known bool)
	// ChainKeys returns the ids of all keys.
	ChainKeys() []string
}

// Row is an event as it is kept.
type Row struct {
	ID int64
	Event
	From string // the address as text
}

// Digest is a hash of all that the event says. Each part has its length before it, so that no two rows have the same text.
func (r Row) Digest() []byte {
	h := sha256.New()
	for _, part := range []string{fmt.Sprint(r.ID), fmt.Sprint(r.At.UnixMicro()), r.Name, r.UserName, r.From, r.RequestID, r.Target,
		r.TargetName, r.Way, r.Detail, fmt.Sprint(r.Count)} {
		_, _ = fmt.Fprintf(h, "%d:%s", len(part), part) // a hash never fails
	}
	return h.Sum(nil)
}

// Link is one entry of the chain: it proves an event and the entry before it.
type Link struct {
	Position int64
	EventID  int64
	At       time.Time // of the event
	Digest   []byte    // of the event
	Code     []byte
	KeyID    string
}

func (l Link) message(before []byte) []byte {
	m := append([]byte("link"), before...)
	for _, n := range []int64{l.Position, l.EventID, l.At.UnixMicro()} {
		m = binary.BigEndian.AppendUint64(m, uint64(n))
	}
	return append(m, l.Digest...)
}

// Next returns the entry of an event after this one. The zero Link is before the first.
func (l Link) Next(keys Chainer, r Row) Link {
	next := Link{Position: l.Position + 1, EventID: r.ID, At: r.At, Digest: r.Digest()}
	next.KeyID, next.Code = keys.ChainCode(next.message(l.Code))
	return next
}

// Head names an entry, so that it can be kept outside the database: "812:9f3c…".
func (l Link) Head() string { return fmt.Sprintf("%d:%s", l.Position, hex.EncodeToString(l.Code)) }

// Anchor is the last entry that was removed with its events. Events before its time may be missing.
type Anchor struct {
	Link
	Before time.Time
	KeyID  string
	Proof  []byte
}

func (a Anchor) message() []byte {
	m := append([]byte("anchor"), a.Code...)
	m = binary.BigEndian.AppendUint64(m, uint64(a.Position))
	return binary.BigEndian.AppendUint64(m, uint64(a.Before.UnixMicro()))
}

// Signed returns the anchor with its proof.
func (a Anchor) Signed(keys Chainer) Anchor {
	a.KeyID, a.Proof = keys.ChainCode(a.message())
	return a
}

// AlteredError names the first part of the audit log that is not as it was written.
type AlteredError struct{ What string }

func (e *AlteredError) Error() string { return e.What }

func altered(format string, args ...any) error { return &AlteredError{fmt.Sprintf(format, args...)} }

// Verifier checks a chain, entry by entry.
type Verifier struct {
	Keys   Chainer
	Before time.Time // events before it were removed
	Last   Link      // the entry before the next one
}

// Begin starts at an anchor.
func (v *Verifier) Begin(a Anchor) error {
	code, known := v.Keys.ChainCodeBy(a.KeyID, a.message())
	if !known && v.made(a.message(), a.Proof) {
		return altered("the anchor of the chain at entry %d was changed: it names the key %s, which has not made it", a.Position, a.KeyID)
	}
	if !known {
		return missingKey(a.KeyID)
	}
	if !hmac.Equal(code, a.Proof) {
		return altered("the anchor of the chain at entry %d was changed", a.Position)
	}
	v.Before, v.Last = a.Before, a.Link
	return nil
}

func missingKey(id string) error {
	return fmt.Errorf("the chain has entries made with key %s: add that secret to TERRIER_SECRET_KEY_OLD to verify them; if there was "+
		"never such a secret, they were altered", id)
}

// made reports whether one of the keys has made a code. The id of the key is beside the code, and not part of what it proves.
func (v *Verifier) made(message, code []byte) bool {
	return slices.ContainsFunc(v.Keys.ChainKeys(), func(id string) bool {
		own, _ := v.Keys.ChainCodeBy(id, message)
		return hmac.Equal(own, code)
	})
}

// Next checks the next entry. The row is nil if the event is gone.
func (v *Verifier) Next(l Link, row *Row) error {
	at := l.At.UTC().Format(time.RFC3339)
	if l.Position != v.Last.Position+1 {
		return altered("entries %d to %d of the chain were deleted", v.Last.Position+1, l.Position-1)
	}
	code, known := v.Keys.ChainCodeBy(l.KeyID, l.message(v.Last.Code))
	switch {
	case !known && v.made(l.message(v.Last.Code), l.Code):
		return altered("entry %d of the chain, of event %d at %s, was changed: it names the key %s, which has not made it",
			l.Position, l.EventID, at, l.KeyID)
	case !known:
		return missingKey(l.KeyID)
	case !hmac.Equal(code, l.Code):
		return altered("entry %d of the chain, of event %d at %s, was changed or moved", l.Position, l.EventID, at)
	case row == nil && !l.At.Before(v.Before):
		return altered("event %d at %s is gone, and was entry %d of the chain", l.EventID, at, l.Position)
	case row != nil && !bytes.Equal(row.Digest(), l.Digest):
		return altered("event %d at %s is not as it was written (entry %d of the chain)", l.EventID, at, l.Position)
	}
	v.Last = l
	return nil
}
