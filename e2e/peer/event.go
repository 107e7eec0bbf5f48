//go:build !js

package peer

import (
	"strconv"
	"strings"
)

// An event is one server-sent event as the store keeps it.
type event struct {
	id     string
	name   string
	retry  int // ms; -1 leaves the line out
	data   string
	prime  bool    // carries a cursor and no message; never replayed
	policy *Issued // set in a resume policy (SEP-975)
}

// frame is the event on the wire (WHATWG HTML 9.2.6).
func (e event) frame(withID bool) string {
	var b strings.Builder
	if e.name != "" {
		b.WriteString("event: " + e.name + "\n")
	}
	if withID && e.id != "" {
		b.WriteString("id: " + e.id + "\n")
	}
	if e.retry >= 0 {
		b.WriteString("retry: " + strconv.Itoa(e.retry) + "\n")
	}
	if e.prime {
		b.WriteString("data: \n")
	} else {
		for line := range strings.SplitSeq(e.data, "\n") {
			b.WriteString("data: " + line + "\n")
		}
	}
	b.WriteString("\n")
	return b.String()
}
