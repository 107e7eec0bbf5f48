//go:build !js

package simulate

// carries reports whether x is the event stream of a call that is not over.
func (x *exchange) carries() bool {
	return x.headed && x.status == 200 && x.call != nil && !x.call.settled && x.call.job == x.job
}

// cut notes that a call's stream has ended, or an attempt to have it again: from
// here on counts what the stream has named as its reconnection time.
func (p *page) cut(k *call) {
	if k.settled {
		return
	}
	p.lose(k)
	if k.retry >= 0 {
		k.notBefore = max(k.notBefore, p.w.now+k.retry)
	}
}

// refused notes a 503, and what it says of the next attempt.
func (p *page) refused(x *exchange) {
	until := p.w.now + 1000*p.w.scenario.RetryAfter
	if p.w.scenario.RetryAfter == 0 {
		return
	}
	switch x.purpose {
	case forResume:
		x.call.notBefore = max(x.call.notBefore, until)
	case forHandshake, forInitialized:
		p.shakeNot = max(p.shakeNot, until)
	}
}

// checkFloor counts a request that comes before the server allowed it.
func (w *World) checkFloor(x *exchange) {
	var floor int64
	switch x.purpose {
	case forResume:
		floor = x.call.notBefore
	case forHandshake:
		floor = x.page.shakeNot
	}
	if floor == 0 {
		return
	}
	w.result.Floors++
	if w.now < floor {
		w.result.Undercut++
	}
}

// lose notes that a call is without its stream.
func (p *page) lose(k *call) {
	if !k.whole {
		return
	}
	k.whole = false
	p.w.broken++
	if p.broken++; p.broken == 1 {
		p.since = max(p.w.now, p.w.mended)
	}
}

// back notes that a call has its stream again. The page is whole with the last.
func (p *page) back(k *call) {
	if k.whole {
		return
	}
	k.whole = true
	p.broken--
	w := p.w
	w.broken--
	if p.broken == 0 && w.began(w.now) && !w.finishing {
		w.whole(p)
	}
}
