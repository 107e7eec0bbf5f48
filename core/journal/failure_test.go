package journal_test

import (
	"errors"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
	. "github.com/holdfast-mcp/holdfast/core/journal"
)

func TestFailuresRoundTrip(t *testing.T) {
	for _, e := range []*engine.Error{
		{Code: engine.CodeLost},
		{Code: engine.CodeHTTP, Op: "tools/call", Status: 503, Retryable: true, Message: "€ \x00 \xff",
			Cause: errors.New("why")},
		{Code: "a code of a later version", Message: "m",
			Cause: &engine.Error{Op: "fetch", Message: "m", Cause: errors.New("deep")}},
	} {
		got, err := ParseFailure(AppendFailure(nil, e))
		if err != nil || dumpFailure(got) != dumpFailure(e) || got.Error() != e.Error() {
			t.Errorf("wrote %s, read %v, %v", dumpFailure(e), got, err)
		}
	}
	got, err := ParseFailure(AppendFailure(nil, &engine.Error{Code: "x", Status: -1}))
	if err != nil || got.Status != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	for name, b := range map[string][]byte{
		"nothing": nil, "no code": {Version, Oldest, TagOp, 1, 'x'},
		"zeros":         {Version, Oldest, TagCode, 1, 'x', 0, 0},
		"number of two": {Version, Oldest, TagCode, 1, 'x', TagStatus, 2, 1, 1},
	} {
		if e, err := ParseFailure(b); err != ErrCorrupt || e != nil {
			t.Errorf("%s: %v, %v", name, e, err)
		}
	}
}
