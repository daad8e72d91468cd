// Package gauge measures: processes and the processor time they and PostgreSQL use, two servers that take turns at the
// same work, and events that arrive at their time whether or not those before have been dealt with. What is measured,
// and what the figures mean, is the caller's business.
package gauge
