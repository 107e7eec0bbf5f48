package mcp

// revision is what one revision of MCP over HTTP means for a client: facts,
// compared by nothing but this table (spec: basic/transports, per revision).
type revision struct {
	name string
	// versionHeader: MCP-Protocol-Version is sent after initialize. Required
	// from 2025-06-18; 2025-03-26 servers ignore it, as the official SDK found.
	versionHeader bool
	// getStream: a GET opens a stream for messages that answer no request.
	getStream bool
	// bareGET: that GET needs no header field of the protocol's.
	bareGET bool
	// lastEventID: a cut stream continues with GET and Last-Event-ID.
	lastEventID bool
	// batches: a message may be an array of messages.
	batches bool
	// selfDescribing: no handshake; every request carries version, client info
	// and capabilities in its _meta, and says in header fields what it asks
	// for. Servers send no requests, and closing a response stream cancels.
	selfDescribing bool
	// coreTasks: a tool's call may become a task (experimental, SEP-1686).
	coreTasks bool
	// cancelNotification: cancelling is notifications/cancelled; a closed
	// connection cancels nothing.
	cancelNotification bool
}

// revisions holds what this build speaks, newest first.
var revisions = []revision{
	{name: "2026-07-28", versionHeader: true, selfDescribing: true},
	{name: "2025-11-25", coreTasks: true, versionHeader: true, getStream: true, lastEventID: true, cancelNotification: true},
	{name: "2025-06-18", versionHeader: true, getStream: true, lastEventID: true, cancelNotification: true},
	{name: "2025-03-26", versionHeader: true, getStream: true, bareGET: true, lastEventID: true, cancelNotification: true, batches: true},
	{name: channelRevision, cancelNotification: true},
}

// channelRevision is the revision whose transport is HTTP+SSE.
const channelRevision = "2024-11-05"

// oldestHTTP is the oldest revision of Streamable HTTP.
const oldestHTTP = "2025-03-26"

// newest returns the newest revision with a handshake, or without one.
func newest(selfDescribing bool) *revision {
	for i := range revisions {
		if revisions[i].selfDescribing == selfDescribing {
			return &revisions[i]
		}
	}
	return nil
}

// findRevision returns the row with that name, nil if there is none.
func findRevision(name string) *revision {
	for i := range revisions {
		if revisions[i].name == name {
			return &revisions[i]
		}
	}
	return nil
}
