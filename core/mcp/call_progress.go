package mcp

import (
	"errors"

	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// errWentBack is what progress that goes back can mean, for the app.
var errWentBack = errors.New("the tool may have run twice, or its server counts anew")

// howFar is how far one run of a call has come, by the run's own progress. A browser sends a request again by
// itself where the connection died before the head of the answer. Two runs then report under one token, and
// nothing else shows the second run (fault 764).
type howFar struct {
	last  float64
	known bool // progress has come since the request left
	told  bool // the app was told that the progress of this run went back
}

// noteProgress counts progress that is less than the progress before it, and tells the app of the first. Of
// several members named progress the first is read: only a notice depends on it.
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
