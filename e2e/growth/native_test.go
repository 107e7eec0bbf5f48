//go:build !js

package growth

import (
	"bufio"
	"bytes"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// nativeCurve says what a benchmark of the core's measures, by its name and its
// metric.
type nativeCurve struct{ benchmark, metric, panel, name, unit string }

var nativeCurves = []nativeCurve{
	{"BenchmarkGrowthConcurrent", "cpu-ns/call", "Calls under way in the core, natively", "under way at once",
		"us a call"},
	{"BenchmarkGrowthRestore", "cpu-ns/call", "Calls restored by the core, natively", "restored",
		"us a call"},
	{"BenchmarkGrowthRestore", "B/call", "Calls restored by the core, natively", "memory once restored",
		"KB a call"},
	{"BenchmarkGrowthTranscript", "cpu-ns/update", "Updates of a transcript in the core, natively",
		"one message of many chunks", "us an update"},
	{"BenchmarkGrowthItems", "cpu-ns/update", "Updates of a transcript in the core, natively",
		"one item for each update", "us an update"},
	{"BenchmarkGrowthItems", "B/update", "Updates of a transcript in the core, natively",
		"memory of those items", "KB an update"},
}

// coreCurves runs the core's own benchmarks, as a user would: e2e imports nothing
// of the core.
func coreCurves(root string) ([]Curve, error) {
	c := exec.Command("go", "test", "-run", "^$", "-bench", "^BenchmarkGrowth", "-benchtime", "5x",
		"./core/mcp", "./core/acp")
	c.Dir = root
	out, err := c.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	return readCurves(out), nil
}

// readCurves reads lines such as
// "BenchmarkX/calls=10-2  5  1 ns/op  2 B/call  3 cpu-ns/call".
func readCurves(out []byte) []Curve {
	curves := make([]Curve, len(nativeCurves))
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		words := strings.Fields(lines.Text())
		if len(words) < 4 {
			continue
		}
		benchmark, size, _ := strings.Cut(words[0], "/")
		_, size, _ = strings.Cut(size, "=")
		size, _, _ = strings.Cut(size, "-")
		n, err := strconv.Atoi(size)
		if err != nil {
			continue
		}
		for i, of := range nativeCurves {
			for at := 3; at < len(words); at += 2 {
				if v, err := strconv.ParseFloat(words[at-1], 64); err == nil && of.benchmark == benchmark &&
					of.metric == words[at] {
					curves[i].Points = append(curves[i].Points, Point{n, v / scale(of.metric)})
				}
			}
		}
	}
	kept := curves[:0]
	for i, of := range nativeCurves {
		if len(curves[i].Points) > 0 {
			c := curves[i]
			c.Panel, c.Name, c.Unit = of.panel, of.name, of.unit
			kept = append(kept, c)
		}
	}
	return kept
}

// scale is how many of a metric's make one of the picture's.
func scale(metric string) float64 {
	if strings.HasPrefix(metric, "B/") {
		return 1024
	}
	return 1000
}

func TestReadCurves(t *testing.T) {
	got := readCurves([]byte(`goos: linux
BenchmarkGrowthRestore/calls=10-2   5   178936 ns/op   2048 B/call   17894 cpu-ns/call
BenchmarkGrowthRestore/calls=100-2  5   1452126 ns/op   4096 B/call  14521 cpu-ns/call
PASS
`))
	want := "[{Calls restored by the core, natively restored us a call [{10 17.894} {100 14.521}]} {Calls " +
		"restored by the core, natively memory once restored KB a call [{10 2} {100 4}]}]"
	if fmt.Sprint(got) != want {
		t.Errorf("got %v", got)
	}
}
