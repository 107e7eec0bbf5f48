//go:build !js

package simulate

import (
	"math"
	"math/rand/v2"
)

// oneWay draws how long a packet takes between a page and the service, in ms: a
// log-normal with a median of 40 ms (a round trip of 80), 1 in 100 above 200,
// and no farther than a satellite.
func oneWay(rng *rand.Rand) int64 {
	const median, sigma = 40, 0.7
	return int64(min(max(median*math.Exp(sigma*rng.NormFloat64()), 2), 600))
}

// between draws a number from low to high-1.
func between(rng *rand.Rand, low, high int64) int64 {
	if high <= low {
		return low
	}
	return low + rng.Int64N(high-low)
}
