package acp

import "strconv"

func appendUint(b []byte, n uint64) []byte { return strconv.AppendUint(b, n, 10) }
