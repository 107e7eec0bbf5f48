package coretest

import (
	"fmt"
	"strings"

	"github.com/holdfast-mcp/holdfast/core/journal"
)

var opNames = [...]string{journal.OpServer: "server", journal.OpCall: "call", journal.OpLog: "log",
	journal.OpForget: "forget", journal.OpKey: "key"}

// describeOps writes what a commit holds: "log 2/1/1 [sent event] [cursor]".
func describeOps(ops []byte) string {
	var b strings.Builder
	for r := journal.ReadOps(ops); ; {
		op, ok := r.Next()
		if !ok {
			return b.String()
		}
		fmt.Fprintf(&b, "; %s", opNames[op.Kind])
		if op.Kind != journal.OpServer {
			fmt.Fprintf(&b, " %d", op.Call&(1<<24-1))
		}
		if op.Kind == journal.OpCall && op.Epoch > 1 {
			fmt.Fprintf(&b, " of epoch %d", op.Epoch)
		}
		if op.IsAck() {
			fmt.Fprintf(&b, " acked %d", op.N)
		} else if op.Kind == journal.OpLog {
			fmt.Fprintf(&b, "/%d/%d", op.Epoch, op.N)
			for _, part := range [][]byte{op.Plain, op.Secret} {
				if len(part) > 0 {
					fmt.Fprintf(&b, " [%s]", describeEntries(part))
				}
			}
		}
	}
}

var entryNames = map[journal.Kind]string{
	journal.Sent: "sent", journal.Event: "event", journal.Cursor: "cursor", journal.Retry: "retry",
	journal.Policy: "policy",
	journal.Token:  "token", journal.Asked: "asked", journal.Answer: "answer", journal.Taken: "taken",
	journal.Round: "round",
	journal.State: "state", journal.Responses: "responses", journal.Outcome: "outcome",
	journal.Acked: "acked", journal.Checkpoint: "checkpoint",
	journal.Resuming: "resuming", journal.Sealed: "sealed", journal.Task: "task", journal.TaskID: "taskid",
	journal.Fetching: "fetching",
	journal.Draft:    "draft", journal.TaskState: "taskstate", journal.TaskTTL: "ttl",
	journal.Connection: "connection", journal.Prompt: "prompt", journal.Placed: "placed",
	journal.Answered: "answered", journal.Servers: "servers", journal.Refused: "refused",
	journal.Unsent: "unsent", journal.Joined: "joined", journal.TakenMark: "takenmark",
}

func describeEntries(part []byte) string {
	var names []string
	row := journal.ReadRow(part)
	for {
		e, ok := row.Next()
		if !ok {
			return strings.Join(names, " ")
		}
		if e.Kind == journal.Seen {
			continue // as its cursor, and no sight for people
		}
		name := entryNames[e.Kind]
		if e.Kind == journal.Cursor {
			name += "=" + string(e.Data)
		}
		names = append(names, name)
	}
}
