package rig

import (
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore"
	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore/embedded"
)

// storeVariable is the environment variable that makes a process of the test's binary a server of the store.
const storeVariable = "CLUSTER_STORE"

// storeOrders are what a process of a server of the store is told.
type storeOrders struct {
	Name   string   `json:"name"`
	Dir    string   `json:"dir"`
	Port   int      `json:"port"`  // for clients
	Route  int      `json:"route"` // the port for the other servers
	Routes []string `json:"routes"`
}

// serveStore is the process of a server of the store, until it is told to end.
func serveStore(o storeOrders) error {
	opts := &server.Options{
		ServerName: o.Name, Host: "127.0.0.1", Port: o.Port, JetStream: true, StoreDir: o.Dir,
		JetStreamMaxMemory: 64 << 20, JetStreamMaxStore: 256 << 20, NoSigs: true, NoLog: true,
		// Servers tell each other where the third one is, and would go around the links: nobody listens
		// there.
		Cluster: server.ClusterOpts{Name: "three", Host: "127.0.0.1", Port: o.Route,
			Advertise: "127.0.0.1:1"},
		Routes: server.RoutesFromStr(strings.Join(o.Routes, ",")),
	}
	if opts.Port == 0 {
		opts.Port = server.RANDOM_PORT
	}
	s, err := server.NewServer(opts)
	if err != nil {
		return err
	}
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGTERM)
	go s.Start()
	if !s.ReadyForConnections(time.Minute) {
		return fmt.Errorf("the NATS server %s does not come up", o.Name)
	}
	fmt.Println(s.Addr()) // the line that child.start waits for
	<-told
	s.Shutdown()
	s.WaitForShutdown()
	return nil
}

// Stores are three servers of JetStream's that replicate, each a process of its own, with a link for each way
// between two.
type Stores struct {
	t       testing.TB
	servers []*storeServer
}

type storeServer struct {
	child
	orders  storeOrders
	address string           // for clients
	links   map[string]*Link // to the others, by their names
}

// NewStores starts them until t ends, and returns once they have the streams of the store.
func NewStores(t testing.TB) *Stores {
	t.Helper()
	all := &Stores{t: t}
	for i, port := range embedded.FreePorts(t, 3) {
		all.servers = append(all.servers, &storeServer{
			child: child{t: t}, links: map[string]*Link{},
			orders: storeOrders{Name: fmt.Sprint("n", i+1), Dir: t.TempDir(), Route: port},
		})
	}
	for _, from := range all.servers {
		for _, to := range all.servers {
			if from != to {
				link := NewLink(t, fmt.Sprint("127.0.0.1:", to.orders.Route))
				from.links[to.orders.Name] = link
				from.orders.Routes = append(from.orders.Routes, "nats://"+link.Address)
			}
		}
		from.run()
	}
	js := embedded.Connect(t, "nats://"+strings.Join(all.Addresses(), ",nats://"))
	kept, err := jetstore.Open(t.Context(), js, jetstore.Config{Replicas: 3, Patience: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	kept.Close()
	return all
}

func (s *storeServer) run() {
	s.t.Helper()
	s.address = s.start(storeVariable, s.orders)
	s.orders.Port = s.port(s.address)
}

// Addresses are those of all three, for clients.
func (s *Stores) Addresses() (all []string) {
	for _, one := range s.servers {
		all = append(all, one.address)
	}
	return all
}

func (s *Stores) of(name string) *storeServer {
	s.t.Helper()
	for _, one := range s.servers {
		if one.orders.Name == name {
			return one
		}
	}
	s.t.Fatalf("no server of the store is named %q", name)
	return nil
}

// Address is that of a server, for clients, as a URL.
func (s *Stores) Address(name string) string { return "nats://" + s.of(name).address }

// Another returns the name of a server that is not that one.
func (s *Stores) Another(name string) string {
	if s.servers[0].orders.Name != name {
		return s.servers[0].orders.Name
	}
	return s.servers[1].orders.Name
}

// Stop has a server end in order: it hands over what it leads.
func (s *Stores) Stop(name string) { s.of(name).Leave() }

// Kill ends a server without a word, by SIGKILL.
func (s *Stores) Kill(name string) { s.of(name).Kill() }

// Start starts it again, with what its disk has.
func (s *Stores) Start(name string) { s.of(name).run() }

// Part cuts what is between a server and the other two. Its clients reach it still.
func (s *Stores) Part(name string) {
	for _, one := range s.servers {
		for other, link := range one.links {
			if one.orders.Name == name || other == name {
				link.Cut()
			}
		}
	}
}

// PartAll cuts what is between all three: none has a majority.
func (s *Stores) PartAll() {
	for _, one := range s.servers {
		s.Part(one.orders.Name)
	}
}

// Mend ends Part and PartAll.
func (s *Stores) Mend() {
	for _, one := range s.servers {
		for _, link := range one.links {
			link.Mend()
		}
	}
}
