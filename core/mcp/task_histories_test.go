package mcp_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

const relatedT = `"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"T"}}`

// TestTaskHistories plays random lives of a task over many pages: segments by
// three ways at once, with gaps, twice and out of order; servers that resume, or
// begin again, or refuse to; requests for input, by polls that repeat them; cuts,
// reloads, commits that land late. What must hold is in task_model_test.go.
func TestTaskHistories(t *testing.T) {
	count := uint64(2_500)
	if testing.Short() {
		count = 1_000
	}
	first, n := seeds(t, count/slow)
	sum, streamed, all, ends := taskLife{resumed: map[string]int{}}, 0, 0, map[string]int{}
	for seed := first; seed < first+n; seed++ {
		l := playTask(t, seed)
		sum.pages, sum.cuts, sum.asks, sum.numbered, sum.behind = sum.pages+l.pages, sum.cuts+l.cuts,
			sum.asks+l.asks, sum.numbered+l.numbered, sum.behind+l.behind
		sum.told += l.told
		for word, n := range l.resumed {
			sum.resumed[word] += n
		}
		switch {
		case l.settled == nil:
			ends["never stored"]++
			continue
		case l.settled.Failure != nil:
			ends[string(l.settled.Failure.Code)]++
			continue
		}
		ends["result"]++
		if l.way == streamedWay && l.resuming == fromNumber && l.numbered > 0 {
			if streamed++; l.told == len(l.plan) {
				all++
			}
		}
	}
	t.Logf("%d histories: %d pages, %d cuts, %d segments, %d requests from a number, %d of them behind, %d "+
		"questions: 0 lost, 0 twice; %v; resumed: %v; %d of %d were told whole",
		n, sum.pages, sum.cuts, sum.told, sum.numbered, sum.behind, sum.asks, ends, sum.resumed, all,
		streamed)
	if n > 100 && (uint64(ends["result"]) < n*2/3 || all < streamed*2/3) {
		t.Error("the histories are too harmful to show anything")
	}
	if n > 100 && sum.behind*100 > sum.numbered {
		t.Error("requests name lower numbers than they could")
	}
}

func playTask(t *testing.T, seed uint64) *taskLife {
	defer func() {
		if t.Failed() {
			t.Logf("play it again with HOLDFAST_SEED=%d", seed)
		}
	}()
	l := newTaskLife(t, seed, []taskWay{streamedWay, streamedWay, streamedWay, updateWay,
		continueWay}[seed%5])
	l.play()
	return l
}

func (l *taskLife) play() {
	l.start()
	l.call()
	if l.rng.IntN(8) > 0 {
		l.becomesTask() // else much may go wrong before that
	}
	for range 25 + l.rng.IntN(60) {
		l.step()
	}
	l.finish()
}

// becomesTask plays until the call is a task and that is stored.
func (l *taskLife) becomesTask() {
	l.t.Helper()
	l.kind = true
	for n := 0; l.record() == 0 || l.Store.Record(l.record()).TaskID == ""; n++ {
		if n > 100 {
			l.fatal("it never becomes a task")
		}
		l.serve()
		l.deliverAll()
		if l.Store.Flying() != 0 {
			l.landed()
		}
	}
	l.kind = false
}

func (l *taskLife) step() {
	l.t.Helper()
	switch n := l.rng.IntN(100); {
	case l.settled != nil:
	case n < 25:
		l.serve()
	case n < 45:
		l.deliver()
	case n < 58:
		l.work()
	case n < 64:
		l.answer()
	case n < 70:
		l.cut()
	case n < 75:
		l.reload()
		l.start()
	case n < 88:
		if l.Store.Flying() != 0 {
			l.landed()
		}
	default:
		l.advance(int64(l.rng.IntN([]int{50, 1_000, 5_000}[l.rng.IntN(3)])))
	}
}

// open returns the wires that have a head and no end.
func (l *taskLife) open() (list []*taskWire) {
	for _, w := range l.wires {
		if w.Head && !w.Over {
			list = append(list, w)
		}
	}
	slices.SortFunc(list, func(a, b *taskWire) int { return int(a.x) - int(b.x) })
	return list
}

func (l *taskLife) deliver() {
	l.t.Helper()
	if list := l.open(); len(list) > 0 {
		l.deliverOn(list[l.rng.IntN(len(list))])
	}
}

func (l *taskLife) deliverAll() {
	l.t.Helper()
	for again := true; again; {
		again = false
		for _, w := range l.open() {
			for !w.Over && l.deliverOn(w) {
				again = true
			}
		}
	}
}

