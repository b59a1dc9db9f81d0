package uistream

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
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

// Request asks for a turn, or for one that waits for answers to go on: Message is zero then, and Continues is not.
type Request struct {
	Session   agent.SessionID // empty: mint one
	Agent     string          // the stored agent that the client names, if any
	Overlay   agent.Overlay
	Inputs    json.RawMessage // an object of values that the agent's instructions ask for; may be nil
	Message   agent.Message   // the person's newest, always with an id
	Media     []agent.Media   // the files in it; of others that it refers to only the handle and the name are known
	Trigger   Trigger
	MessageID agent.MessageID // the message that is edited or regenerated, if any
	Queue     bool            // let the turn wait for the one that runs

	Continues agent.MessageID             // the answer that goes on
	Answers   []agent.InteractionResponse // that the client holds, also old ones: of approvals by ID, of its tools by Call
}

// DecodeRequest reads the body of POST /messages: our envelope, or what useChat sends by default. The server's record of
// a session wins over the client's, so of the messages only the last is read. The error is an *agent.Error that names
// the path of what is wrong.
func DecodeRequest(body []byte) (Request, error) {
	var r reader
	top := r.document("the body", body)
	data := r.object("data", top["data"])
	if data == nil || given(top["messages"]) && !given(data["messages"]) {
		return r.request(top, top, top["messages"], native)
	}
	return r.request(top, top, data["messages"], names{"session_id", "message_id", "data.messages"})
}

// names are the keys that differ between the shapes of a request, and the path of its messages.
type names struct{ session, message, messages string }

var native = names{"id", "messageId", "messages"}

// request reads the members that all shapes have. options holds those that a transport adds to its body.
func (r *reader) request(top, options map[string]json.RawMessage, messages json.RawMessage, n names) (Request, error) {
	data := r.object("data", options["data"])
	req := Request{
		Session:   r.session(n.session, top[n.session]),
		Agent:     r.text("references.agent", r.object("references", options["references"])["agent"]),
		Overlay:   r.overlay("data.parameters", data["parameters"]),
		Trigger:   cmp.Or(Trigger(r.text("trigger", top["trigger"])), TriggerSubmit),
		MessageID: r.message(n.message, top[n.message]),
		Queue:     r.flag("queue", options["queue"]),
	}
	if r.begins("data.inputs", data["inputs"], '{', "an object") {
		req.Inputs = bytes.Clone(data["inputs"])
	}
	if req.Trigger != TriggerSubmit && req.Trigger != TriggerRegenerate {
		r.fail("trigger must be %s or %s", TriggerSubmit, TriggerRegenerate)
	}
	r.newest(&req, n.messages, messages)
	return req, r.err
}

// newest reads the last of messages: the person's newest, or the answer that goes on.
func (r *reader) newest(req *Request, path string, messages json.RawMessage) {
	path, last := r.last(path, messages)
	in := r.object(path, last)
	id := r.message(path+".id", in["id"])
	switch role := r.text(path+".role", in["role"]); {
	case role == string(agent.RoleUser):
		req.Message = agent.Message{ID: cmp.Or(id, agent.NewMessageID()), Role: agent.RoleUser}
		for path, raw := range r.list(path+".parts", in["parts"], maxParts) {
			req.Message.Parts = append(req.Message.Parts, r.part(path, raw))
		}
		req.Media = r.media
		if len(req.Message.Parts) == 0 {
			r.fail("%s.parts must be a list that is not empty", path)
		}
	case role == string(agent.RoleAssistant) && req.Trigger == TriggerSubmit:
		if id == "" {
			r.fail("%s.id must name the message that goes on", path)
		}
		req.Continues, req.MessageID = id, ""
		for path, raw := range r.list(path+".parts", in["parts"], maxParts) {
			req.Answers = append(req.Answers, r.answers(path, raw)...)
		}
	default:
		r.fail("%s.role must be user, or assistant to go on with an answer: the last message is the one to answer", path)
	}
}

// maxParts is how many parts a message has at most.
const maxParts = 10_000

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
	if strings.HasPrefix(address, mediaPath) {
		handle, err := MediaHandle(address)
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
		r.fail("%s: %s", path, agent.AsError(err).Message)
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
