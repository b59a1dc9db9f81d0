package uistream

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"parley/backend/agent"
)

// Trigger says why a client asks for a turn.
type Trigger string

// The triggers of the AI SDK; the enum is closed.
const (
	TriggerSubmit     Trigger = "submit-message"
	TriggerRegenerate Trigger = "regenerate-message"
)

// Request asks for a turn.
type Request struct {
	Session   agent.SessionID // empty: mint one
	Agent     string          // the stored agent that the client names, if any
	Message   agent.Message   // the person's newest, always with an id
	Media     []agent.Media   // the files in it; of others that it refers to only the handle and the name are known
	Trigger   Trigger
	MessageID agent.MessageID // the message that is edited or regenerated, if any
	Queue     bool            // let the turn wait for the one that runs
}

// DecodeRequest reads the body of POST /messages: our envelope, or what useChat sends by default. The server's record of
// a session wins over the client's, so of the messages only the last is read. The error is an *agent.Error that names
// the path of what is wrong.
func DecodeRequest(body []byte) (Request, error) {
	var r reader
	top := r.object("the body", body)
	if data := r.object("data", top["data"]); data != nil {
		for _, key := range []string{"inputs", "parameters"} {
			if len(r.object("data."+key, data[key])) > 0 {
				r.fail("data.%s is not supported yet; leave it out", key)
			}
		}
		return r.request(top, top, data["messages"], names{"session_id", "message_id", "data.messages"})
	}
	return r.request(top, top, top["messages"], native)
}

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
	top := r.object("the frame", b)
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

// names are the keys that differ between the shapes of a request, and the path of its messages.
type names struct{ session, message, messages string }

var native = names{"id", "messageId", "messages"}

// reader reads JSON by hand, to say where it is wrong. It keeps the first error; after it, what it gives means nothing.
// What is optional may be absent or null, and is zero then.
type reader struct {
	err   error
	media []agent.Media
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = agent.Errorf(agent.CodeValidation, format, args...)
	}
}

func given(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

func (r *reader) read(path string, raw json.RawMessage, dst any, want string) {
	if given(raw) && json.Unmarshal(raw, dst) != nil {
		r.fail("%s must be %s", path, want)
	}
}

func (r *reader) object(path string, raw json.RawMessage) (o map[string]json.RawMessage) {
	r.read(path, raw, &o, "an object")
	return o
}

func (r *reader) list(path string, raw json.RawMessage) (l []json.RawMessage) {
	r.read(path, raw, &l, "a list")
	if len(l) == 0 {
		r.fail("%s must be a list that is not empty", path)
	}
	return l
}

func (r *reader) text(path string, raw json.RawMessage) (s string) {
	r.read(path, raw, &s, "a string")
	return s
}

func (r *reader) flag(path string, raw json.RawMessage) (b bool) {
	r.read(path, raw, &b, "true or false")
	return b
}

func (r *reader) session(path string, raw json.RawMessage) agent.SessionID {
	id := agent.SessionID(r.text(path, raw))
	if id != "" && id.Validate() != nil {
		r.fail("%s may have letters, digits and . _ : - only, at most 128, and be neither . nor ..", path)
	}
	return id
}

// request reads the members that all shapes have. options holds those that a transport adds to its body.
func (r *reader) request(top, options map[string]json.RawMessage, messages json.RawMessage, n names) (Request, error) {
	req := Request{
		Session:   r.session(n.session, top[n.session]),
		Agent:     r.text("references.agent", r.object("references", options["references"])["agent"]),
		Trigger:   cmp.Or(Trigger(r.text("trigger", top["trigger"])), TriggerSubmit),
		MessageID: agent.MessageID(r.text(n.message, top[n.message])),
		Queue:     r.flag("queue", options["queue"]),
		Message:   r.newest(n.messages, messages),
	}
	req.Media = r.media
	if req.Trigger != TriggerSubmit && req.Trigger != TriggerRegenerate {
		r.fail("trigger must be %s or %s", TriggerSubmit, TriggerRegenerate)
	}
	return req, r.err
}

// newest reads the last of messages, which must be the person's.
func (r *reader) newest(path string, raw json.RawMessage) agent.Message {
	all := r.list(path, raw)
	if r.err != nil {
		return agent.Message{}
	}
	path = fmt.Sprintf("%s[%d]", path, len(all)-1)
	in := r.object(path, all[len(all)-1])
	if role := r.text(path+".role", in["role"]); role != string(agent.RoleUser) {
		r.fail("%s.role must be user: the last message is the one to answer", path)
	}
	m := agent.Message{ID: agent.MessageID(r.text(path+".id", in["id"])), Role: agent.RoleUser}
	if m.ID == "" {
		m.ID = agent.NewMessageID()
	}
	if len(m.ID) > 128 {
		r.fail("%s.id must be at most 128 bytes long", path)
	}
	for i, raw := range r.list(path+".parts", in["parts"]) {
		m.Parts = append(m.Parts, r.part(fmt.Sprintf("%s.parts[%d]", path, i), raw))
	}
	return m
}

func (r *reader) part(path string, raw json.RawMessage) agent.Part {
	in := r.object(path, raw)
	switch typ := r.text(path+".type", in["type"]); typ {
	case "text":
		if !given(in["text"]) {
			r.fail("%s.text must be a string", path)
		}
	case "file":
		return r.file(path, in)
	default:
		r.fail("%s.type is %q; only text and files can be sent", path, typ)
	}
	return agent.TextPart{Text: r.text(path+".text", in["text"])}
}

// file reads a file part. The type that the client gives is not looked at: the content says what it is.
func (r *reader) file(path string, in map[string]json.RawMessage) agent.Part {
	address, name := r.text(path+".url", in["url"]), r.text(path+".filename", in["filename"])
	if len(name) > 255 {
		r.fail("%s.filename must be at most 255 bytes long", path)
	}
	if sum, ours := strings.CutPrefix(address, mediaPath); ours {
		handle, err := agent.MediaHandleOf(sum)
		if err != nil {
			r.fail("%s.url is not one that POST /media gave", path)
		}
		return agent.MediaPart{Handle: handle, Name: name}
	}
	content, ok := dataOf(address)
	if !ok {
		r.fail("%s.url must be a data: URL, or one that POST /media gave", path)
	}
	if r.err != nil {
		return nil
	}
	m, err := agent.NewMedia(content)
	if err != nil {
		r.err = err
	}
	r.media = append(r.media, m)
	return m.Part(name)
}

// dataOf gives what a data: URL holds.
func dataOf(address string) (content []byte, ok bool) {
	address, isData := strings.CutPrefix(address, "data:")
	kind, data, hasData := strings.Cut(address, ",")
	if !isData || !hasData {
		return nil, false
	}
	if strings.HasSuffix(kind, ";base64") {
		content, err := base64.StdEncoding.DecodeString(data)
		return content, err == nil
	}
	text, err := url.PathUnescape(data)
	return []byte(text), err == nil
}
