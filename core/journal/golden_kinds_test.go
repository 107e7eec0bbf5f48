package journal_test

import (
	_ "embed"
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
	. "github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp/recorded"
)

// The second file of version 1: an entry of each kind, in the part of the row in which
// it is written, and a server's row with its tools. It is read for ever, as the first
// one is. How the protocols go on with it say the tests of core/mcp and core/acp.
//
//go:embed testdata/v1_kinds.txt
var v1Kinds string

// goldenRow is a row with its two parts.
type goldenRow struct{ plain, secret []Entry }

// goldenRecord is a call or a session as it is stored.
type goldenRecord struct {
	name    string
	session bool // with an agent: core/acp folds it
	head    Head
	rows    []goldenRow
}

const goldenTime = 1767225600000 // 2026-01-01

func goldenKinds() []goldenRecord {
	call := Head{Key: "order-2", Method: "tools/call", Params: []byte(`{"name":"count"}`),
		Flags: Idempotent | ManualInput, CreatedAt: goldenTime, SendWithin: 60_000}
	request := sent(9<<24+1, 1)
	sealed := Entry{Kind: Sealed}
	return []goldenRecord{
		{"streamed", false, call, []goldenRow{
			{[]Entry{request, number(Retry, 1500), policy(500, 60_000, goldenTime), event(`{"progress":1}`),
				sealed},
				[]Entry{data(Cursor, "s1_1"), data(Seen, "0123456789abcdef"), data(Token, `"tok-1"`)}},
			{[]Entry{AskedEntry([]byte(`"q1"`), []byte(`{"jsonrpc":"2.0","id":"q1","method":"roots/list"}`)),
				AskedEntry([]byte(`2`),
					[]byte(
						`{"jsonrpc":"2.0","id":2,"method":"elicitation/create","params":{"message":"Who?"}}`)),
				event(`{"progress":2}`)}, nil},
			{[]Entry{AnsweredEntry([]byte(`"q1"`), 5), sealed},
				[]Entry{
					AnswerEntry([]byte(`"q1"`), []byte(`{"jsonrpc":"2.0","id":"q1","result":{"roots":[]}}`)),
					DraftEntry([]byte(`2`), []byte(`{"name":"A"}`)), data(Cursor, "s1_3")}},
			{[]Entry{data(Taken, `"q1"`), number(Checkpoint, 1), number(Acked, 1)}, nil},
		}},
		{"resuming", false, call, []goldenRow{
			{[]Entry{request, policy(500, 60_000, goldenTime), sealed}, []Entry{data(Token, `"tok-1"`)}},
			{[]Entry{{Kind: Resuming}}, nil},
		}},
		{"asks for input", false, call, []goldenRow{
			{[]Entry{request, stated(`{"a":{"method":"elicitation/create","params":{"message":"Who?"}}}`),
				sealed}, []Entry{data(State, `"opaque"`)}},
			{[]Entry{sealed}, []Entry{DraftEntry(recorded.RoundID("a"), []byte(`{"name":"A"}`))}},
		}},
		{"input is answered", false, call, []goldenRow{
			{[]Entry{request, stated(`{"a":{"method":"elicitation/create"}}`), sealed},
				[]Entry{data(State, `"opaque"`)}},
			{[]Entry{AnsweredEntry(nil, 0), sent(9<<24+2, 1), sealed},
				[]Entry{data(Responses, `{"a":{"action":"accept"}}`)}},
		}},
		{"on a task", false, call, []goldenRow{
			{[]Entry{request, {Kind: Task, N: [3]uint64{goldenTime + 1, 1}},
				{Kind: TaskTTL, N: [3]uint64{900_000, goldenTime + 1}}, sealed},
				[]Entry{data(TaskID, "task-1"), data(TaskState, `"at 3"`)}},
			{[]Entry{number(Fetching, 9<<24+3), event(`{"progress":1}`), sealed},
				[]Entry{data(Cursor, "s2_1"), data(Seen, "fedcba9876543210")}},
		}},
		{"ended", false, call, []goldenRow{
			{[]Entry{request, event(`{"progress":1}`),
				{Kind: Outcome, N: [3]uint64{uint64(engine.OutcomeResult), goldenTime + 2},
					Data: []byte(`{"content":[]}`)}}, nil},
		}},
		{"refused", false, call, []goldenRow{{[]Entry{request, {Kind: Refused}}, nil}}},
		{"has not left", false, call, []goldenRow{{[]Entry{request}, nil}, {[]Entry{{Kind: Unsent}}, nil}}},
		{"in the next session", false, call,
			[]goldenRow{{[]Entry{request, AskedEntry([]byte(`1q`), []byte(`{}`))}, nil},
				{[]Entry{number(Joined, 2)}, nil}}},
		{"answer is refused", false, call, []goldenRow{
			{[]Entry{request, stated(`{"a":{"method":"elicitation/create"}}`), sealed},
				[]Entry{data(State, `"opaque"`)}},
			{[]Entry{AnsweredEntry(nil, 0), sent(9<<24+2, 1), {Kind: Refused}, sealed},
				[]Entry{data(Responses, `{"a":{"action":"accept"}}`)}},
		}},
		{"session", true,
			Head{Method: "session/resume",
				Params:    []byte(`{"sessionId":"session-1","cwd":"/work","servers":true}`),
				CreatedAt: goldenTime},
			[]goldenRow{
				{[]Entry{sealed},
					[]Entry{
						data(Servers,
							`[{"name":"files","headers":[{"name":"Authorization","value":"Bearer b"}]}]`),
						data(Connection, "connection-1")}},
				{[]Entry{{Kind: Prompt, N: [3]uint64{4}, Data: []byte(`[{"type":"text","text":"one"}]`)},
					{Kind: Event, N: [3]uint64{uint64(engine.EventItem)},
						Data: []byte(
							`{"sessionUpdate":"agent_message","messageId":"m1","content":[{"type":"text",` +
								`"text":"Hello"}]}`)}, sealed},
					[]Entry{data(Cursor, "e7"), data(Seen, "0123456789abcdef")}},
				{[]Entry{AskedEntry([]byte(`11`), []byte(`{"jsonrpc":"2.0","id":11,`+
					`"method":"session/request_permission","params":{"sessionId":"session-1"}}`)),
					AskedEntry([]byte(`12`), []byte(`{"jsonrpc":"2.0","id":12,`+
						`"method":"session/request_permission","params":{"sessionId":"session-1"}}`)),
					AskedEntry([]byte(`13`), []byte(`{"jsonrpc":"2.0","id":13,`+
						`"method":"session/request_permission","params":{"sessionId":"session-1"}}`)),
					{Kind: Prompt, N: [3]uint64{5}, Data: []byte(`[{"type":"text","text":"two"}]`)},
					{Kind: Placed, N: [3]uint64{4}, Data: []byte("placed")}}, nil},
				{[]Entry{AnsweredEntry([]byte(`11`), 0), data(Taken, `13`), sealed},
					[]Entry{AnswerEntry([]byte(`11`), []byte(`{"jsonrpc":"2.0","id":11,"result":{}}`)),
						DraftEntry([]byte(`12`), []byte(`{"option":"yes"}`))}},
			}},
		{"session that was answered", true,
			Head{Method: "session/resume", Params: []byte(`{"sessionId":"session-2","cwd":"/work"}`),
				CreatedAt: goldenTime}, []goldenRow{
				{[]Entry{data(Taken, `11`), {Kind: TakenMark, N: [3]uint64{1<<53 - 1}, Data: []byte(`11`)}},
					nil},
			}},
	}
}

