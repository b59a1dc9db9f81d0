package uistream

import "iter"

// Socket writes the answers to one request of a WebSocketChatTransport, each a message of its own, which is valid until
// the next one is asked for. The chunks of a request are numbered without gaps, merged as they are, from 0.
type Socket struct {
	response
	request  string
	sequence int64
	buf      []byte
}

// NewSocket makes a Socket for the request with that id.
func NewSocket(requestID string) *Socket { return &Socket{request: requestID} }

// Start says that chunks will follow: those after the one with the index after; -1 is before the first.
func (s *Socket) Start(after int) []byte {
	s.response = response{after: after, merge: true, dialect: V7} // no other has this transport
	return s.frame("start").end()
}

// Chunks writes the turn's next chunks, which it must be given from the first one on, the consecutive deltas of a block
// as one.
func (s *Socket) Chunks(chunks []Chunk) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for one, rest := s.cut(chunks); len(one) > 0; one, rest = s.cut(rest) {
			if !yield(s.chunk(one)) {
				return
			}
		}
	}
}

func (s *Socket) chunk(one []Chunk) []byte {
	o := s.frame("chunk").number("sequence", s.sequence).key("chunk")
	s.buf = object(appendMerged(o, one)).end()
	s.sequence++
	return s.buf
}

// End says that the turn came to its last chunk, or that it is paused.
func (s *Socket) End() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if s.paused && !yield(s.chunk([]Chunk{pauseChunk{}})) {
			return
		}
		yield(s.frame("end").end())
	}
}

// NoActive says that there is no turn to resume.
func (s *Socket) NoActive() []byte { return s.frame("no-active").end() }

// Error says why the request failed before its first chunk. A turn that fails later says so in its chunks.
func (s *Socket) Error(message string) []byte {
	return s.frame("error").string("errorText", message).end()
}

func (s *Socket) frame(typ string) object {
	return newChunk(s.buf[:0], typ).string("requestId", s.request)
}
