// Package users declares who may use Terrier, and for what.
//
// These types are Sensitive: the wildcard of EXEMPT_VIEW_PERMISSIONS does not open them.
package users
