package recorded

import (
	"bytes"

	"github.com/holdfast-mcp/holdfast/core/journal"
)

// Voids returns which of the sealed entries written before a plain one that makes void, nil for
// none; task says whether a task carries the call. Fold clears the same: but a row is
// folded with its plain part first, and what was sealed earlier in the same row would
// come back (fault 520).
func Voids(plain journal.Entry, task bool) func(sealed journal.Entry) bool {
	switch plain.Kind {
	case journal.Sent:
		return isOfRun
	case journal.Joined:
		return func(e journal.Entry) bool { return isReplyTo(e, isSessionID) || task && isOfCursor(e) }
	case journal.Task:
		return func(e journal.Entry) bool { return isOfCursor(e) || isOfTask(e) }
	case journal.Fetching:
		return isOfCursor
	case journal.Round:
		return func(e journal.Entry) bool {
			return e.Kind == journal.State || e.Kind == journal.Responses || isReplyTo(e, isRoundID)
		}
	case journal.Taken:
		return func(e journal.Entry) bool {
			return isReplyTo(e, func(id []byte) bool { return bytes.Equal(id, plain.Data) })
		}
	}
	return nil
}

// isOfRun reports whether a sealed entry is of the run of the request that it was written in,
// and of no other. A Round and its Responses go with the next request.
func isOfRun(e journal.Entry) bool {
	return isOfCursor(e) || isOfTask(e) || e.Kind == journal.Token ||
		isReplyTo(e, func([]byte) bool { return true })
}

func isOfCursor(e journal.Entry) bool { return e.Kind == journal.Cursor || e.Kind == journal.Seen }

func isOfTask(e journal.Entry) bool { return e.Kind == journal.TaskID || e.Kind == journal.TaskState }

// isReplyTo reports whether an entry is an answer, or the draft of one, to a question with such an id.
func isReplyTo(e journal.Entry, of func(id []byte) bool) bool {
	if e.Kind != journal.Answer && e.Kind != journal.Draft {
		return false
	}
	id, _ := journal.ReadReply(e)
	return of(id)
}
