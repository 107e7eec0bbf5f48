//go:build !js

package main

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// markdown writes the tables and the goals.
func markdown(w io.Writer, a about, f *field, r *results, events int) {
	fmt.Fprintf(w, "%s. %d rounds.\n\nFigures are medians. In brackets: how many times that of the "+
		"contender which the table names, as the median of the rounds' ratios with its quartiles.\n\n", a,
		a.Rounds)
	fmt.Fprintf(w, "| contender | |\n| --- | --- |\n")
	for _, e := range f.entrants {
		fmt.Fprintf(w, "| `%s` | %s |\n", e.name, e.what)
	}
	if alone := r.alone(); alone != "" {
		fmt.Fprintf(w, "\n%s\n", alone)
	}
	for _, s := range sections(events) {
		if table := s.table(f, r); table != "" {
			fmt.Fprintf(w, "\n### %s\n\n", s.title)
			if s.note != "" {
				fmt.Fprintf(w, "%s ", s.note)
			}
			if s.base != "" {
				fmt.Fprintf(w, "Ratios are to `%s`.", s.base)
			}
			fmt.Fprintf(w, "\n\n%s", table)
		}
	}
	verdicts := judge(r)
	if len(verdicts) == 0 {
		return
	}
	fmt.Fprint(w, "\n### Goals\n\n| goal | limit | measured | |\n| --- | ---: | ---: | --- |\n")
	for _, v := range verdicts {
		got := fmt.Sprintf("%.3g", v.Got)
		if v.Got >= 1_000 {
			got = fmt.Sprintf("%.0f", v.Got) // and not 1.5e+03
		}
		fmt.Fprintf(w, "| %s | %.4g | %s | %s |\n", v.Goal, v.Limit, got, v)
	}
}

// table is the section as a table, "" where nothing of it was measured.
func (s section) table(f *field, r *results) string {
	var rows strings.Builder
	for _, e := range f.entrants {
		cells := make([]string, len(s.figures))
		any := false
		for i, fig := range s.figures {
			cells[i] = r.cell(e.name, s.base, fig)
			any = any || cells[i] != ""
		}
		if any {
			fmt.Fprintf(&rows, "| `%s` | %s |\n", e.name, strings.Join(cells, " | "))
		}
	}
	if rows.Len() == 0 {
		return ""
	}
	head, rule := "| |", "| --- |"
	for _, fig := range s.figures {
		head += " " + fig.title + " |"
		rule += " ---: |"
	}
	return head + "\n" + rule + "\n" + rows.String()
}

// cell is one figure of one contender, or why there is none.
func (r *results) cell(contender, base string, fig figure) string {
	mid := r.median(contender, fig.name)
	note := r.notes[key{contender, fig.name}]
	if math.IsNaN(mid) {
		return note
	}
	text := grouped(mid, fig.digits)
	if note != "" {
		text += " (" + note + ")" // in some rounds only
	}
	if fig.bare || contender == base {
		return text
	}
	low, ratio, high := r.ratio(contender, base, fig.name)
	if math.IsNaN(ratio) {
		return text
	}
	return fmt.Sprintf("%s (%.2f, %.2f-%.2f)", text, ratio, low, high)
}

// grouped writes a number with commas between its thousands.
func grouped(value float64, digits int) string {
	text := strconv.FormatFloat(value, 'f', digits, 64)
	whole, rest, _ := strings.Cut(text, ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "-", whole[1:]
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if rest != "" {
		whole += "." + rest
	}
	return sign + whole
}
