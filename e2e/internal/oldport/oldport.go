//go:build !js

// Package oldport listens where a test server has listened before.
package oldport

import (
	"context"
	"net"
	"time"
)

// Listen takes addr again, or any port of this machine where addr is "". The kernel
// may have lent the old one to an outgoing connection meanwhile, hence the retries,
// until ctx ends or patience is over.
func Listen(ctx context.Context, addr string, patience time.Duration) (net.Listener, error) {
	if addr == "" {
		return net.Listen("tcp", "127.0.0.1:0")
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		listener, err := net.Listen("tcp", addr)
		if err == nil {
			return listener, nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, err
		}
	}
}
