// Package embedded runs NATS servers with JetStream inside a test's process: one, or a cluster of three.
package embedded

import (
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Options of one server.
type Options struct {
	// MaxStore is how many bytes JetStream may take on the disk; 0 for 64 MiB.
	MaxStore int64
	// Dir is where it keeps them; a folder of the test's by default. A server that is started with the folder
	// of another has what that one had.
	Dir string
	// Port is where it listens; 0 for any.
	Port int
}

// Start runs a server until t ends. The test fails where it does not come up.
func Start(t testing.TB, o Options) *server.Server {
	t.Helper()
	opts := options(t, "alone", o)
	return run(t, opts)
}

func options(t testing.TB, name string, o Options) *server.Options {
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	if o.MaxStore == 0 {
		o.MaxStore = 64 << 20
	}
	if o.Port == 0 {
		o.Port = server.RANDOM_PORT
	}
	return &server.Options{
		ServerName: name, Host: "127.0.0.1", Port: o.Port, JetStream: true, StoreDir: o.Dir,
		JetStreamMaxMemory: 64 << 20, JetStreamMaxStore: o.MaxStore, NoSigs: true, NoLog: true,
	}
}

func run(t testing.TB, opts *server.Options) *server.Server {
	t.Helper()
	s, err := server.NewServer(opts)
	if err != nil {
		t.Fatal(err)
	}
	go s.Start()
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the NATS server does not come up")
	}
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	return s
}

// Connect opens a connection to the servers until t ends.
func Connect(t testing.TB, url string, more ...nats.Option) jetstream.JetStream {
	t.Helper()
	nc, err := nats.Connect(url,
		append([]nats.Option{nats.MaxReconnects(-1), nats.ReconnectWait(20 * time.Millisecond)}, more...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// Cluster runs three servers that replicate, until t ends, and returns them once they have a leader.
func Cluster(t testing.TB) [3]*server.Server {
	t.Helper()
	ports := FreePorts(t, 3)
	var routes string
	for i, port := range ports {
		if i > 0 {
			routes += ","
		}
		routes += fmt.Sprintf("nats://127.0.0.1:%d", port)
	}
	var all [3]*server.Server
	for i, port := range ports {
		opts := options(t, fmt.Sprint("n", i+1), Options{})
		opts.Cluster = server.ClusterOpts{Name: "three", Host: "127.0.0.1", Port: port}
		opts.Routes = server.RoutesFromStr(routes)
		all[i] = run(t, opts)
	}
	until(t, "the cluster has a leader", func() bool {
		for _, s := range all {
			if s.JetStreamIsLeader() && len(s.JetStreamClusterPeers()) == 3 {
				return true
			}
		}
		return false
	})
	return all
}

// LeaderOf returns which server leads a stream of JetStream's; the test fails where none does within a
// minute.
func LeaderOf(t testing.TB, js jetstream.JetStream, stream string) string {
	t.Helper()
	leader := ""
	until(t, "stream "+stream+" has a leader", func() bool {
		s, err := js.Stream(t.Context(), stream)
		if err != nil {
			return false
		}
		if info := s.CachedInfo(); info.Cluster != nil {
			leader = info.Cluster.Leader
		}
		return leader != ""
	})
	return leader
}

// until polls, since servers tell nobody of their elections.
func until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(time.Minute); !ok(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("not within a minute: %s", what)
		}
	}
}

// FreePorts returns n ports of this machine at which nobody listens.
func FreePorts(t testing.TB, n int) (ports []int) {
	t.Helper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports
}
