//go:build !js

package growth

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"
)

func example() []Curve {
	return []Curve{
		{"A < B", "flat", "us", []Point{{1, 3}, {10, 2}, {100, 2}}},
		{"A < B", "steep", "KB", []Point{{1, 1}, {10, 10}, {100, 1000}}},
		{"C", "flat", "us", []Point{{10, 5}, {100, 5}}},
	}
}

// The picture is a document, with a title, and draws each point once.
func TestPicture(t *testing.T) {
	picture := Picture(example())
	tags := map[string]int{}
	for d := xml.NewDecoder(strings.NewReader(picture)); ; {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if start, ok := token.(xml.StartElement); ok {
			tags[start.Name.Local]++
		}
	}
	// Three points of flat and one of its legend, then two and one; a rectangle
	// for each of steep's, and the paper.
	if tags["circle"] != 3+1+2+1 || tags["rect"] != 3+1+1 || tags["title"] != 1 {
		t.Errorf("%v", tags)
	}
	for _, what := range []string{"prefers-color-scheme:dark", "A &lt; B", "1,000 KB at 100"} {
		if !strings.Contains(picture, what) {
			t.Errorf("the picture has no %s", what)
		}
	}
}

func TestTable(t *testing.T) {
	const want = `
## A < B

| what one costs | at 1 | at 10 | at 100 | last / least |
|---|---:|---:|---:|---:|
| flat, us | 3.00 | 2.00 | 2.00 | 1.00 |
| steep, KB | 1.00 | 10.0 | 1,000 | 1000.00 |

## C

| what one costs | at 10 | at 100 | last / least |
|---|---:|---:|---:|
| flat, us | 5.00 | 5.00 | 1.00 |
`
	if got := Table(example()); got != want {
		t.Errorf("got %s", got)
	}
}
