package main

import (
	"path/filepath"
	"testing"
)

// ceilings has what was reached. A commit that lowers a figure writes the new one here.
var ceilings = map[string]struct {
	upward int
	types  map[string]size
}{
	"core/mcp": {169, map[string]size{
		"Client": {Methods: 300, Takers: 189, Fields: 60, Nested: 169},
		"call":   {Methods: 157, Takers: 118, Fields: 24, Nested: 76},
	}},
	"core/acp": {105, map[string]size{
		"Client":  {Methods: 178, Takers: 159, Fields: 35, Nested: 68},
		"session": {Methods: 86, Takers: 63, Fields: 47, Nested: 58},
	}},
	"core/tabs":           {17, nil},
	"core/durable":        {3, nil},
	"core/link":           {2, nil},
	"core/acp/transcript": {5, nil},
}

func TestTheCoreGrowsNoLarger(t *testing.T) {
	for _, room := range measured {
		t.Run(room.folder, func(t *testing.T) {
			p, err := load(filepath.Join("../../..", room.folder))
			if err != nil {
				t.Fatal(err)
			}
			ceiling := ceilings[room.folder]
			if upward := p.arrows().upward() + p.calledBack(); upward > ceiling.upward {
				t.Errorf("%d arrows between files run upward, %d were reached", upward, ceiling.upward)
			}
			for _, name := range room.types {
				found, err := p.measure(name)
				if err != nil {
					t.Fatal(err)
				}
				most := ceiling.types[name]
				if found.Sum() > most.Sum() || found.Fields > most.Fields || found.Nested > most.Nested {
					t.Errorf("%s has %+v, %+v was reached", name, found, most)
				}
			}
		})
	}
}

func TestAGraphKnowsWhatRunsUpward(t *testing.T) {
	for _, row := range []struct {
		name   string
		arrows [][2]string
		upward int
	}{
		{"a line", [][2]string{{"a", "b"}, {"b", "c"}}, 0},
		{"a circle of two", [][2]string{{"a", "b"}, {"b", "a"}}, 1},
		{"a circle of three", [][2]string{{"a", "b"}, {"b", "c"}, {"c", "a"}}, 1},
		{"two circles that share a file", [][2]string{{"a", "b"}, {"b", "a"}, {"b", "c"}, {"c", "b"}}, 2},
		{"a circle on a ground", [][2]string{{"a", "b"}, {"b", "a"}, {"a", "g"}, {"b", "g"}}, 1},
	} {
		drawn := graph{}
		for _, one := range row.arrows {
			drawn.add(one[0], one[1])
		}
		if upward := drawn.upward(); upward != row.upward {
			t.Errorf("%s: %d arrows run upward, not %d", row.name, upward, row.upward)
		}
	}
}
