//go:build !js

package simulate

import "strconv"

// job is the service's side of one call, in one run of it. It gives an event
// every so often, and what it has given is a function of time: no log is kept
// of what can be computed.
type job struct {
	call    *call
	number  int
	request string // id of the request, which is its progress token as well
	began   int64
	every   int64
	total   int // events that it gives; -1 until the service is told to finish
}

// given returns how many events the job has given at t.
func (j *job) given(t int64) int {
	n := int(max(t-j.began, 0) / j.every)
	if j.total >= 0 {
		n = min(n, j.total)
	}
	return n
}

// next returns when the job gives event n, counted from 1, or its response after
// the last one.
func (j *job) next(n int) int64 { return j.began + int64(n)*j.every }

// cursor is the id of event n, as the client sends it back.
func (j *job) appendID(b []byte, n int) []byte {
	b = strconv.AppendInt(b, int64(j.number), 10)
	return strconv.AppendInt(append(b, '.'), int64(n), 10)
}

// appendPriming appends the event that a stream begins with: an id, and the
// reconnection time if the service names one (2025-11-25 basic/transports).
func (j *job) appendPriming(b []byte, retry int64) []byte {
	b = append(j.appendID(append(b, "id: "...), 0), '\n')
	if retry >= 0 {
		b = append(strconv.AppendInt(append(b, "retry: "...), retry, 10), '\n')
	}
	return append(b, "data:\n\n"...)
}

// appendEvent appends event n: progress, whose total names the run, so that the
// page can tell the events of one run from those of the next.
func (j *job) appendEvent(b []byte, n int) []byte {
	b = append(j.appendID(append(b, "id: "...), n),
		"\ndata: "+`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`...)
	b = append(append(b, j.request...), `,"progress":`...)
	b = append(strconv.AppendInt(b, int64(n), 10), `,"total":`...)
	return append(strconv.AppendInt(b, int64(j.number), 10), "}}\n\n"...)
}

// appendResult appends the response, behind all events.
func (j *job) appendResult(b []byte) []byte {
	b = append(j.appendID(append(b, "id: "...), j.total+1), "\ndata: {\"jsonrpc\":\"2.0\",\"id\":"...)
	return append(append(b, j.request...), ",\"result\":{\"content\":[]}}\n\n"...)
}
