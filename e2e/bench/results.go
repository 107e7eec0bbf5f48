//go:build !js

package main

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
)

// key names one figure of one contender.
type key struct {
	contender, figure string
}

// results are the samples of a run, one a round, in the order of the rounds.
type results struct {
	samples map[key][]float64
	notes   map[key]string // instead of a figure: why there is none
}

func newResults() *results {
	return &results{samples: make(map[key][]float64), notes: make(map[key]string)}
}

func (r *results) add(contender, figure string, value float64) {
	k := key{contender, figure}
	r.samples[k] = append(r.samples[k], value)
}

func (r *results) note(contender, figure, why string) {
	r.notes[key{contender, figure}] = why
}

// keys are the figures that there is something of, by contender and figure.
func (r *results) keys() []key {
	all := make(map[key]bool)
	for k := range r.samples {
		all[k] = true
	}
	for k := range r.notes {
		all[k] = true
	}
	return slices.SortedFunc(maps.Keys(all), func(a, b key) int {
		return cmp.Or(strings.Compare(a.contender, b.contender), strings.Compare(a.figure, b.figure))
	})
}

// median of all samples of a figure; NaN for none.
func (r *results) median(contender, figure string) float64 {
	return quantile(r.samples[key{contender, figure}], 0.5)
}

// ratio compares a contender with another in every round, and gives the
// quartiles of the ratios: what the machine did meanwhile met both.
func (r *results) ratio(contender, other, figure string) (low, mid, high float64) {
	a, b := r.samples[key{contender, figure}], r.samples[key{other, figure}]
	var ratios []float64
	for i := range min(len(a), len(b)) {
		if b[i] > 0 {
			ratios = append(ratios, a[i]/b[i])
		}
	}
	return quantile(ratios, 0.25), quantile(ratios, 0.5), quantile(ratios, 0.75)
}

// quantile interpolates between the two samples around it.
func quantile(samples []float64, q float64) float64 {
	if len(samples) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(samples))
	at := q * float64(len(sorted)-1)
	below := int(at)
	above := min(below+1, len(sorted)-1)
	return sorted[below] + (sorted[above]-sorted[below])*(at-float64(below))
}
