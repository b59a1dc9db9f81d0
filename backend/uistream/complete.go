package uistream

import "parley/backend/agent"

// complete ends the turn in one of three ways: failed, stopped or done. What stays in the message comes before the
// chunk at which a client may stop reading, so that all clients keep the same message.
func (e *Encoder) complete(dst []Chunk, event agent.TurnCompleted, at int64) []Chunk {
	e.phase = ended
	dst = e.closeBlock(dst)
	end := e.outcome(event.Usage, event.Model)
	end.reason, end.finished = event.StopReason, at
	failure := e.failure(event)
	e.failed = failure
	switch {
	case failure != nil:
		dst = e.giveUp(dst, "The turn failed before this tool answered.")
		dst = append(dst, outcomeChunk{end}, dataChunk{name: errorData, data: failureJSON(failure)}, errorChunk{failure.Message})
		return append(e.closeStep(dst), finishChunk{reason: "error"})
	case event.StopReason == agent.StopCancelled:
		dst = append(e.giveUp(dst, "stopped"), outcomeChunk{end})
		return append(e.closeStep(dst), abortChunk{})
	case event.StopReason != agent.StopPaused && event.StopReason != agent.StopToolUse:
		dst = e.giveUp(dst, "The turn ended before this tool answered.")
	}
	return append(e.closeStep(dst), finishChunk{finishReason(event.StopReason), &end})
}

// failure is why the turn failed, or nil. A turn that says it is done and has nothing to show failed too.
func (e *Encoder) failure(event agent.TurnCompleted) *agent.Failure {
	switch {
	case event.Failure != nil:
		return event.Failure
	case event.StopReason == agent.StopError:
		return &agent.Failure{Code: agent.CodeInternal, Message: "The turn failed and left no reason."}
	case e.content || event.StopReason == agent.StopCancelled:
		return nil
	case event.StopReason == agent.StopRefusal || event.StopReason == agent.StopContentFilter:
		return &agent.Failure{Code: agent.CodeContentFilter, Message: "The model refused to answer."}
	}
	return &agent.Failure{Code: agent.CodeInternal, Message: "The agent ended its turn without an answer."}
}

// Failure says why a turn failed, as whoever watched it was told; nil if it did not.
func Failure(records []agent.Record) *agent.Failure {
	e := NewEncoder("")
	for range e.chunks(records) {
	}
	return e.failed
}

// Withdrawn is what is streamed of a turn that does not come to be, because its message was removed while it waited.
func Withdrawn() []Chunk { return []Chunk{abortChunk{}} }

func failureJSON(f *agent.Failure) []byte {
	return newObject(nil).string("code", string(f.Code)).string("message", f.Message).
		bool("retryable", f.Code.Retryable()).string("remedy", f.Code.Remedy()).end()
}

// finishReason translates to the words that every version of the client accepts.
func finishReason(r agent.StopReason) string {
	switch r {
	case agent.StopEndTurn, agent.StopSequence:
		return "stop"
	case agent.StopMaxTokens:
		return "length"
	case agent.StopToolUse, agent.StopPaused:
		return "tool-calls"
	case agent.StopRefusal, agent.StopContentFilter:
		return "content-filter"
	case agent.StopError:
		return "error"
	}
	return "other"
}
