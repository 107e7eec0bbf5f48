//go:build !js

package chrome

import "testing"

func TestMain(m *testing.M) { Main(m) }
