//go:build race

package sealed

// The race detector slows SQLite some twenty times. What it looks for is found in the first rounds or not at all.
func init() { rounds = 10 }
