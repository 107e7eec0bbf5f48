package link

import "testing"

func TestClassifyBody(t *testing.T) {
	for _, c := range []struct {
		status int
		media  string
		want   BodyKind
	}{
		{200, "text/event-stream", BodyStream},
		{200, "text/event-stream;charset=utf-8", BodyStream},
		{200, " Text/Event-Stream ; charset=x", BodyStream},
		{202, "text/event-stream", BodyStream}, // an initialize may be answered so
		{200, "application/json", BodyJSON},
		{200, "Application/JSON; charset=utf-8", BodyJSON},
		{404, "application/problem+json", BodyJSON},
		{202, "application/json", BodyJSON},
		{200, "", BodyCut},
		{404, "", BodyNone},
		{204, "", BodyNone},
		{202, "", BodyNone},
		{200, "t", BodyCut},
		{200, "text", BodyCut},
		{200, "text/", BodyCut},
		{200, "text/event-strea", BodyCut},
		{201, "application/jso", BodyCut},
		{500, "application/jso", BodyOther},
		{200, "application/j;", BodyCut},
		{200, ";", BodyCut},
		{202, "text/plain", BodyNone},
		{204, "text/html", BodyNone},
		{200, "text/plain", BodyOther},
		{502, "text/html; charset=utf-8", BodyOther},
		{200, "text/event-stream-2", BodyOther},
		{200, "application/jsonp", BodyOther},
		{200, "application/json-seq", BodyOther},
	} {
		if got := ClassifyBody(c.status, c.media); got != c.want {
			t.Errorf("%d %q: %d, want %d", c.status, c.media, got, c.want)
		}
	}
}
