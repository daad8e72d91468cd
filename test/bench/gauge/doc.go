// Package gauge owns the measuring. It runs processes and measures the processor time that they and PostgreSQL use. It compares two servers
// that do the same work in turns. It runs work open-loop: each piece starts at its time, whether or not those before have ended. The
// caller decides what is measured and what the figures mean.
package gauge
