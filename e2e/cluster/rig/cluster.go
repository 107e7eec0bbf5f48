package rig

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore"
	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore/embedded"
)

// Options of a Cluster.
type Options struct {
	// Replicated: the store is three servers instead of one.
	Replicated bool
	// Upstream makes the nodes gateways for the server at this address.
	Upstream string
	// Lease of the nodes; 1 second by default, much less than an operator would choose.
	Lease time.Duration
}

// A Cluster is three nodes, their store, and the balancer before them.
type Cluster struct {
	*Balancer
	World *World
	Nodes [3]*Process
	// Store is the address of a server of the store's, for a client of the test's own.
	Store string
	// Stop ends the server of the store of that name.
	Stop func(name string)

	t testing.TB
}

// A Process is a node's.
type Process struct {
	// Link is its connection to the store.
	Link *Link

	t       testing.TB
	name    string // the node's own
	orders  orders
	command *exec.Cmd
	ended   chan struct{}
	log     syncBuffer
}

// Start runs a cluster until t ends.
func Start(t testing.TB, o Options) *Cluster {
	t.Helper()
	if o.Lease == 0 {
		o.Lease = time.Second
	}
	c := &Cluster{Balancer: NewBalancer(t), World: NewWorld(t), t: t}
	var stores []string
	replicas := 1
	if o.Replicated {
		servers := embedded.Cluster(t)
		for _, s := range servers {
			stores = append(stores, s.Addr().String())
		}
		c.Stop = func(name string) {
			for _, s := range servers {
				if s.Name() == name {
					s.Shutdown()
					s.WaitForShutdown()
				}
			}
		}
		replicas = 3
	} else {
		stores = []string{embedded.Start(t, embedded.Options{MaxStore: 512 << 20}).Addr().String()}
	}
	c.Store = "nats://" + strings.Join(stores, ",nats://")
	var addresses []string
	for i := range c.Nodes {
		link := NewLink(t, stores[i%len(stores)])
		// The servers tell clients of each other: a node knows no way but its own link, and in a cluster of three
		// those of all.
		urls := "nats://" + link.Address
		if o.Replicated {
			urls += "," + c.Store
		}
		p := &Process{Link: link, t: t, orders: orders{
			NATS: urls, World: c.World.URL, Replicas: replicas, Lease: o.Lease, Patience: max(o.Lease, time.Second), Upstream: o.Upstream,
		}}
		c.Nodes[i] = p
		p.Start()
		addresses = append(addresses, "127.0.0.1:"+strconv.Itoa(p.orders.Port))
	}
	c.Serve(addresses)
	return c
}

// Running returns the node that runs a call: the one that the world has heard last.
func (c *Cluster) Running(label string) *Process {
	c.t.Helper()
	for _, p := range c.Nodes {
		if strconv.Itoa(p.command.Process.Pid) == c.World.Of(label).Node {
			return p
		}
	}
	c.t.Fatalf("no node runs %s", label)
	return nil
}

// Runs reports whether a node runs a call, by the store's records.
func (c *Cluster) Runs(p *Process) bool {
	c.t.Helper()
	kept, err := jetstore.Open(c.t.Context(), embedded.Connect(c.t, c.Store), jetstore.Config{})
	if err != nil {
		c.t.Fatal(err)
	}
	defer kept.Close()
	calls, err := kept.Records().List(c.t.Context(), "calls", p.name)
	if err != nil {
		c.t.Fatal(err)
	}
	return len(calls) > 0
}

// Start starts the process, on the same port as the one before.
func (p *Process) Start() {
	p.t.Helper()
	text, err := json.Marshal(p.orders)
	if err != nil {
		p.t.Fatal(err)
	}
	p.command = exec.Command(os.Args[0], "-test.run=^$")
	p.command.Env = append(os.Environ(), variable+"="+string(text))
	p.command.Stderr = &p.log
	p.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // it does not outlive the test
	out, err := p.command.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := p.command.Start(); err != nil {
		p.t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	var address string
	p.name, address, _ = strings.Cut(strings.TrimSpace(line), " ")
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		p.t.Fatalf("the node did not start: %q\n%s", line, p.log.String())
	}
	p.orders.Port, _ = strconv.Atoi(port)
	p.ended = make(chan struct{})
	go func(command *exec.Cmd, ended chan struct{}) { _ = command.Wait(); close(ended) }(p.command, p.ended)
	p.t.Cleanup(func() {
		p.Kill()
		if p.t.Failed() {
			p.t.Logf("node %s\n%s", p.name, p.log.String())
		}
	})
}

// Kill ends the process without a word.
func (p *Process) Kill() { p.end(syscall.SIGKILL) }

// Leave has the process end in order.
func (p *Process) Leave() { p.end(syscall.SIGTERM) }

func (p *Process) end(how syscall.Signal) {
	_ = p.command.Process.Signal(how)
	<-p.ended
}

// Log is what the node has said to its operator.
func (p *Process) Log() string { return p.log.String() }

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
