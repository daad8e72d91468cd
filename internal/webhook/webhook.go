// Package webhook owns what a change looks like to the outside: whether the conditions of
// a webhook let it through, and the exact request that tells of it, with its signature.
//
// It is pure: it reads no table, opens no connection and knows the time only where it is
// handed in. store keeps webhooks and changes, ledger asks Conditions inside the writer's
// transaction, delivery asks a Compiled hook for the request, and egress sends it. Templates are
// read by jinja.
package webhook
