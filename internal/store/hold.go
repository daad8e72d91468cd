package store

// Hold waits until no other transaction holds the name, and holds it until the end of this one.
func (tx *Tx) Hold(name string) {
	tx.exec("SELECT pg_advisory_xact_lock(hashtextextended('hold:' || $1, 0))", name)
}
