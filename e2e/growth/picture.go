//go:build !js

package growth

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// The picture's measures, in pixels.
const (
	panelWidth  = 480
	panelHeight = 250
	left        = 56 // of a panel's plot
	right       = 32
	top         = 40
	bottom      = 44
	rowHeight   = 18 // of the legend
	columns     = 2
)

// style lets the reader's page decide between light and dark. The four colours
// are told apart by the colour-blind as well (Okabe and Ito), and each line has a
// mark of its own.
const style = `<style>
svg{color-scheme:light dark;--paper:#ffffff;--ink:#1f2328;--faint:#d1d9e0;--soft:#59636e}
text{font:12px system-ui,sans-serif;fill:var(--ink)}.t{font-weight:600;font-size:14px}.s{fill:var(--soft);font-size:11px}
.g{stroke:var(--faint)}.f{stroke:var(--soft);stroke-dasharray:4 4}
.c0{--c:#0072b2}.c1{--c:#d55e00}.c2{--c:#009e73}.c3{--c:#b0508a}
.l{fill:none;stroke:var(--c);stroke-width:2}.m{fill:var(--paper);stroke:var(--c);stroke-width:2}
@media(prefers-color-scheme:dark){svg{--paper:#0d1117;--ink:#e6edf3;--faint:#30363d;--soft:#9198a1}.c0{--c:#58a6ff}.c1{--c:#ff9a4d}.c2{--c:#3fcf9f}.c3{--c:#e58fc3}}
</style>`

// highest is the top of each plot: a cost ten times that of the least is where a
// curve that is not flat leaves the picture.
const highest = 10

// Picture draws the curves, each as a multiple of its least cost: what is flat is
// a line along 1, whatever its unit.
func Picture(curves []Curve) string {
	var panels [][]Curve
	for i, c := range curves {
		if i == 0 || c.Panel != curves[i-1].Panel {
			panels = append(panels, nil)
		}
		panels[len(panels)-1] = append(panels[len(panels)-1], c)
	}
	legend := 0
	for _, p := range panels {
		legend = max(legend, len(p))
	}
	height := panelHeight + legend*rowHeight + 12
	rows := (len(panels) + columns - 1) / columns
	var b strings.Builder
	fmt.Fprintf(&b,
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-labelledby="title">`+
			`<title id="title">What one call or update costs as their number grows,`+
			` as a multiple of its least cost</title>%s`+
			`<rect width="100%%" height="100%%" fill="var(--paper)"/>`, columns*panelWidth, rows*height,
		style)
	for i, p := range panels {
		fmt.Fprintf(&b, `<g transform="translate(%d %d)">`, i%columns*panelWidth, i/columns*height)
		panel(&b, p)
		b.WriteString("</g>")
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func panel(b *strings.Builder, curves []Curve) {
	first, last := curves[0].Points[0].N, curves[0].Points[0].N
	for _, c := range curves {
		for _, p := range c.Points {
			first, last = min(first, p.N), max(last, p.N)
		}
	}
	decades := math.Log10(float64(last) / float64(first))
	x := func(n int) float64 {
		return left + math.Log10(float64(n)/float64(first))/decades*(panelWidth-left-right)
	}
	y := func(times float64) float64 {
		floor := float64(panelHeight - bottom)
		return floor - 14 - math.Log10(min(times, highest))*(floor-14-top)
	}
	fmt.Fprintf(b, `<text class="t" x="%d" y="20">%s</text>`, left, html.EscapeString(curves[0].Panel))
	for _, times := range []float64{1, 2, 5, 10} {
		class := "g"
		if times == 1 {
			class = "f"
		}
		fmt.Fprintf(b, `<line class="%s" x1="%d" x2="%d" y1="%.1f" y2="%.1f"/><text class="s" x="%d" `+
			`y="%.1f" text-anchor="end">%gx</text>`,
			class, left, panelWidth-right, y(times), y(times), left-8, y(times)+4, times)
	}
	for n := first; n <= last; n *= 10 {
		fmt.Fprintf(b, `<text class="s" x="%.1f" y="%d" text-anchor="middle">%s</text>`, x(n),
			panelHeight-bottom+18, thousands(n))
	}
	for i, c := range curves {
		least := c.Points[0].Cost
		for _, p := range c.Points {
			least = min(least, p.Cost)
		}
		var line, marks strings.Builder
		for j, p := range c.Points {
			command := "L"
			if j == 0 {
				command = "M"
			}
			px, py := x(p.N), y(p.Cost/least)
			fmt.Fprintf(&line, "%s%.1f %.1f", command, px, py)
			mark(&marks, i, px, py)
		}
		fmt.Fprintf(b, `<g class="c%d"><path class="l" d="%s"/>%s`, i%4, line.String(), marks.String())
		at := float64(panelHeight - bottom + 42 + i*rowHeight)
		fmt.Fprintf(b, `<path class="l" d="M%d %.1fh22"/>`, left, at-4)
		mark(b, i, left+11, at-4)
		ends := c.Points[len(c.Points)-1]
		fmt.Fprintf(b, `<text x="%d" y="%.1f">%s: %s %s at %s</text></g>`, left+30, at,
			html.EscapeString(c.Name), figure(ends.Cost), html.EscapeString(c.Unit), thousands(ends.N))
	}
}

// mark draws a point of the i-th curve.
func mark(b *strings.Builder, i int, x, y float64) {
	switch i % 4 {
	case 0:
		fmt.Fprintf(b, `<circle class="m" cx="%.1f" cy="%.1f" r="3.5"/>`, x, y)
	case 1:
		fmt.Fprintf(b, `<rect class="m" x="%.1f" y="%.1f" width="7" height="7"/>`, x-3.5, y-3.5)
	case 2:
		fmt.Fprintf(b, `<path class="m" d="M%.1f %.1fl4 7h-8z"/>`, x, y-4)
	case 3:
		fmt.Fprintf(b, `<path class="m" d="M%.1f %.1fl4 4-4 4-4-4z"/>`, x, y-4)
	}
}
