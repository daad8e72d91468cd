// Package feed owns the order in which changes can be read: the position of each, and who waits for the next one.
//
// The ledger writes changes and knows nothing of positions. The Sequencer numbers them once they have been committed.
package feed
