package link

import "strings"

// BodyKind says how the body of a response is to be read.
type BodyKind uint8

// The kinds of body.
const (
	BodyNone   BodyKind = iota // 202, 204 or no content type: nothing to read
	BodyJSON                   // one JSON text
	BodyStream                 // text/event-stream
	BodyOther                  // anything else: an HTML error page, plain text
)

// ClassifyBody decides by the essence of the content type (the part before the
// parameters, in any case): servers write "text/event-stream;charset=utf-8" and
// "Application/JSON". The status does not decide: a 202 may carry a stream.
func ClassifyBody(status int, contentType string) BodyKind {
	essence, _, _ := strings.Cut(contentType, ";")
	essence = strings.ToLower(strings.TrimSpace(essence))
	switch {
	case essence == "text/event-stream":
		return BodyStream
	case essence == "application/json", strings.HasSuffix(essence, "+json"):
		return BodyJSON
	case essence == "", status == 202, status == 204:
		return BodyNone
	}
	return BodyOther
}
