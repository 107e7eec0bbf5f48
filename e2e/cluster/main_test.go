package cluster_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/cluster/rig"
)

func TestMain(m *testing.M) { rig.Main(m) }
