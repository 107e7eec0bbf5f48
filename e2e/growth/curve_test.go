//go:build !js

package growth

import (
	"testing"
)

// TestTableOfCurvesThatBeginLater: a figure stands under the number that it was measured at.
func TestTableOfCurvesThatBeginLater(t *testing.T) {
	got := Table([]Curve{
		{Panel: "P", Name: "time", Unit: "us", Points: []Point{{1, 10}, {100, 5}, {1_000, 6}}},
		{Panel: "P", Name: "memory", Unit: "KB", Points: []Point{{100, 3}, {1_000, 4.5}}},
		{Panel: "Q", Name: "time", Unit: "us", Points: []Point{{10, 1234}}},
	})
	want := `
## P

| what one costs | at 1 | at 100 | at 1,000 | last / least |
|---|---:|---:|---:|---:|
| time, us | 10.0 | 5.00 | 6.00 | 1.20 |
| memory, KB | | 3.00 | 4.50 | 1.50 |

## Q

| what one costs | at 10 | last / least |
|---|---:|---:|
| time, us | 1,234 | 1.00 |
`
	if got != want {
		t.Errorf("got %s", got)
	}
}
