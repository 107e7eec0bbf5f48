//go:build !js

package simulate

import (
	"fmt"
	"strings"
)

// Late returns when the first tries are over, in ms since the incident began:
// they come at once, since most cuts hit one client alone, and it is by those
// after them that a policy is judged.
func (r *Result) Late() int64 {
	retry := max(r.Scenario.Retry, 0)
	return second + retry + retry/4
}

// Head is the head of the table whose rows Result.Row gives.
const Head = `| incident | requests | of those 503 | busiest 100 ms | busiest s | ÷ mean | ` +
	`busiest s, first tries left out | busiest 100 ms of that | requests per client p50 / p99 / max | ` +
	`without a stream p50 / p99 | 99 % whole after | undercut / held back | lost / twice |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |`

// Row returns the result as a row of a table in Markdown.
func (r *Result) Row() string {
	a := &r.Arrivals
	busiest, mean := a.Busiest(second, 0), a.Mean()
	whole := "" // where the service is never away as a whole there is no such moment
	if r.Scenario.Outage > 0 {
		whole = fmt.Sprintf("%.1f s", float64(r.Whole)/second)
	}
	return fmt.Sprintf(
		"| %s | %d | %d | %d | %d | %.1f | %d | %d | %d / %d / %d | %.1f / %.1f s | %s | %d / %d | %d / %d |",
		r.Scenario.Name, a.Total(), r.Refused, a.Busiest(100, 0), busiest, float64(busiest)/max(mean, 1),
		a.Busiest(second, r.Late()), a.Busiest(100, r.Late()),
		Percentile(r.Requests, 50), Percentile(r.Requests, 99), Percentile(r.Requests, 100),
		float64(Percentile(r.Waits, 50))/second, float64(Percentile(r.Waits, 99))/second, whole,
		r.Undercut, r.Floors, r.Lost, r.Twice+r.Foreign)
}

// Broken says which promises were not kept, "" for none.
func (r *Result) Broken() string {
	var list []string
	for _, p := range []struct {
		n    int
		what string
	}{
		{r.Lost, "events lost"}, {r.Twice, "events delivered twice"}, {r.Foreign, "events of another run"},
		{r.Undercut, "requests before the server allowed them"}, {r.Unsettled, "calls without an outcome"},
		{r.Away, "clients that never came back"},
	} {
		if p.n > 0 {
			list = append(list, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	return strings.Join(list, ", ")
}
