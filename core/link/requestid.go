package link

// RequestIDs gives out the ids of requests: plain integers, which every peer
// echoes exactly, unlike some do strings. An id is epoch * 2^24 + counter, so
// that two loads of a page never give the same one to two requests.
type RequestIDs struct {
	Epoch   uint32 // of this load of the page, below EpochLimit
	counter uint32
}

// EpochLimit bounds an epoch: ids have to stay below 2^53, beyond which
// JavaScript peers round them.
const EpochLimit = 1 << 29

// counterBits is the part of an id that counts: 16 million requests for each
// load of the page.
const counterBits = 24

// Own reports whether an id is of this load of the page.
func (r *RequestIDs) Own(id uint64) bool { return id>>counterBits == uint64(r.Epoch) }

// Next takes the next id.
func (r *RequestIDs) Next() uint64 {
	r.counter++
	if r.counter >= 1<<counterBits {
		// A page that has made 16 million requests moves on to the next epoch; the
		// ids it holds stay unique within its own lifetime.
		r.counter = 1
		r.Epoch = (r.Epoch + 1) % EpochLimit
	}
	return uint64(r.Epoch)<<counterBits | uint64(r.counter)
}
