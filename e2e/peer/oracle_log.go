//go:build !js

package peer

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Seen is one request that concerned a call: its tools/call, a GET that resumed
// it, requests/resume, requests/getStatus, the cancellation, a posted response.
type Seen struct {
	Time        time.Time
	HTTPMethod  string
	Method      string // JSON-RPC; "" for a GET and for a response
	ID          string // raw; "" for a GET
	Session     string
	LastEventID string // "" if none came
}

// Issued is a resume policy that was made for a call.
type Issued struct {
	Time      time.Time
	Token     string
	RequestID string // raw; of another request if the policy misbehaves
	Written   bool   // it was put on a connection
}

// Resume is one requests/resume.
type Resume struct {
	Time        time.Time
	Token       string
	LastEventID string
	Waited      time.Duration // since the last connection ended; 0 while one is open
	Refused     string        // why; "" if it was let in
	From        int           // the index of the first message it was to get; -1 before that is known
}

// Status is one requests/getStatus and its answer.
type Status struct {
	Time    time.Time
	Token   string
	Waited  time.Duration // as in Resume
	Refused string        // why; "" if it was answered
	Status  string        // processing, completed or failed
	Pending bool          // hasPendingMessage
	Input   bool          // hasInputRequest
}

// Entry is one message that a run put in its store, in order. Its first index
// is 0.
type Entry struct {
	Run     int
	Index   int
	EventID string
	ID      string // raw JSON-RPC id; "" for a notification
	What    string // the method, "result" or "error"; "" for a priming event
	Seq     int    // of the tool count; 0 for any other
	Data    string
	Written int // how often it was put on a connection, as a whole
}

// Messages lists what was produced for a call.
func (o *Oracle) Messages(label string) []Entry {
	var all []Entry
	runs := gather(o, label, func(e *execution) []*execution { return []*execution{e} })
	for _, e := range runs {
		o.mu.Lock()
		st := e.stream
		o.mu.Unlock()
		if st == nil {
			continue
		}
		st.mu.Lock()
		for i, ev := range st.events {
			_, _, seq := ParseMark(text(json.RawMessage(ev.data), "params", "message"))
			all = append(all, Entry{
				Run: e.run, Index: i, EventID: ev.id, ID: string(field(json.RawMessage(ev.data), "id")),
				What: ev.what(), Seq: seq, Data: ev.data, Written: st.times[i],
			})
		}
		st.mu.Unlock()
	}
	return all
}

// what names the message that an event carries.
func (e event) what() string {
	raw := json.RawMessage(e.data)
	switch method := text(raw, "method"); {
	case method != "":
		return method
	case field(raw, "error") != nil:
		return "error"
	case field(raw, "result") != nil:
		return "result"
	}
	return ""
}

// Requests lists what came in about a call, oldest first within each run.
func (o *Oracle) Requests(label string) []Seen {
	return gather(o, label, func(e *execution) []Seen { return e.heard })
}

// Tokens lists the resume policies made for a call.
func (o *Oracle) Tokens(label string) []Issued {
	return gather(o, label, func(e *execution) []Issued {
		var all []Issued
		for _, i := range e.issued {
			all = append(all, *i)
		}
		return all
	})
}

// issued reports whether a token was made for a request with that id, in whatever
// session.
func (o *Oracle) issued(token, id string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.ContainsFunc(o.all, func(e *execution) bool {
		return slices.ContainsFunc(e.issued,
			func(i *Issued) bool { return i.Token == token && i.RequestID == id })
	})
}

// Resumes lists every requests/resume of a call, let in or not.
func (o *Oracle) Resumes(label string) []Resume {
	return gather(o, label, func(e *execution) []Resume { return e.resumes })
}

// Statuses lists every requests/getStatus of a call, answered or not.
func (o *Oracle) Statuses(label string) []Status {
	return gather(o, label, func(e *execution) []Status { return e.statuses })
}

// written notes whether a policy was put on a connection; nil is none.
func (o *Oracle) written(i *Issued, yes bool) {
	if i != nil {
		o.mu.Lock()
		i.Written = yes
		o.mu.Unlock()
	}
}

// note changes what the oracle knows of a run; nil runs are no calls.
func (e *execution) note(f func()) {
	if e == nil {
		return
	}
	e.o.mu.Lock()
	f()
	e.o.mu.Unlock()
	e.o.p.changed.signal()
}

// hears notes a request that concerns the call.
func (e *execution) hears(r *http.Request, m envelope) {
	s := Seen{
		Time: time.Now(), HTTPMethod: r.Method, Method: m.method, ID: m.id,
		Session: r.Header.Get("Mcp-Session-Id"), LastEventID: r.Header.Get("Last-Event-Id"),
	}
	e.note(func() { e.heard = append(e.heard, s) })
}

// ParseMark reads the message of a progress notification of the tool count: the
// label, the run and the sequence number. A seq of 0 is none.
func ParseMark(message string) (label string, run, seq int) {
	at := strings.LastIndexByte(message, '#')
	if at < 0 {
		return "", 0, 0
	}
	mark, _, _ := strings.Cut(message[at+1:], " ")
	one, two, ok := strings.Cut(mark, ":")
	run, _ = strconv.Atoi(one)
	seq, _ = strconv.Atoi(two)
	if !ok || run == 0 || seq == 0 {
		return "", 0, 0
	}
	return message[:at], run, seq
}
