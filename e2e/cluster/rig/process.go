package rig

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/holdfast-mcp/holdfast/e2e/cluster/gateway"
	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore"
	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore/store"
	"github.com/holdfast-mcp/holdfast/e2e/cluster/node"
)

// variable is the environment variable that makes a process of the test's binary a node.
const variable = "CLUSTER_NODE"

// leaseLost is what a node says that gives its calls up.
const leaseLost = "lost its lease"

// orders are what a process of a node is told.
type orders struct {
	NATS     string        `json:"nats"`
	World    string        `json:"world"`
	Replicas int           `json:"replicas"`
	Lease    time.Duration `json:"lease"`
	Patience time.Duration `json:"patience"`
	Upstream string        `json:"upstream"` // a gateway for this server; "" for a node of the Go SDK
	Port     int           `json:"port"`
}

// IsChild reports whether this process is to be a node, or a server of the store.
func IsChild() bool { return os.Getenv(variable) != "" || os.Getenv(storeVariable) != "" }

// Main runs the tests, or the node or server of the store that this process is to be. TestMain calls it.
func Main(m *testing.M) {
	var err error
	switch node, store := os.Getenv(variable), os.Getenv(storeVariable); {
	case node != "":
		err = follow(node, serve)
	case store != "":
		err = follow(store, serveStore)
	default:
		os.Exit(m.Run())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "process:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func follow[T any](text string, serve func(T) error) error {
	var o T
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return err
	}
	return serve(o)
}

// serve is a node's process, until it is told to end.
func serve(o orders) error {
	nc, err := nats.Connect(o.NATS, nats.DontRandomize(), nats.MaxReconnects(-1),
		nats.ReconnectWait(50*time.Millisecond), nats.PingInterval(time.Second), nats.MaxPingsOutstanding(2))
	if err != nil {
		return err
	}
	defer nc.Close()
	reconnect := func() {
		if o.Replicas > 1 {
			_ = nc.ForceReconnect() // to the next one
		}
	}
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var kept *jetstore.Store
	for kept == nil { // the store may be in an election
		kept, err = jetstore.Open(ctx, js,
			jetstore.Config{Replicas: o.Replicas, Patience: o.Patience, Poll: time.Second})
		if err != nil && (store.CodeOf(err) != store.Unavailable || ctx.Err() != nil) {
			return err
		}
	}
	defer kept.Close()
	cfg := node.Config{
		Log: kept.Log(), Records: kept.Records(), Bus: nc, Lease: o.Lease, KeepAlive: time.Second,
		Reconnect: reconnect,
		Logger:    slog.New(slog.NewTextHandler(os.Stderr, nil)),
	}
	var n *node.Node
	if o.Upstream != "" {
		cfg.Backend = &gateway.Backend{URL: o.Upstream,
			Keep: func(ctx context.Context, s *node.Session) error { return n.Keep(ctx, s) }}
	} else {
		backend, modern := tools(o.World, kept.Records(), func() *node.Node { return n })
		defer backend.Close()
		cfg.Backend, cfg.Modern = backend, modern
	}
	if n, err = node.Start(ctx, cfg); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", o.Port))
	if err != nil {
		return err
	}
	server := &http.Server{Handler: n}
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGTERM)
	left := make(chan error, 1)
	go func() {
		<-told
		left <- errors.Join(n.Close(context.Background()), server.Shutdown(context.Background()))
	}()
	fmt.Println(n.Name(), listener.Addr())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-left
}
