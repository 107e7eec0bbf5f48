package transcript

// rowVersions says which protocol versions know an update by this meaning.
type rowVersions uint8

const (
	inV1 rowVersions = 1 << iota
	inV2
	inBoth = inV1 | inV2
)

// itemKind is the type of an item of the transcript.
type itemKind uint8

const (
	itemUserMessage itemKind = iota
	itemAgentMessage
	itemAgentThought
	itemToolCall
	itemTerminal
	itemPlan
	itemCompaction
	itemNotice
	itemUnknown
	itemKinds
)

// itemTypes are the names that the page sees; an unknown update keeps its own.
var itemTypes = [itemKinds]string{
	"user_message", "agent_message", "agent_thought", "tool_call", "terminal", "plan", "compaction", "notice",
	"",
}

// rowMode is what an update does to its item.
type rowMode uint8

const (
	modeUpsert  rowMode = iota // omitted keeps, null clears, a value replaces
	modeReplace                // what is omitted goes
	modeChunk                  // one element more for the item's content
	modeOutput                 // bytes more for the terminal's output
	modeSession                // a value of the session, no item
	modeUsage                  // the same, of which the cost is kept where it is omitted
	modeLive                   // an item each time, which no replay brings back
	modeState                  // not the transcript's: turns are
)

// updateMember is a member of an update that the reducer looks at; it indexes updateMembers.
type updateMember uint8

const (
	memberName updateMember = iota
	memberMessageID
	memberToolCallID
	memberTerminalID
	memberCompactionID
	memberPlanID
	memberPlan
	memberType
	memberContent
	memberSummary
	memberOutput
	memberData
	memberEntries
	memberCost
	memberMeta
	memberCount
	memberNone = memberCount
)

var updateMembers = []string{
	"sessionUpdate", "messageId", "toolCallId", "terminalId", "compactionId", "planId", "plan", "type",
	"content", "summary",
	"output", "data", "entries", "cost", "_meta",
}

// updateKind is one kind of session/update: the same name may mean different things in different versions.
type updateKind struct {
	name     string
	versions rowVersions
	kind     itemKind
	mode     rowMode
	id       updateMember // memberNone: the item has no id, or the empty one
	content  updateMember // what grows: an array of blocks, a terminal's output
	within   updateMember // the object that holds all of it, memberNone for the update itself
	keepNull bool         // null means unchanged: v1's optional members (S1 ToolCallUpdate)
	opens    string       // members of an item that a chunk makes
	known    []string     // members that replace one another; any other name is one more to keep
}

// The members that the schemas name (S1, S2), but for the item's id and its content.
var (
	messageNames = []string{}
	toolNames    = []string{"name", "title", "kind", "status", "locations", "rawInput", "rawOutput",
		"capabilities"}
	terminalNames   = []string{"command", "cwd", "exitStatus", "size", "capabilities"}
	compactionNames = []string{"status", "error"}
	commandNames    = []string{"availableCommands"}
	configNames     = []string{"configOptions"}
	modeNames       = []string{"currentModeId", "availableModes"}
	infoNames       = []string{"title", "updatedAt", "_meta"}
)

