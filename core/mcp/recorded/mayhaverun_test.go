package recorded_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp/recorded"
)

// Fault 718: a call that was sent again may have run before, though its server refused the last request. A
// call whose every request was refused did not run.
func TestFault718_MayHaveRunOverAReload(t *testing.T) {
	for name, row := range map[string]struct {
		entries []journal.Kind
		want    bool
	}{
		"once":    {[]journal.Kind{journal.Sent}, false},
		"refused": {[]journal.Kind{journal.Sent, journal.Refused}, false},
		"refused each time": {[]journal.Kind{journal.Sent, journal.Refused, journal.Sent, journal.Refused},
			false},
		"run again, and refused":    {[]journal.Kind{journal.Sent, journal.Sent, journal.Refused}, true},
		"taken back, and sent anew": {[]journal.Kind{journal.Sent, journal.Unsent, journal.Sent}, false},
	} {
		call := recorded.New(journal.Head{}, 0)
		for _, kind := range row.entries {
			call.Fold(journal.Entry{Kind: kind})
		}
		if call.MayHaveRun != row.want {
			t.Errorf("%s: it may have run: %v", name, call.MayHaveRun)
		}
	}
}
