package link

import "github.com/holdfast-mcp/holdfast/core/engine"

// Cursor is where a stream stands: the id of the last event that was
// dispatched. It is plain data because the journal stores it.
type Cursor struct {
	ID []byte // empty: no id seen, or cleared by an empty id field
}

// maxCursor bounds the id that is sent back. Servers and proxies refuse
// header blocks from 8 KiB on (fault 43).
const maxCursor = 8 << 10

// Resumable reports whether the id can travel in a Last-Event-ID header as it
// is. fetch throws on CR, LF and NUL (which an event id cannot hold), and
// silently trims blanks at either end, which would name another event. Bytes
// outside ASCII are fine: they go out as they are.
func (c Cursor) Resumable() bool {
	n := len(c.ID)
	if n == 0 || n > maxCursor {
		return false
	}
	return !blank(c.ID[0]) && !blank(c.ID[n-1])
}

// Header returns the Last-Event-ID field.
func (c Cursor) Header() engine.Field {
	return engine.Field{Name: "Last-Event-ID", Value: string(c.ID)}
}

func blank(b byte) bool { return b == ' ' || b == '\t' }