// updateKinds is the whole of what the reducer knows about updates (S2 SessionUpdate, S1 SessionUpdate).
// Names that only one version's schema has are understood in both wherever they mean one thing: a v1 agent
// may be asked for v2's updates, and drafts differ in which they send.
var updateKinds = []updateKind{
	{name: "user_message_chunk", versions: inBoth, kind: itemUserMessage, mode: modeChunk,
		id: memberMessageID, content: memberContent, within: memberNone},
	{name: "agent_message_chunk", versions: inBoth, kind: itemAgentMessage, mode: modeChunk,
		id: memberMessageID, content: memberContent, within: memberNone},
	{name: "agent_thought_chunk", versions: inBoth, kind: itemAgentThought, mode: modeChunk,
		id: memberMessageID, content: memberContent, within: memberNone},
	{name: "user_message", versions: inBoth, kind: itemUserMessage, mode: modeUpsert, id: memberMessageID,
		content: memberContent, within: memberNone, known: messageNames},
	{name: "agent_message", versions: inBoth, kind: itemAgentMessage, mode: modeUpsert, id: memberMessageID,
		content: memberContent, within: memberNone, known: messageNames},
	{name: "agent_thought", versions: inBoth, kind: itemAgentThought, mode: modeUpsert, id: memberMessageID,
		content: memberContent, within: memberNone, known: messageNames},
	{name: "tool_call_update", versions: inV2, kind: itemToolCall, mode: modeUpsert, id: memberToolCallID,
		content: memberContent, within: memberNone, known: toolNames},
	{name: "tool_call_update", versions: inV1, kind: itemToolCall, mode: modeUpsert, id: memberToolCallID,
		content: memberContent, within: memberNone, known: toolNames, keepNull: true},
	{name: "tool_call", versions: inV2, kind: itemToolCall, mode: modeUpsert, id: memberToolCallID,
		content: memberContent, within: memberNone, known: toolNames},
	{name: "tool_call", versions: inV1, kind: itemToolCall, mode: modeUpsert, id: memberToolCallID,
		content: memberContent, within: memberNone, known: toolNames, keepNull: true},
	{name: "tool_call_content_chunk", versions: inBoth, kind: itemToolCall, mode: modeChunk,
		id: memberToolCallID, content: memberContent, within: memberNone},
	{name: "terminal_update", versions: inBoth, kind: itemTerminal, mode: modeUpsert, id: memberTerminalID,
		content: memberOutput, within: memberNone, known: terminalNames},
	{name: "terminal_output_chunk", versions: inBoth, kind: itemTerminal, mode: modeOutput,
		id: memberTerminalID, content: memberData, within: memberNone},
	{name: "plan_update", versions: inBoth, kind: itemPlan, mode: modeReplace, id: memberPlanID,
		content: memberEntries, within: memberPlan, known: messageNames},
	{name: "plan", versions: inBoth, kind: itemPlan, mode: modeReplace, id: memberNone,
		content: memberEntries, within: memberNone, known: messageNames},
	{name: "compaction_update", versions: inBoth, kind: itemCompaction, mode: modeUpsert,
		id: memberCompactionID, content: memberSummary, within: memberNone, known: compactionNames},
	{name: "compaction_summary_chunk", versions: inBoth, kind: itemCompaction, mode: modeChunk,
		id: memberCompactionID, content: memberContent, within: memberNone, opens: `"status":"in_progress",`},
	{name: "notice", versions: inBoth, kind: itemNotice, mode: modeLive, id: memberNone, content: memberNone,
		within: memberNone},
	{name: "available_commands_update", versions: inBoth, mode: modeSession, known: commandNames},
	{name: "config_option_update", versions: inBoth, mode: modeSession, known: configNames},
	{name: "session_info_update", versions: inBoth, mode: modeSession, known: infoNames},
	{name: "current_mode_update", versions: inBoth, mode: modeSession, known: modeNames},
	{name: "usage_update", versions: inBoth, mode: modeUsage},
	{name: "state_update", versions: inBoth, mode: modeState},
	{name: "state_change", versions: inBoth, mode: modeState}, // the seed's prose name
}

// rowOf returns the row of an update, nil if there is none.
func rowOf(name []byte, version rowVersions) *updateKind {
	for i := range updateKinds {
		if row := &updateKinds[i]; row.versions&version != 0 && row.name == string(name) {
			return row
		}
	}
	return nil
}

// The rules that an agent can break, as an integrity event names them. Where nothing else is said, what broke
// the rule was left out.
const (
	ruleUpdate   = "bad_update"          // not an object
	ruleType     = "update_without_type" // no sessionUpdate, or one that is no string
	ruleChunkID  = "chunk_without_id"    // nor any item to add to
	ruleUpdateID = "update_without_id"
	ruleID       = "bad_id"      // an id that is no string
	ruleLongID   = "long_id"     // longer than maxIDBytes
	ruleContent  = "bad_content" // content that is none; the rest of the update counts
	ruleBase64   = "bad_base64"  // output that cannot be decoded; the rest counts
	// content that is there twice: JSON.parse and we would see different ones
	ruleTwice       = "duplicate_member"
	ruleReserved    = "reserved_member" // a member that would hide the item's own; the rest counts
	ruleManyMembers = "too_many_members"
	ruleManyItems   = "too_many_items"
	// an item is full; reported once, the item says so from then on
	ruleTruncated     = "transcript_truncated"
	ruleMeta          = "bad_meta"          // a _meta that is no object; the rest counts
	ruleSessionMember = "bad_session_value" // one of the wrong type; the rest counts
)
