package engine

// Random is a small deterministic generator (splitmix64) for jitter. Core may
// not draw randomness: the host seeds it once from a real source, a test with
// a number that it prints. It is not for secrets.
type Random struct{ state uint64 }

// NewRandom returns a generator that always gives the same numbers for seed.
func NewRandom(seed uint64) Random { return Random{state: seed} }

// Below returns a number from 0 to n-1; 0 where n is not positive.
func (r *Random) Below(n int64) int64 {
	if n <= 0 {
		return 0
	}
	r.state += 0x9e3779b97f4a7c15
	z := r.state
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return int64((z ^ (z >> 31)) % uint64(n))
}
