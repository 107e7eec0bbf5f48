package link

import (
	"strings"
	"testing"
)

func TestCursorResumable(t *testing.T) {
	for id, want := range map[string]bool{
		"":                           false,
		"a":                          true,
		"a b\tc":                     true,
		" a":                         false,
		"a ":                         false,
		"\ta":                        false,
		"a\t":                        false,
		" ":                          false,
		"\u2026":                     true,
		"\u00a0a\u00a0":              true, // no-break space is not HTTP white space
		"\x01":                       true,
		strings.Repeat("x", 8<<10):   true,
		strings.Repeat("x", 8193):    false,
		strings.Repeat("é", 4<<10):   true, // bytes count, not characters
		strings.Repeat("é", 4<<10+1): false,
	} {
		c := Cursor{ID: []byte(id)}
		if got := c.Resumable(); got != want {
			t.Errorf("%.20q (%d bytes): %v", id, len(id), got)
		}
		if h := c.Header(); h.Name != "Last-Event-ID" || h.Value != id {
			t.Errorf("%.20q is sent as %.20q", id, h.Value)
		}
	}
}
