//go:build !js

package simulate

// binWidth is the resolution of a curve, in ms.
const binWidth = 10

// curve counts what happens over time.
type curve struct {
	bins  []uint32
	total int
}

func (c *curve) add(at int64) {
	i := int(at / binWidth)
	for len(c.bins) <= i {
		c.bins = append(c.bins, make([]uint32, max(1024, i-len(c.bins)+1))...)
	}
	c.bins[i]++
	c.total++
}

// Busiest returns how many fall into the fullest window of that width, in ms,
// that begins at from or later.
func (c *curve) Busiest(width, from int64) int {
	n, most, sum := int(width/binWidth), 0, 0
	first := int(from / binWidth)
	for i := first; i < len(c.bins); i++ {
		sum += int(c.bins[i])
		if i >= first+n {
			sum -= int(c.bins[i-n])
		}
		most = max(most, sum)
	}
	return most
}

// Mean returns how many there are in a second, from the first until 99 of 100
// have been.
func (c *curve) Mean() float64 {
	first, sum := -1, 0
	for i, n := range c.bins {
		if sum += int(n); n > 0 && first < 0 {
			first = i
		}
		if first >= 0 && sum*100 >= c.total*99 {
			return float64(sum) * second / float64(int64(i-first+1)*binWidth)
		}
	}
	return 0
}

// Total returns how many there are.
func (c *curve) Total() int { return c.total }
