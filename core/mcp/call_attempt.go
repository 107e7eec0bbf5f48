package mcp

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/link"
)

// attempt is one exchange of a call's, and what counts for that one alone: the next
// starts with nothing of it but the time when an answer is due.
type attempt struct {
	kind       attemptKind
	x          engine.ExchangeID // 0 once it is over
	exchange   link.Exchange
	withCursor bool        // it carries Last-Event-ID
	once       bool        // its body is a stream: the browser cannot send it again by itself
	token      int         // number of the token that it carries
	answerBy   engine.Time // the head of the response, or more of a JSON body, is due
	withheld   bool        // a Read was, while the app paused the call or the store was behind
}

// attemptKind says what an exchange is for.
type attemptKind uint8

const (
	attemptRequest attemptKind = iota // the request itself
	attemptCursor                     // a GET that continues its stream from the cursor
	attemptToken                      // requests/resume
)

// begin starts an exchange of the call's; its id is set with the effect.
func (call *call) begin(c *Client, kind attemptKind) {
	call.attempt = attempt{kind: kind, answerBy: call.answerBy, exchange: link.NewExchange(c.linkLimits()),
		token: c.token.Number()}
}

// resumes reports whether the exchange continues a stream of the request's.
func (a *attempt) resumes() bool { return a.kind != attemptRequest }