func goldenTools() Server {
	return Server{
		Handshake: 1, Revision: "2025-11-25",
		Result:     []byte(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}}}`),
		Client:     []byte(`{"name":"x"}`),
		HasSession: true, Session: "sid-1", Tools: []byte(`{"tools":{"count":{"task":"optional","flags":2,` +
			`"fields":[{"path":["region"],"header":"Region"}]}}}`),
	}
}

// dumpKinds is dump, and what it does not tell of.
func dumpKinds(r *recorded.Call) string {
	var b strings.Builder
	b.WriteString(dump(r))
	fmt.Fprintf(&b, " send=%d seen=%q over=%v", r.Head.SendWithin, r.Seen, r.RoundOver)
	for _, a := range r.Answered {
		fmt.Fprintf(&b, " answered=%q/%d", a.ID, a.By)
	}
	for _, id := range r.Taken {
		fmt.Fprintf(&b, " taken=%q", id)
	}
	fmt.Fprintf(&b, " task=%v/%q/%d/%d ttl=%d/%d fetching=%d", r.Task, r.TaskID, r.TaskAt, r.TaskDialect,
		r.TaskTTL, r.TaskHeardAt, r.Fetching)
	if r.Refused {
		b.WriteString(" refused")
	}
	return b.String()
}

// part writes one part of a row.
func part(entries []Entry) (b []byte) {
	for _, e := range entries {
		b = AppendEntry(b, e)
	}
	return b
}

// writeKinds writes the file as this build would.
func writeKinds() string {
	var b strings.Builder
	for _, g := range goldenKinds() {
		head := AppendHead(nil, &g.head)
		mark := "head"
		if g.session {
			mark = "session"
		}
		fmt.Fprintf(&b, "== %s\n%s %x\n", g.name, mark, head)
		r := recorded.New(g.head, len(head))
		for _, row := range g.rows {
			plain, secret := part(row.plain), part(row.secret)
			fmt.Fprintf(&b, "row %s %s\n", tohex(plain), tohex(secret))
			if g.session {
				continue
			}
			if err := r.Apply(plain, secret, nil); err != nil {
				panic(err)
			}
		}
		if !g.session {
			fmt.Fprintf(&b, "= %s\n", dumpKinds(r))
		}
	}
	server := goldenTools()
	plain, secret := AppendServer(&server)
	fmt.Fprintf(&b, "== server\nserver %s %s\n", tohex(plain), tohex(secret))
	return b.String()
}

// TestReadsEveryKindOfVersion1: the bytes are on people's disks, and mean the same.
func TestReadsEveryKindOfVersion1(t *testing.T) {
	checkGolden(t, v1Kinds, []Server{goldenTools()}, dumpKinds)
}

// TestWritesEveryKindOfVersion1: as long as the version is 1, so are the bytes.
func TestWritesEveryKindOfVersion1(t *testing.T) {
	if Version != 1 {
		t.Skip("this build writes another version")
	}
	if got := writeKinds(); got != v1Kinds {
		t.Errorf("the format has changed without a new version:\n%s", got)
	}
}

// TestEveryKindIsGolden: whoever adds a kind of entry adds a row that has one, or
// nobody would see that a later build cannot read it.
func TestEveryKindIsGolden(t *testing.T) {
	found := map[Kind]bool{}
	for line := range strings.Lines(v1 + v1Kinds) {
		parts := strings.Fields(line)
		if parts[0] != "row" {
			continue
		}
		for _, text := range parts[1:] {
			entries, err := readAll(unhex(t, text))
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				found[e.Kind] = true
			}
		}
	}
	for kind := Kind(1); kind <= LastSkippable; kind++ {
		if (kind <= LastKind || kind >= Skippable) && !found[kind] {
			t.Errorf("no golden row has an entry of kind %d", kind)
		}
	}
}
