package jetstore_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore"
	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore/embedded"
	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore/store"
	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore/storetest"
)

// node opens the store on a connection of its own, as each node does.
func node(t testing.TB, s *server.Server, cfg jetstore.Config) *jetstore.Store {
	t.Helper()
	kept, err := jetstore.Open(t.Context(), embedded.Connect(t, s.ClientURL()), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(kept.Close)
	return kept
}

func TestLog(t *testing.T) {
	storetest.Log(t, func(t *testing.T, o storetest.Options) []store.Log {
		s, cfg := embedded.Start(t, embedded.Options{}),
			jetstore.Config{PerStream: int64(o.PerStream), Bytes: int64(o.Bytes)}
		return []store.Log{node(t, s, cfg).Log(), node(t, s, cfg).Log()}
	})
}

func TestRecords(t *testing.T) {
	storetest.Records(t, func(t *testing.T) []store.Records {
		s := embedded.Start(t, embedded.Options{})
		return []store.Records{node(t, s, jetstore.Config{}).Records(),
			node(t, s, jetstore.Config{}).Records()}
	})
}

// TestReplicated: the same over a cluster of three servers; each of two nodes is connected to another one.
func TestReplicated(t *testing.T) {
	servers, prefix := embedded.Cluster(t), 0
	open := func(t *testing.T, cfg jetstore.Config) (nodes []*jetstore.Store) {
		prefix++
		cfg.Prefix, cfg.Replicas, cfg.Memory, cfg.Patience = fmt.Sprint("P", prefix), 3, true, time.Minute
		cfg.Settle = time.Millisecond // no server is cut off
		for _, s := range servers[:2] {
			nodes = append(nodes, node(t, s, cfg))
		}
		return nodes
	}
	t.Run("Log", func(t *testing.T) {
		storetest.Log(t, func(t *testing.T, o storetest.Options) []store.Log {
			nodes := open(t, jetstore.Config{PerStream: int64(o.PerStream), Bytes: int64(o.Bytes)})
			return []store.Log{nodes[0].Log(), nodes[1].Log()}
		})
	})
	t.Run("Records", func(t *testing.T) {
		storetest.Records(t, func(t *testing.T) []store.Records {
			nodes := open(t, jetstore.Config{})
			return []store.Records{nodes[0].Records(), nodes[1].Records()}
		})
	})
}

var stream = store.Stream{Session: "session", Name: "stream"}

// fill appends the events to a stream, and returns where it ends.
func fill(t *testing.T, l store.Log, from store.Position, events ...string) store.Position {
	t.Helper()
	for _, data := range events {
		next, err := l.Append(t.Context(), stream, from, "message", []byte(data))
		if err != nil {
			t.Fatal(err)
		}
		from = next
	}
	return from
}

// count reads what is behind a position.
func count(t *testing.T, l store.Log, after store.Position) (n int, err error) {
	for _, err := range l.After(t.Context(), stream, after) {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// TestFault410_PoisonedMessage: something else has published to the stream's subject.
func TestFault410_PoisonedMessage(t *testing.T) {
	s := embedded.Start(t, embedded.Options{})
	l := node(t, s, jetstore.Config{}).Log()
	end := fill(t, l, stream.Start(), "1", "2")
	js := embedded.Connect(t, s.ClientURL())
	events, err := js.Stream(t.Context(), "MCP-events")
	if err != nil {
		t.Fatal(err)
	}
	info, err := events.Info(t.Context(), jetstream.WithSubjectFilter(">"))
	if err != nil || len(info.State.Subjects) != 1 {
		t.Fatalf("subjects: %v, %v", info.State.Subjects, err)
	}
	for subject := range info.State.Subjects {
		// Once as nonsense, once as the copy of an event under other words.
		raw, err := events.GetMsg(t.Context(), end.Place)
		if err != nil {
			t.Fatal(err)
		}
		for _, poison := range []*nats.Msg{
			{Subject: subject, Data: []byte(`{"jsonrpc":"2.0","id":1,"result":{}}`)},
			{Subject: subject, Header: raw.Header, Data: []byte("other words")},
		} {
			poison.Header.Del(nats.ExpectedLastSubjSeqHdr)
			if _, err := js.PublishMsg(t.Context(), poison); err != nil {
				t.Fatal(err)
			}
			n, err := count(t, l, stream.Start())
			if n != 2 || store.CodeOf(err) != store.Corrupt {
				t.Errorf("replay: %d events, %v; want 2, corrupt", n, err)
			}
			if _, err := l.Append(t.Context(), stream, end, "message", []byte("3")); store.CodeOf(err) == "" {
				t.Error("the writer goes on behind it")
			}
		}
	}
	other := store.Stream{Session: "session", Name: "another"}
	if _, err := l.Append(t.Context(), other, other.Start(), "message", nil); err != nil {
		t.Errorf("another stream suffers: %v", err)
	}
}

// TestFault411_LostTail: a store comes back with less than it had, and goes on from there.
func TestFault411_LostTail(t *testing.T) {
	s := embedded.Start(t, embedded.Options{})
	l := node(t, s, jetstore.Config{}).Log()
	kept := fill(t, l, stream.Start(), "1", "2")
	lost := fill(t, l, kept, "3", "4")
	events, err := embedded.Connect(t, s.ClientURL()).Stream(t.Context(), "MCP-events")
	if err != nil {
		t.Fatal(err)
	}
	for place := lost.Place - 1; place <= lost.Place; place++ {
		if err := events.DeleteMsg(t.Context(), place); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := count(t, l, lost); n > 0 || store.CodeOf(err) != store.Truncated {
		t.Errorf("behind what is lost: %d events, %v; want truncated", n, err)
	}
	if n, err := count(t, l, kept); n != 0 || err != nil {
		t.Errorf("behind what is kept: %d events, %v", n, err)
	}
	// The work that went on elsewhere writes other words in their place.
	fill(t, l, kept, "3 again", "4 again", "5 again")
	if n, err := count(t, l, lost); n > 0 || store.CodeOf(err) != store.Foreign {
		t.Errorf("behind what is lost: %d events, %v; want foreign", n, err)
	}
}

// TestFault411_OlderCopy: the store's server is started with an older copy of its disk. What is appended then
// has the places in the store, and the numbers, of what was lost.
func TestFault411_OlderCopy(t *testing.T) {
	dir, copied := t.TempDir(), t.TempDir()
	stop := func(s *server.Server) { s.Shutdown(); s.WaitForShutdown() }
	s := embedded.Start(t, embedded.Options{Dir: dir})
	kept := fill(t, node(t, s, jetstore.Config{}).Log(), stream.Start(), "1", "2")
	stop(s)
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	s = embedded.Start(t, embedded.Options{Dir: dir})
	lost := fill(t, node(t, s, jetstore.Config{}).Log(), kept, "3", "4")
	stop(s)
	l := node(t, embedded.Start(t, embedded.Options{Dir: copied}), jetstore.Config{}).Log()
	if n, err := count(t, l, lost); n > 0 || store.CodeOf(err) != store.Truncated {
		t.Errorf("behind what is lost: %d events, %v; want truncated", n, err)
	}
	for _, data := range []string{"3 again", "4 again", "5 again"} {
		kept = fill(t, l, kept, data)
		if kept.Number < lost.Number {
			continue
		}
		if kept.Number == lost.Number && kept.Place != lost.Place {
			t.Fatalf("the place of event 4 is %d, was %d: the copy has shown nothing", kept.Place, lost.Place)
		}
		if n, err := count(t, l, lost); n > 0 || store.CodeOf(err) != store.Foreign {
			t.Errorf("behind what is lost, with %d events: %d events, %v; want foreign", kept.Number, n, err)
		}
	}
	// Nor does who has written the lost ones go on behind them.
	if _, err := l.Append(t.Context(), stream, lost, "message", []byte("5")); store.CodeOf(
		err) != store.Conflict {
		t.Errorf("an append behind what is lost: %v", err)
	}
}

// TestFault412_FullDisk: the server's disk, as it is set aside for JetStream, is full.
func TestFault412_FullDisk(t *testing.T) {
	s := embedded.Start(t, embedded.Options{MaxStore: 256 << 10})
	l := node(t, s, jetstore.Config{Patience: time.Minute}).Log()
	end, n, refused := stream.Start(), 0, error(nil)
	for ; n < 200; n++ {
		next, err := l.Append(t.Context(), stream, end, "message", make([]byte, 8<<10))
		if err != nil {
			refused = err
			break
		}
		end = next
	}
	if store.CodeOf(refused) != store.Full {
		t.Fatalf("after %d events: %v; want full", n, refused)
	}
	if got, err := count(t, l, stream.Start()); got != n || err != nil {
		t.Errorf("what was stored: %d of %d events, %v", got, n, err)
	}
	other := store.Stream{Session: "another", Name: "s"}
	if err := l.Forget(t.Context(), stream.Session); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append(t.Context(), other, other.Start(), "message", make([]byte, 8<<10)); err != nil {
		t.Errorf("with room again: %v", err)
	}
}

// TestAckLost: the answer to an append is lost with its connection; the same append again adds nothing.
func TestAckLost(t *testing.T) {
	s := embedded.Start(t, embedded.Options{})
	a, b := node(t, s, jetstore.Config{}).Log(), node(t, s, jetstore.Config{}).Log()
	first := fill(t, a, stream.Start(), "1")
	second := fill(t, b, first, "2") // as the first try has done
	if again := fill(t, a, first, "2"); again != second {
		t.Errorf("again: %v, was %v", again, second)
	}
	if n, err := count(t, a, stream.Start()); n != 2 || err != nil {
		t.Errorf("%d events, %v", n, err)
	}
}

// hasty refuses an append so many times as if somebody else had written, as servers do while an earlier try
// is under way.
type hasty struct {
	jetstream.JetStream
	times int
}

func (h *hasty) PublishMsg(ctx context.Context, m *nats.Msg, opts ...jetstream.PublishOpt) (
	*jetstream.PubAck, error) {
	if h.times--; h.times >= 0 {
		return nil, &jetstream.APIError{Code: 400, ErrorCode: jetstream.JSErrCodeStreamWrongLastSequence}
	}
	return h.JetStream.PublishMsg(ctx, m, opts...)
}

// TestFault357_ConflictWithNobody: an append is refused since somebody else has written, and nobody has. It
// is tried again: else its writer would give the stream up, and nobody would go on.
func TestFault357_ConflictWithNobody(t *testing.T) {
	s := embedded.Start(t, embedded.Options{})
	js := &hasty{JetStream: embedded.Connect(t, s.ClientURL())}
	kept, err := jetstore.Open(t.Context(), js, jetstore.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(kept.Close)
	js.times = 2
	end := fill(t, kept.Log(), stream.Start(), "1")
	js.times = 2
	fill(t, kept.Log(), end, "2")
	if n, err := count(t, kept.Log(), stream.Start()); n != 2 || err != nil {
		t.Errorf("%d events, %v", n, err)
	}
	js.times = 2
	if _, err := kept.Log().Append(t.Context(), stream, end, "message", []byte("another 2")); store.CodeOf(
		err) != store.Conflict {
		t.Errorf("with an event of somebody else: %v", err)
	}
}

// TestServerRestart: the store's server is restarted; readers and writers go on within their patience.
func TestServerRestart(t *testing.T) {
	dir := t.TempDir()
	s := embedded.Start(t, embedded.Options{Dir: dir})
	port := s.Addr().String()
	cfg := jetstore.Config{Patience: time.Minute, Poll: 100 * time.Millisecond}
	a, b := node(t, s, cfg).Log(), node(t, s, cfg).Log()
	end := fill(t, a, stream.Start(), "1")
	got := make(chan string, 8)
	go func() {
		defer close(got)
		for event, err := range b.Follow(t.Context(), stream, stream.Start()) {
			if err != nil {
				return
			}
			got <- string(event.Data)
		}
	}()
	if first := <-got; first != "1" {
		t.Fatal(first)
	}
	s.Shutdown()
	s.WaitForShutdown()
	embedded.Start(t, embedded.Options{Dir: dir, Port: portOf(t, port)})
	fill(t, a, end, "2", "3")
	if second, third := <-got, <-got; second != "2" || third != "3" {
		t.Errorf("followed: %q, %q", second, third)
	}
}

func portOf(t *testing.T, address string) int {
	t.Helper()
	_, text, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return port
}
