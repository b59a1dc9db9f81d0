package uistream

import "parley/backend/agent"

// SocketFrame is what a WebSocketChatTransport sends. The sum is sealed: SendFrame, ResumeFrame, AbortFrame.
type SocketFrame interface{ socketFrame() }

// SendFrame asks for a turn.
type SendFrame struct{ Request Request }

// ResumeFrame asks for the running turn, from its start.
type ResumeFrame struct{ Session agent.SessionID }

// AbortFrame stops the turn that the request with the same id asked for.
type AbortFrame struct{}

func (SendFrame) socketFrame()   {}
func (ResumeFrame) socketFrame() {}
func (AbortFrame) socketFrame()  {}

// DecodeSocketFrame reads a frame and the id of its request, to which every answer belongs. The id may be known although
// the frame is wrong; the error is as that of DecodeRequest.
func DecodeSocketFrame(b []byte) (requestID string, frame SocketFrame, err error) {
	var r reader
	top := r.document("the frame", b)
	requestID = r.text("requestId", top["requestId"])
	if requestID == "" {
		r.fail("requestId must be a string that is not empty")
	}
	switch typ := r.text("type", top["type"]); typ {
	case "send":
		request, err := r.request(top, r.object("body", top["body"]), top["messages"], native)
		return requestID, SendFrame{request}, err
	case "resume":
		session := r.session("id", top["id"])
		if session == "" {
			r.fail("id must name a session")
		}
		if given(top["lastSequence"]) {
			r.fail("lastSequence is not supported; without it the turn is replayed from its start")
		}
		return requestID, ResumeFrame{session}, r.err
	case "abort":
		return requestID, AbortFrame{}, r.err
	default:
		r.fail("type must be send, resume or abort, not %q", typ)
	}
	return requestID, nil, r.err
}
