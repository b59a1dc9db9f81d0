package uistream

import "iter"

// Socket writes the answers to one request of a WebSocketChatTransport, each a message of its own. The chunks of a
// request are numbered without gaps, merged as they are, from 0.
type Socket struct {
	request string
	next    int64
	buf     []byte
}

// NewSocket makes a Socket for the request with that id.
func NewSocket(requestID string) *Socket { return &Socket{request: requestID} }

// Start says that chunks will follow.
func (s *Socket) Start() []byte { return s.frame("start").end() }

// Chunks writes the turn's next chunks, the consecutive deltas of a block as one. A message is valid until the next one
// is asked for.
func (s *Socket) Chunks(chunks []Chunk) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for len(chunks) > 0 {
			n := mergeable(chunks)
			o := s.frame("chunk").number("sequence", s.next).key("chunk")
			s.buf = object(appendMerged(o, chunks[:n])).end()
			s.next++
			chunks = chunks[n:]
			if !yield(s.buf) {
				return
			}
		}
	}
}

// End says that the turn came to its last chunk.
func (s *Socket) End() []byte { return s.frame("end").end() }

// NoActive says that there is no turn to resume.
func (s *Socket) NoActive() []byte { return s.frame("no-active").end() }

// Error says why the request failed before its first chunk. A turn that fails later says so in its chunks.
func (s *Socket) Error(message string) []byte {
	return s.frame("error").string("errorText", message).end()
}

func (s *Socket) frame(typ string) object {
	return newChunk(s.buf[:0], typ).string("requestId", s.request)
}
