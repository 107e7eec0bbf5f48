package rig

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore"
	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore/embedded"
)

// Options of a Cluster.
type Options struct {
	// Replicated: the store is three servers instead of one.
	Replicated bool
	// OneServer: all nodes are connected to the first server of the store, n1, and know the others.
	OneServer bool
	// Upstream makes the nodes gateways for the server at this address.
	Upstream string
	// StoreBytes is how much the disk of a store of one server has; 512 MiB by default.
	StoreBytes int64
	// Lease of the nodes; 2 seconds by default, much less than an operator would choose.
	Lease time.Duration
}

// A Cluster is three nodes, their store, and the balancer before them.
type Cluster struct {
	*Balancer
	World *World
	Nodes [3]*Process
	// Store is the address of a server of the store's, for a client of the test's own.
	Store string
	// Stores are the three servers of a store that is Replicated; nil otherwise.
	Stores *Stores

	t        testing.TB
	replicas int
}

// A Process is a node's.
type Process struct {
	// Link is its connection to the store.
	Link *Link

	child
	name   string // the node's own
	orders orders
}

// Start runs a cluster until t ends.
func Start(t testing.TB, o Options) *Cluster {
	t.Helper()
	if o.Lease == 0 {
		o.Lease = 2 * time.Second
	}
	if o.StoreBytes == 0 {
		o.StoreBytes = 512 << 20
	}
	c := &Cluster{Balancer: NewBalancer(t), World: NewWorld(t), t: t, replicas: 1}
	var stores []string
	if o.Replicated {
		c.Stores = NewStores(t)
		stores, c.replicas = c.Stores.Addresses(), 3
	} else {
		stores = []string{embedded.Start(t, embedded.Options{MaxStore: o.StoreBytes}).Addr().String()}
	}
	c.Store = "nats://" + strings.Join(stores, ",nats://")
	for i := range c.Nodes {
		to := stores[i%len(stores)]
		if o.OneServer {
			to = stores[0]
		}
		link := NewLink(t, to)
		// The servers tell clients of each other: a node knows no way but its own link, and in a cluster of
		// three those of all.
		urls := "nats://" + link.Address
		if o.Replicated {
			urls += "," + c.Store
		}
		p := &Process{Link: link, child: child{t: t}, orders: orders{
			NATS: urls, World: c.World.URL, Replicas: c.replicas, Lease: o.Lease,
			Patience: max(o.Lease, time.Second), Upstream: o.Upstream,
		}}
		c.Nodes[i] = p
		p.Start()
	}
	c.Serve(nil)
	return c
}

// Serve has the balancer pass requests on to all nodes but one, which may be nil: streams that it has open
// stay.
func (c *Cluster) Serve(but *Process) {
	var addresses []string
	for _, p := range c.Nodes {
		if p != but {
			addresses = append(addresses, "127.0.0.1:"+strconv.Itoa(p.orders.Port))
		}
	}
	c.Balancer.Serve(addresses)
}

// AwaitServing returns once a node answers something else than 503.
func (c *Cluster) AwaitServing() {
	c.t.Helper()
	await(c.t, "no node serves", func() bool { return status(c.URL) == http.StatusBadRequest })
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
	kept, err := jetstore.Open(c.t.Context(), embedded.Connect(c.t, c.Store),
		jetstore.Config{Replicas: c.replicas})
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

// AwaitGivenUp returns once the process, which is cut off from the store, has no lease, and has given up its
// calls. It says so when it loses one: where it is short of time that may have been before it was cut off, so
// a count of what it says is no sign.
func (p *Process) AwaitGivenUp() {
	p.t.Helper()
	url := fmt.Sprintf("http://127.0.0.1:%d", p.orders.Port)
	await(p.t, "the node does not give up", func() bool {
		return status(url) == http.StatusServiceUnavailable && strings.Contains(p.Log(), leaseLost)
	})
}

// status is what a node answers to what is no message: 400, or 503 where it has no lease. 0 is no answer.
func status(url string) int {
	response, err := http.Post(url, "application/json", nil)
	if err != nil {
		return 0
	}
	response.Body.Close()
	return response.StatusCode
}

func await(t testing.TB, otherwise string, is func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(time.Minute); !is(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatal(otherwise)
		}
	}
}

// Start starts the process, on the same port as the one before.
func (p *Process) Start() {
	p.t.Helper()
	line := p.start(variable, p.orders)
	var address string
	p.name, address, _ = strings.Cut(line, " ")
	p.orders.Port = p.port(address)
}
