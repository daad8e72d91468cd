// Package webhook owns how a change looks to the outside: whether the conditions of a webhook let it through, and the
// exact request that notifies of it, with its signature.
//
// It is pure: it reads no table, opens no connection and gets the time from its callers. store keeps webhooks and
// changes, ledger evaluates Conditions inside the writer's transaction, delivery asks a Compiled hook for the
// request, and egress sends it. jinja reads the templates.
package webhook
