package journal

import "github.com/holdfast-mcp/holdfast/core/engine"

// OpKind says what an Op is about.
type OpKind uint8

// The kinds of Op. JavaScript has the same numbers (web/src/base/border.ts).
const (
	OpServer OpKind = iota + 1 // the server's row: put, or as loaded
	OpCall                     // a call's head, with its owner's epoch: add, or as loaded
	OpLog                      // a row of its log: add, or as loaded
	OpForget                   // a call, head and log: delete
	// OpKey claims the key that is its Plain, the app's own name for a call, for a
	// call that is added in the same commit. Where another call that is stored has
	// it, nothing of the commit about this one is written; with OpOwned that is
	// written without the key. As read: the call has lost its key to the one
	// whose head and log follow, as they were then.
	OpKey
)

// OpFlags say more of an Op.
type OpFlags uint8

// OpOwned: of what was loaded (OpCall), this page carries the call on. Of what is
// to be written (OpForget), that only its owner may do it: of a page whose
// epoch is over, and who does not know, nothing in the commit about the call is written.
const OpOwned OpFlags = 1

// OpEnded: the row that is to be written (OpLog) holds the call's outcome, or comes
// after it. Nobody needs to carry the call on: who reads it later neither takes it
// over by itself nor opens its secrets. Of the server's row (OpServer), that its
// session is ended: no page uses it, and the next handshake is the first of its time.
// Of a call that is forgotten (OpForget), that an app was handed its outcome, which has acknowledged it: the
// tab that carried the call can tell it for a while. So of one without content that changed hands (OpCall).
const OpEnded OpFlags = 2

// OpAwaited: the app, or a commit that needs the room, waits to hear that the call is
// deleted (OpForget), or the client does, since the store has failed that once.
const OpAwaited OpFlags = 4

// OpBeside: the server's row (OpServer) of a build that cannot read the one that is
// there, whose session another build goes on in. It rests beside that, and is read after it.
const OpBeside OpFlags = 8

// Gone says why a call is forgotten (OpForget). The numbers are stored: never
// renumber; there is no room for more.
type Gone uint8

const (
	GoneAcked    Gone = iota // the app is done with it
	GoneExpired              // its retention is over
	GoneEvicted              // it had ended, and there was no room for it
	GoneInMemory             // it takes too much room, and goes on in the memory of the page that carries it
)

// OpOutcome are the flags of a call that is forgotten (OpForget), or of one that
// changed hands and is stored no more (OpCall without content): why, and what its
// outcome was; 0 where it had not ended. Who follows it and has not heard of that is
// told it rather than that somebody has given it up.
func OpOutcome(why Gone, kind engine.Outcome) OpFlags {
	return (OpFlags(why)<<2 | OpFlags(kind)) << opOutcomeShift
}

// opOutcomeShift is the first bit of what OpOutcome returns: those below it are OpOwned
// and the others.
const opOutcomeShift = 4

// Outcome returns what outcome OpOutcome was given.
func (f OpFlags) Outcome() engine.Outcome { return engine.Outcome(f >> opOutcomeShift & 3) }

// Gone returns why the call is forgotten.
func (f OpFlags) Gone() Gone { return Gone(f >> (opOutcomeShift + 2)) }

// Op is one thing to write in a commit, or one thing that was read. Rows are
// keyed by call, epoch and number: an epoch is the time of one owner, so that
// two who both believe they own a call never write the same key.
type Op struct {
	Kind          OpKind
	Flags         OpFlags
	Call          uint64 // below 2^53
	Epoch, N      uint32
	Plain, Secret []byte // of a head as it was read, Secret is the name of the tab that carries the call
}

// AckRow says that the app has done with a call's events up to position. It is a
// row of epoch 0, which no owner has, with the position for its number: any tab
// may write it, whoever carries the call, and no takeover makes it void. A higher
// one takes the place of those below it.
func AckRow(call uint64, position uint32) Op { return Op{Kind: OpLog, Call: call, N: position} }

// IsAck reports whether the op is an AckRow.
func (op *Op) IsAck() bool { return op.Kind == OpLog && op.Epoch == 0 }

// TakeAcks takes the AckRows out of what was read of one call's log, and returns
// the highest position of them.
func TakeAcks(log []Op) (acked uint32, rest []Op) {
	rest = log[:0]
	for _, op := range log {
		if op.IsAck() {
			acked = max(acked, op.N)
		} else {
			rest = append(rest, op)
		}
	}
	return acked, rest
}

// opHeader is the fixed part of an encoded Op, in bytes: kind, flags, two of
// padding, epoch, n, call (low and high word), length of plain and of secret,
// all little-endian 32-bit words but the first.
const opHeader = 28

// AppendOp appends an Op in the form that both sides of the boundary read.
func AppendOp(b []byte, op Op) []byte {
	return append(append(appendOpHeader(b, &op), op.Plain...), op.Secret...)
}

func appendOpHeader(b []byte, op *Op) []byte {
	b = append(b, byte(op.Kind), byte(op.Flags), 0, 0)
	for _, w := range [...]uint32{op.Epoch, op.N, uint32(op.Call), uint32(op.Call >> 32),
		uint32(len(op.Plain)), uint32(len(op.Secret))} {
		b = append(b, byte(w), byte(w>>8), byte(w>>16), byte(w>>24))
	}
	return b
}

// OpRoom is how many bytes an Op has before its Plain.
const OpRoom = opHeader

// WrapOp returns what AppendOp does, made around the op's Plain in the memory where that lies:
// right behind the length of backing, which is at least that of b and OpRoom. That memory is taken.
func WrapOp(b []byte, op Op, backing []byte) []byte {
	from := len(backing) - OpRoom - len(b)
	appendOpHeader(append(backing[:from], b...), &op)
	return append(backing[from:len(backing)+len(op.Plain)], op.Secret...)
}

// Ops reads encoded Ops.
type Ops struct{ p []byte }

// ReadOps returns a reader of b.
func ReadOps(b []byte) Ops { return Ops{b} }

// Err returns ErrCorrupt where Next has stopped before the end of the input.
func (o *Ops) Err() error {
	if len(o.p) > 0 {
		return ErrCorrupt
	}
	return nil
}

// Next takes the next Op, whose bytes alias the input; false at the end, and
// where the rest is no Op. One of a call without a number, or with one that JavaScript would
// round, is left out: no call of ours has it, and it must not hide the others.
func (o *Ops) Next() (Op, bool) {
	for len(o.p) >= opHeader {
		word := func(i int) uint32 {
			p := o.p[4+4*i:]
			return uint32(p[0]) | uint32(p[1])<<8 | uint32(p[2])<<16 | uint32(p[3])<<24
		}
		op := Op{Kind: OpKind(o.p[0]), Flags: OpFlags(o.p[1]), Epoch: word(0), N: word(1),
			Call: uint64(word(2)) | uint64(word(3))<<32}
		plain, secret := uint64(word(4)), uint64(word(5))
		rest := o.p[opHeader:]
		if op.Kind == 0 || plain+secret > uint64(len(rest)) {
			return Op{}, false
		}
		op.Plain, op.Secret = rest[:plain:plain], rest[plain:plain+secret:plain+secret]
		o.p = rest[plain+secret:]
		if op.Call <= maxSafe && (op.Call != 0 || op.Kind == OpServer) {
			return op, true
		}
	}
	return Op{}, false
}
