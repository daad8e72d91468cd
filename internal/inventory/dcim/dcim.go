// Package dcim declares the places where equipment stands.
package dcim
