//go:build !js

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// The marks in a page of documentation between which the results go.
const (
	resultsBegin = "<!-- results: written by make bench -->"
	resultsEnd   = "<!-- end of results -->"
)

// write puts the tables into a page, between the marks, and the samples into a
// JSON file beside it.
func write(page string, a about, f *field, r *results, events int) error {
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	head, rest, found := strings.Cut(string(text), resultsBegin)
	_, tail, ended := strings.Cut(rest, resultsEnd)
	if !found || !ended {
		return fmt.Errorf("%s has no place for results: it needs the lines %s and %s", page, resultsBegin,
			resultsEnd)
	}
	var tables bytes.Buffer
	markdown(&tables, a, f, r, events)
	if err := os.WriteFile(page, []byte(head+resultsBegin+"\n\n"+tables.String()+"\n"+resultsEnd+tail),
		0o644); err != nil {
		return err
	}
	encoded, err := json.MarshalIndent(document(a, f, r), "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(strings.TrimSuffix(page, ".md")+".json", append(encoded, '\n'), 0o644)
}

// outcome is one figure of one contender in the JSON file.
type outcome struct {
	Contender string    `json:"contender"`
	Figure    string    `json:"figure"`
	Median    float64   `json:"median"`
	P25       float64   `json:"p25"`
	P75       float64   `json:"p75"`
	Samples   []float64 `json:"samples"`
}

type noted struct {
	Contender string `json:"contender"`
	Figure    string `json:"figure"`
	Note      string `json:"note"`
}

// document is the run as JSON: every sample, in the order of the rounds.
func document(a about, f *field, r *results) any {
	out := struct {
		About      about             `json:"about"`
		Contenders map[string]string `json:"contenders"`
		Results    []outcome         `json:"results"`
		Notes      []noted           `json:"notes"`
		Goals      []verdict         `json:"goals"`
	}{About: a, Contenders: make(map[string]string), Goals: judge(r)}
	for _, e := range f.entrants {
		out.Contenders[e.name] = e.what
	}
	for _, k := range r.keys() {
		if samples := r.samples[k]; len(samples) > 0 {
			out.Results = append(out.Results,
				outcome{k.contender, k.figure, quantile(samples, 0.5), quantile(samples, 0.25),
					quantile(samples, 0.75), samples})
		}
		if note := r.notes[k]; note != "" {
			out.Notes = append(out.Notes, noted{k.contender, k.figure, note})
		}
	}
	return out
}
