//go:build !js

package peer

import (
	"encoding/json"
	"net/http"
)

// anyone asks about tasks of the extension, which belong to no session.
var anyone = &session{revision: Revision20260728}

// extensionMethod answers the methods of io.modelcontextprotocol/tasks; nil for
// any other, and on a server that has no tasks.
func (p *Peer) extensionMethod(m envelope) Script {
	if p.settings() == nil || m.method != "tasks/get" && m.method != "tasks/update" &&
		m.method != "tasks/cancel" {
		return nil
	}
	if !declares(m.params) {
		p.log.violation("%s: the extension is not declared", m.method)
		return Script{Refuse(http.StatusBadRequest, p.code(missingCapability),
			"Missing required client capability",
			`{"requiredCapabilities":`+needsTasks+`}`)}
	}
	t, why := p.tasks.find(anyone, text(m.params, "taskId"))
	if t == nil {
		return Script{Error(-32602, why)}
	}
	poll := t.polled(anyone, m)
	switch m.method {
	case "tasks/get":
		return Script{t.say(poll, func() map[string]any { return t.shape(m.method, t.details()) })}
	case "tasks/update":
		answers := field(m.params, "inputResponses")
		if !object(answers) {
			p.log.violation("tasks/update: inputResponses is %s", answers)
			poll.close(-32602, "", nil)
			return Script{Error(-32602, "inputResponses is required")}
		}
		poll.took(t.take(members(answers), ""))
		return Script{t.acknowledge(poll)}
	}
	// "A server is not obligated to actually stop the work; it is only obligated
	// to acknowledge the request."
	if !p.opts.IgnoreCancel {
		t.cancel()
	}
	return Script{t.acknowledge(poll)}
}

// acknowledge answers with the empty result.
func (task *task) acknowledge(poll *polling) Step {
	return Step{func(r *run) {
		task.mu.Lock()
		status := task.status
		task.mu.Unlock()
		poll.close(0, status, nil)
		Result(`{}`).do(r)
	}}
}

// knownTasks are those of the ids that a subscription can have.
func (p *Peer) knownTasks(ids json.RawMessage) json.RawMessage {
	var asked []string
	json.Unmarshal(ids, &asked)
	known := []string{}
	for _, id := range asked {
		if t, _ := p.tasks.find(anyone, id); t != nil {
			known = append(known, id)
		}
	}
	return json.RawMessage(quote(known))
}
