//go:build !js

package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"
)

// pageLimit bounds what a page does for one scenario. The suite's own limit is
// above it, so that a page which hangs is told apart from a suite which does.
const pageLimit = 15 * time.Second

// desk is where the suite's client calls for one run. It drives the page and
// keeps how that ended.
type desk struct {
	browser     *browser
	interaction string
	server      *httptest.Server
	ended       chan ending
}

func newDesk(b *browser, interaction string) *desk {
	d := &desk{browser: b, interaction: interaction, ended: make(chan ending, 1)}
	d.server = httptest.NewServer(d)
	return d
}

func (d *desk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var t task
	if err := json.NewDecoder(r.Body).Decode(&t); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	t.Interaction = d.interaction
	// The client hangs up when it is killed; the page ends with it.
	ctx, cancel := context.WithTimeout(r.Context(), pageLimit)
	defer cancel()
	got, err := d.browser.drive(ctx, t)
	end := ending{done: got.OK, reason: got.Reason, spoke: got.Spoke}
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		end = ending{timedOut: true, reason: fmt.Sprintf("the page did not end within %v", pageLimit)}
	case err != nil:
		end = ending{reason: "the page broke: " + err.Error()}
	}
	select {
	case d.ended <- end:
	default: // a second call for the same run: the first one counts
	}
	// A client that hung up does not read this.
	_ = json.NewEncoder(w).Encode(result{OK: end.done, Reason: end.reason})
}

// close ends the desk and says how the client ended.
func (d *desk) close() ending {
	d.server.CloseClientConnections()
	d.server.Close()
	select {
	case end := <-d.ended:
		return end
	default:
		return ending{reason: "the suite did not start its client"}
	}
}
