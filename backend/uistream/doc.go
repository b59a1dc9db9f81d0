// Package uistream speaks the AI SDK's UI Message Stream: it turns the log of a turn into chunks, frames and messages,
// and reads what AI SDK clients send. No other package of the backend knows that wire's names.
//
// The log is the truth of a turn, and everything here is a fold of it. Encoder folds records into chunks; View folds the
// chunks into the message that a client assembles of them, Durable into the rows that models read. So a client that
// watches, one that comes back and one that loads the session later all end with the same bytes. testdata is the
// contract: Go and the real client are tested against the same files.
//
// A turn that waits for answers pauses: there its chunks end a response, not the turn, and what goes on from it is a
// response of its own. Framer and Socket write responses; the numbers of chunks are the turn's.
package uistream
