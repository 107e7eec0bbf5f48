package mcp_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// job is what the model server keeps of one call: all it has said on the
// call's stream, so that it can say it again. It never lies and never forgets.
type job struct {
	c      engine.CallID
	number int
	id     string // the request id
	said   []string
	runs   int  // how often the server was asked to do it
	total  int  // progress events that the work gives
	done   int  // of those that it has given
	over   bool // the response has been said

	ids        bool   // events have ids
	polling    bool   // the server closes after each event
	retry      string // a retry line, or nothing
	connection *connection
	sawID      bool // the client has dispatched an event with an id
	unheard    bool // the outcome may be unknown to the client, and it may say so
	cancelled  bool // the app has cancelled the call
}

// connection is one exchange as the server sees it.
type connection struct {
	x       engine.ExchangeID
	job     *job
	pending string // sent and not yet delivered
	seenAt  []int  // how many bytes of pending end at an event with an id
	deaf    bool   // half open: nothing arrives any more, not even an end
	closing bool   // ends cleanly once all is delivered
}

// say appends an event to the job's log and to the connection that carries it.
func (j *job) say(rng *rand.Rand, data string) {
	var b strings.Builder
	if rng.IntN(4) == 0 {
		b.WriteString(j.retry)
	}
	if rng.IntN(8) == 0 {
		b.WriteString("event: message\n")
	}
	if j.ids {
		fmt.Fprintf(&b, "id: %d/%d\n", j.number, len(j.said))
	}
	b.WriteString("data: " + data + "\n\n")
	j.said = append(j.said, b.String())
	if j.connection != nil {
		j.connection.send(j.said[len(j.said)-1], j.ids)
		j.connection.closing = j.connection.closing || j.over || j.polling
	}
}

func (k *connection) send(text string, hasID bool) {
	if k.deaf || k.closing {
		return // the log has it
	}
	k.pending += text
	if hasID {
		k.seenAt = append(k.seenAt, len(k.pending))
	}
}

// take removes n bytes that are delivered, and notes the ids among them.
func (k *connection) take(n int) string {
	text := k.pending[:n]
	k.pending = k.pending[n:]
	for i := range k.seenAt {
		if k.seenAt[i] -= n; k.seenAt[i] == 0 || k.seenAt[i] < 0 && k.seenAt[i]+n > 0 {
			k.job.sawID = true
		}
	}
	return text
}

// work does the next piece of the job.
func (j *job) work(rng *rand.Rand) {
	switch {
	case j.over, j.runs == 0:
	case j.done < j.total:
		j.done++
		j.say(rng, coretest.Progress(j.id, j.done))
	default:
		j.over = true
		j.say(rng, coretest.Result(j.id, `{"content":[]}`))
	}
}

// replay opens a connection that first says what lies behind the cursor, and
// now and then some of what lies before it.
func (j *job) replay(rng *rand.Rand, x engine.ExchangeID, cursor string) *connection {
	_, text, _ := strings.Cut(cursor, "/")
	from, err := strconv.Atoi(text)
	if err != nil {
		panic("a cursor that was never given: " + cursor)
	}
	from++
	if rng.IntN(3) == 0 {
		from = max(from-rng.IntN(4), 0)
	}
	k := &connection{x: x, job: j}
	j.connection = k
	for _, text := range j.said[from:] {
		k.send(text, j.ids)
	}
	k.closing = j.over || j.polling && from < len(j.said)
	return k
}
