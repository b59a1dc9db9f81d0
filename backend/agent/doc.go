// Package agent is Parley's vocabulary: the nouns that every room shares and the ports through which an agent is
// reached. It imports the standard library only, so that any package may import it.
//
// One turn, in these words: a Spec says what the person configured; a Harness translates it into a Launch; an
// Environment finds or makes the Sandbox that the Launch may run in; the Sandbox opens a Conn; Conn.Prompt yields
// Events and ends exactly once. What was said is kept as Records, and a Message is what remains of it for models.
package agent
