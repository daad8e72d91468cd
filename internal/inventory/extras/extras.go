// Package extras declares what surrounds the records themselves: tags, custom fields,
// the change log, webhooks and their deliveries.
package extras
