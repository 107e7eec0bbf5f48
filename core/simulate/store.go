//go:build !js

package simulate

import "fmt"

// Store is what an incident asks of the event store that the instances share: of docs/servers.md's, which
// has an event for each thing that a call says, whether its client is there or not.
type Store struct {
	Begun   curve // calls that begin: their record, their first event, their answer, and the record's end
	Resumes curve // streams that are asked for from a cursor
	Read    int   // events that these resumes read
	Most    int   // events of one resume
}

// WritesPerCall is how many writes a call is besides its events.
const WritesPerCall = 4

// ask notes what a request that was taken asks of the store.
func (w *World) ask(x *exchange) {
	if w.finishing || !w.began(w.now) {
		return
	}
	s := &w.result.Store
	switch x.purpose {
	case forCall:
		s.Begun.add(w.now - w.incident)
	case forResume:
		behind := max(x.job.given(w.now)-x.next+1, 0)
		s.Resumes.add(w.now - w.incident)
		s.Read += behind
		s.Most = max(s.Most, behind)
	}
}

// EventsPerSecond is how many events the calls give in a second, all the time.
func (r *Result) EventsPerSecond() float64 {
	return float64(r.Config.Clients*r.Config.Calls) * second / float64(r.Scenario.Every)
}

// StoreHead is the head of the table whose rows Result.StoreRow gives.
const StoreHead = `| incident | appends/s, all the time | appends in the busiest s | of what one store served | ` +
	`replays in the busiest s | of what one store served | events of a replay, mean / most |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |`

// StoreRow returns what the store was asked for as a row of a table in Markdown, against how many appends and
// replays per second one store has served.
func (r *Result) StoreRow(appends, replays float64) string {
	busiest := r.EventsPerSecond() + WritesPerCall*float64(r.Store.Begun.Busiest(second, 0))
	resumes := r.Store.Resumes.Busiest(second, 0)
	return fmt.Sprintf("| %s | %.0f | %.0f | %.1f | %d | %.1f | %.1f / %d |", r.Scenario.Name,
		r.EventsPerSecond(), busiest, busiest/appends,
		resumes, float64(resumes)/replays, float64(r.Store.Read)/float64(max(r.Store.Resumes.Total(), 1)),
		r.Store.Most)
}
