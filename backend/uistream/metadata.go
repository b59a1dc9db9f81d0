package uistream

import "parley/backend/agent"

// origin is the metadata that a message has from its start.
type origin struct {
	session agent.SessionID
	created int64 // in milliseconds, as every time here
	model   string
	agent   string
}

// outcome is the metadata that a message gets while its turn runs and when it ends. What is not known yet is zero.
type outcome struct {
	model    string // what answered, if it is not the model that was asked
	usage    *usage
	reason   agent.StopReason
	finished int64
}

// usage counts tokens. Both cache counters are written or neither: clients merge metadata key by key, and would keep a
// counter that is left out later.
type usage struct {
	agent.Usage
	cached bool
}

func (m origin) appendJSON(dst []byte) []byte { return m.appendMembers(newObject(dst)).end() }

func (m origin) appendMembers(o object) object {
	return o.string("sessionId", string(m.session)).number("createdAt", m.created).
		string("model", m.model).string("agent", m.agent)
}

func (m outcome) appendJSON(dst []byte) []byte {
	return m.appendMembers(newObject(dst).said("model", m.model)).end()
}

// appendMembers leaves out the model, which has its place in the origin.
func (m outcome) appendMembers(o object) object {
	if m.usage != nil {
		o = o.value("usage", m.usage)
	}
	if m.reason != "" {
		o = o.string("stopReason", string(m.reason)).number("finishedAt", m.finished)
	}
	return o
}

func (u usage) appendJSON(dst []byte) []byte {
	o := newObject(dst).number("input", u.Input).number("output", u.Output).number("total", u.Total)
	if u.cached {
		o = o.number("cacheRead", u.CacheRead).number("cacheWrite", u.CacheWrite)
	}
	return o.end()
}
