package tabs_test

import (
	"fmt"
	"strings"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// nameIn returns the name of the job that a request is for.
func nameIn(text string) string {
	_, name, _ := strings.Cut(text, `"name":"job`)
	name, _, _ = strings.Cut(name, `"`)
	return name
}

// fetch is the server: it answers at once, but for a job, which it does bit by bit.
func (p *tab) fetch(e engine.Effect) {
	w, body, x := p.w, string(e.Request.Body), e.X
	later := func(do func()) { p.reports = append(p.reports, do) }
	head := func(status int, fields ...string) {
		h := engine.Head{Status: status}
		for i := 0; i < len(fields); i += 2 {
			h.Header = append(h.Header, engine.Field{Name: fields[i], Value: fields[i+1]})
		}
		p.client.Head(w.now, x, h)
	}
	id := coretest.RequestID(e.Request)
	switch {
	case strings.Contains(body, `"initialize"`):
		later(func() {
			head(200, "content-type", "application/json", "mcp-session-id", "s1")
			p.client.Chunk(w.now, x, []byte(coretest.Result(id, `{"protocolVersion":"2025-11-25",`+
				`"capabilities":{"tools":{}},"serverInfo":{"name":"w","version":"1"}}`)))
			p.client.End(w.now, x, engine.EndClean, "")
		})
	case strings.Contains(body, `"tools/call"`):
		name := nameIn(body)
		w.runs[name]++
		w.job[id], w.ids[name] = name, id
		w.said[name] = 0
		p.streams[x] = &stream{job: name}
		later(func() { head(200, "content-type", "text/event-stream") })
	case e.Request.Method == "GET":
		s := &stream{}
		for _, f := range e.Request.Header {
			if strings.EqualFold(f.Name, "last-event-id") {
				var cursor int
				s.job, _, _ = strings.Cut(f.Value, "/")
				fmt.Sscanf(f.Value[len(s.job):], "/%d", &cursor)
				s.sent = cursor
			}
		}
		p.streams[x] = s
		later(func() { head(200, "content-type", "text/event-stream") })
	default:
		later(func() { head(202); p.client.End(w.now, x, engine.EndClean, "") })
	}
}

// serve lets the server say the next of a stream's job, if it is asked for.
func (p *tab) serve(x engine.ExchangeID) {
	s := p.streams[x]
	if s == nil || !s.wanted || s.job == "" || s.sent == 2 {
		return
	}
	s.wanted = false
	s.sent++
	p.w.said[s.job] = max(p.w.said[s.job], s.sent)
	id := p.w.ids[s.job]
	text := coretest.Progress(id, s.sent)
	if s.sent == 2 {
		text = coretest.Result(id, `{"content":[]}`)
	}
	p.w.note("> %s: x%d says %d of %s", p.name, x, s.sent, s.job)
	p.client.Chunk(p.w.now, x, []byte(coretest.Message(fmt.Sprintf("%s/%d", s.job, s.sent), text)))
	p.drain()
}
