package tabs_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/journal"
)

// What is read, or told, late: it says how a call stood before what this tab knows by then.

// Fault 474: a commit finds that its call is another tab's, and the store cannot be read then. The commit is
// reported once it can: the client would let a request leave that the other tab sends as well.
func TestFault474_CommitWaitsForAReadThatFailed(t *testing.T) {
	for _, told := range []bool{false, true} {
		p := carrying()
		ticket := uint32(1)
		if told {
			p.m.HearTaken(p.now, "other", head(1, 2, 0), nil)
			p.expect(t, "taken", "watch other, read 1")
			p.m.Answer(p.now, ticket, nil)
			p.expect(t, "failed", "")
			ticket++
		}
		p.m.Fenced(p.now, 7, list(head(1, 0, 0)))
		p.m.Stored(p.now, 7, journal.ResultOK, 0)
		p.expect(t, "fenced", "read 1")
		p.m.Answer(p.now, ticket, nil)
		p.expect(t, "it cannot be read", "read 1")
		ticket++
		p.m.Answer(p.now, ticket, nil)
		p.expect(t, "nor once more", "")
		p.now = p.now.After(2_000)
		p.m.Advance(p.now)
		if told {
			p.expect(t, "again", "ping other, read 1")
		} else {
			p.expect(t, "again", "read 1")
		}
		p.m.Answer(p.now, ticket+1, read(1, 2, "other", 0))
		want := "client: call 1/2, client: stored 7 1"
		if !told {
			want += ", watch other"
		}
		p.expect(t, "it can", want)
	}
}
