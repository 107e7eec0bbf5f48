package wire

// Revision is what one revision of MCP over HTTP means for a client: facts,
// compared by nothing but this table (spec: basic/transports, per revision).
type Revision struct {
	Name string
	// VersionHeader: MCP-Protocol-Version is sent after initialize. Required
	// from 2025-06-18; 2025-03-26 servers ignore it, as the official SDK found.
	VersionHeader bool
	// GetStream: a GET opens a stream for messages that answer no request.
	GetStream bool
	// BareGET: that GET needs no header field of the protocol's.
	BareGET bool
	// LastEventID: a cut stream continues with GET and Last-Event-ID.
	LastEventID bool
	// Batches: a message may be an array of messages.
	Batches bool
	// SelfDescribing: no handshake; every request carries version, client info
	// and capabilities in its _meta, and says in header fields what it asks
	// for. Servers send no requests, and closing a response stream cancels.
	SelfDescribing bool
	// CoreTasks: a tool's call may become a task (experimental, SEP-1686).
	CoreTasks bool
	// CancelNotification: cancelling is notifications/cancelled; a closed
	// connection cancels nothing.
	CancelNotification bool
	// CompletionContext: completion/complete takes the arguments that are chosen already (context.arguments).
	CompletionContext bool
}

// revisions holds what this build speaks, newest first.
var revisions = []Revision{
	{Name: "2026-07-28", VersionHeader: true, SelfDescribing: true, CompletionContext: true},
	{Name: "2025-11-25", CoreTasks: true, VersionHeader: true, GetStream: true, LastEventID: true,
		CancelNotification: true, CompletionContext: true},
	{Name: "2025-06-18", VersionHeader: true, GetStream: true, LastEventID: true, CancelNotification: true,
		CompletionContext: true},
	{Name: "2025-03-26", VersionHeader: true, GetStream: true, BareGET: true, LastEventID: true,
		CancelNotification: true, Batches: true},
	{Name: ChannelRevision, CancelNotification: true},
}

// ChannelRevision is the revision whose transport is HTTP+SSE.
const ChannelRevision = "2024-11-05"

// OldestHTTP is the oldest revision of Streamable HTTP.
const OldestHTTP = "2025-03-26"

// NewestRevision returns the newest revision with a handshake, or without one.
func NewestRevision(selfDescribing bool) *Revision {
	for i := range revisions {
		if revisions[i].SelfDescribing == selfDescribing {
			return &revisions[i]
		}
	}
	return nil
}

// FindRevision returns the row with that name, nil if there is none.
func FindRevision(name string) *Revision {
	for i := range revisions {
		if revisions[i].Name == name {
			return &revisions[i]
		}
	}
	return nil
}
