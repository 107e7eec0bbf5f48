package engine

// Machine is a protocol state machine: everything in core that has a life of
// its own. Head, Chunk and End report on the exchanges it asked for.
type Machine interface {
	// Head reports the head of exchange x's response.
	Head(now Time, x ExchangeID, head Head)
	// Chunk reports the next bytes of x's body, lent for the call.
	Chunk(now Time, x ExchangeID, p []byte)
	// End reports that x is over. detail is for people and holds no secret.
	End(now Time, x ExchangeID, how Ending, detail string)
	// Next takes the oldest effect.
	Next() (Effect, bool)
	Timed
}

// Timed is what waits for a time.
type Timed interface {
	// Advance tells it that time has passed its Deadline. Calling it
	// early or late is harmless: deadlines are compared, not counted.
	Advance(now Time)
	// Deadline returns when Advance is due; false where nothing is timed.
	Deadline() (Time, bool)
}

// Host carries out effects. Do must not wait, and its reports come back as
// inputs followed by Driver.Drain, either later or nested within Do.
type Host interface {
	Do(e Effect)
	// Wake asks for one Advance delay milliseconds from now (0 ... MaxDelay),
	// replacing what was asked before.
	Wake(delay int64)
}

// Driver drains a Machine's effects into a Host and keeps its one timer. The
// owner gives the machine an input and then calls Drain.
type Driver struct {
	machine  Machine
	beside   Timed // nil for nothing
	host     Host
	draining bool
	armed    Time
}

// NewDriver returns a Driver for machine on host.
func NewDriver(machine Machine, host Host) *Driver {
	return &Driver{machine: machine, host: host, armed: Never}
}

// Beside has what the machine's host has beside it share the timer.
func (d *Driver) Beside(other Timed) { d.beside = other }

// Drain carries out every waiting effect in order, then arms the timer. A
// nested Drain (the host's Do led to another input) returns at once: the outer
// one takes up what was appended, so order holds and the stack stays flat.
func (d *Driver) Drain(now Time) {
	if d.draining {
		return
	}
	d.draining = true
	for {
		e, ok := d.machine.Next()
		if !ok {
			break
		}
		d.host.Do(e)
	}
	d.draining = false
	d.arm(now)
}

// Overdue returns how many ms later than asked for the timer would fire now: on
// a host whose clock runs while the machine sleeps, that is how long it slept.
func (d *Driver) Overdue(now Time) int64 {
	if d.armed == Never {
		return 0
	}
	return now.Since(d.armed)
}

// Fired is called when the timer fires: it advances the machine and drains.
func (d *Driver) Fired(now Time) {
	d.armed = Never
	d.machine.Advance(now)
	if d.beside != nil {
		d.beside.Advance(now)
	}
	d.Drain(now)
}

// arm moves the timer only forward in urgency. A stream pushes its idle
// deadline back with every chunk; re-arming for each would cost a crossing per
// chunk, while firing early costs one cheap Advance per quiet period.
func (d *Driver) arm(now Time) {
	at, ok := d.machine.Deadline()
	if d.beside != nil {
		if other, due := d.beside.Deadline(); due && (!ok || other < at) {
			at, ok = other, true
		}
	}
	if !ok || at >= d.armed {
		return
	}
	delay := min(max(int64(at-now), 0), MaxDelay)
	d.armed = now.After(delay)
	d.host.Wake(delay)
}
