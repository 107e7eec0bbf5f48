//go:build !js

package simulate

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// The measures of a chart, in SVG units.
const (
	chartWidth  = 900
	panelHeight = 150
	chartLeft   = 70
	chartRight  = 20
	chartTop    = 40
	panelGap    = 56
)

// Line is one curve of a panel.
type Line struct {
	Label string
	Color string
	curve *curve
}

// Panel is the arrival curves of one incident, over each other.
type Panel struct {
	Title    string
	Capacity int   // requests per second that the service can serve
	Until    int64 // ms that are shown
	Lines    []Line
}

// Curve returns the arrival curve of r as a line.
func (r *Result) Curve(label, color string) Line { return Line{label, color, &r.Arrivals} }

// Chart draws panels below each other as an SVG: requests per second over time,
// on a logarithmic scale, since the first second is a hundred times the rest.
func Chart(title string, panels []Panel) string {
	var b strings.Builder
	height := chartTop + len(panels)*(panelHeight+panelGap)
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="system-ui,`+
		` sans-serif" font-size="12">`+"\n", chartWidth, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#fff"/><text x="%d" y="22" font-size="15" `+
		`font-weight="600">%s</text>`+"\n", chartWidth, height, chartLeft, html.EscapeString(title))
	for i, p := range panels {
		p.draw(&b, chartTop+i*(panelHeight+panelGap)+18)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func (p *Panel) draw(b *strings.Builder, top int) {
	most := float64(p.Capacity)
	for _, l := range p.Lines {
		most = max(most, float64(l.curve.Busiest(second, 0)))
	}
	decades := math.Ceil(math.Log10(most))
	plot := float64(chartWidth - chartLeft - chartRight)
	x := func(ms int64) float64 { return chartLeft + plot*float64(ms)/float64(p.Until) }
	y := func(rate float64) float64 {
		return float64(top+panelHeight) - panelHeight*math.Log10(max(rate, 1))/decades
	}
	fmt.Fprintf(b, `<text x="%d" y="%d" font-weight="600">%s</text>`+"\n", chartLeft, top-6,
		html.EscapeString(p.Title))
	for d := 0.0; d <= decades; d++ {
		at := y(math.Pow(10, d))
		fmt.Fprintf(b, `<path d="M%d %.1fH%d" stroke="#e4e4e4"/><text x="%d" y="%.1f" text-anchor="end" `+
			`fill="#555">%.0f</text>`+"\n", chartLeft, at, chartWidth-chartRight, chartLeft-6, at+4,
			math.Pow(10, d))
	}
	for i := range int64(6) {
		at := p.Until * i / 5
		fmt.Fprintf(b, `<text x="%.1f" y="%d" text-anchor="middle" fill="#555">%d s</text>`+"\n", x(at),
			top+panelHeight+16, at/second)
	}
	fmt.Fprintf(b, `<path d="M%d %.1fH%d" stroke="#999" stroke-dasharray="5 4"/><text x="%d" y="%.1f" `+
		`text-anchor="end" fill="#777">can be served</text>`+"\n", chartLeft, y(float64(p.Capacity)),
		chartWidth-chartRight, chartWidth-chartRight, y(float64(p.Capacity))-4)
	for i, l := range p.Lines {
		fmt.Fprintf(b, `<path fill="none" stroke="%s" stroke-width="1.4" d="%s"/>`+"\n", l.Color,
			l.curve.path(p.Until, x, y))
		fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="end" fill="%s">%s</text>`+"\n",
			chartWidth-chartRight-i*130, top-6, l.Color, html.EscapeString(l.Label))
	}
}

// path joins the rates of each 1 s, or of each 600th of what is shown.
func (c *curve) path(until int64, x func(int64) float64, y func(float64) float64) string {
	var b strings.Builder
	step := max(until/600, second)
	for at := int64(0); at < until; at += step {
		sum := 0
		for i := at / binWidth; i < (at+step)/binWidth && int(i) < len(c.bins); i++ {
			sum += int(c.bins[i])
		}
		cmd := "L"
		if at == 0 {
			cmd = "M"
		}
		fmt.Fprintf(&b, "%s%.1f %.1f", cmd, x(at), y(float64(sum)*second/float64(step)))
	}
	return b.String()
}
