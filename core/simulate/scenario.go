//go:build !js

package simulate

// Scenario is what befalls the service or the clients. Times are in ms, counted
// from the beginning of the incident.
type Scenario struct {
	Name string
	Note string // what happens, in a few words

	// Outage: every instance is down for so long.
	Outage int64
	// RollEvery: one instance after another goes down, so many ms apart, each for
	// RollDown.
	RollEvery, RollDown int64
	// Graceful: an instance that goes down ends its streams cleanly.
	Graceful bool
	// OwnSessions: sessions and event stores live and die with their instance, and
	// requests go to it while it is up. Otherwise all instances share them.
	OwnSessions bool
	// Asleep: the machines of the clients sleep for so long before the incident,
	// which is that they wake up, WakeSpread apart (a standard deviation: the skew of
	// their clocks, and their people's).
	Asleep, WakeSpread int64

	// Retry is the reconnection time that streams name, -1 for none.
	Retry int64
	// RetryAfter is what a 503 says, in seconds, 0 for nothing.
	RetryAfter int64
	// Refusing: while all instances are down the load balancer answers 503, instead
	// of nobody at all.
	Refusing bool
	// Severing: while all instances are down a proxy in front of them accepts streams,
	// and cuts each after so many ms without a byte; 0 for none.
	Severing int64
	// Patient: requests over the capacity wait for up to so many ms before they
	// are refused.
	Patient int64

	// Every is the time between two events of a call, in ms.
	Every int64

	// Judges: policies are compared by it.
	Judges bool
}

const (
	shed   = 200    // ms for which a service waits before it refuses
	second = 1_000  // ms
	minute = 60_000 // ms
	hour   = 60 * minute
)

// Scenarios are the incidents of `make simulate`.
func Scenarios() []Scenario {
	outage := Scenario{Name: "outage of 10 s", Note: "nobody answers, then over capacity 503",
		Outage: 10 * second, Retry: -1, Patient: shed, Every: 15 * second}
	long := Scenario{Name: "outage of 10 min", Note: outage.Note, Outage: 10 * minute, Retry: -1,
		Patient: shed, Every: 2 * minute}
	slow := outage
	slow.Name, slow.Note, slow.Patient = "outage of 10 s, slow",
		"over capacity requests wait, for up to 20 s", 20*second
	severed := outage
	severed.Name, severed.Note, severed.Severing = "outage of 10 s, accepted",
		"a proxy accepts each stream, and cuts it after 20 ms", 20
	roll := Scenario{Name: "rolling restart",
		Note:      "10 instances, one every 30 s, sessions and events shared",
		RollEvery: 30 * second, RollDown: 15 * second, Graceful: true, Retry: -1, Patient: shed,
		Every: 20 * second}
	lost := roll
	lost.Name, lost.Note, lost.OwnSessions = "rolling restart, sessions lost",
		"each instance's sessions and events die with it", true
	wake := Scenario{Name: "laptops wake at 9:00", Note: "after 15 h, one minute's skew", Asleep: 15 * hour,
		WakeSpread: minute, Retry: -1, Patient: shed, Every: 30 * minute}

	outage.Judges, long.Judges, lost.Judges = true, true, true
	said := func(s Scenario, retry, after int64) Scenario {
		s.Name, s.Note = s.Name+", paced", "retry and Retry-After said by the server"
		s.Retry, s.RetryAfter, s.Refusing = retry, after, true
		return s
	}
	return []Scenario{
		outage, slow, severed, long, roll, lost, wake,
		said(outage, 3*second, 10), said(long, 3*second, 30), said(roll, 2*second, 5),
		said(wake, 2*second, 5),
	}
}
