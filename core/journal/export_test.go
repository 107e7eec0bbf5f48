package journal

// What the tests, which stand outside, need to know of the format.
const (
	Version       = version
	Oldest        = oldest
	MaxSafe       = maxSafe
	LastKind      = lastKind
	LastSkippable = lastSkippable
	Skippable     = skippable
)

// The tags of fields.
const (
	TagCode        = tagCode
	TagCreatedAt   = tagCreatedAt
	TagEndpoint    = tagEndpoint
	TagFlags       = tagFlags
	TagHeaderName  = tagHeaderName
	TagHeaderValue = tagHeaderValue
	TagKey         = tagKey
	TagMethod      = tagMethod
	TagOp          = tagOp
	TagRevision    = tagRevision
	TagSession     = tagSession
	TagStatus      = tagStatus
	TagTools       = tagTools
)

// Rest returns how many bytes of the row have not been read.
func (r *Row) Rest() int { return len(r.in.p) }

// Readers and writers of the parts that all rows are made of.
var (
	AppendField   = appendField
	AppendBytes   = appendBytes
	AppendUvarint = appendUvarint
	AppendHeader  = appendHeader
)

// Input reads what rows are made of.
type Input struct{ in input }

// NewInput returns one of b.
func NewInput(b []byte) *Input { return &Input{input{p: b}} }

// Uvarint reads a number.
func (i *Input) Uvarint() uint64 { return i.in.uvarint() }

// Bytes reads what has its length before it.
func (i *Input) Bytes() []byte { return i.in.bytes() }

// Err is the first error.
func (i *Input) Err() error { return i.in.err }

// Rest returns what of the ops has not been read.
func (o *Ops) Rest() []byte { return o.p }
