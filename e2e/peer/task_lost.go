//go:build !js

package peer

// CutAnswers makes the Peer do what the next requests of a tasks/... method ask,
// and end each connection in the given way in place of the answer: an update is
// taken, a task is cancelled, and the client does not know. Poll.Answered is
// false for them. See TaskPolicy.Lose for the call itself, and Options.NoReuse
// for what browsers make of it.
func (p *Peer) CutAnswers(method string, how ...Cutting) {
	p.tasks.mu.Lock()
	defer p.tasks.mu.Unlock()
	if p.tasks.lost == nil {
		p.tasks.lost = make(map[string][]Cutting)
	}
	p.tasks.lost[method] = append(p.tasks.lost[method], how...)
}

// losing puts the cut that is due in the place of a script that answers. What
// the request does was done when the script was made.
func (p *Peer) losing(m envelope, script Script) Script {
	p.tasks.mu.Lock()
	defer p.tasks.mu.Unlock()
	due := p.tasks.lost[m.method]
	if script == nil || len(due) == 0 {
		return script
	}
	p.tasks.lost[m.method] = due[1:]
	return Script{Cut(due[0])}
}
