package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// row is one fault of the catalogue.
type row struct {
	Number  int      `json:"number"`  // never given to another fault
	Title   string   `json:"title"`   // a noun phrase of about five words
	Family  string   `json:"family"`  // a heading of page.md
	Happens string   `json:"happens"` // what can go wrong
	Sees    string   `json:"sees"`    // what the app, or the person, sees of it
	Does    string   `json:"does"`    // what the runtime does about it, where that is more
	Tests   []string `json:"tests"`   // what would fail if it no longer did: each has the number in its name
}

// kept is the number up to which the catalogue is whole, but for its gaps: a row that leaves it would take
// a promise with it.
const kept = 745

// gaps are numbers up to kept that no fault has, each with the last of its run.
var gaps = [][2]int{
	{113, 113}, {161, 163}, {165, 165}, {182, 183}, {185, 185}, {223, 225}, {228, 229}, {250, 251},
	{256, 256},
	{259, 261}, {265, 269}, {281, 287}, {293, 296}, {299, 299}, {313, 313}, {319, 319}, {328, 329},
	{333, 335},
	{344, 344}, {360, 360}, {567, 567}, {631, 634}, {641, 641}, {645, 646}, {658, 662}, {671, 672},
	{679, 682},
	{688, 689}, {694, 699}, {707, 709}, {724, 730},
}

func isGap(n int) bool {
	return slices.ContainsFunc(gaps, func(gap [2]int) bool { return gap[0] <= n && n <= gap[1] })
}

// parse reads the rows, which may stand in any order, and says all that is wrong with them.
func parse(text []byte) ([]row, error) {
	var rows []row
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&rows); err != nil {
		return nil, fmt.Errorf("faults.json: %w", err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, errors.New("faults.json: something stands behind its rows")
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.Number, b.Number) })
	var wrong []error
	has := map[int]bool{}
	for _, r := range rows {
		for _, problem := range r.problems() {
			wrong = append(wrong, fmt.Errorf("fault %d: %s", r.Number, problem))
		}
		if has[r.Number] {
			wrong = append(wrong, fmt.Errorf("fault %d stands twice", r.Number))
		}
		has[r.Number] = true
	}
	for n := 1; n <= kept; n++ {
		if has[n] == isGap(n) {
			wrong = append(wrong, fmt.Errorf("fault %d: its row has gone, or it is no gap any more", n))
		}
	}
	return rows, errors.Join(wrong...)
}

// problems says what is wrong with one row.
func (r row) problems() []string {
	var list []string
	if words := len(strings.Fields(r.Title)); words < 2 || words > 8 {
		list = append(list, fmt.Sprintf("its title has %d words, and not two to eight", words))
	}
	if strings.HasSuffix(r.Title, ".") {
		list = append(list, "its title is no sentence")
	}
	if !slices.Contains(families(), r.Family) {
		list = append(list, fmt.Sprintf("page.md has no rows of a family %q", r.Family))
	}
	if r.Happens == "" || r.Sees == "" || len(r.Tests) == 0 {
		list = append(list, "it says what happens and what is seen of it, and names a test")
	}
	if len(slices.Compact(slices.Sorted(slices.Values(r.Tests)))) != len(r.Tests) {
		list = append(list, "it names a test twice")
	}
	return list
}

// write returns the file of the rows: a field a line, and a test a line, so that two changes seldom meet.
func write(rows []row) ([]byte, error) {
	b := &bytes.Buffer{}
	encoder := json.NewEncoder(b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(rows)
	return b.Bytes(), err
}
