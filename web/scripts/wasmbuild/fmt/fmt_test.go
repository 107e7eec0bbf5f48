package fmt_test

import (
	"bytes"
	"errors"
	real "fmt"
	"testing"

	"github.com/holdfast-mcp/holdfast/web/scripts/wasmbuild/fmt"
)

type named struct{}

func (named) String() string { return "a name" }

// The formats are those of safejs v0.1.1, with the kinds that it passes.
func TestPrintsAsTheRealOne(t *testing.T) {
	for _, c := range []struct {
		format string
		args   []any
	}{
		{"%+v", []any{"a panic's text"}},
		{"%+v", []any{42}},
		{"%+v", []any{true}},
		{"%+v", []any{nil}},
		{"global %q is not defined", []any{"name"}},
		{"invalid type for instanceof: %v", []any{named{}}},
		{"invalid constructor type for instanceof: %v", []any{errors.New("no such field")}},
		{"%+v\n%s", []any{errors.New("failed"), named{}}},
		{"%q", []any{"text"}},
		{"%s\n\t%s:%d\n", []any{"main.main", "main.go", 7}},
	} {
		want := real.Sprintf(c.format, c.args...)
		if got := fmt.Sprintf(c.format, c.args...); got != want {
			t.Errorf("Sprintf(%q) = %q, want %q", c.format, got, want)
		}
		if got := fmt.Errorf(c.format, c.args...).Error(); got != want {
			t.Errorf("Errorf(%q) = %q, want %q", c.format, got, want)
		}
		var b bytes.Buffer
		if n, err := fmt.Fprintf(&b, c.format, c.args...); b.String() != want || n != len(want) ||
			err != nil {
			t.Errorf("Fprintf(%q) wrote %q (%d, %v), want %q", c.format, b.String(), n, err, want)
		}
	}
	var b bytes.Buffer
	if _, err := fmt.Fprint(&b, "the error's text"); b.String() != "the error's text" || err != nil {
		t.Errorf("Fprint wrote %q, %v", b.String(), err)
	}
}
