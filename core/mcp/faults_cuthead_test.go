package mcp_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/link"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// cutHeads are what Chrome makes of heads that ended inside, each with the clean
// end of a body that never began.
var cutHeads = []struct {
	status int
	media  string
}{
	{2, ""}, {20, ""}, {200, ""}, {200, "t"}, {200, "text"}, {200, "text/"}, {200, "text/event-strea"},
	{200, "appl"}, {200, "application/jso"},
}

// Fault 129: a call's POST whose head was cut is of unknown outcome, and one that
// is safe to repeat says so. Neither is sent again by itself, and neither broke
// the protocol.
func TestFault129_CutHeadOfAPost(t *testing.T) {
	heads := append(cutHeads, struct {
		status int
		media  string
	}{200, coretest.JSON}) // cut behind the content type
	for _, head := range heads {
		for method, code := range map[string]engine.Code{"tools/call": engine.CodeOutcomeUnknown,
			"tools/list": engine.CodeNetwork} {
			o := connected(t, mcp.Config{}).post(method)
			o.Head(o.x, head.status, "content-type", head.media)
			if !o.Exchange(o.x).Over {
				o.cut(engine.EndClean)
			}
			o.wantFailure(code)
			o.wantQuiet()
			o.wantIdle()
		}
	}
}

// Fault 129: a resume whose head was cut is made again from the same cursor, by
// the ladder, and nothing is lost: by GET and by requests/resume.
func TestFault129_CutHeadOfAResume(t *testing.T) {
	for _, head := range cutHeads {
		o := connected(t, mcp.Config{}).primed("p")
		o.cut(engine.EndNetwork)
		for range 3 {
			o.resumeStarts()
			if id, _ := o.field(o.x, "Last-Event-ID"); id != "p" {
				o.fatal("resumed from %q", id)
			}
			o.Head(o.x, head.status, "content-type", head.media)
			o.wantPending()
		}
		o.resume()
		o.progress(1)
		o.result("")
		o.wantProgress(1)
		o.wantResult()

		p := connected(t, mcp.Config{Journal: true}).resumable("", mcp.CallOptions{})
		p.cut(engine.EndNetwork)
		for range 3 {
			p.resumePost(`"tok"`, 60_000)
			p.Head(p.x, head.status, "content-type", head.media)
			if !p.Exchange(p.x).Over {
				p.cut(engine.EndClean)
			}
			p.wantPending()
		}
		p.resumePost(`"tok"`, 60_000)
		p.accept()
		p.result("")
		p.wantResult()
	}
}

// Fault 129: cut behind the content type of a JSON answer, a resume is made again too.
func TestFault129_EmptyAnswerToAResume(t *testing.T) {
	p := connected(t, mcp.Config{Journal: true}).resumable("", mcp.CallOptions{})
	p.cut(engine.EndNetwork)
	p.resumePost(`"tok"`, 60_000)
	p.Head(p.x, 200, "content-type", coretest.JSON)
	p.cut(engine.EndClean)
	p.wantPending()
	p.resumePost(`"tok"`, 60_000)
	p.accept()
	p.result("")
	p.wantResult()
}

// Fault 129: a server that never sends a content type resumes nothing. After some
// tries the call ends and says so; it does not hang.
func TestFault129_NeverAContentType(t *testing.T) {
	o := connected(t, mcp.Config{}).primed("p")
	o.cut(engine.EndNetwork)
	for range link.MaxCutHeads {
		o.resumeStarts()
		o.Head(o.x, 200)
		o.wantPending()
	}
	o.resumeStarts()
	o.Head(o.x, 200)
	o.wantFailure(engine.CodeLost)
	o.wantQuiet()
	o.wantIdle()
}

// Fault 129: the stream for what the server says unasked is asked for again after
// a cut head, and given up where no content type ever comes.
func TestFault129_CutHeadOfTheListenStream(t *testing.T) {
	r := newRig(t, mcp.Config{})
	initialized := r.handshake("2025-11-25")
	r.Head(r.Newest(), 200)
	r.End(initialized, engine.EndClean)
	if x, _ := r.nextFetch(60_000); x == 0 {
		r.fatal("not asked for again")
	}
	r.Head(r.Newest(), 200, "content-type", coretest.Stream)
	r.End(r.Newest(), engine.EndNetwork)
	gets := 0
	for {
		x, _ := r.nextFetch(hour)
		if x == 0 {
			break
		}
		gets++
		r.Head(x, 200, "content-type", "text")
	}
	if gets == 0 || gets > link.MaxCutHeads || r.statuses[len(r.statuses)-1] != `{"state":"off"}` {
		r.fatal("%d GETs, the last status %s", gets, r.statuses[len(r.statuses)-1])
	}
	r.wantIdle()
}

// Fault 129: so is the stream of HTTP+SSE, whose calls are of unknown outcome.
func TestFault129_CutHeadOfAChannel(t *testing.T) {
	r := newRig(t, mcp.Config{Revision: "2024-11-05"})
	r.Start()
	for r.Exchange(r.Newest()).Request.Method != "GET" {
		r.Head(r.Newest(), 405)
	}
	r.Head(r.Newest(), 200, "content-type", "text/event-str")
	for _, e := range r.Effects {
		if e.Kind == engine.State && e.Failure != nil && e.Failure.Code == engine.CodeNetwork {
			return
		}
	}
	r.fatal("connecting does not end with %s", engine.CodeNetwork)
}
