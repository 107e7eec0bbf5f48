package durable

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// draftRate bounds what is written while a person types, in bytes per ms: each draft is a
// row more of the record's log, and a small form is written at each key.
const draftRate = 4

// NextDraft returns when drafts of a record may be written again, after so many bytes of
// them.
func NextDraft(now engine.Time, written int) engine.Time {
	return now.After(int64(written / draftRate))
}

// IsDraft reports whether the answer that a person has begun can be kept: JSON nested no
// deeper than depth and no longer than journal.MaxDraft, or nothing, which withdraws one.
func IsDraft(draft []byte, depth int) bool {
	return len(draft) == 0 || len(draft) <= journal.MaxDraft && jsonrpc.Valid(draft, depth) == nil
}