// deliverOn hands over what the client has asked to read; false for nothing.
func (l *taskLife) deliverOn(w *taskWire) bool {
	l.t.Helper()
	switch {
	case !w.Reading || w.Over:
		return false
	case len(w.pending) > 0:
		text := w.pending[0]
		if n := 1 + l.rng.IntN(len(text)); l.rng.IntN(3) == 0 && n < len(text) {
			w.pending[0] = text[n:]
			l.chunk(w, text[:n])
			return true
		}
		w.pending = w.pending[1:]
		l.chunk(w, text)
	case w.closing:
		l.end(w, engine.EndClean)
	default:
		return false
	}
	return true
}

// cut breaks a connection, or a request on its way.
func (l *taskLife) cut() {
	l.t.Helper()
	if list := l.open(); len(list) > 0 && l.rng.IntN(3) > 0 {
		w := list[l.rng.IntN(len(list))]
		if record := l.record(); strings.Contains(string(w.Request.Body), `"method":"tools/call"`) &&
			(record == 0 || l.Store.Record(record).TaskID == "") {
			l.unsure = true
		}
		if strings.Contains(string(w.Request.Body), `"method":"initialize"`) ||
			strings.Contains(string(w.Request.Body), "discover") {
			return
		}
		l.end(w, []engine.Ending{engine.EndClean, engine.EndNetwork}[l.rng.IntN(2)])
	}
}

// work does the next piece of the tool's.
func (l *taskLife) work() {
	l.t.Helper()
	if !l.ran || l.over {
		return
	}
	switch {
	case l.done < len(l.plan) && (l.way == streamedWay || len(l.taken) >= l.done-l.rng.IntN(2)):
		l.done++
	case l.done == len(l.plan) && (l.way == streamedWay || len(l.taken) == l.done):
		l.over = true
	}
	if l.way != streamedWay {
		return
	}
	if w := l.stream; w != nil && !w.Over && !w.closing && (l.over || l.rng.IntN(4) > 0) {
		// With the last number where it is over: else the end would not be known.
		w.pending = append(w.pending, coretest.Message("",
			coretest.Result(coretest.RequestID(w.Request), l.partial(max(l.done-1, 0)))))
		w.closing = l.over
	}
	for _, w := range l.open() {
		if w.blocks && l.over {
			w.blocks = false
			l.say(w, whole(len(l.plan)))
		}
	}
}

// say answers on a wire that has a head.
func (l *taskLife) say(w *taskWire, result string) {
	w.pending, w.closing = append(w.pending,
		coretest.Message("", coretest.Result(coretest.RequestID(w.Request), result))), true
}

// partial is what there is past a number: some of it twice, out of order, or
// missing.
func (l *taskLife) partial(from int) string {
	var numbers []int
	for n := from + 1; n <= l.done; n++ {
		if l.kind || n == l.done || l.rng.IntN(6) > 0 {
			numbers = append(numbers, n)
		}
		if l.rng.IntN(8) == 0 {
			numbers = append(numbers, 1+l.rng.IntN(l.done))
		}
	}
	if l.rng.IntN(3) == 0 {
		l.rng.Shuffle(len(numbers), func(i, j int) { numbers[i], numbers[j] = numbers[j], numbers[i] })
	}
	more := fmt.Sprintf(`,"isError":false,"isComplete":%v`, l.over)
	if l.rng.IntN(10) == 0 && !l.over {
		more = ""
	}
	return partial(more+`,`+relatedT, numbers...)
}

// serve lets the server look at requests, not always at once.
func (l *taskLife) serve() {
	l.t.Helper()
	for _, x := range slices.Clone(l.waiting) {
		if !l.kind && l.rng.IntN(3) == 0 {
			continue
		}
		l.waiting = slices.DeleteFunc(l.waiting, func(y engine.ExchangeID) bool { return x == y })
		if w := l.wires[x]; !w.Over {
			l.serveOne(w)
		}
	}
}

