package coretest

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// Host runs a machine natively against a real server: net/http for fetch, a
// WebSocket of its own, a time.Timer for the one timer. One goroutine owns the machine; what others
// report comes in through a channel, as callbacks do in a browser.
type Host[M engine.Machine] struct {
	Client M
	HTTP   *http.Client
	// OnStore, where it is set, is told of each commit on the machine's goroutine,
	// and reports what became of it by Defer; else nothing is stored.
	OnStore func(ticket uint32, ops []byte)

	driver *engine.Driver
	inputs chan func()
	done   chan struct{}
	began  time.Time
	pace   int64 // how many of the machine's milliseconds a real one is
	timer  *time.Timer
	reads  map[engine.ExchangeID]chan struct{}
	cancel map[engine.ExchangeID]context.CancelFunc
	frames map[engine.ExchangeID]chan []byte

	mu      sync.Mutex
	changed *sync.Cond
	effects []engine.Effect // what the app would see: Deliver, Settle, State
}

// idle is how long a connection is kept that nothing uses: less than the 5 s after
// which Node closes one, because net/http does not send a POST again that was on
// its way just then, as browsers do.
const idle = 2 * time.Second

// NewHost starts a Host for an MCP client of cfg. Close ends it.
func NewHost(cfg mcp.Config) *Host[*mcp.Client] { return HostOf(mcp.New(cfg)) }

// HostOf starts a Host for any machine. Close ends it.
func HostOf[M engine.Machine](machine M) *Host[M] {
	h := &Host[M]{
		Client: machine, HTTP: &http.Client{Transport: &http.Transport{IdleConnTimeout: idle}},
		inputs: make(chan func(), 64), done: make(chan struct{}),
		began: time.Now(), pace: 1, timer: time.NewTimer(time.Hour),
		reads: map[engine.ExchangeID]chan struct{}{}, cancel: map[engine.ExchangeID]context.CancelFunc{},
		frames: map[engine.ExchangeID]chan []byte{},
	}
	h.changed = sync.NewCond(&h.mu)
	h.driver = engine.NewDriver(h.Client, h)
	go h.loop()
	return h
}

func (h *Host[M]) loop() {
	for {
		select {
		case do := <-h.inputs:
			do()
			h.driver.Drain(h.now())
		case <-h.timer.C:
			h.driver.Fired(h.now())
		case <-h.done:
			return
		}
	}
}

func (h *Host[M]) now() engine.Time {
	return engine.Time(h.pace * time.Since(h.began).Milliseconds())
}

// Hasten lets the machine's clock run so many times as fast as the world's, before
// its first input: in a history of many cuts most of the time is backoff.
func (h *Host[M]) Hasten(times int64) { h.Input(func(M, engine.Time) { h.pace = times }) }

// Input gives the client an input on its own goroutine and waits for it.
func (h *Host[M]) Input(do func(c M, now engine.Time)) {
	ran := make(chan struct{})
	h.send(func() { do(h.Client, h.now()); close(ran) })
	<-ran
}

func (h *Host[M]) send(do func()) {
	select {
	case h.inputs <- do:
	case <-h.done:
	}
}

// Close ends the host and every exchange.
func (h *Host[M]) Close() {
	h.Input(func(M, engine.Time) {
		for _, cancel := range h.cancel {
			cancel()
		}
	})
	close(h.done)
	h.HTTP.CloseIdleConnections()
}

// Defer gives the machine an input after the one under way.
func (h *Host[M]) Defer(do func(c M, now engine.Time)) {
	go h.send(func() { do(h.Client, h.now()) })
}

// Effects returns what the app has seen so far.
func (h *Host[M]) Effects() []engine.Effect {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]engine.Effect(nil), h.effects...)
}

// Wait returns once ok accepts the effects so far, or false after a minute.
func (h *Host[M]) Wait(ok func([]engine.Effect) bool) bool {
	late := time.AfterFunc(time.Minute, func() { h.changed.Broadcast() })
	defer late.Stop()
	until := time.Now().Add(time.Minute)
	h.mu.Lock()
	defer h.mu.Unlock()
	for !ok(h.effects) {
		if time.Now().After(until) {
			return false
		}
		h.changed.Wait()
	}
	return true
}

// Do carries out an effect.
func (h *Host[M]) Do(e engine.Effect) {
	switch e.Kind {
	case engine.Fetch:
		ctx, cancel := context.WithCancel(context.Background())
		h.cancel[e.X], h.reads[e.X] = cancel, make(chan struct{}, 1)
		go h.exchange(ctx, e.X, e.Request, h.reads[e.X])
	case engine.Socket:
		ctx, cancel := context.WithCancel(context.Background())
		h.cancel[e.X], h.frames[e.X] = cancel, make(chan []byte, 4096)
		go h.openSocket(ctx, e.X, e.Request.URL, h.frames[e.X])
	case engine.Frame:
		h.frames[e.X] <- maskedFrame(opText, e.Data)
	case engine.Read:
		select {
		case h.reads[e.X] <- struct{}{}:
		default:
		}
	case engine.Store:
		if h.OnStore != nil {
			h.OnStore(e.Ticket, e.Data)
		}
	case engine.Abort:
		if cancel := h.cancel[e.X]; cancel != nil {
			cancel()
		}
	default:
		e.Data = bytes.Clone(e.Data)
		h.mu.Lock()
		h.effects = slices.AppendSeq(h.effects, engine.Unpacked(e))
		h.mu.Unlock()
		h.changed.Broadcast()
	}
}

// Wake arms the one timer.
func (h *Host[M]) Wake(delay int64) {
	h.timer.Reset(time.Duration(delay) * time.Millisecond / time.Duration(h.pace))
}

// exchange is one HTTP exchange; it reads a chunk each time it is asked to.
func (h *Host[M]) exchange(ctx context.Context, x engine.ExchangeID, r *engine.Request,
	reads <-chan struct{}) {
	how := engine.EndNetwork
	defer func() { h.send(func() { h.Client.End(h.now(), x, how, "") }) }()
	request, err := http.NewRequestWithContext(ctx, r.Method, r.URL, bytes.NewReader(r.Body))
	if err != nil {
		how = engine.EndInvalid
		return
	}
	for _, f := range r.Header {
		request.Header.Add(f.Name, f.Value)
	}
	response, err := h.HTTP.Do(request)
	if err != nil {
		return
	}
	defer response.Body.Close()
	head := engine.Head{Status: response.StatusCode}
	for name := range response.Header {
		head.Header = append(head.Header,
			engine.Field{Name: strings.ToLower(name), Value: response.Header.Get(name)})
	}
	h.send(func() { h.Client.Head(h.now(), x, head) })
	buffer := make([]byte, 64<<10)
	for {
		select {
		case <-reads:
		case <-ctx.Done():
			return
		}
		n, err := response.Body.Read(buffer)
		if n > 0 {
			taken := make(chan struct{})
			h.send(func() { h.Client.Chunk(h.now(), x, buffer[:n]); h.driver.Drain(h.now()); close(taken) })
			select {
			case <-taken:
			case <-h.done:
				return
			}
		}
		if err == io.EOF {
			how = engine.EndClean
			return
		}
		if err != nil {
			return
		}
	}
}
