// Package tenancy declares who owns what is recorded.
package tenancy
