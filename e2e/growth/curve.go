//go:build !js

package growth

import (
	"fmt"
	"strings"
)

// Point is what one unit costs where there are N of them.
type Point struct {
	N    int
	Cost float64
}

// Curve is how one cost grows.
type Curve struct {
	Panel  string // which picture it is in
	Name   string
	Unit   string // of Cost, for one call or update
	Points []Point
}

// grown returns by how much one unit costs more at the end of the curve than where
// it costs least: 1 for a flat curve, whose beginning may be dearer.
func (c *Curve) grown() float64 {
	least := c.Points[0].Cost
	for _, p := range c.Points {
		least = min(least, p.Cost)
	}
	return c.Points[len(c.Points)-1].Cost / least
}

// Table writes the curves as a table in markdown. The first curve of a panel has all
// the columns; another may have points at some of them.
func Table(curves []Curve) string {
	var b strings.Builder
	var columns []Point
	for i, c := range curves {
		if i == 0 || c.Panel != curves[i-1].Panel {
			columns = c.Points
			fmt.Fprintf(&b, "\n## %s\n\n| what one costs |", c.Panel)
			for _, p := range columns {
				fmt.Fprintf(&b, " at %s |", thousands(p.N))
			}
			b.WriteString(" last / least |\n|---|" + strings.Repeat("---:|", len(columns)+1) + "\n")
		}
		fmt.Fprintf(&b, "| %s, %s |", c.Name, c.Unit)
		for _, column := range columns {
			cell := ""
			for _, p := range c.Points {
				if p.N == column.N {
					cell = figure(p.Cost) + " "
				}
			}
			fmt.Fprintf(&b, " %s|", cell)
		}
		fmt.Fprintf(&b, " %.2f |\n", c.grown())
	}
	return b.String()
}

// thousands writes 10000 as 10,000.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// figure writes a cost in three digits or so.
func figure(v float64) string {
	switch {
	case v >= 100:
		return thousands(int(v + 0.5))
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}
