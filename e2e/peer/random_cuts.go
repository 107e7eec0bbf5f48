//go:build !js

package peer

import (
	"hash/fnv"
	"io"
	"math/rand/v2"
	"time"
)

// RandomCuts decide by a seed where connections die. What befalls a run depends
// on the seed, its label and its number only, not on the order of events.
type RandomCuts struct {
	Seed uint64
	// Chance of a cut at each message, from 0 to 1.
	Chance float64
	// Most is the most cuts of one run; 0 means no limit.
	Most int
	// Hold makes the run wait after each cut until its client is back, so that
	// every cut hits. Without, the run goes on, and cuts that find nobody are none.
	Hold bool
	// Calm passes before the message that a cut falls on, so that the client has
	// read what came before it. A page loses what it had not read when the
	// connection dies, the first cursor included (see FIN), and then it rightly
	// has nothing to resume from: against browsers, 50 ms will do.
	Calm time.Duration
	// Hows are the ways to cut, of which one is drawn; nil means all five.
	Hows []Way
}

// A Way is a cut and what becomes of the message that it falls on.
type Way int

const (
	// CleanAfter ends the stream properly behind the message.
	CleanAfter Way = iota
	// FINAfter closes behind the message.
	FINAfter
	// FINWithin closes after some bytes of the message.
	FINWithin
	// ResetWithin sends RST after some bytes of the message.
	ResetWithin
	// ResetUnsent sends RST in place of the message, which the server takes for
	// sent: its bytes were in a buffer that the RST threw away.
	ResetUnsent
)

type dice struct {
	cuts *RandomCuts
	r    *rand.Rand
	n    int
}

func (c *RandomCuts) dice(call Call) *dice {
	if c == nil {
		return nil
	}
	h := fnv.New64a()
	io.WriteString(h, call.Label)
	return &dice{cuts: c, r: rand.New(rand.NewPCG(c.Seed, h.Sum64()+uint64(call.Run)))}
}

// around is a step and the cut that may fall on it.
func (d *dice) around(s Step) Script {
	if d == nil {
		return Script{s}
	}
	due, within := d.r.Float64() < d.cuts.Chance, d.r.IntN(200)
	hows := d.cuts.Hows
	if hows == nil {
		hows = []Way{CleanAfter, FINAfter, FINWithin, ResetWithin, ResetUnsent}
	}
	how := hows[d.r.IntN(len(hows))]
	if !due || d.cuts.Most > 0 && d.n == d.cuts.Most {
		return Script{s}
	}
	d.n++
	cut := Script{Eaten(s, Reset)}
	switch how {
	case CleanAfter:
		cut = Script{s, Cut(Clean)}
	case FINAfter:
		cut = Script{s, Cut(FIN)}
	case FINWithin:
		cut = Script{Torn(s, within, FIN)}
	case ResetWithin:
		cut = Script{Torn(s, within, Reset)}
	}
	if d.cuts.Calm > 0 {
		cut = append(Script{Pause(d.cuts.Calm)}, cut...)
	}
	if d.cuts.Hold {
		cut = append(cut, Resumed())
	}
	return cut
}

// ResumeFaults are random cuts of resumed streams, for OnResume and
// OnResumeRequest: with the given chance the connection dies before the answer,
// behind the headers or after some messages. The first most of them count.
func ResumeFaults(seed uint64, chance float64, most int) func(n int) Fault {
	return func(n int) Fault {
		r := rand.New(rand.NewPCG(seed, uint64(n)))
		if n > most || r.Float64() >= chance {
			return Fault{}
		}
		f := Fault{Cut: []Cutting{Clean, FIN, Reset}[r.IntN(3)], After: r.IntN(4)}
		f.NoAnswer = f.After == 0 && r.IntN(2) == 0
		return f
	}
}

// Eaten stores what another step sends and takes it for sent, but the connection
// dies in the given way with nothing of it on the wire.
func Eaten(s Step, how Cutting) Step {
	return Step{func(r *run) {
		r.tear = &tear{eaten, how}
		s.do(r)
		r.tear = nil
	}}
}

// eaten bytes are none, and yet all of them.
const eaten = -1
