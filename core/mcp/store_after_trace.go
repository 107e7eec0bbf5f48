package mcp

import "strconv"

// After names what goes on once the commit of a ticket is stored, for traces.
func (c *Client) After(ticket uint32) []string { return c.writer.After(ticket) }

// After names what goes on, for traces: "send c2".
func (w *afterStored) After() string {
	call := " c" + strconv.FormatUint(uint64(w.t.id), 10)
	switch next := w.next.(type) {
	case *transmission:
		return "transmit" + call
	case *resumption, *resumePolicy:
		return "resume" + call
	case *settlement:
		return "settle" + call
	case *acknowledgement:
		return "ack" + call
	case *sending:
		return "send" + call
	case *lateAnswer, *reply:
		return "answer" + call
	case *taskReport:
		return "report task" + call
	case *taskAnswers:
		return "answer task" + call
	case *report:
		return "report" + call
	case *subrequest:
		if next.make == &next.task.poll {
			return "poll" + call
		}
		return "fetch" + call
	}
	return "go on" + call
}

// After names it for traces.
func (s *headDeletion) After() string { return "withdraw" }

// After names it for traces.
func (s *sessionEnd) After() string { return "end session" }
