package durable

// maxFresh is how long a result is kept at most, in ms, whatever its server says: what
// changed while no page listened is found out within a day, also of a server that says a
// year, and so is what a clock has got wrong.
const maxFresh = 24 * 60 * 60 * 1000

// Fresh returns for how long from now on a result may be used that its server lets a client
// keep for ttl ms from its receipt, in ms (MCP 2026-07-28 server/utilities/caching); 0 where it
// has to be asked for. at is when it was received, wall what the clock shows now, latest the
// latest time that anything in the store tells, all in ms since 1970. ran is how long ago
// the receipt was by a clock that nobody sets, and which may stop while the machine
// sleeps, in ms; 0 where that clock was another page's.
//
// Whichever of the two clocks says that more time has gone by is believed. A wall clock that was put
// back says too little: nothing is fresh by one that lies behind what was written by it.
func Fresh(at, ttl, latest, wall, ran int64) int64 {
	if at < firstRelease || max(at, latest) > sum(max(wall, 0), clockSlack) {
		return 0
	}
	return max(min(ttl, maxFresh)-max(wall-at, ran, 0), 0)
}
