package link

import (
	"strings"

	"github.com/holdfast-mcp/holdfast/core/engine"
)

// BodyKind says how the body of a response is to be read.
type BodyKind uint8

// The kinds of body.
const (
	BodyNone   BodyKind = iota // 202, 204, or no content type where none is expected: nothing to read
	BodyJSON                   // one JSON text
	BodyStream                 // text/event-stream
	BodyOther                  // anything else: an HTML error page, plain text
	// BodyCut is a success with no content type, or with half of one: the
	// connection ended inside the head. Chrome makes a response of what had come by
	// then, whose body ends at once. Or the server names none: of a POST a whole
	// JSON body tells them apart (fault 167).
	BodyCut
)

// ClassifyBody decides by the essence of the content type (the part before the
// parameters, in any case): servers write "text/event-stream;charset=utf-8" and
// "Application/JSON". The status does not decide: a 202 may carry a stream.
func ClassifyBody(status int, contentType string) BodyKind {
	essence, _, _ := strings.Cut(contentType, ";")
	essence = engine.Lower(strings.TrimSpace(essence))
	switch {
	case essence == "text/event-stream":
		return BodyStream
	case essence == "application/json", strings.HasSuffix(essence, "+json"):
		return BodyJSON
	case status == 202, status == 204:
		return BodyNone
	case status >= 200 && status < 300 && isCut(essence):
		return BodyCut
	case essence == "":
		return BodyNone
	}
	return BodyOther
}

// isCut reports whether the essence of a media type may be the beginning of one
// that could be read: "", "text", "application/", "text/event-str".
func isCut(essence string) bool {
	return !strings.Contains(essence, "/") || strings.HasPrefix("text/event-stream", essence) ||
		strings.HasPrefix("application/json", essence)
}

// MaxCutHeads bounds how often in a row a stream is asked for again whose answer was
// a BodyCut: a server that never sends a content type has no stream.
const MaxCutHeads = 8

// CutHead reports whether a head ended inside its status line: of "HTTP/1.1 200"
// Chrome makes the status 2, or 20. Nothing is known of such an answer.
func CutHead(status int) bool { return status < 200 }
