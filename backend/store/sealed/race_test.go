//go:build race

package sealed

// A round is slow under the race detector. What that looks for is found in the first ones or not at all.
func init() { rounds = 10 }
