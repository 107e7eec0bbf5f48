package mcp

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/link"
)

// resumePolicy is SEP-975's promise that a request may be resumed: by POST, with
// its own id and a token, on whatever connection.
type resumePolicy struct {
	token      []byte      // JSON string, as sent
	minWait    int64       // ms to wait after a disconnection
	maxWait    int64       // ms that the server keeps the request after one; 0: it promises nothing
	since      engine.Time // of the disconnection, or of the last contact
	dropHeader bool        // the server's CORS rules refuse Last-Event-ID
	refusals   int         // resumes with that header that failed before a head
	fresh      bool        // the resume under way has brought no message yet
	status     engine.CallID
}

const (
	// maxResumeToken bounds a token, in bytes: it is stored and sent back.
	maxResumeToken = 8 << 10
	// maxMaxWait bounds maxWait, in ms: a month. What lies beyond is no promise.
	maxMaxWait = 30 * 24 * 3_600_000
	// resumeGrace is how long after maxWait a request is still asked for, in ms:
	// the server's timers started when it saw the cut, which is later than now.
	resumeGrace = 5_000
)

// carries reports whether the policy is worth anything after a reload.
func (p *resumePolicy) carries() bool { return len(p.token) > 0 }

// resumePolicy takes notifications/requests/resumePolicy on t's stream. The last
// one wins; one for another request is ignored, as is one after the response.
func (c *Client) resumePolicy(t *call, params []byte) {
	value, _ := jsonrpc.Member(params, "requestId")
	n, ok := jsonrpc.Uint(value)
	named := c.byID[requestID(n)]
	token, _ := jsonrpc.Member(params, "resumeToken")
	text, isText := jsonrpc.String(token)
	if !ok || named == nil || named.role != roleApp || named.phase >= callTail || t != nil && t != named ||
		c.revision == nil || c.revision.selfDescribing || !isText || text == "" || len(token) > maxResumeToken {
		c.counters.IgnoredPolicies++
		return
	}
	p := named.policy
	if p == nil {
		p = &resumePolicy{}
		named.policy = p
	}
	p.token = append(p.token[:0], token...)
	p.minWait = seconds(params, "minWait", link.RetryCap)
	p.maxWait = seconds(params, "maxWait", maxMaxWait)
	p.since = c.now
	named.stream.Reopen = true // to cut it costs nothing
	c.writePolicy(named)
}

// seconds reads a number of seconds as ms, between 0 and limit; 0 for what is
// missing or no number.
func seconds(params []byte, name string, limit int64) int64 {
	value, _ := jsonrpc.Member(params, name)
	f, ok := jsonrpc.Float(value)
	if !ok || f <= 0 {
		return 0
	}
	if f >= float64(limit)/1000 {
		return limit
	}
	return int64(f * 1000)
}

func (c *Client) writePolicy(t *call) {
	p := t.policy
	c.write(t, journal.Entry{Kind: journal.Policy, N: [3]uint64{uint64(p.minWait), uint64(p.maxWait), uint64(max(c.wall(), 0))}})
	c.writeSecret(t, journal.Entry{Kind: journal.Token, Data: p.token})
}

// resumeRequest sends requests/resume. The server may delete what it delivered
// before, so all of that is on disk first (DESIGN 3.3).
func (t *call) resumeRequest(c *Client, now engine.Time) {
	if t.policy.expired(now) {
		t.policy = nil
		t.stranded(c, now, "lost", &engine.Error{Code: engine.CodeLost, Op: t.method,
			Message: "the server kept the request for as long as it had promised, and that is over"})
		return
	}
	c.write(t, journal.Entry{Kind: journal.Resuming})
	t.stream.Park()
	c.whenStored(now, t, true, func(c *Client, now engine.Time) {
		if t.phase != callStreaming || t.policy == nil || t.stream.Phase() != link.PhaseWaiting {
			return
		}
		if c.state != stateOpen || c.token.asking || t.generation != c.session.generation {
			t.stream.Unpark(now)
			return
		}
		t.postResume(c, now)
	})
}

func (t *call) postResume(c *Client, now engine.Time) {
	p := t.policy
	t.resuming, t.owed, p.fresh = true, false, true
	t.stream.Reconnecting(now)
	t.exchange = link.NewExchange(c.linkLimits())
	t.token = c.token.number
	params := append(append([]byte(`{"resumeToken":`), p.token...), '}')
	body := jsonrpc.AppendRequest(nil, uint64(t.request), "requests/resume", params, nil)
	var extra []engine.Field
	if t.stream.Cursor.Resumable() && !p.dropHeader {
		// So that the server can drop what is confirmed (SEP-975, HTTP).
		extra = append(extra, t.stream.Cursor.Header())
	}
	t.x = c.fetch(t, "POST", body, extra...)
	c.status(t, "reconnecting", &streamReport{attempt: t.stream.Attempts()})
}

// expired reports whether the server is free to have forgotten the request.
func (p *resumePolicy) expired(now engine.Time) bool {
	return p.maxWait > 0 && p.since != engine.Never && now.Since(p.since) > p.maxWait+resumeGrace
}

// restorePolicy goes on with a resumable request after a reload.
func (t *call) restorePolicy(c *Client, now engine.Time, r *journal.Record) {
	t.phase, t.answerBy = callStreaming, engine.Never
	t.policy = &resumePolicy{token: r.Policy.Token, minWait: r.Policy.MinWait, maxWait: r.Policy.MaxWait}
	// When the connection ended nobody saw: the server's word decides, unless
	// the page was away for longer than any connection could have lasted.
	t.policy.since = now
	t.stream = link.NewStream(max(t.timeouts.Idle, 0))
	t.stream.Reopen = true
	t.stream.Restored(now, r.Cursor, r.Retry)
	t.record.cursor, t.record.retry = append(t.record.cursor[:0], r.Cursor...), r.Retry
	c.status(t, "cut", &streamReport{why: cutReload})
	t.handAsked(c, now, r)
}

// refusedResume takes an error that answers requests/resume. It has the call's
// own id, so what came first and speaks of the request, not of the tool, is a
// refusal: wrong token, expired, unknown.
func (t *call) refusedResume(code int64) bool {
	return t.resuming && t.policy != nil && t.policy.fresh && code <= -32600 && code >= -32603
}