func (l *taskLife) serveOne(w *taskWire) {
	l.t.Helper()
	body := string(w.Request.Body)
	method := func(name string) bool { return strings.Contains(body, `"method":"`+name+`"`) }
	harm := 99
	if !l.kind && !method("initialize") && !method("server/discover") && !method("tools/call") &&
		coretest.RequestID(w.Request) != "" {
		harm = l.rng.IntN(20)
	}
	switch {
	case harm == 0:
		l.end(w, engine.EndNetwork)
	case harm == 1:
		l.arrives(w)
		l.end(w, engine.EndNetwork)
	case harm == 2:
		l.head(w, 503, "text/plain")
	case harm == 3:
		l.head(w, 200, coretest.JSON)
		w.pending, w.closing = []string{`{"jsonrpc":"2.0","id":` + coretest.RequestID(w.Request) +
			`,"error":{"code":-32000,"message":"later"}}`}, true
		if method("tasks/result") || method("tasks/continue") {
			// Those answers would mean something.
			w.pending = nil
			l.end(w, engine.EndNetwork)
		}
	case method("initialize"):
		l.json(w, `{"protocolVersion":"2025-11-25","capabilities":{}}`)
	case method("server/discover"):
		l.json(w, `{"supportedVersions":["2026-07-28"],"capabilities":{}}`)
	case method("tools/call"):
		l.serveCall(w)
	case method("tasks/result"):
		l.serveResult(w, lastSeqNr(body))
	case method("tasks/continue") && l.way == streamedWay:
		l.head(w, 200, coretest.JSON)
		w.pending, w.closing = []string{`{"jsonrpc":"2.0","id":` + coretest.RequestID(w.Request) +
			`,"error":{"code":-32601,"message":"no"}}`}, true
	case method("tasks/get"), method("tasks/continue"), method("tasks/update"):
		l.takes(body)
		l.servePoll(w, method("tasks/update"))
	case coretest.RequestID(w.Request) == "":
		l.head(w, 202, "")
		if !w.Over {
			l.end(w, engine.EndClean)
		}
	default:
		l.fatal("the server knows no %s", body)
	}
}

func (l *taskLife) servePoll(w *taskWire, update bool) {
	l.t.Helper()
	if update {
		l.json(w, `{"resultType":"complete"}`)
		return
	}
	status := "working"
	if l.over {
		status = "completed"
	}
	more := fmt.Sprintf(`,"pollInterval":%[1]d,"pollIntervalMs":%[1]d`, 250+l.rng.IntN(2_000)) + l.kept
	if l.way != streamedWay {
		var keys []string
		for n := 1; n <= l.done && !l.over; n++ {
			key := fmt.Sprintf("k%d", n)
			// What was answered a moment ago may still be shown; by SEP-2339 that would be another round.
			if _, ok := l.taken[key]; !ok || !l.kind && l.way != continueWay && l.rng.IntN(3) == 0 {
				keys = append(keys, `"`+key+`":{"method":"elicitation/create"}`)
			}
		}
		if len(keys) > 0 {
			status = "input_required"
			more += `,"inputRequests":{` + strings.Join(keys, ",") + `}`
		}
		if l.over {
			more += `,"result":` + l.result()
		}
	}
	l.json(w, `{"taskId":"T","status":"`+status+`"`+more+`}`)
}

// serveResult gives what is past the number, or waits for the end.
func (l *taskLife) serveResult(w *taskWire, from int) {
	l.t.Helper()
	switch {
	case from == 0 && l.over:
		l.json(w, whole(len(l.plan)))
	case from == 0:
		l.head(w, 200, coretest.Stream)
		w.blocks = true
	case l.resuming == notAtAll:
		l.head(w, 200, coretest.JSON)
		w.pending, w.closing = []string{`{"jsonrpc":"2.0","id":` + coretest.RequestID(w.Request) +
			`,"error":{"code":-32603,"message":"no"}}`}, true
	case l.resuming == fromStart:
		l.json(w, l.partial(0))
	default:
		l.json(w, l.partial(from))
	}
}

// serveCall makes the task, in one of the ways that a server may.
func (l *taskLife) serveCall(w *taskWire) {
	l.t.Helper()
	l.run()
	made := `"task":{"taskId":"T","status":"working","pollInterval":500` + l.kept + `}`
	if l.way == updateWay {
		l.json(w, `{"resultType":"task","taskId":"T","status":"working","pollIntervalMs":500`+l.kept+`}`)
		return
	}
	if l.way == continueWay {
		l.json(w, "{"+made+"}")
		return
	}
	if len(l.plan) > 0 {
		l.done = l.rng.IntN(2)
	}
	results := []string{"{" + made + "}", "{" + made + "," + l.partial(0)[1:], l.partial(0)}
	result := results[l.rng.IntN(len(results))]
	if l.rng.IntN(3) == 0 {
		l.json(w, result)
		return
	}
	l.head(w, 200, coretest.Stream)
	w.pending = []string{coretest.Message("", coretest.Result(coretest.RequestID(w.Request), result))}
	l.stream = w
}
