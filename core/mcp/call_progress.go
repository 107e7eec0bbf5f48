package mcp

import (
	"errors"

	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// errWentBack is what progress that goes back can mean, for the app.
var errWentBack = errors.New("the tool may have run twice, or its server counts anew")

// howFar is how far one run of a call has come, by its own word. A browser sends a request again by
// itself whose connection died before the head of its answer: two runs then report under one token,
// and nothing else shows it (fault 764).
type howFar struct {
	last  float64
	known bool // something has come since the request left
	told  bool // of this run, that it went back
}

// noteProgress counts progress that is less than what came before it, and tells the app of the first. Only
// the first member of the name is looked at: nothing but a notice hangs on it.
func (c *Client) noteProgress(call *call, params []byte) {
	now, ok := jsonrpc.Float(jsonrpc.First(params, "progress"))
	if !ok {
		return
	}
	p := &call.progress
	if p.known && now < p.last {
		c.counters.ProgressWentBack++
		if !p.told {
			c.integrity("progress_went_back", errWentBack)
		}
		p.told = true
	}
	p.last, p.known = now, true
}
